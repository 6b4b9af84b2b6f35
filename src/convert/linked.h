/* From a linked ELF image to the rows of its SFrame section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   In three steps, each of which needs the one before: what describes code is
   read, all code is walked over, and the pieces that become FDEs are chosen.
   linked_build takes them all.  */

#ifndef CONVERT_LINKED_H
#define CONVERT_LINKED_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "sframe/encode.h"

struct linked; /* opaque */

/* NULL when memory ran out.  IMAGE, OPTIONS and REPORT, which is filled in
   step by step, must outlive it.  */
struct linked *linked_new (const struct image *image,
                           const struct cfi2sframe_options *options,
                           struct cfi2sframe_report *report,
                           struct error *err);
void linked_free (struct linked *linked);

/* Read what describes code: FDEs, PLT stubs and, if asked for, functions found
   in the code.  Status CFI2SFRAME_NOTHING when there is no CFI.  */
bool linked_read (struct linked *linked, struct error *err);

/* Give the rows of all code, in the order of addresses, to what will choose
   from them.  What was read is freed.  */
bool linked_walk (struct linked *linked, struct error *err);

/* Choose the pieces that become FDEs and write their rows: an encoder, which
   is the caller's.  NULL with status CFI2SFRAME_NOTHING when nothing could be
   expressed.  */
struct sframe_encoder *linked_choose (struct linked *linked,
                                      struct error *err);

/* Do all three steps: an encoder that holds the SFrame data of IMAGE; REPORT
   is filled in.  NULL as linked_choose.  */
struct sframe_encoder *linked_build (const struct image *image,
                                     const struct cfi2sframe_options *options,
                                     struct cfi2sframe_report *report,
                                     struct error *err);

#endif /* CONVERT_LINKED_H */

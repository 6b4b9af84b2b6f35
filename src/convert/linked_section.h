/* From a linked ELF image to the rows of its SFrame section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This takes three steps, each of which needs the one before: what describes
   code is read, all code is walked over, and the pieces that become FDEs are
   chosen.  linked_section_build takes them all.  */

#ifndef CONVERT_LINKED_SECTION_H
#define CONVERT_LINKED_SECTION_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/source.h"
#include "convert/input.h"
#include "sframe/encode.h"

struct linked_section; /* opaque */

/* Read what describes code: FDEs, PLT stubs and, if asked for, functions found
   in the code.  What INPUT points to must outlive the result.  NULL with
   status CFI2SFRAME_NOTHING without CFI.  */
struct linked_section *linked_section_read (const struct input *input,
                                            struct error *err);
void linked_section_free (struct linked_section *linked);

/* Give the rows of all code, in the order of addresses, to what will choose
   from them.  What was read is freed.  */
bool linked_section_walk (struct linked_section *linked, struct error *err);

/* Choose the pieces that become FDEs and write their rows: an encoder, which
   is the caller's.  NULL with status CFI2SFRAME_NOTHING when nothing could be
   expressed.  */
struct sframe_encoder *linked_section_choose (struct linked_section *linked,
                                              struct error *err);

/* For code that is looked at in portions: read what describes code, and
   nothing more.  The options must have `keep_return_addresses', so that rows
   do not depend on the code in front of theirs, and neither `gnu' nor
   `compact'.  */
struct linked_section *linked_section_open (const struct input *input,
                                            struct error *err);

/* What linked_section_open has read.  */
const struct cfi_source *
linked_section_source (const struct linked_section *linked);

/* Make the rows of the code from the FDE with the index FDE on, up to the one
   with the index END (cfi_walk_go): an encoder, which is the caller's.  NULL
   with status CFI2SFRAME_NOTHING when nothing could be expressed.  */
struct sframe_encoder *
linked_section_build_portion (struct linked_section *linked, size_t fde,
                              size_t end, struct error *err);

/* Do all three steps: an encoder that holds the SFrame data of INPUT.  NULL as
   linked_section_choose.  */
struct sframe_encoder *linked_section_build (const struct input *input,
                                             struct error *err);

#endif /* CONVERT_LINKED_SECTION_H */

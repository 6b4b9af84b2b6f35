/* Making the SFrame section of a linked ELF file from its CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later

   linked_section_build makes the section of the whole file.  Walks over stacks
   need rows of a small part of a large file only: linked_section_open reads
   where its FDEs are, and linked_section_build_portion makes the rows of some
   of them.  */

#ifndef CONVERT_LINKED_SECTION_H
#define CONVERT_LINKED_SECTION_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/source.h"
#include "convert/input.h"
#include "sframe/encode.h"

/* Make the rows of all code of INPUT, and choose which of them form FDEs.
   Returns an encoder, which the caller frees.  NULL with status
   CFI2SFRAME_NOTHING if no code has CFI, or if SFrame can express no row.  */
struct sframe_encoder *linked_section_build (const struct input *input,
                                             struct error *err);

struct linked_section; /* opaque */

/* Read where the CFI of INPUT has its FDEs, and nothing more.  The options
   must have `keep_return_addresses', so that rows do not depend on the code
   before theirs, and neither `gnu' nor `compact'.  What INPUT points to must
   outlive the result.  NULL as linked_section_build.  */
struct linked_section *linked_section_open (const struct input *input,
                                            struct error *err);
void linked_section_free (struct linked_section *linked);

/* The CFI that linked_section_open has read.  */
const struct cfi_source *
linked_section_source (const struct linked_section *linked);

/* Make the rows of the code from the FDE with the index FDE on, up to and
   without the FDE with the index END.  Returns as linked_section_build.  */
struct sframe_encoder *
linked_section_build_portion (struct linked_section *linked, size_t fde,
                              size_t end, struct error *err);

#endif /* CONVERT_LINKED_SECTION_H */

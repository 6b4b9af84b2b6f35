/* Updating the separate debug file of a program that was converted.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A debug file has the program's section headers without their contents.  A
   conversion adds sections to the program and moves some.  Debuggers then find
   that the section headers differ: they compare names and addresses (gdb,
   addr_info_make_relative in symfile.c; elfutils, find_alloc_section in
   src/unstrip.c) and the first PT_LOAD (its end: open_elf in libdwfl; its
   beginning: src/unstrip.c).  So the debug file gets the new headers, too.  */

#ifndef WRITE_DEBUG_TWIN_H
#define WRITE_DEBUG_TWIN_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "place/plan.h"

/* Whether DEBUG has no code: its segments have no bytes for sections of code,
   but zeros and bytes that another section or a header owns.  Sizes and
   offsets of segments do not show that, because eu-strip(1) leaves them as
   they are in the program.  False with status CFI2SFRAME_REFUSED for a file
   with code, which can be run.  */
bool debug_twin_check_codeless (const struct image *debug, struct error *err);

/* Whether PROGRAM has all loaded sections that DEBUG has, at any address.  If
   not (strip -R of the program, after the split), DEBUG cannot be updated:
   tools that compare the two would find a section too many.  False with status
   CFI2SFRAME_REFUSED.  */
bool debug_twin_check_sections (const struct image *debug,
                                const struct image *program,
                                struct error *err);

/* Plan how DEBUG gets the section headers that its PROGRAM has now.  All old
   bytes of DEBUG stay where they are.  The last four bytes of the new file are
   zero: the caller sets them so that the file keeps its CRC.  The plan has no
   .sframe.  The caller frees it with plan_free, also after failure.  False
   with status CFI2SFRAME_NOTHING when there is nothing to change.  */
bool debug_twin_plan (struct plan *plan, const struct image *debug,
                      const struct image *program, struct error *err);

/* Return the new file that PLAN, of debug_twin_plan, makes of DEBUG, which was
   opened from a file: plan->new_size bytes in a private mapping, which the
   caller frees with mapped_file_close.  Pages that do not change are those of
   the file.  NULL after failure.  */
uint8_t *debug_twin_preview (const struct image *debug,
                             const struct plan *plan, struct error *err);

/* Whether DEBUG and PROGRAM have the same loaded sections at the same
   addresses, and the same first PT_LOAD.  */
bool debug_twin_is_in_step (const struct image *debug,
                            const struct image *program);

#endif /* WRITE_DEBUG_TWIN_H */

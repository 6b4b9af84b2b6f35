/* Debug files of programs that changed after these were split off.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A debug file has the program's section headers without the contents, and
   debuggers compare both by name and address (gdb, addr_info_make_relative in
   symfile.c; elfutils, find_alloc_section in src/unstrip.c) and by the first
   PT_LOAD (its end: open_elf in libdwfl; its beginning: src/unstrip.c).  A
   conversion adds sections and moves some.  */

#ifndef WRITE_DEBUG_TWIN_H
#define WRITE_DEBUG_TWIN_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "place/plan.h"

/* Whether DEBUG has no code: its sections of code have no contents, and its
   segments have no bytes for them that nothing else owns.  Sizes and offsets
   of segments alone tell nothing: eu-strip(1) leaves them as the program has
   them.  Status CFI2SFRAME_REFUSED otherwise: it can be run.  */
bool debug_twin_check_codeless (const struct image *debug, struct error *err);

/* Whether PROGRAM has the loaded sections that DEBUG has, wherever they are.
   Else tools that compare both find one too many (strip -R of the program,
   after the split), and DEBUG cannot be brought in step: status
   CFI2SFRAME_REFUSED.  */
bool debug_twin_check_sections (const struct image *debug,
                                const struct image *program,
                                struct error *err);

/* Plan how the debug file DEBUG gets the section headers that PROGRAM, to
   which it belongs, has now.  Everything it has stays where it is.  The last
   four bytes of the new file are zero, and free for a word by which the file
   keeps its CRC.  The plan has no .sframe, and is freed with plan_free
   also after failure.  Status CFI2SFRAME_NOTHING when there is nothing to
   change.  */
bool debug_twin_plan (struct plan *plan, const struct image *debug,
                      const struct image *program, struct error *err);

/* The bytes that PLAN, of debug_twin_plan, makes of DEBUG, which was opened
   from a file: plan->new_size bytes of private memory, given back with
   mapped_file_close.  Pages that do not change stay the file's.  NULL after
   failure.  */
uint8_t *debug_twin_preview (const struct image *debug,
                             const struct plan *plan, struct error *err);

/* Whether DEBUG has the headers of PROGRAM, and none that it lacks.  */
bool debug_twin_is_in_step (const struct image *debug,
                            const struct image *program);

#endif /* WRITE_DEBUG_TWIN_H */

/* Executing call-frame instructions: from CFI bytes to frame rows.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One pass over the instructions of a CIE and of an FDE; only the rules of
   CFA, FP and RA are kept, and whether the rule of SP is an unusual one.
   DWARF 5, section 6.4.2; GNU and AArch64 extensions.  */

#ifndef CFI_CFA_PROGRAM_H
#define CFI_CFA_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/cfi_section.h"
#include "frame/frame.h"

struct cfa_machine; /* opaque: caches CIE states, owns the state stack */

/* An interpreter for SECTION, which must outlive it.  NULL when memory ran
   out.  */
struct cfa_machine *cfa_machine_new (const struct cfi_section *section);
void cfa_machine_free (struct cfa_machine *machine);

/* From now on functions come with the rules of arch->saved_registers too.
   SFrame has no use for them; other formats have.  Call it before the first
   cfa_machine_run.  False when memory ran out.  */
bool cfa_machine_track_saved (struct cfa_machine *machine);

/* Run FDE and fill FUNCTION (reset first) with its rows, clipped to the FDE's
   range, equal neighbours merged.  *REASON says why there are none, or is
   REASON_NONE.  A program that breaks in the middle of the function has rows:
   what it said until then holds, the last row has no rules but the reason.
   False when memory ran out.  */
bool cfa_machine_run (struct cfa_machine *machine, const struct cfi_fde *fde,
                      struct frame_function *function,
                      enum frame_reason *reason, struct error *err);

/* How much code the program run last speaks of, in bytes from the function's
   start: another FDE with the same CIE and instructions and more code than
   that has the same rows.  UINT64_MAX when the rows depend on more.  */
uint64_t cfa_machine_reach (const struct cfa_machine *machine);

#endif /* CFI_CFA_PROGRAM_H */

/* Executing call-frame instructions: from CFI bytes to frame rows.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The instructions of a CIE and of an FDE are executed in one pass.  Rows have
   the rules for CFA, FP and RA.  The rule for SP is tracked as well: where the
   caller's SP is not the one that tracers of SFrame compute from the CFA, the
   row has no valid CFA.  DWARF 5, section 6.4.2; GNU and AArch64
   extensions.  */

#ifndef CFI_CFA_PROGRAM_H
#define CFI_CFA_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/cfi_section.h"
#include "frame/frame.h"

struct cfa_machine; /* opaque */

/* Make an interpreter for SECTION, which must outlive it.  It executes each
   CIE once.  NULL when memory ran out.  */
struct cfa_machine *cfa_machine_new (const struct cfi_section *section);
void cfa_machine_free (struct cfa_machine *machine);

/* Track the rules of arch->saved_registers, too: functions will have them in
   `saved'.  SFrame has no use for these rules, but compact unwind has.  To be
   called before the first cfa_machine_run.  False when memory ran out.  */
bool cfa_machine_track_saved (struct cfa_machine *machine);

/* Execute FDE and set FUNCTION to its rows.  Rows stay inside the FDE's range,
   and neighbours with equal rules are merged.  *REASON becomes REASON_NONE, or
   why there are no rows.  When an instruction in the middle of the function is
   invalid, the rows before it are kept; the last row then has no rules, but
   the reason.  False when memory ran out.  */
bool cfa_machine_run (struct cfa_machine *machine, const struct cfi_fde *fde,
                      struct frame_function *function,
                      enum frame_reason *reason, struct error *err);

/* The last location of the program that was executed last, in bytes from the
   function's start.  An FDE with the same CIE, the same instructions and more
   bytes of code has the same rows.  UINT64_MAX if rows depend on more.  */
uint64_t cfa_machine_reach (const struct cfa_machine *machine);

#endif /* CFI_CFA_PROGRAM_H */

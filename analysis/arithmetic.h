/* Arithmetic on constants.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_ARITHMETIC_H
#define ANALYSIS_ARITHMETIC_H

#include <stdint.h>

#include "analysis/instruction.h"

/* What CALCULATION makes of the lowest WIDTH bytes, 1 to 8, of A and B, as so
   many bytes without a sign.  Shifts and rotations by more than a register has
   go by the remainder, as both machines do where registers have 4 or 8 bytes.
 */
uint64_t arithmetic_result (enum insn_calculation calculation, uint64_t a,
                            uint64_t b, unsigned width);

#endif /* ANALYSIS_ARITHMETIC_H */

/* Evaluating DWARF expressions on a made-up machine.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ORACLE_EXPRESSION_H
#define ORACLE_EXPRESSION_H

#include <elfutils/libdw.h>
#include <stddef.h>

#include "machine.h"

/* Evaluate OPS.  CFA may be NULL (while the CFA itself is computed).  With
   LOCATION the result is where the value is (memory, unless a register or
   DW_OP_stack_value says otherwise) and is fetched from there; without, it
   is the value.  ANSWER_UNKNOWN for operations that are not implemented or
   fail.  */
struct answer expression_evaluate (const struct machine *machine,
                                   const Dwarf_Op *ops, size_t n_ops,
                                   const uint64_t *cfa, bool location);

/* Whether the value depends on register REGNO.  */
bool expression_uses_register (const Dwarf_Op *ops, size_t n_ops, int regno);

#endif /* ORACLE_EXPRESSION_H */

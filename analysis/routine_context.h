/* What following a function depends on, what came of it, and what it shows of
   other functions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_ROUTINE_CONTEXT_H
#define ANALYSIS_ROUTINE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/addresses.h"
#include "analysis/gopclntab.h"
#include "analysis/functions.h"
#include "analysis/insn.h"
#include "analysis/known_code.h"
#include "analysis/machine.h"
#include "analysis/image_facts.h"
#include "analysis/request.h"

struct routine_context
{
  const struct code_request *request;
  const struct code_machine *machine;
  /* Go's tables, and what its functions may rely on; NULL: there are none.  */
  const struct go_table *go;
  const struct code_machine *go_machine;
  /* What functions may rely on that fail because of their registers.  */
  const struct code_machine *bare_machine;
  const struct insn_decoder *decoder;
  const struct image_facts *facts;
  const struct functions *functions;
  const struct known_code *known;
  uint64_t program_entry; /* or 0 */
  bool has_hints;         /* addresses in code are not relocated (starts.h) */
};

/* Why a routine gives no rows.  */
enum routine_failure
{
  ROUTINE_SOUND,
  ROUTINE_DECODE,     /* bytes that are not an instruction, or not code */
  ROUTINE_RETURN,     /* returns with another stack pointer or registers */
  ROUTINE_TAIL_CALL,  /* jumps to another function with such registers */
  ROUTINE_RUNS_INTO,  /* runs into another function with such registers */
  ROUTINE_SAVED_USED, /* uses registers that belong to the caller */
  ROUTINE_UNWINDS,    /* resumes unwinding without a landing pad */
  ROUTINE_SIGNAL, /* returns from an interrupt, or is where the handler of a
                     signal returns to */
  /* compares what a system call of an unknown number returns with 0, as a
     child with another stack is told from its parent */
  ROUTINE_SYSTEM_CALL,
  ROUTINE_CALLEE,     /* calls what returns with another stack pointer */
  ROUTINE_UNRESOLVED, /* jumps to an address that is not known */
  ROUTINE_GO_DIFFERS, /* Go's table says otherwise, or nothing */
  ROUTINE_UNPROVEN,   /* nothing shows that a function starts there */
  ROUTINE_DOUBTFUL,   /* nothing shows yet that its calls return */
  ROUTINE_TOO_MUCH,   /* takes too long, or too much memory */
  ROUTINE_FAILURE_COUNT
};

/* What came of following a function.  */
struct routine_result
{
  enum routine_failure failure;
  uint64_t failed_at; /* the address that shows the failure */

  /* It was seen to return with the stack pointer it came with.  Then, if it is
     sound, the stack pointer at the entry is that of a call, because the
     return address was where a call puts it.  */
  bool is_proven;
  bool leaves; /* so, or by a jump to another function */
  /* It makes calls in the frame of a function that was called: the stack
     pointer is a multiple of 16 (System V ABI, AMD64 supplement, section
     3.2.2), which it is not if the entry has another frame that is ready for
     calls.  Registers that belong to the caller are in the frame, below the
     entry: to be restored by a return that never comes, as only compilers do
     it.  */
  bool is_framed;
  bool has_end;     /* it goes back, or elsewhere, as functions do */
  bool is_unframed; /* it makes other calls, too, or has an end */
  /* It uses registers that have no value at its entry: as compiled code does
     on paths that are never taken, or assembler code with conventions of its
     own.  */
  bool is_odd;
  /* Where nothing but trust in a callee says where SP is, it gets another
     value before the routine returns, which would show that the trust was
     right.  */
  bool resets_sp;
  bool has_doubtful_calls; /* it makes calls that were not seen to return */
  /* It calls functions that are not in context->functions.  Once they were
     registered, and it is known which of them return, following it again may
     have another result.  */
  bool met_unknown;
  /* Jump tables were read since routine_forget.  Their ends depend on the
     addresses that are named so far.  */
  bool reads_tables;
  /* ... of which one is of addresses and has no bound.  Behind its end there
     may be pointers to functions.  */
  bool reads_too_far;
  /* Mask of the registers of the ABI that it returns with changed, or jumps
     with to other functions.  */
  uint32_t changes;
  /* The functions that it enters with another frame than that of a call, for
     which it fails; the routine's.  */
  uint32_t *left_for;
  size_t n_left_for;
};

/* What a routine shows of functions.  Following a routine changes nothing but
   the routine, so that several can be followed at the same time: who has it
   followed records this where others see it (functions.h).  */
enum observation_kind
{
  OBSERVED_UNKNOWN,     /* called, but not registered */
  OBSERVED_RETURNED,    /* a call of it was seen to return */
  OBSERVED_PASSED_OVER, /* is_passed_over */
  OBSERVED_MOVES_STACK  /* moves_stack */
};

struct observation
{
  enum observation_kind kind;
  uint64_t address; /* of the function, or the place that leads to it */
};

#endif /* ANALYSIS_ROUTINE_CONTEXT_H */

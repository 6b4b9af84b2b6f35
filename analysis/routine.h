/* One function, analysed along all its paths until nothing changes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A routine is the code that one entry reaches by jumps: with parts that were
   moved elsewhere (.cold), and with tails that other functions share.  It ends
   at the starts of other functions, where jumps are tail calls.

   The states are right if a function does begin at the entry, and if the code
   keeps to the ABI.  Both can be checked.  Code that was entered in the middle
   of a function does not return with the stack pointer it came with, or pops
   what it did not push, or uses registers that belong to the caller.
   routine_follow looks for all of these; a routine with one of them gives no
   rows at all.

   Here is what following a function depends on and what comes of it, then how
   it is analysed by others, and at last what the files of a routine have
   for each other.  */

#ifndef ANALYSIS_ROUTINE_H
#define ANALYSIS_ROUTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/addresses.h"
#include "analysis/functions.h"
#include "analysis/gopclntab.h"
#include "analysis/image_facts.h"
#include "analysis/insn.h"
#include "analysis/covered_code.h"
#include "analysis/machine.h"
#include "analysis/request.h"
#include "analysis/state.h"

/* What following a function depends on.  */
struct routine_context
{
  const struct code_request *request;
  const struct code_machine *machine;
  /* Go's tables, and what its functions may rely on; NULL: there are none.  */
  const struct go_table *go;
  const struct code_machine *go_machine;
  /* What functions may rely on that fail because of their registers.  */
  const struct code_machine *bare_machine;
  const struct image_facts *facts;
  const struct functions *functions;
  const struct covered_code *covered_code;
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
  bool uses_uninitialised;
  /* Where nothing but trust in a callee says where SP is, it gets another
     value before the routine returns, which would show that the trust was
     right.  */
  bool resets_sp;
  bool has_doubtful_calls; /* it makes calls that were not seen to return */
  /* It calls functions that are not in context->functions.  Once they were
     registered, and it is known which of them return, following it again may
     have another result.  */
  bool calls_unregistered;
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
  uint32_t *entered_with_frame;
  size_t n_entered_with_frame;
};

/* What a routine shows of functions.  Following a routine changes nothing but
   the routine, so that several can be analysed at the same time: who has
   it analysed records this where others see it (functions.h).  */
enum observation_kind
{
  OBSERVED_UNREGISTERED, /* called, but not registered */
  OBSERVED_RETURNED,     /* a call of it was seen to return */
  OBSERVED_DEAD_BRANCH,  /* is_dead_branch_target */
  OBSERVED_MOVES_STACK   /* moves_stack */
};

struct observation
{
  enum observation_kind kind;
  uint64_t address; /* of the function, or the place that leads to it */
};

/* What to do with calls of functions that were not seen to return.  */
enum doubtful_calls
{
  /* Paths go on behind them: the routine's CFI says where it ends.  */
  DOUBTFUL_CALLS_RETURN,
  /* The routine fails: functions that it calls are not known yet.  */
  DOUBTFUL_CALLS_FAIL,
  DOUBTFUL_CALLS_END_PATH
};

/* What to trust a sound routine with.  */
enum routine_trust
{
  TRUST_CFI_ALONE, /* only its CFI says that it begins_insn with a call's frame
                    */
  TRUST_STACK,     /* it was seen to leave, or to be called */
  TRUST_ALL        /* and it keeps the registers of the ABI */
};

/* CONTEXT must outlive the routine.  NULL when memory ran out.  */
struct routine *routine_new (const struct routine_context *context);
void routine_free (struct routine *routine);

/* Follow the function at ENTRY.  Entries of jump tables that lead to code
   below END lead into the function.  If IS_BARE, it is expected to preserve no
   register but SP: for functions with conventions of their own, whose calls
   return; rules for other registers must not be used then.  The result is
   valid until the routine follows another function.  */
const struct routine_result *
routine_follow (struct routine *routine, uint64_t entry, uint64_t end,
                enum doubtful_calls doubtful_calls, bool is_bare);

/* Call VISIT for every instruction of the routine that was analysed last,
   with the state in front of it.  */
void routine_visit (struct routine *routine,
                    void (*visit) (void *argument, const struct insn *insn,
                                   const struct state *state),
                    void *argument);

/* Forget the observations, and that jump tables were read.  */
void routine_forget (struct routine *routine);

/* ---- The graph (routine_graph.c) */

static const uint32_t NODE_NONE = UINT32_MAX;

struct routine_node
{
  uint32_t block; /* or NODE_NONE */
  uint32_t
      predecessor; /* node from which the path goes on here, or NODE_NONE */
  bool is_last;    /* no instruction of the routine is behind this one */
  bool reaches_return;       /* a path from here to a return was seen ... */
  bool reaches_return_alone; /* ... which no other path joins */
  bool
      is_surely_reached; /* a path gets here without a table without a bound */
  struct insn insn;      /* size 0: no instruction */
};

struct routine_block
{
  size_t state; /* offset in routine.states */
  uint32_t node;
  bool is_in_worklist;
};

/* A way from a node to another that the instruction alone does not say: entry
   INDEX of a table.  */
struct routine_edge
{
  uint32_t from, to;
  uint32_t table, index;
};

struct routine
{
  const struct routine_context *context;
  const struct code_machine *machine; /* the ABI: Go has its own */
  bool is_go, is_bare;
  bool lacks_value;  /* it fails for lack of a jump's target or of SP ... */
  bool asks_callees; /* ... and asks which registers callees leave alone */
  uint64_t entry, end;
  struct address_map numbers; /* from addresses to numbers of nodes */
  struct routine_node *nodes;
  size_t n_nodes, nodes_capacity;
  struct routine_block *blocks;
  size_t n_blocks, blocks_capacity;
  /* The states of the blocks, one behind the other.  Joining only removes
     slots, so a state never needs more room than it took at first, which is a
     third of sizeof (struct state) on average.  */
  char *states;
  size_t states_size, states_capacity;
  size_t nodes_max, blocks_max;
  uint32_t *worklist; /* blocks whose state has changed; a heap */
  size_t n_worklist, worklist_capacity;
  struct routine_edge *edges;
  size_t n_edges, edges_capacity;
  uint32_t changed; /* mask of registers that the routine writes */
  struct address_map
      doubtful; /* calls of functions that were not seen to return */
  struct address_map unwritten; /* masks of the registers that callees leave
                                alone, by the callee's address */
  struct jump_tables tables;
  struct address_list ends; /* of jump tables, as an earlier try found them */
  bool landed;              /* it has landing pads of exceptions */
  uint32_t visited;         /* node that routine_visit is at */
  struct routine_result result;
  size_t entered_with_frame_capacity;
  struct observation *observations; /* since routine_forget, each once */
  size_t n_observations, observations_capacity;
  struct address_map
      observed; /* masks of the kinds of observations, by address */
  uint64_t steps;
  /* For all functions together; 0: paths may be missing, and what was found
     must not be used.  A new routine has what its image allows.  */
  uint64_t steps_left;
};

/* The state of block NUMBER.  The pointer is valid until a block is added.  */
static inline struct state *
routine_block_state (const struct routine *routine, uint32_t number)
{
  return (struct state *)(void *)(routine->states
                                  + routine->blocks[number].state);
}

/* Note that the routine has FAILURE at ADDRESS, so that it gives no rows.  An
   earlier failure is kept.  */
void routine_fail (struct routine *routine, enum routine_failure failure,
                   uint64_t address);

/* Add an observation (enum observation_kind).  False: it is there.  */
bool routine_observe (struct routine *routine, enum observation_kind kind,
                      uint64_t address);

/* Whether a call of CALLEE was seen to return, in this routine or another.  */
bool routine_has_returned (const struct routine *routine, uint64_t callee);

/* The node at ADDRESS, which is made if there is none.  NODE_NONE: there is no
   room, and the routine fails.  */
uint32_t routine_node_at (struct routine *routine, uint64_t address);

/* The node of the instruction behind node NUMBER, which mostly was decoded
   next, or NODE_NONE.  */
uint32_t routine_find_behind (const struct routine *routine, uint32_t number);

/* Give node NUMBER, which has no block, a block with STATE.  */
void routine_add_block (struct routine *routine, uint32_t number,
                        const struct state *state);

/* Join STATE into the state of node NUMBER, where paths can meet.  */
void routine_arrive (struct routine *routine, uint32_t number,
                     const struct state *state);

/* The constant place that INSN has in memory, or 0.  */
uint64_t routine_constant_place (const struct insn *insn);

/* Take the block with the lowest address from the worklist, which is not
   empty. Most paths to a place come from below: where these have met, the
   place is walked from once.  */
uint32_t routine_take_block (struct routine *routine);

/* Whether only a pointer leads to the entry: no function may start there.  */
bool routine_is_on_trial (const struct routine *routine);

/* Whether another function starts at ADDRESS.  */
bool routine_is_start (const struct routine *routine, uint64_t address);

/* ---- Where jumps lead (routine_jumps.c) */

/* STATE gets to TARGET, if that is in the routine.  */
void routine_jump (struct routine *routine, uint64_t target,
                   const struct state *state);

/* Whether INSN, a branch in front of a switch, is never taken: its default
   case is empty because the compiler knows all values, and at the end of the
   function, which is where another one starts, perhaps behind padding.  */
bool routine_is_never_taken (const struct routine *routine,
                             const struct insn *insn);

/* INSN, an indirect jump, goes by tables.  Whether each of them leads
   anywhere.  Its ways are stored as edges from node NODE, unless that is
   NODE_NONE.  */
bool routine_jump_by_tables (struct routine *routine, const struct insn *insn,
                             const struct state *state, uint32_t node);

/* ---- Calls (routine_calls.c) */

/* The place of the address that INSN, a call, reads, perhaps by way of a stub;
   0: unknown.  */
uint64_t routine_called_place (const struct routine_context *context,
                               const struct insn *insn);

/* The relocated word at that place, or NULL.  */
const struct relocated *
routine_called_word (const struct routine_context *context,
                     const struct insn *insn);

/* The function of the image that INSN, a call or a jump, leads to, perhaps by
   way of a stub or a constant pointer; NULL: unknown.  */
struct code_function *routine_callee (const struct routine_context *context,
                                      const struct insn *insn);

/* Whether INSN, a call, comes back.  A callee that was not analysed
   yet counts as returning for now; the routine will be analysed again
   (calls_unregistered of struct routine_result).  */
bool routine_call_returns (struct routine *routine, const struct insn *insn,
                           const struct state *state);

/* What INSN, a call, leaves of STATE after it returned.  */
void routine_call (struct routine *routine, const struct insn *insn,
                   struct state *state);

/* A call may end up at a landing pad, with the registers of the caller and
   without the arguments on the stack.  */
void routine_throw (struct routine *routine, uint64_t call,
                    const struct state *state);

/* ---- Whether it is a function (routine_check.c) */

/* Whether what leads to ADDRESS is a call, perhaps with padding behind it.
   If another function starts there, the call does not return.  */
bool routine_is_after_call (const struct routine *routine, uint64_t address);

/* Whether Go's table has the stack pointer where STATE has it.  */
bool routine_agrees_with_go (const struct routine *routine, uint64_t address,
                             const struct state *state);

/* Whether INSN, in front of which STATE holds, uses what belongs to the
   routine's caller.  */
bool routine_uses_saved (struct routine *routine, const struct insn *insn,
                         const struct state *state);

/* Look at INSN, in front of which STATE holds, of ROUTINE, a struct
   routine that was analysed: a visitor for routine_visit.  */
void routine_check (void *routine, const struct insn *insn,
                    const struct state *state);

/* Whether there is a proof that FUNCTION, which was analysed with RESULT
   and is sound, begins_insn with the frame of a call.  */
bool routine_is_function (const struct routine_context *context,
                          const struct routine_result *result,
                          const struct code_function *function);

/* Which calls are seen to return, and where tables end (routine_returns.c).
 */

/* Record in context->functions which callees of ROUTINE, a sound one, and
   whether ROUTINE itself, are seen to return.  If the code behind a call of
   another function does not return either, that call is one of the routine's
   doubtful ones.  Whether there are any.  */
bool routine_note_returns (struct routine *routine);

/* Have the tables without a bound of ROUTINE, a sound one without CFI, end
   where they do, if it is known which of its calls return.  Whether any ended
   elsewhere: then ROUTINE has to be analysed again.  */
bool routine_end_tables (struct routine *routine);

#endif /* ANALYSIS_ROUTINE_H */

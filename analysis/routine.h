/* The control flow graph of one function, and its analysis to a fixpoint.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A routine is all code that one entry reaches by jumps, including parts that
   the compiler moved elsewhere (.cold) and tails that several functions share.
   It ends at the starts of other functions; jumps to those are tail calls.

   The states are right if a function does begin at the entry, and if its code
   keeps to the ABI.  Both are checked.  Code that was entered in the middle of
   a function does not return with the stack pointer that it began with, or
   pops what it did not push, or uses callee-saved registers that it did not
   save.  routine_analyse () looks for all of these.  A routine with one of
   them gives no rows at all.

   The first part of this header has the input and the result of the analysis
   of a function, the second the functions for other files, and the third what
   the routine_*.c files share.  */

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

/* All that the analysis of a function reads.  No job changes it.  */
struct routine_context
{
  const struct code_request *request;
  const struct code_machine *machine;
  /* Go's table and the ABI of Go's functions; NULL if there is none.  */
  const struct go_table *go;
  const struct code_machine *go_machine;
  /* The ABI of bare functions.  */
  const struct code_machine *bare_machine;
  const struct image_facts *facts;
  const struct functions *functions;
  const struct covered_code *covered_code;
  uint64_t program_entry; /* or 0 */
  bool has_hints;         /* constants may be addresses: no relocations */
};

/* Why a routine gives no rows.  */
enum routine_failure
{
  ROUTINE_SOUND,
  ROUTINE_DECODE, /* bytes that are not an instruction, or not code */
  ROUTINE_RETURN, /* returns without the entry's stack pointer or registers */
  ROUTINE_TAIL_CALL,  /* jumps to another function without these */
  ROUTINE_RUNS_INTO,  /* runs into another function without these */
  ROUTINE_SAVED_USED, /* uses callee-saved registers that it did not save */
  ROUTINE_UNWINDS,    /* resumes unwinding without a landing pad */
  ROUTINE_SIGNAL,     /* returns from an interrupt, or a signal */
  /* Compares the result of an unknown system call with 0, as code after a fork
     does, so that the child may have another stack.  */
  ROUTINE_SYSTEM_CALL,
  ROUTINE_CALLEE,     /* calls a function that moves the stack */
  ROUTINE_UNRESOLVED, /* jumps to an unknown address */
  ROUTINE_GO_DIFFERS, /* differs from Go's table, or is not in it */
  ROUTINE_UNPROVEN,   /* nothing shows that a function starts there */
  ROUTINE_DOUBTFUL,   /* makes doubtful calls */
  ROUTINE_TOO_MUCH,   /* needs too many steps or too much memory */
  ROUTINE_FAILURE_COUNT
};

/* The result of the analysis of a function.  */
struct routine_result
{
  enum routine_failure failure;
  uint64_t failed_at; /* address of the instruction that fails */

  /* A path returns with the stack pointer of the entry.  If the routine is
     sound, this proves that the entry has the frame of a call, because the
     return address was where a call puts it.  */
  bool is_proven;
  bool leaves; /* a path returns, or jumps to another function */
  /* A call shows that the entry has the frame of a call.  SP is a multiple of
     16 at the call (System V ABI, AMD64 supplement, section 3.2.2), which it
     would not be with another frame at the entry.  And callee-saved registers
     are saved below the entry's SP although no return restores them, as only
     compilers do it.  */
  bool is_framed;
  bool has_end;     /* a path leaves the routine as functions do */
  bool is_unframed; /* a call has another SP, or has_end */
  /* It uses registers that are uninitialised at its entry.  Compiled code does
     so on paths that are never taken, and assembler code that has conventions
     of its own.  */
  bool uses_uninitialised;
  /* On a path where SP is known only because a callee is trusted to preserve
     SP, the routine loads SP from elsewhere before it returns.  So the trust
     is not confirmed by the return.  */
  bool resets_sp;
  bool has_doubtful_calls; /* some were found */
  /* It calls functions that are not in context->functions.  After these are
     registered, and it is known which of them return, another analysis may
     give another result.  */
  bool calls_unregistered;
  /* It has read jump tables since routine_forget ().  The tables' ends depend
     on the references that were found so far.  */
  bool reads_tables;
  /* One of these tables has addresses as entries, and no bound: pointers to
     other functions may follow its last entry.  */
  bool reads_too_far;
  /* Mask of callee-saved registers that are changed when it leaves.  */
  uint32_t changes;
  /* Functions that it enters with another frame than that of a call, which is
     why it fails: indices.  The routine owns the list.  */
  uint32_t *entered_with_frame;
  size_t n_entered_with_frame;
};

/* Observations: what the analysis of a routine shows about functions.  They
   are recorded in the routine, which nothing else changes, so that several can
   be analysed at the same time.  The commit writes them to functions.h.  */
enum observation_kind
{
  OBSERVED_UNREGISTERED, /* is called, but not registered */
  OBSERVED_RETURNED,     /* a call of the function has returned */
  OBSERVED_DEAD_BRANCH,  /* is_dead_branch_target */
  OBSERVED_MOVES_STACK   /* moves_stack */
};

struct observation
{
  enum observation_kind kind;
  uint64_t address; /* of the function, or as in functions->returned */
};

/* What to do with doubtful calls.  */
enum doubtful_calls
{
  /* Assume that they return: the routine's CFI says where it ends.  */
  DOUBTFUL_CALLS_RETURN,
  /* The routine fails for now: its callees may still be shown to return.  */
  DOUBTFUL_CALLS_FAIL,
  DOUBTFUL_CALLS_END_PATH
};

/* How far a sound routine is trusted.  */
enum routine_trust
{
  TRUST_CFI_ALONE, /* not at all: only CFI shows the frame of a call */
  TRUST_STACK,     /* SP and RA: a path leaves, or it is called */
  TRUST_ALL        /* also its callee-saved registers */
};

/* Return a new routine, or NULL without memory.  CONTEXT must outlive it.  */
struct routine *routine_new (const struct routine_context *context);
void routine_free (struct routine *routine);

/* Analyse the function at ENTRY.  Entries of jump tables that point to code
   from ENTRY to END are taken for targets inside of the function.  A bare
   function (IS_BARE) is expected to preserve the stack pointer only, and its
   calls are taken to return; rows for it must have no rules for other
   registers.  The result is valid until the next call.  */
const struct routine_result *
routine_analyse (struct routine *routine, uint64_t entry, uint64_t end,
                 enum doubtful_calls doubtful_calls, bool is_bare);

/* Call VISIT for every instruction of the last function, with the state in
   front of the instruction.  */
void routine_visit (struct routine *routine,
                    void (*visit) (void *argument, const struct insn *insn,
                                   const struct state *state),
                    void *argument);

/* Discard the observations, and reset reads_tables.  */
void routine_forget (struct routine *routine);

/* ---- The graph (routine_graph.c) */

static const uint32_t NODE_NONE = UINT32_MAX;

struct routine_node
{
  uint32_t block;       /* the basic block that begins here, or NODE_NONE */
  uint32_t predecessor; /* in front, on the first path; or NODE_NONE */
  bool is_last;         /* the function ends behind this instruction */
  bool reaches_return;  /* a path from here reaches a return ... */
  bool reaches_return_alone; /* ... and no other path joins on the way */
  bool is_surely_reached;    /* by a path without unbounded tables */
  struct insn insn;          /* size 0: the bytes are no instruction */
};

struct routine_block
{
  size_t state; /* offset of its state in routine.states */
  uint32_t node;
  bool is_in_worklist;
};

/* An edge that the instruction does not give: entry INDEX of a table.  */
struct routine_edge
{
  uint32_t from, to;
  uint32_t table, index;
};

struct routine
{
  const struct routine_context *context;
  const struct code_machine *machine; /* the ABI of the function */
  bool is_go, is_bare;
  bool lacks_value;  /* a jump's target or SP is unknown ... */
  bool asks_callees; /* ... so callees are scanned (routine_calls.c) */
  uint64_t entry, end;
  /* The control flow graph.  */
  struct address_map node_numbers; /* address to node number */
  struct routine_node *nodes;
  size_t n_nodes, nodes_capacity;
  struct routine_block *blocks;
  size_t n_blocks, blocks_capacity;
  /* The states of the blocks, one behind the other.  A join never adds slots,
     so a state never outgrows its first size.  That is a third of sizeof
     (struct state) on average.  */
  char *states;
  size_t states_size, states_capacity;
  size_t nodes_max, blocks_max;
  uint32_t *worklist; /* blocks whose state has changed, as a heap */
  size_t n_worklist, worklist_capacity;
  struct routine_edge *edges;
  size_t n_edges, edges_capacity;
  /* What was found on the way.  */
  uint32_t written; /* mask of all registers that the routine writes */
  struct address_map doubtful;  /* addresses of doubtful calls */
  struct address_map unwritten; /* callee to mask of these registers */
  struct jump_tables tables;
  struct address_list table_ends; /* of jump tables, from earlier runs */
  bool landed;                    /* a path reached a landing pad */
  uint32_t visited_node;          /* the node that routine_visit () is at */
  struct routine_result result;
  size_t entered_with_frame_capacity;
  struct observation *observations; /* each once */
  size_t n_observations, observations_capacity;
  struct address_map observed; /* address to mask of observation kinds */
  uint64_t steps;
  /* For all functions that are still to come.  0: paths may be missing, so
     that no result may be used.  A new routine gets what its image allows.  */
  uint64_t steps_left;
};

/* Return the state of block NUMBER, valid until a block is added.  */
static inline struct state *
routine_block_state (const struct routine *routine, uint32_t number)
{
  return (struct state *)(void *)(routine->states
                                  + routine->blocks[number].state);
}

/* Let the routine fail with FAILURE at ADDRESS, unless it failed before.  */
void routine_fail (struct routine *routine, enum routine_failure failure,
                   uint64_t address);

/* Record an observation.  False: it was recorded before.  */
bool routine_observe (struct routine *routine, enum observation_kind kind,
                      uint64_t address);

/* Whether a call of CALLEE has returned, in this routine or another.  */
bool routine_has_returned (const struct routine *routine, uint64_t callee);

/* Return the node at ADDRESS, which is added if it is new.  NODE_NONE: there
   is no room, and the routine fails.  */
uint32_t routine_node_at (struct routine *routine, uint64_t address);

/* Return the node behind node NUMBER, mostly the next one, or NODE_NONE.  */
uint32_t routine_find_behind (const struct routine *routine, uint32_t number);

/* Make node NUMBER the beginning of a block with STATE.  */
void routine_add_block (struct routine *routine, uint32_t number,
                        const struct state *state);

/* Join STATE into the state in front of node NUMBER, where paths can meet.  */
void routine_join (struct routine *routine, uint32_t number,
                   const struct state *state);

/* Return the constant address of INSN's memory operand, or 0.  */
uint64_t routine_constant_place (const struct insn *insn);

/* Take the block with the lowest address from the worklist, which is not
   empty.  Most paths to a block come from lower addresses: after these have
   met, the block is interpreted once.  */
uint32_t routine_take_block (struct routine *routine);

/* Whether only a pointer, which may be wrong, leads to the entry.  */
bool routine_has_only_pointers (const struct routine *routine);

/* Whether another function starts at ADDRESS.  */
bool routine_is_start (const struct routine *routine, uint64_t address);

/* ---- Where jumps lead (routine_jumps.c) */

/* Join STATE at TARGET of a jump, unless another function starts there.  */
void routine_jump (struct routine *routine, uint64_t target,
                   const struct state *state);

/* Whether INSN, a branch in front of a switch, is never taken.  A compiler
   that knows all values leaves the default case empty: its target is the end
   of the function, which is where another function starts, perhaps behind
   padding.  */
bool routine_is_never_taken (const struct routine *routine,
                             const struct insn *insn);

/* Follow INSN, an indirect jump, through its jump tables.  True if INSN uses
   tables and each has a target.  Unless NODE is NODE_NONE, add edges from
   it.  */
bool routine_jump_by_tables (struct routine *routine, const struct insn *insn,
                             const struct state *state, uint32_t node);

/* ---- Calls (routine_calls.c) */

/* Return the address of the word from which INSN, a call, loads its target,
   perhaps in a PLT stub; 0: unknown.  */
uint64_t routine_called_place (const struct routine_context *context,
                               const struct insn *insn);

/* Return the relocation of that word, or NULL.  */
const struct relocated *
routine_called_word (const struct routine_context *context,
                     const struct insn *insn);

/* Return the function of the image that INSN, a call or a jump, leads to,
   perhaps through a PLT stub or a constant pointer; NULL: unknown.  */
struct code_function *routine_callee (const struct routine_context *context,
                                      const struct insn *insn);

/* Whether INSN, a call, returns.  An unregistered callee counts as returning
   for now: the routine will be analysed again (calls_unregistered).  */
bool routine_call_returns (struct routine *routine, const struct insn *insn,
                           const struct state *state);

/* Change STATE to what holds after INSN, a call, has returned.  */
void routine_apply_call (struct routine *routine, const struct insn *insn,
                         struct state *state);

/* Join STATE, behind the call at address CALL, into the landing pad of that
   call, if it has one: with the registers of the caller and without the
   arguments on the stack.  */
void routine_join_landing_pad (struct routine *routine, uint64_t call,
                               const struct state *state);

/* ---- Whether it is a function (routine_check.c) */

/* Whether the path to ADDRESS comes from a call, perhaps with padding in
   between.  If another function starts at ADDRESS, that call does not
   return.  */
bool routine_is_after_call (const struct routine *routine, uint64_t address);

/* Whether Go's table has the stack pointer where STATE has it.  */
bool routine_agrees_with_go (const struct routine *routine, uint64_t address,
                             const struct state *state);

/* Whether INSN, with STATE in front of it, uses a register of the caller.  */
bool routine_uses_saved (struct routine *routine, const struct insn *insn,
                         const struct state *state);

/* Check INSN, with STATE in front of it, of ROUTINE, a struct routine: a
   visitor for routine_visit ().  */
void routine_check (void *routine, const struct insn *insn,
                    const struct state *state);

/* Whether it is proved that FUNCTION, whose analysis gave RESULT and is sound,
   begins with the frame of a call.  */
bool routine_is_function (const struct routine_context *context,
                          const struct routine_result *result,
                          const struct code_function *function);

/* ---- Which calls return, and where tables end (routine_returns.c) */

/* Observe which callees of ROUTINE, a sound one, return, and whether ROUTINE
   does.  Collect its doubtful calls, and return whether there are any.  */
bool routine_find_doubtful_calls (struct routine *routine);

/* Look for the ends of those jump tables of ROUTINE, a sound one without CFI,
   that have no bound.  Return whether any table got another end: then ROUTINE
   has to be analysed again.  */
bool routine_end_tables (struct routine *routine);

#endif /* ANALYSIS_ROUTINE_H */

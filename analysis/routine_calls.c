/* Whether calls return, and which state they leave.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This file combines facts from several sources.

   whether a call returns (routine_call_returns)

     may_return   noreturn.c: it is proved that no path through the callee
                  returns, or some path may
     by name      image_facts.c: imported functions that never return
     Go's table   gopclntab.c: code with another depth is another function's
     doubtful     calls of this routine that nothing shows to return
                  (routine_returns.c), that run into another function
                  (routine_check.c), or behind which SP would have two
                  values (routine.c)

   which state a call leaves (routine_apply_call)

     clobbered    machine.h: registers that a call may change, by the ABI
     changes      functions.h: callee-saved registers that the callee was
                  found to change all the same
     unwritten    clobbered registers that no instruction of the callee
                  writes; only looked for if the routine fails without them  */

#include "analysis/routine.h"

#include "base/search.h"

enum
{
  SCAN_BYTES = 256,       /* of a callee that is scanned */
  SCANS_MAX = 16,         /* of one callee */
  PROBED_FRAME_MIN = 4096 /* smaller frames are not probed */
};

/* A PLT stub jumps to the address in a word of the GOT.  One NOP, such as
   ENDBR64, may be in front of the jump.  A function that sets registers and
   then jumps is not the function that it jumps to.  */
uint64_t
routine_called_place (const struct routine_context *context,
                      const struct insn *insn)
{
  struct insn_step step;
  if (insn->flow != FLOW_CALL)
    return routine_constant_place (insn);
  if (!facts_step (context->facts, insn->target, &step)
      || (step.is_nop
          && !facts_step (context->facts, insn->target + step.size, &step)))
    return 0;
  return step.flow == FLOW_JUMP_INDIRECT ? step.place : 0;
}

const struct relocated *
routine_called_word (const struct routine_context *context,
                     const struct insn *insn)
{
  return facts_relocated (context->facts,
                          routine_called_place (context, insn));
}

/* Go's compiler knows which calls never return, and puts anything behind them.
   If Go's table has another depth behind a call, or none, the path ends there
   (ends_behind in routine.c).  On machines where a call overwrites the return
   address, a call without a frame is that of the function that grows the
   stack.  It returns to the entry, with the return address in another
   register.  */
static bool
go_call_returns (const struct routine *routine, uint64_t call, uint64_t next)
{
  const struct go_table *table = routine->context->go;
  bool loses_ra = arch_tracks_ra (routine->machine->arch)
                  && go_table_depth (table, call) == 0;
  return !loses_ra && !go_table_is_start (table, next);
}

bool
routine_call_returns (struct routine *routine, const struct insn *insn,
                      const struct state *state)
{
  const struct routine_context *context = routine->context;
  struct value argument = state->registers[routine->machine->first_argument];
  bool is_set = value_is_constant (argument) && argument.number != 0;
  if (routine->is_go)
    return go_call_returns (routine, insn->address,
                            insn->address + insn->size);
  if (address_map_get (&routine->doubtful, insn->address) != UINT32_MAX)
    return false;
  if (insn->flow == FLOW_CALL_INDIRECT)
    return facts_call_returns (context->facts,
                               routine_called_place (context, insn), is_set);
  /* The first call of an unregistered callee is taken to return, the others
     not, until the callee and then the routine are analysed.  */
  const struct code_function *callee
      = functions_at (context->functions, insn->target);
  if (!callee)
    {
      routine->result.calls_unregistered = true;
      return routine_observe (routine, OBSERVED_UNREGISTERED, insn->target);
    }
  return callee->may_return
         && (!is_set
             || facts_call_returns (context->facts,
                                    routine_called_place (context, insn),
                                    is_set));
}

/* A scan of a callee: which bytes begin instructions, or are jumped to.  */
struct scan
{
  uint64_t start; /* a loop can begin in front of the entry */
  bool begins_insn[SCAN_BYTES], is_target[SCAN_BYTES];
  uint64_t first_target, last_target;
};

/* Record a jump to TARGET.  False: TARGET is not scanned.  */
static bool
scan_jump (struct scan *scan, uint64_t target)
{
  if (target < scan->first_target)
    scan->first_target = target;
  if (target - scan->start >= SCAN_BYTES)
    return false;
  scan->is_target[target - scan->start] = true;
  if (target > scan->last_target)
    scan->last_target = target;
  return true;
}

/* Whether all jumps lead to instructions that were scanned.  */
static bool
scan_is_complete (const struct scan *scan)
{
  for (size_t i = 0; i < SCAN_BYTES; i++)
    if (scan->is_target[i] && !scan->begins_insn[i])
      return false;
  return true;
}

/* Return the mask of the registers that no instruction from the start of SCAN
   to the return writes; 0 if an instruction leads elsewhere.  */
static uint32_t
scan_for_unwritten (struct scan *scan, struct routine *routine)
{
  const struct image_facts *facts = routine->context->facts;
  uint64_t address = scan->start;
  uint32_t written = 0;
  struct insn insn;
  for (; address - scan->start < SCAN_BYTES; routine->steps++)
    {
      scan->begins_insn[address - scan->start] = true;
      if (!facts_insn (facts, address, &insn))
        return 0;
      written |= insn_written (&insn);
      if (insn.flow == FLOW_RETURN && address >= scan->last_target)
        return scan_is_complete (scan) ? ~written : 0;
      bool jumps = insn.flow == FLOW_BRANCH || insn.flow == FLOW_JUMP;
      if (jumps ? !scan_jump (scan, insn.target)
                : insn.flow != FLOW_NEXT && insn.flow != FLOW_RETURN)
        return 0;
      address += insn.size;
    }
  return 0;
}

/* Return the mask of the registers that the function at ENTRY does not write.
   The function is scanned again from further in front if it jumps there.  */
static uint32_t
scan_callee (struct routine *routine, uint64_t entry)
{
  uint64_t start = entry;
  for (int i = 0; i < SCANS_MAX && entry - start < SCAN_BYTES
                  && routine->steps < routine->steps_left;
       i++)
    {
      struct scan scan = { .start = start, .first_target = start };
      uint32_t unwritten
          = scan_jump (&scan, entry) ? scan_for_unwritten (&scan, routine) : 0;
      if (unwritten || scan.first_target == start)
        return unwritten;
      start = scan.first_target;
    }
  return 0;
}

/* The same, scanned once for each routine.  */
static uint32_t
unwritten_registers (struct routine *routine, uint64_t entry)
{
  const uint32_t all = (uint32_t)INT32_MAX; /* 31 is SP, or no register */
  uint32_t unwritten = address_map_get (&routine->unwritten, entry);
  if (unwritten != UINT32_MAX)
    return unwritten;
  unwritten = scan_callee (routine, entry) & all;
  if (!address_map_set (&routine->unwritten, entry, unwritten))
    routine_fail (routine, ROUTINE_TOO_MUCH, entry);
  return unwritten;
}

struct code_function *
routine_callee (const struct routine_context *context, const struct insn *insn)
{
  bool is_direct
      = insn->flow != FLOW_CALL_INDIRECT && insn->flow != FLOW_JUMP_INDIRECT;
  struct code_function *direct
      = is_direct ? functions_at (context->functions, insn->target) : NULL;
  if (direct && direct->is_start)
    return direct;
  const struct relocated *word = routine_called_word (context, insn);
  return word && word->value != 0
             ? functions_at (context->functions, word->value)
             : direct;
}

/* Return the mask of those clobbered registers that INSN, a call, leaves
   unchanged and that may matter behind it.  LLVM has the pages of a large
   frame probed by a function that gets the frame's size in a register and does
   not change it; the size is subtracted from SP behind the call (LLVM Language
   Reference, "probe-stack").  GCC keeps the address of a jump table in a
   register that the callee does not change (GCC manual, "-fipa-ra"), and
   OpenSSL's assembler code keeps the stack pointer so.  In these two cases the
   jump or the return has failed, and asks_callees is set.  */
static uint32_t
kept_registers (struct routine *routine, const struct insn *insn,
                const struct state *state)
{
  if (insn->flow != FLOW_CALL)
    return 0;
  bool asks = routine->asks_callees;
  uint32_t needed = 0;
  FOR_EACH_REGISTER (reg, asks ? routine->machine->clobbered
                               : reg_mask (routine->machine->probed))
    {
      struct value value = state->registers[reg];
      if (asks ? value.kind == VALUE_CONSTANT || value_is_stack (value)
               : value.kind == VALUE_CONSTANT
                     && value.number >= PROBED_FRAME_MIN)
        needed |= reg_mask (reg);
    }
  return needed ? needed & unwritten_registers (routine, insn->target) : 0;
}

void
routine_apply_call (struct routine *routine, const struct insn *insn,
                    struct state *state)
{
  const struct routine_context *context = routine->context;
  const bool breaks_abi = context->functions->any_breaks_abi;
  const bool is_direct = insn->flow == FLOW_CALL;
  struct value before[REG_COUNT];
  uint32_t kept = kept_registers (routine, insn, state);
  if (kept)
    memcpy (before, state->registers, sizeof before);
  state_call (state, insn);
  const struct code_function *callee
      = breaks_abi || !is_direct ? routine_callee (context, insn) : NULL;
  /* The callee is known if it is a function of the image, or one that the
     dynamic linker finds by its name.  */
  if (!is_direct && !callee)
    {
      const struct relocated *word
          = facts_relocated (context->facts, routine_constant_place (insn));
      state->trusts_sp |= !word || !word->is_got;
    }
  /* Unknown functions, as behind pointers, are assumed to keep to the ABI.  */
  if (callee && breaks_abi)
    FOR_EACH_REGISTER (reg, callee->changes & routine->machine->preserved)
      state->registers[reg] = value_new (VALUE_UNKNOWN, insn->address, reg);
  FOR_EACH_REGISTER (reg, kept)
    state->registers[reg] = before[reg];
}

void
routine_join_landing_pad (struct routine *routine, uint64_t call,
                          const struct state *state)
{
  const struct code_request *request = routine->context->request;
  size_t at = SEARCH_FIRST (request->n_pads, i, request->pads[i].end > call);
  if (at == request->n_pads || request->pads[at].start > call)
    return;
  const struct code_pad *pad = &request->pads[at];
  struct state landed;
  state_copy (&landed, state);
  struct insn drop = { .op = OP_ADD,
                       .to = (uint8_t)routine->machine->arch->sp,
                       .from = (uint8_t)routine->machine->arch->sp,
                       .immediate = (int64_t)pad->args_size };
  state_apply (&landed, &drop);
  routine->landed = true;
  routine_jump (routine, pad->pad, &landed);
}

/* Walking a thread's stack by SFrame.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/stack_walk.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "unwind/frame_rules.h"
#include "unwind/step.h"

bool
walk_init (struct walk *walk, size_t max)
{
  *walk = (struct walk){ .max = max };
  walk->frames = reallocarray (NULL, max, sizeof *walk->frames);
  return walk->frames != NULL;
}

void
walk_free (struct walk *walk)
{
  free (walk->frames);
  walk->frames = NULL;
}

/* Code is read from the process whether it is stopped or not, because code
   does not change.  */
static bool
read_code (void *context, uint64_t address, void *to, size_t size)
{
  struct process *process = context;
  struct memory *memory = &process->memory;
  return memory_read (memory, address, to, size)
         || (memory->fetch != NULL
             && memory->fetch (memory->source, address, to, size) == size);
}

/* In epilogues FP has been popped already, and its slot lies below SP, where a
   copy of the stack does not reach.  FP is in no row then, and is not known.
   Few callers need it.  */
enum
{
  POPPED_MAX = 512 /* bytes of registers that an epilogue pops */
};

static bool
read_memory (void *context, uint64_t address, void *to, size_t size)
{
  struct process *process = context;
  if (size == UNWIND_CODE_SIZE && address == process->walk_pc - size)
    return read_code (process, address, to, size);
  if (memory_read (&process->memory, address, to, size))
    return true;
  uint64_t below = process->walk_sp - address;
  if (size != sizeof UNKNOWN_REGISTER || below == 0 || below > POPPED_MAX)
    return false;
  store_u64 (to, UNKNOWN_REGISTER, process->arch->big_endian);
  return true;
}

static void
unwinder_start (struct cfi2sframe_unwinder *unwinder, struct process *process,
                const struct registers *registers)
{
  const struct arch *arch = process->arch;
  cfi2sframe_unwinder_init (unwinder);
  unwinder->context = process;
  unwinder->read_memory = read_memory;
  unwinder->find_section = process_find_section;
  unwinder->pc = registers->pc;
  unwinder->sp = registers->values[arch->sp];
  unwinder->fp = registers->values[arch->fp];
  unwinder->has_ra = arch_tracks_ra (arch);
  unwinder->ra = registers->values[arch->ra];
  unwinder->registers = registers->values;
  unwinder->n_registers = registers->n;
  unwinder->cache = process_known_rows (process, &unwinder->cache_size);
}

/* Where the call that led to the frame in UNWINDER put its return address, and
   the SP of the caller.  */
static bool
call_of (const struct cfi2sframe_unwinder *unwinder, struct process *process,
         uint64_t *pc, uint64_t *sp)
{
  const struct arch *arch = process->arch;
  uint8_t word[sizeof *pc];
  *pc = unwinder->ra;
  *sp = unwinder->sp;
  if (arch_tracks_ra (arch))
    return unwinder->has_ra;
  if (!memory_read (&process->memory, *sp, word, sizeof word))
    return false;
  *pc = load_u64 (word, arch->big_endian);
  *sp += sizeof word;
  return true;
}

/* Go from a frame whose PC is no code to its caller, if there seems to be one:
   the call of a NULL pointer, or of a wild one.  */
static bool
guess_caller (struct cfi2sframe_unwinder *unwinder, struct process *process)
{
  const struct unwind_source source = { .read = read_code, .reader = process };
  uint64_t pc, sp;
  uint8_t byte;
  if (!unwinder->interrupted
      || process_module_at (process, unwinder->pc) != NULL
      || read_code (process, unwinder->pc, &byte, sizeof byte)
      || !call_of (unwinder, process, &pc, &sp)
      || process_module_at (process, pc) == NULL
      || !unwind_may_end_call (&source, process->arch, pc, false))
    return false;
  unwinder->pc = pc;
  unwinder->sp = sp;
  unwinder->interrupted = unwinder->has_ra = false;
  unwinder->registers = NULL;
  return true;
}

/* Whether PC may be a return address: in a file a call ends there.  Code that
   is in no file is a just-in-time compiler's, which may have put return
   addresses on the stack without a call, as Java's interpreter does.  */
static bool
may_be_returned_to (struct process *process, uint64_t pc)
{
  const struct unwind_source source = { .read = read_code, .reader = process };
  return process_module_at (process, pc) != NULL
             ? unwind_may_end_call (&source, process->arch, pc, false)
             : process_runs_at (process, pc);
}

/* Go to the caller by the frame pointer, which points to its own caller's and
   the return address.  */
static bool
step_by_fp (struct cfi2sframe_unwinder *unwinder, struct process *process)
{
  const struct arch *arch = process->arch;
  uint8_t words[2 * sizeof (uint64_t)];
  uint64_t fp = unwinder->fp;
  if (!process->policy.on_need || arch->caller_sp_offset != 0 || fp % 8 != 0
      || fp < unwinder->sp
      || !memory_read (&process->memory, fp, words, sizeof words))
    return false;
  uint64_t pc = load_u64 (words + sizeof (uint64_t), arch->big_endian);
  if (!may_be_returned_to (process, pc))
    return false;
  unwinder->pc = pc;
  unwinder->sp = fp + sizeof words;
  unwinder->fp = load_u64 (words, arch->big_endian);
  unwinder->interrupted = unwinder->has_ra = false;
  unwinder->registers = NULL;
  return true;
}

/* One step, by the rows that there are or can be made.  */
static enum cfi2sframe_step
step_by_rows (struct cfi2sframe_unwinder *unwinder, struct process *process)
{
  enum cfi2sframe_step step = process->step != NULL
                                  ? process->step (unwinder)
                                  : cfi2sframe_unwind_step (unwinder);
  if (step != CFI2SFRAME_STEP_NO_ROW && step != CFI2SFRAME_STEP_NO_SECTION)
    return step;
  struct module *module = process_module_at (
      process, unwinder->pc - !unwind_is_at_pc (unwinder));
  return module != NULL && process_analyze (process, module)
             ? cfi2sframe_unwind_step (unwinder)
             : step;
}

void
walk_by_sframe (struct process *process, const struct registers *registers,
                struct walk *walk)
{
  struct cfi2sframe_unwinder unwinder;
  bool guessed = false, by_fp = false;
  unwinder_start (&unwinder, process, registers);
  walk->n = 0;
  walk->end = CFI2SFRAME_STEP_CALLER;
  while (walk->end == CFI2SFRAME_STEP_CALLER && walk->n < walk->max)
    {
      process->walk_pc = unwinder.pc;
      process->walk_sp = unwinder.sp;
      walk->frames[walk->n++] = (struct frame){ unwinder.pc,
                                                unwinder.sp,
                                                unwinder.fp,
                                                unwind_is_at_pc (&unwinder),
                                                unwinder.interrupted,
                                                guessed,
                                                by_fp };
      walk->end = step_by_rows (&unwinder, process);
      guessed = walk->end == CFI2SFRAME_STEP_NO_SECTION
                && guess_caller (&unwinder, process);
      by_fp = !guessed
              && (walk->end == CFI2SFRAME_STEP_NO_SECTION
                  || walk->end == CFI2SFRAME_STEP_NO_ROW)
              && step_by_fp (&unwinder, process);
      if (guessed || by_fp)
        walk->end = CFI2SFRAME_STEP_CALLER;
      /* No row of code has a return address below SP.  */
      if (unwinder.pc == UNKNOWN_REGISTER)
        walk->end = CFI2SFRAME_STEP_MEMORY;
    }
}

static bool
same_frame (const struct frame *a, const struct frame *b)
{
  /* Not `interrupted': libdwfl calls a trampoline an activation, too.  */
  return a->pc == b->pc && a->sp == b->sp && a->fp == b->fp;
}

size_t
walk_same_frames (const struct walk *a, const struct walk *b)
{
  size_t i = 0;
  while (i < a->n && i < b->n && same_frame (&a->frames[i], &b->frames[i]))
    i++;
  return i;
}

bool
walks_agree (const struct walk *sframe, const struct walk *cfi)
{
  size_t same = walk_same_frames (sframe, cfi);
  return same == cfi->n
         && (same == sframe->n || cfi->end != CFI2SFRAME_STEP_OUTERMOST);
}

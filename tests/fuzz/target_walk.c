/* Whole walks of libsframewalk, by a hostile section over a hostile stack: a
   walk is its steps, whatever was walked before.
   SPDX-License-Identifier: LGPL-2.1-or-later

   stack_words.h says what the input is, which is that of target_unwind.c.  */

#include <config.h>

#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "sframewalk.h"
#include "stack_words.h"
#include "walk/lookup.h"

enum
{
  FRAMES = 300,
  REGISTERS = 34,
  INSTRUCTION_MAX = 15
};

/* A program: all of its code has SECTION.  */
struct program
{
  struct sfw_section section;
  struct sfw_modules *modules;
  struct sfw_walker *walker;
  struct sfw_memory memory;
  uint8_t *stack; /* exactly as large, so that reading past it is noticed */
  sfw_fallback *fallback;
  bool runs_stack; /* a PC lies in the stack, or just behind it */
};

struct outcome
{
  uint64_t addresses[FRAMES];
  uint8_t marks[FRAMES];
  size_t n;
  enum sfw_end end;
  struct sfw_frame frame;
};

/* Go by frame pointers.  */
static bool
by_frame_pointer (void *context, struct sfw_frame *frame,
                  const struct sfw_memory *memory)
{
  (void)context;
  if (frame->fp < memory->low || frame->fp > memory->high - 16)
    return false;
  const uint8_t *at
      = (const uint8_t *)memory->bytes + (frame->fp - memory->low);
  *frame = (struct sfw_frame){ .pc = load_u64 (at + 8, false),
                               .sp = frame->fp + 16,
                               .fp = load_u64 (at, false) };
  return true;
}

/* One step, by the section or else by the fallback.  */
static enum sfw_end
step (const struct program *program, struct sfw_frame *frame, bool *fallback)
{
  enum sfw_end end = sfw_step (&program->section, &program->memory, frame);
  struct sfw_frame other = *frame;
  *fallback = false;
  if (end != SFW_NO_ROW || program->fallback == NULL
      || !program->fallback (NULL, &other, &program->memory))
    return end;
  if (other.pc == 0 || other.sp <= frame->sp)
    return other.pc == 0 ? SFW_ZERO : SFW_NO_PROGRESS;
  *frame = other;
  *fallback = true;
  return SFW_MORE;
}

static void
walk_by_steps (const struct program *program, size_t max,
               struct outcome *outcome)
{
  bool fallback = false;
  outcome->n = 0;
  outcome->end = SFW_MORE;
  while (outcome->end == SFW_MORE && outcome->n < max)
    {
      const struct sfw_frame *frame = &outcome->frame;
      outcome->addresses[outcome->n] = frame->pc;
      outcome->marks[outcome->n++]
          = (uint8_t)((frame->interrupted ? SFW_MARK_INTERRUPTED : 0)
                      | (fallback ? SFW_MARK_FALLBACK : 0));
      if (outcome->n < max)
        outcome->end = step (program, &outcome->frame, &fallback);
    }
}

/* A walker that remembers nothing, at MEMORY.  */
static void
make_walker (struct program *program, void *memory)
{
  program->walker
      = sfw_walker_init (memory, sfw_walker_size (), program->modules);
  sfw_walker_set_fallback (program->walker, program->fallback, NULL);
}

/* Check that a walk from START on says what its steps say.  */
static void
check_walk (struct program *program, const struct sfw_frame *start, size_t max)
{
  static struct outcome steps, walk;
  steps.frame = walk.frame = *start;
  walk_by_steps (program, max, &steps);
  walk.n = sfw_walk (program->walker, &program->memory, &walk.frame,
                     walk.addresses, walk.marks, max, &walk.end);
  FUZZ_CHECK (walk.n == steps.n);
  FUZZ_CHECK (walk.end == steps.end);
  FUZZ_CHECK (memcmp (walk.addresses, steps.addresses, walk.n * 8) == 0);
  /* Steps do not tell that no call made a frame.  */
  for (size_t i = 0; i < walk.n; i++)
    {
      FUZZ_CHECK ((walk.marks[i] & ~SFW_MARK_NO_CALL) == steps.marks[i]);
      program->runs_stack
          |= walk.addresses[i] - STACK < STACK_SIZE + INSTRUCTION_MAX;
    }
  FUZZ_CHECK (walk.frame.pc == steps.frame.pc
              && walk.frame.sp == steps.frame.sp
              && walk.frame.fp == steps.frame.fp
              && walk.frame.interrupted == steps.frame.interrupted
              && walk.frame.stack_changes == steps.frame.stack_changes);
}

/* From the innermost frame, from others, and after changes of the stack.  A
   walker remembers where calls end, as code does not change; where a PC leads
   to the stack, whose contents are code then, the walker is made anew.  */
static void
check_walks (struct program *program, const uint8_t *bytes,
             struct sfw_frame *frame)
{
  size_t max = bytes[1] & 0x40 ? 1 + bytes[1] % 32 : FRAMES;
  bool fallback;
  for (unsigned i = 0; i < 6; i++)
    {
      check_walk (program, frame, i % 2 == 0 ? max : FRAMES);
      if (i % 3 == 1)
        store_u64 (program->stack + (bytes[i] * 8u + bytes[i + 6]) % 256 * 8,
                   stack_word (bytes, bytes[i + 1]), bytes[0] & 1);
      if (i % 3 == 1 && program->runs_stack)
        make_walker (program, program->walker);
      if (i % 3 == 2 && step (program, frame, &fallback) != SFW_MORE)
        return;
    }
}

/* Whether a table of modules takes SECTION.  */
static bool
is_fit (const struct sfw_section *section)
{
  struct unwind_section opened;
  struct sfw_row row;
  if (!unwind_section_open (&opened, section->bytes, section->size,
                            section->address))
    {
      FUZZ_CHECK (sfw_lookup (section, 0, &row) == SFW_BAD_SECTION);
      return false;
    }
  bool fit = opened.sorted;
  for (uint32_t i = 1; fit && i < opened.n_fdes; i++)
    fit = unwind_section_start (&opened, i)
          >= unwind_section_start (&opened, i - 1);
  return fit;
}

static bool
prepare (struct program *program, const uint8_t *bytes, size_t size)
{
  program->section
      = (struct sfw_section){ bytes + STACK_HEAD, size - STACK_HEAD,
                              SECTION_ADDRESS };
  program->modules = sfw_modules_new ();
  program->stack = malloc (STACK_SIZE);
  /* One walker for all inputs: to allocate it takes longer than the walks.  */
  static void *walker;
  if (walker == NULL)
    walker = malloc (sfw_walker_size ());
  if (program->modules == NULL || program->stack == NULL || walker == NULL)
    abort ();
  program->memory = (struct sfw_memory){ .bytes = program->stack,
                                         .low = STACK,
                                         .high = STACK + STACK_SIZE };
  for (unsigned i = 0; i < STACK_SIZE / 8; i++)
    store_u64 (program->stack + 8 * i, stack_word (bytes, i), bytes[0] & 1);
  if (bytes[0] & 16)
    program->fallback = by_frame_pointer;
  make_walker (program, walker);
  bool added
      = sfw_modules_add (program->modules, 0, UINT64_MAX, &program->section);
  FUZZ_CHECK (added == is_fit (&program->section));
  return added;
}

void
fuzz_walk (const uint8_t *bytes, size_t size)
{
  static const uint64_t registers[REGISTERS] = { [10] = STACK + 64 };
  struct program program = { 0 };
  if (size <= STACK_HEAD)
    return;
  struct sfw_frame frame = { .pc = address_of (load_u16 (bytes + 2, false)),
                             .sp = STACK + bytes[1],
                             .fp = STACK + 2 * (uint64_t)bytes[1],
                             .interrupted = !(bytes[0] & 2),
                             .registers = bytes[0] & 8 ? registers : NULL,
                             .n_registers = bytes[1] % (REGISTERS + 1) };
  frame.has_ra = frame.interrupted && bytes[0] & 4;
  frame.ra = SECTION_ADDRESS - bytes[1];
  /* In front of address 0 is the highest one, where no module can be.  */
  if (frame.pc == 0)
    frame.interrupted = true;
  if (prepare (&program, bytes, size))
    check_walks (&program, bytes, &frame);
  free (program.stack);
  sfw_modules_free (program.modules);
}

/* Walking a stack by a section, both hostile.
   SPDX-License-Identifier: LGPL-2.1-or-later

   stack_words.h says what the input is.  */

#include <config.h>

#include "fuzz.h"

#include <string.h>

#include "cfi2sframe.h"
#include "stack_words.h"

enum
{
  REGISTERS = 34,
  ROOM = 48 /* words, for what steps find out */
};

struct program
{
  const uint8_t *bytes; /* the input */
  size_t size;
  bool big_endian;
};

/* The words of the input again and again.  */
static bool
read_memory (void *context, uint64_t address, void *to, size_t size)
{
  const struct program *program = context;
  FUZZ_CHECK (size == sizeof (uint64_t));
  if (address < STACK || address - STACK > STACK_SIZE - size)
    return false;
  store_u64 (to, stack_word (program->bytes, (address - STACK) / size),
             program->big_endian);
  return true;
}

static bool
find_section (void *context, uint64_t pc, struct cfi2sframe_section *section)
{
  const struct program *program = context;
  *section = (struct cfi2sframe_section){ program->bytes + STACK_HEAD,
                                          program->size - STACK_HEAD,
                                          SECTION_ADDRESS };
  return pc >= 8;
}

/* What is promised of a step from BEFORE to AFTER.  */
static void
check_step (const struct cfi2sframe_unwinder *before,
            const struct cfi2sframe_unwinder *after, enum cfi2sframe_step step)
{
  FUZZ_CHECK (step != CFI2SFRAME_STEP_INVALID);
  FUZZ_CHECK (cfi2sframe_step_name (step) != NULL);
  if (step != CFI2SFRAME_STEP_CALLER)
    {
      FUZZ_CHECK (memcmp (before, after, sizeof *before) == 0);
      return;
    }
  FUZZ_CHECK (after->pc != 0 && !after->has_ra && after->registers == NULL);
  bool down = after->sp < before->sp;
  FUZZ_CHECK (!down || after->interrupted);
  FUZZ_CHECK (after->sp != before->sp || before->interrupted);
  FUZZ_CHECK (after->stack_changes == before->stack_changes + down);
}

/* A step with what earlier ones found out is the same step.  */
static void
check_remembered (const struct cfi2sframe_unwinder *before,
                  const struct cfi2sframe_unwinder *after,
                  enum cfi2sframe_step step, uint64_t *room)
{
  struct cfi2sframe_unwinder again;
  for (unsigned i = 0; i < 2; i++)
    {
      again = *before;
      again.cache = room;
      again.cache_size = ROOM * sizeof *room;
      FUZZ_CHECK (cfi2sframe_unwind_step (&again) == step);
      again.cache = NULL;
      again.cache_size = 0;
      FUZZ_CHECK (memcmp (&again, after, sizeof again) == 0);
    }
}

void
fuzz_unwind (const uint8_t *bytes, size_t size)
{
  static const uint64_t registers[REGISTERS] = { [10] = STACK + 64 };
  struct program program = { bytes, size, false };
  struct cfi2sframe_unwinder unwinder, before;
  uint64_t room[ROOM] = { 0 };
  enum cfi2sframe_step step;
  if (size <= STACK_HEAD)
    return;
  program.big_endian = bytes[0] & 1;
  cfi2sframe_unwinder_init (&unwinder);
  unwinder.context = &program;
  unwinder.read_memory = read_memory;
  unwinder.find_section = find_section;
  unwinder.interrupted = !(bytes[0] & 2);
  unwinder.has_ra = unwinder.interrupted && bytes[0] & 4;
  unwinder.ra = SECTION_ADDRESS - bytes[1];
  unwinder.registers = bytes[0] & 8 ? registers : NULL;
  unwinder.n_registers = bytes[1] % (REGISTERS + 1);
  unwinder.pc = address_of (load_u16 (bytes + 2, false));
  unwinder.sp = STACK + bytes[1];
  unwinder.fp = STACK + 2 * (uint64_t)bytes[1];
  /* Walks end, but that can take longer than anyone would wait.  */
  unsigned steps = 0;
  do
    {
      before = unwinder;
      step = cfi2sframe_unwind_step (&unwinder);
      check_step (&before, &unwinder, step);
      check_remembered (&before, &unwinder, step, room);
    }
  while (step == CFI2SFRAME_STEP_CALLER && ++steps < 1000);
}

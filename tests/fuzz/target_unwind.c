/* Walking a stack by a section, both hostile.
   SPDX-License-Identifier: LGPL-2.1-or-later

   stack_words.h says what the input is.  */

#include <config.h>

#include "fuzz.h"

#include <string.h>

#include "sframewalk.h"
#include "stack_words.h"

enum
{
  REGISTERS = 34
};

struct program
{
  const uint8_t *bytes; /* the input */
  size_t size;
  bool big_endian;
};

/* The words of the input again and again.  Code is missing.  */
static bool
read_memory (void *context, uint64_t address, void *to, size_t size)
{
  const struct program *program = context;
  if (size != sizeof (uint64_t) || address < STACK
      || address - STACK > STACK_SIZE - size)
    return false;
  store_u64 (to, stack_word (program->bytes, (address - STACK) / size),
             program->big_endian);
  return true;
}

/* What is promised of a step from BEFORE to AFTER.  */
static void
check_step (const struct sfw_frame *before, const struct sfw_frame *after,
            enum sfw_end step)
{
  FUZZ_CHECK (step != SFW_INVALID);
  FUZZ_CHECK (sfw_end_text (step) != NULL);
  if (step != SFW_MORE)
    {
      FUZZ_CHECK (memcmp (before, after, sizeof *before) == 0);
      return;
    }
  /* A signal may come at 0, when a NULL pointer has been called.  */
  FUZZ_CHECK (after->pc != 0 || after->interrupted);
  FUZZ_CHECK (!after->has_ra && after->registers == NULL);
  bool down = after->sp < before->sp;
  FUZZ_CHECK (!down || after->interrupted);
  FUZZ_CHECK (after->sp != before->sp || before->interrupted);
  FUZZ_CHECK (after->stack_changes == before->stack_changes + down);
}

void
fuzz_unwind (const uint8_t *bytes, size_t size)
{
  static const uint64_t registers[REGISTERS] = { [10] = STACK + 64 };
  if (size <= STACK_HEAD)
    return;
  struct program program = { bytes, size, bytes[0] & 1 };
  const struct sfw_section section
      = { bytes + STACK_HEAD, size - STACK_HEAD, SECTION_ADDRESS };
  const struct sfw_memory memory
      = { .read = read_memory, .context = &program };
  struct sfw_frame frame, before;
  memset (&frame, 0, sizeof frame);
  frame.interrupted = !(bytes[0] & 2);
  frame.has_ra = frame.interrupted && bytes[0] & 4;
  frame.ra = SECTION_ADDRESS - bytes[1];
  frame.registers = bytes[0] & 8 ? registers : NULL;
  frame.n_registers = bytes[1] % (REGISTERS + 1);
  frame.pc = address_of (load_u16 (bytes + 2, false));
  frame.sp = STACK + bytes[1];
  frame.fp = STACK + 2 * (uint64_t)bytes[1];
  /* Walks end, but that can take longer than anyone would wait.  */
  unsigned steps = 0;
  enum sfw_end step;
  do
    {
      memcpy (&before, &frame, sizeof before);
      step = sfw_step (&section, &memory, &frame);
      check_step (&before, &frame, step);
    }
  while (step == SFW_MORE && ++steps < 1000);
}

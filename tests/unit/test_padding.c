/* Unit tests of src/elf/padding.c: padding between functions is told from
   code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "elf/padding.h"
#include "tests/unit/elf_builder.h"
#include "tests/unit_test.h"

#define CODE 0x400000

/* CODE has these BYTES, and symbols at STARTS.  */
static struct padding_finder
finder_in (struct code_image *code, unsigned machine, const char *bytes,
           size_t size, uint64_t *starts, size_t n_starts)
{
  code_image_init (code, machine, bytes, size, CODE);
  return (struct padding_finder){ .image = &code->image,
                                  .patterns = arch_patterns_of (machine),
                                  .starts = starts,
                                  .n_starts = n_starts };
}

/* Whether the SIZE BYTES, in a segment of their own, are padding on MACHINE,
   with a symbol at SYMBOL.  */
static bool
is_padding (unsigned machine, const char *bytes, size_t size, uint64_t symbol)
{
  struct code_image code;
  struct padding_finder finder
      = finder_in (&code, machine, bytes, size, &symbol, 1);
  return padding_finder_is_padding (&finder, CODE, size);
}

#define IS_PADDING(machine, bytes) \
  is_padding (machine, bytes, sizeof bytes - 1, CODE - 1)

TEST (amd64_padding_is_nops_int3_and_zeros)
{
  assert_true (IS_PADDING (EM_X86_64, ""));
  assert_true (IS_PADDING (EM_X86_64, "\x90\x66\x90\xcc\x00"));
  assert_true (IS_PADDING (EM_X86_64, "\x0f\x1f\x00\x0f\x1f\x40\x00"));
  assert_true (IS_PADDING (EM_X86_64, "\x0f\x1f\x44\x00\x00\x0f\x1f\x80\0\0\0"
                                      "\0"));
  assert_true (IS_PADDING (EM_X86_64, "\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0"));
  /* A register operand, and addresses without base.  */
  assert_true (IS_PADDING (EM_X86_64, "\x0f\x1f\xc0\x0f\x1f\x05\0\0\0\0"));
  assert_true (IS_PADDING (EM_X86_64, "\x0f\x1f\x04\x25\x01\0\0\0"));
  /* Cut off, prefix without instruction, other instructions.  */
  assert_false (IS_PADDING (EM_X86_64, "\x0f\x1f\x44\x00"));
  assert_false (IS_PADDING (EM_X86_64, "\x90\x66"));
  assert_false (IS_PADDING (EM_X86_64, "\xf3\x90")); /* pause */
  assert_false (IS_PADDING (EM_X86_64, "\x90\xc3"));
  assert_false (IS_PADDING (EM_X86_64, "\x0f\x1f\x48\x00")); /* not /0 */
  assert_false (IS_PADDING (EM_X86_64, "\x0f\x0b"));
}

TEST (other_machines_have_padding_of_their_own)
{
  assert_true (IS_PADDING (EM_AARCH64, "\x1f\x20\x03\xd5\0\0\0\0"));
  assert_false (IS_PADDING (EM_AARCH64, "\x1f\x20\x03"));
  assert_false (IS_PADDING (EM_AARCH64, "\xc0\x03\x5f\xd6"));
  assert_true (IS_PADDING (EM_S390, "\x07\x07\x07\x00\0\0"));
  assert_false (IS_PADDING (EM_S390, "\x07\xfe")); /* br %r14 */
  assert_false (IS_PADDING (EM_S390, "\x07"));
  assert_false (IS_PADDING (EM_RISCV, "\x00\x00"));
}

TEST (long_or_unaligned_gaps_are_no_padding)
{
  char nops[17];
  memset (nops, 0x90, sizeof nops);
  assert_true (is_padding (EM_X86_64, nops, 15, CODE - 1));
  assert_false (is_padding (EM_X86_64, nops, 16, CODE - 1));
  assert_true (is_padding (EM_X86_64, nops, 4, CODE + 4));
  assert_false (is_padding (EM_X86_64, nops, 4, CODE + 3));
  assert_false (is_padding (EM_X86_64, nops, 4, CODE));
}

/* How much of the SIZE bytes of TEXT, behind a function whose end is
   CODE + SKIP, belongs to it; with a symbol at SYMBOL and known code at
   LIMIT.  */
static uint64_t
behind (const char *text, size_t size, size_t skip, uint64_t symbol,
        uint64_t limit)
{
  struct code_image code;
  struct padding_finder finder
      = finder_in (&code, EM_X86_64, text, size, &symbol, 1);
  return padding_finder_behind (&finder, CODE + skip, limit);
}

TEST (padding_behind_a_function_is_measured)
{
  enum
  {
    FAR = 4096
  };
  char text[128];
  memset (text, 0x90, sizeof text);
  /* All of a short gap, whatever ends it.  */
  assert_int_equal (behind (text, 128, 9, CODE, CODE + 16), 7);
  assert_int_equal (behind (text, 128, 9, CODE, CODE + 9), 0);
  assert_int_equal (behind (text, 128, 9, CODE + 12, CODE + 16), 3);
  assert_int_equal (behind (text, 128, 9, CODE + 9, CODE + 16), 0);
  /* The first instruction of a long one.  */
  text[9] = 0x66;
  assert_int_equal (behind (text, 128, 9, CODE, CODE + 64), 2);
  assert_int_equal (behind (text, 128, 9, CODE, CODE + FAR), 2);
  /* Code of which nothing is known, aligned or not.  */
  text[16] = '\xc3';
  assert_int_equal (behind (text, 128, 9, CODE, CODE + FAR), 2);
  assert_int_equal (behind (text, 128, 9, CODE, CODE + 64), 2);
  text[15] = '\xc3';
  assert_int_equal (behind (text, 128, 9, CODE, CODE + FAR), 0);
  assert_int_equal (behind (text, 128, 9, CODE, CODE + 16), 0);
  text[9] = '\xc3';
  assert_int_equal (behind (text, 128, 9, CODE, CODE + FAR), 0);
}

/* Most come in address order, and are answered from the last one on.  */
TEST (questions_may_go_back)
{
  char text[64];
  uint64_t starts[] = { CODE + 4, CODE + 40 };
  memset (text, 0x90, sizeof text);
  struct code_image code;
  struct padding_finder finder
      = finder_in (&code, EM_X86_64, text, sizeof text, starts, 2);
  assert_int_equal (padding_finder_behind (&finder, CODE, CODE + 16), 4);
  assert_int_equal (padding_finder_behind (&finder, CODE + 20, CODE + 30), 10);
  assert_int_equal (padding_finder_behind (&finder, CODE, CODE + 16), 4);
}

/* Compact unwind encodings, exhaustively where that is possible.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Expected numbers come from a second implementation below: the reader as the
   format's header and LLVM libunwind define it, written without looking at
   the encoder.  */

#include <string.h>

#include "compact-unwind/encoding.h"
#include "tests/unit_test.h"

/* The reader of x86-64: a machine with recognisable memory.  Word at address A
   holds A + MARK; the registers tell where they were loaded from.  */

#define MARK UINT64_C (0x5000000000)
#define STACK UINT64_C (0x7fff00000000)

struct cpu
{
  uint64_t sp, fp, pc;
  uint64_t registers[7]; /* by the format's numbers, 6 is fp */
};

/* The divisors of the digits, by number of registers.  */
static const unsigned divisors[7][6] = { { 0 },
                                         { 1 },
                                         { 5, 1 },
                                         { 20, 4, 1 },
                                         { 60, 12, 3, 1 },
                                         { 120, 24, 6, 2, 1 },
                                         { 120, 24, 6, 2, 1, 1 } };

static void
read_permutation (unsigned count, unsigned permutation, unsigned *registers)
{
  bool used[7] = { false };
  for (unsigned i = 0; i < count; i++)
    {
      unsigned digit = permutation / divisors[count][i];
      if (count == 6 && i == 5)
        digit = 0;
      else
        permutation -= digit * divisors[count][i];
      unsigned number = 1;
      for (;; number++)
        if (!used[number] && digit-- == 0)
          break;
      used[number] = true;
      registers[i] = number;
    }
}

static void
step_frame (uint32_t encoding, struct cpu *cpu)
{
  uint64_t at = cpu->fp - 8 * (encoding >> 16 & 0xff);
  for (unsigned i = 0; i < 5; i++, at += 8)
    if (encoding >> 3 * i & 7)
      cpu->registers[encoding >> 3 * i & 7] = at + MARK;
  cpu->registers[6] = cpu->fp + MARK;
  cpu->pc = cpu->fp + 8 + MARK;
  cpu->sp = cpu->fp + 16;
}

static void
step_frameless (uint32_t encoding, uint32_t immediate, struct cpu *cpu)
{
  unsigned count = encoding >> 10 & 7, registers[6];
  uint32_t size = (encoding >> 16 & 0xff) * 8;
  if ((encoding >> 24 & 0xf) == 3)
    size = immediate + 8 * (encoding >> 13 & 7);
  read_permutation (count, encoding & 0x3ff, registers);
  uint64_t at = cpu->sp + size - 8 - 8 * count;
  for (unsigned i = 0; i < count; i++, at += 8)
    cpu->registers[registers[i]] = at + MARK;
  cpu->pc = at + MARK;
  cpu->sp = at + 8;
}

/* Step with ENCODING and hold the outcome against what FRAME says.  */
static void
expect_step (uint32_t encoding, const struct cunwind_frame *frame,
             uint32_t immediate)
{
  static const uint8_t numbers[16]
      = { [3] = 1, [12] = 2, [13] = 3, [14] = 4, [15] = 5, [6] = 6 };
  struct cpu cpu = { .sp = STACK, .fp = STACK + 0x10000 };
  struct cpu expected = { 0 };
  bool framed = frame->mode == CUNWIND_FRAME;
  uint64_t cfa = framed ? cpu.fp + 16 : cpu.sp + frame->stack_size;
  if (frame->mode == CUNWIND_FRAMELESS_INDIRECT)
    cfa += immediate;
  for (unsigned i = 0; i < frame->n_saved; i++)
    expected.registers[numbers[frame->saved[i].reg]]
        = cfa + (uint64_t)(int64_t)frame->saved[i].offset + MARK;
  if (framed)
    {
      expected.registers[6] = cfa - 16 + MARK;
      step_frame (encoding, &cpu);
    }
  else
    step_frameless (encoding, immediate, &cpu);
  assert_int_equal (cpu.sp, cfa);
  assert_int_equal (cpu.pc, cfa - 8 + MARK);
  assert_memory_equal (cpu.registers, expected.registers,
                       sizeof cpu.registers);
}

static void
expect_round_trip (const struct arch *arch, const struct cunwind_frame *frame,
                   uint32_t encoding)
{
  struct cunwind_frame back;
  assert_true (cunwind_decode (arch, encoding, &back));
  assert_int_equal (back.mode, frame->mode);
  assert_int_equal (back.stack_size, frame->stack_size);
  assert_int_equal (back.size_offset, frame->size_offset);
  assert_int_equal (back.dwarf_offset, frame->dwarf_offset);
  assert_int_equal (back.n_saved, frame->n_saved);
  for (unsigned i = 0; i < back.n_saved; i++)
    {
      assert_int_equal (back.saved[i].reg, frame->saved[i].reg);
      assert_int_equal (back.saved[i].offset, frame->saved[i].offset);
    }
}

/* Call VISIT for every sequence of N different numbers from 1 to 6.  */
static unsigned
visit_permutations (unsigned n,
                    void (*visit) (const uint8_t *registers, unsigned n))
{
  unsigned visited = 0, all = 1;
  for (unsigned i = 0; i < n; i++)
    all *= 6;
  for (unsigned code = 0; code < all; code++)
    {
      uint8_t registers[6] = { 0 };
      unsigned rest = code, seen = 0;
      for (unsigned i = 0; i < n; i++, rest /= 6)
        {
          registers[i] = (uint8_t)(rest % 6 + 1);
          seen |= 1u << registers[i];
        }
      if (__builtin_popcount (seen) == (int)n)
        {
          visit (registers, n);
          visited++;
        }
    }
  return visited;
}

static bool permutation_seen[1024];

static void
check_permutation (const uint8_t *registers, unsigned n)
{
  unsigned read[6];
  uint8_t back[6];
  uint32_t permutation = cunwind_permutation_encode (registers, n);
  assert_true (permutation < 1024);
  assert_false (permutation_seen[permutation]);
  permutation_seen[permutation] = true;
  read_permutation (n, permutation, read);
  assert_true (cunwind_permutation_decode (permutation, n, back));
  for (unsigned i = 0; i < n; i++)
    {
      assert_int_equal (read[i], registers[i]);
      assert_int_equal (back[i], registers[i]);
    }
}

TEST (every_permutation_has_a_number_of_its_own)
{
  static const unsigned counts[] = { 1, 6, 30, 120, 360, 720, 720 };
  for (unsigned n = 0; n <= 6; n++)
    {
      uint8_t registers[6];
      memset (permutation_seen, 0, sizeof permutation_seen);
      assert_int_equal (visit_permutations (n, check_permutation), counts[n]);
      for (uint32_t i = 0; i < 1024; i++)
        {
          /* Numbers no encoder writes are refused, all others are read.  */
          assert_int_equal (cunwind_permutation_decode (i, n, registers),
                            permutation_seen[i]);
        }
    }
  uint8_t registers[6];
  assert_false (cunwind_permutation_decode (0, 7, registers));
}

/* x86-64 frames.  */

static const uint16_t dwarf_numbers[] = { 0, 3, 12, 13, 14, 15, 6 };

static struct cunwind_frame
frameless (const uint8_t *registers, unsigned n, uint32_t size)
{
  struct cunwind_frame frame
      = { .mode = CUNWIND_FRAMELESS, .stack_size = size };
  for (unsigned i = 0; i < n; i++)
    frame.saved[frame.n_saved++]
        = (struct cunwind_saved){ dwarf_numbers[registers[i]],
                                  -8 - 8 * (int32_t)(n - i) };
  return frame;
}

static void
check_frameless (const uint8_t *registers, unsigned n)
{
  for (uint32_t size = 8 * (n + 1); size <= 255 * 8; size += 8 * 31)
    {
      struct cunwind_frame frame = frameless (registers, n, size);
      uint32_t encoding;
      assert_true (cunwind_encode (&arch_amd64, &frame, &encoding));
      expect_step (encoding, &frame, 0);
      expect_round_trip (&arch_amd64, &frame, encoding);
    }
  struct cunwind_frame frame = frameless (registers, n, 8 * (n + 1));
  uint32_t encoding;
  frame.mode = CUNWIND_FRAMELESS_INDIRECT;
  frame.size_offset = (uint8_t)(17 * n);
  assert_true (cunwind_encode (&arch_amd64, &frame, &encoding));
  expect_step (encoding, &frame, 0x12345678);
  expect_round_trip (&arch_amd64, &frame, encoding);
}

TEST (every_frameless_frame_comes_back)
{
  for (unsigned n = 0; n <= 6; n++)
    visit_permutations (n, check_frameless);
}

static void
refuse (const struct arch *arch, const struct cunwind_frame *frame)
{
  uint32_t encoding;
  assert_false (cunwind_encode (arch, frame, &encoding));
}

TEST (frameless_frames_have_limits)
{
  uint8_t registers[] = { 1, 6 };
  uint32_t encoding;
  struct cunwind_frame frame = frameless (registers, 2, 255 * 8);
  assert_true (cunwind_encode (&arch_amd64, &frame, &encoding));
  frame = frameless (registers, 2, 256 * 8);
  refuse (&arch_amd64, &frame);
  frame = frameless (registers, 2, 20);
  refuse (&arch_amd64, &frame);
  frame = frameless (registers, 2, 16); /* no room for two and the RA */
  refuse (&arch_amd64, &frame);
  frame = frameless (registers, 2, 48);
  frame.saved[1].offset = -24; /* a gap below the RA, twice the same slot */
  refuse (&arch_amd64, &frame);
  frame = frameless (registers, 2, 48);
  frame.saved[1].reg = 3; /* twice the same register */
  refuse (&arch_amd64, &frame);
  frame.saved[1].reg = 7; /* none of the six */
  refuse (&arch_amd64, &frame);
  frame = frameless (registers, 2, 64); /* 3 bits of adjustment */
  frame.mode = CUNWIND_FRAMELESS_INDIRECT;
  refuse (&arch_amd64, &frame);
}

/* All ways to put the five registers (or nothing) into five slots.  */
TEST (every_frame_of_rbp_comes_back)
{
  for (unsigned code = 0; code < 6 * 6 * 6 * 6 * 6; code++)
    {
      unsigned numbers[5], rest = code, first = 5;
      for (unsigned i = 0; i < 5; i++, rest /= 6)
        {
          numbers[i] = rest % 6;
          if (numbers[i] != 0 && first == 5)
            first = i;
        }
      if (first != 0 && code != 0)
        continue; /* slots are counted from the lowest register */
      for (int32_t depth = code ? 5 : 0; depth <= 255; depth += 125)
        {
          struct cunwind_frame frame = { .mode = CUNWIND_FRAME };
          uint32_t encoding;
          for (int32_t i = 0; i < 5; i++)
            if (numbers[i] != 0)
              frame.saved[frame.n_saved++]
                  = (struct cunwind_saved){ dwarf_numbers[numbers[i]],
                                            -16 - 8 * (depth - i) };
          assert_true (cunwind_encode (&arch_amd64, &frame, &encoding));
          expect_step (encoding, &frame, 0);
          expect_round_trip (&arch_amd64, &frame, encoding);
          if (code == 0)
            break;
        }
    }
}

static struct cunwind_frame
one_saved (uint16_t reg, int32_t offset)
{
  return (struct cunwind_frame){ .mode = CUNWIND_FRAME,
                                 .n_saved = 1,
                                 .saved = { { reg, offset } } };
}

TEST (frames_of_rbp_have_limits)
{
  uint32_t encoding;
  struct cunwind_frame frame = one_saved (3, -16 - 8 * 255);
  assert_true (cunwind_encode (&arch_amd64, &frame, &encoding));
  frame = one_saved (3, -16 - 8 * 256);
  refuse (&arch_amd64, &frame);
  frame = one_saved (3, -20);
  refuse (&arch_amd64, &frame);
  frame = one_saved (3, -16); /* RBP's place */
  refuse (&arch_amd64, &frame);
  frame = one_saved (3, 8);
  refuse (&arch_amd64, &frame);
  frame = one_saved (6, -24);
  refuse (&arch_amd64, &frame);
  frame = one_saved (3, -16 - 8 * 9);
  frame.n_saved = 2; /* six slots apart */
  frame.saved[1] = (struct cunwind_saved){ 12, -16 - 8 * 4 };
  refuse (&arch_amd64, &frame);
  frame.saved[1] = (struct cunwind_saved){ 12, -16 - 8 * 8 };
  assert_true (cunwind_encode (&arch_amd64, &frame, &encoding));
  frame.saved[1].offset = frame.saved[0].offset; /* one slot for both */
  refuse (&arch_amd64, &frame);
}

/* Whatever can be decoded is what the reader does, and encodes again to
   something that decodes to the same.  */
static void
check_word (const struct arch *arch, uint32_t encoding)
{
  struct cunwind_frame frame;
  if (!cunwind_decode (arch, encoding, &frame))
    return;
  uint32_t again;
  if (arch == &arch_amd64
      && (frame.mode == CUNWIND_FRAME || frame.mode == CUNWIND_FRAMELESS
          || frame.mode == CUNWIND_FRAMELESS_INDIRECT))
    expect_step (encoding, &frame, 0x4000);
  if (cunwind_encode (arch, &frame, &again))
    expect_round_trip (arch, &frame, again);
}

TEST (any_word_is_read_or_refused)
{
  uint64_t seed = 1;
  for (unsigned i = 0; i < 2000000; i++)
    {
      seed = seed * UINT64_C (6364136223846793005) + 1442695040888963407;
      uint32_t word = (uint32_t)(seed >> 32);
      check_word (&arch_amd64, word & 0x07ffffff);
      check_word (&arch_aarch64, word & 0x07ffffff);
    }
}

/* arm64.  */

TEST (every_set_of_arm64_pairs_comes_back)
{
  static const uint16_t first[] = { 19, 21, 23, 25, 27, 72, 74, 76, 78 };
  for (unsigned set = 0; set < 512; set++)
    {
      struct cunwind_frame frame = { .mode = CUNWIND_FRAME };
      struct cunwind_saved down[18];
      uint32_t bits = 0, encoding;
      unsigned n = 0;
      int32_t at = -16; /* libunwind: FP - 8 downwards, FP = CFA - 16 */
      for (unsigned i = 0; i < 9; i++)
        if (set >> i & 1)
          {
            bits |= i < 5 ? 1u << i : 0x100u << (i - 5);
            down[n++] = (struct cunwind_saved){ first[i], at -= 8 };
            down[n++]
                = (struct cunwind_saved){ (uint16_t)(first[i] + 1), at -= 8 };
          }
      for (unsigned i = 0; i < n; i++)
        frame.saved[i] = down[n - 1 - i];
      frame.n_saved = (uint8_t)n;
      assert_true (cunwind_encode (&arch_aarch64, &frame, &encoding));
      assert_int_equal (encoding, 0x04000000 | bits);
      expect_round_trip (&arch_aarch64, &frame, encoding);
    }
}

TEST (arm64_registers_come_in_pairs)
{
  struct cunwind_frame frame = one_saved (19, -24);
  refuse (&arch_aarch64, &frame); /* half a pair */
  frame = (struct cunwind_frame){ .mode = CUNWIND_FRAME,
                                  .n_saved = 2,
                                  .saved = { { 19, -32 }, { 20, -24 } } };
  refuse (&arch_aarch64, &frame); /* the wrong way round */
  frame.saved[0] = (struct cunwind_saved){ 20, -40 };
  frame.saved[1] = (struct cunwind_saved){ 19, -32 };
  refuse (&arch_aarch64, &frame); /* not right below FP */
  frame = (struct cunwind_frame){
    .mode = CUNWIND_FRAME,
    .n_saved = 4,
    .saved = { { 20, -48 }, { 19, -40 }, { 22, -32 }, { 21, -24 } }
  };
  refuse (&arch_aarch64, &frame); /* pairs in descending order */
}

TEST (every_arm64_stack_size_comes_back)
{
  struct cunwind_frame frame = { .mode = CUNWIND_FRAMELESS };
  uint32_t encoding;
  for (uint32_t units = 0; units <= 0xfff; units++)
    {
      frame.stack_size = 16 * units;
      assert_true (cunwind_encode (&arch_aarch64, &frame, &encoding));
      assert_int_equal (encoding, 0x02000000 | units << 12);
      expect_round_trip (&arch_aarch64, &frame, encoding);
    }
  frame.stack_size = 0x10000;
  refuse (&arch_aarch64, &frame);
  frame.stack_size = 24;
  refuse (&arch_aarch64, &frame);
  frame = one_saved (19, -8);
  frame.mode = CUNWIND_FRAMELESS;
  frame.stack_size = 16;
  refuse (&arch_aarch64, &frame);
}

TEST (dwarf_and_nothing_come_back)
{
  static const struct
  {
    const struct arch *arch;
    uint32_t mode;
  } machines[]
      = { { &arch_amd64, 0x04000000 }, { &arch_aarch64, 0x03000000 } };
  for (unsigned i = 0; i < 2; i++)
    {
      struct cunwind_frame frame
          = { .mode = CUNWIND_DWARF, .dwarf_offset = 0xffffff };
      uint32_t encoding;
      assert_true (cunwind_encode (machines[i].arch, &frame, &encoding));
      assert_int_equal (encoding, machines[i].mode | 0xffffff);
      expect_round_trip (machines[i].arch, &frame, encoding);
      frame.dwarf_offset++;
      refuse (machines[i].arch, &frame);
      frame = (struct cunwind_frame){ .mode = CUNWIND_NO_INFO };
      assert_true (cunwind_encode (machines[i].arch, &frame, &encoding));
      assert_int_equal (encoding, 0);
      expect_round_trip (machines[i].arch, &frame, 0);
    }
}

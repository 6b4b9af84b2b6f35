/* Unit tests of src/code/insn.c: decoded x86-64 instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "code/insn.h"
#include "arch/amd64_instruction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/insn_text.h"

#ifdef HAVE_ZYDIS

enum
{
  ADDRESS = 0x1000
};

static struct insn_decoder *decoder;

static int
setup (void **state)
{
  (void)state;
  decoder = insn_decoder_new (&arch_amd64);
  return decoder ? 0 : -1;
}

static int
teardown (void **state)
{
  (void)state;
  insn_decoder_free (decoder);
  return 0;
}

#  define STEP(...)                            \
    step_of ((const uint8_t[]){ __VA_ARGS__ }, \
             sizeof ((const uint8_t[]){ __VA_ARGS__ }))
#  define INSN(...)                            \
    insn_of ((const uint8_t[]){ __VA_ARGS__ }, \
             sizeof ((const uint8_t[]){ __VA_ARGS__ }))

static struct insn_step
step_of (const uint8_t *bytes, size_t size)
{
  struct insn_step step;
  assert_true (insn_decode_step (decoder, bytes, size, ADDRESS, &step));
  assert_int_equal (step.size, size);
  return step;
}

static struct insn
insn_of (const uint8_t *bytes, size_t size)
{
  struct insn insn;
  assert_true (insn_decode (decoder, bytes, size, ADDRESS, &insn));
  assert_int_equal (insn.size, size);
  assert_int_equal (insn.flow, step_of (bytes, size).flow);
  return insn;
}

static void
flow (void **state)
{
  (void)state;
  assert_int_equal (STEP (0xe8, 1, 0, 0, 0).flow, FLOW_CALL);
  assert_int_equal (STEP (0xe8, 1, 0, 0, 0).target, ADDRESS + 6);
  assert_int_equal (STEP (0xff, 0xd0).flow, FLOW_CALL_INDIRECT);
  assert_int_equal (STEP (0xff, 0x15, 2, 0, 0, 0).flow, FLOW_CALL_INDIRECT);
  assert_int_equal (STEP (0xff, 0x15, 2, 0, 0, 0).place, ADDRESS + 8);
  assert_int_equal (STEP (0x3e, 0xff, 0xe0).flow, FLOW_JUMP_INDIRECT);
  assert_int_equal (STEP (0xeb, 0xfe).flow, FLOW_JUMP);
  assert_int_equal (STEP (0xeb, 0xfe).target, ADDRESS);
  assert_int_equal (STEP (0x77, 0x10).flow, FLOW_BRANCH);
  assert_int_equal (STEP (0xf3, 0xc3).flow, FLOW_RETURN);
  assert_int_equal (STEP (0x0f, 0x0b).flow, FLOW_STOP);
  assert_int_equal (STEP (0xc3).target | STEP (0xc3).place, 0);
  assert_true (STEP (0x0f, 0x1f, 0).is_nop);
  assert_false (STEP (0xc3).is_nop);
  assert_int_equal (STEP (0x48, 0x8d, 0x05, 1, 0, 0, 0).place, ADDRESS + 8);
  assert_true (STEP (0x48, 0x8d, 0x05, 1, 0, 0, 0).computes_place);
}

static void
saving_is_not_reading (void **state)
{
  (void)state;
  struct insn push = INSN (0x53), store = INSN (0x48, 0x89, 0x5c, 0x24, 8),
              move = INSN (0x48, 0x89, 0xd8), use = INSN (0x89, 0xd8);
  assert_int_equal (push.op, OP_PUSH);
  assert_int_equal (push.from, 3);
  assert_int_equal (push.reads | push.writes, 0);
  assert_int_equal (store.op, OP_STORE);
  assert_int_equal (store.from, 3);
  assert_int_equal (store.base, 7);
  assert_int_equal (store.offset, 8);
  assert_int_equal (store.reads, 1 << 7);
  assert_int_equal (move.op, OP_MOVE);
  assert_int_equal (move.reads, 0);
  assert_int_equal (use.reads, 1 << 3);
}

static void
stack_pointer_arithmetic (void **state)
{
  (void)state;
  struct insn sub = INSN (0x48, 0x83, 0xec, 0x18),
              align = INSN (0x48, 0x83, 0xe4, 0xe0),
              lea = INSN (0x48, 0x8d, 0x65, 0xd8);
  assert_int_equal (sub.op, OP_ADD);
  assert_int_equal (sub.immediate, -0x18);
  assert_int_equal (align.op, OP_ALIGN);
  assert_int_equal (align.immediate, -0x20);
  assert_int_equal (lea.op, OP_ADD);
  assert_int_equal (lea.to, 7);
  assert_int_equal (lea.from, 6);
  assert_int_equal (lea.immediate, -0x28);
}

static void
the_old_value_has_no_part_in_these (void **state)
{
  (void)state;
  assert_int_equal (INSN (0x31, 0xdb).reads, 0);             /* xor */
  assert_int_equal (INSN (0x19, 0xdb).reads, 0);             /* sbb */
  assert_int_equal (INSN (0x48, 0x83, 0xcb, 0xff).reads, 0); /* or -1 */
  assert_int_equal (INSN (0x48, 0x83, 0xcb, 0xff).immediate, -1);
  assert_int_equal (INSN (0x48, 0x83, 0xcb, 1).reads, 1 << 3);
}

static void
an_instruction_must_be_whole (void **state)
{
  (void)state;
  struct insn insn;
  const uint8_t cut[] = { 0xe8, 0, 0 }, none[] = { 0x06 };
  assert_false (insn_decode (decoder, cut, sizeof cut, ADDRESS, &insn));
  assert_false (insn_decode (decoder, none, sizeof none, ADDRESS, &insn));
  assert_false (insn_decode (decoder, none, 0, ADDRESS, &insn));
}

/* The sizes that arch/ knows in every build.  What it calls unknown is rare:
   XOP, 3DNow! and instructions that only operating systems use.  */
static void
sizes_without_zydis_are_the_same (void **state)
{
  (void)state;
  unsigned decoded = 0, unknown = 0;
  uint64_t random = 1;
  for (unsigned i = 0; i < 1000000; i++)
    {
      struct insn_step step;
      uint8_t bytes[16];
      bool is_call;
      for (size_t j = 0; j < sizeof bytes; j++)
        {
          random = random * UINT64_C (6364136223846793005) + 1;
          bytes[j] = (uint8_t)(random >> 56);
        }
      if (!insn_decode_step (decoder, bytes, 15, ADDRESS, &step))
        continue;
      decoded++;
      unsigned size = amd64_instruction_size (bytes, 15, &is_call);
      unknown += size == 0;
      if (size == 0)
        continue;
      assert_int_equal (size, step.size);
      assert_int_equal (is_call, step.flow == FLOW_CALL
                                     || step.flow == FLOW_CALL_INDIRECT);
    }
  assert_in_range (unknown, 1, decoded / 5000);
}

static void
other_machines_have_no_decoder (void **state)
{
  (void)state;
  assert_true (insn_decoder_exists (&arch_amd64));
  assert_false (insn_decoder_exists (&arch_s390x));
  assert_null (insn_decoder_new (NULL));
}

/* Instructions at the end of the code are Zydis's, others are remembered: both
   ways give the same.  */
static unsigned
compare_with_zydis (const uint8_t bytes[32])
{
  struct insn_step step, its_step;
  struct insn insn = { 0 }, its_insn = { 0 };
  bool is_one = insn_decode_step (decoder, bytes, 32, ADDRESS, &step);
  bool its = insn_decode_step (decoder, bytes, 15, ADDRESS, &its_step);
  unsigned differ
      = is_one != its || (its && memcmp (&step, &its_step, sizeof step) != 0);
  its = insn_decode (decoder, bytes, 15, ADDRESS, &its_insn);
  for (int i = 0; i < 2; i++)
    {
      is_one = insn_decode (decoder, bytes, 32, ADDRESS, &insn);
      differ |= is_one != its
                || (its && memcmp (&insn, &its_insn, sizeof insn) != 0);
    }
  if (differ)
    print_message ("# %02x %02x %02x %02x %02x %02x\n", bytes[0], bytes[1],
                   bytes[2], bytes[3], bytes[4], bytes[5]);
  return differ;
}

static void
what_is_known_is_what_zydis_says (void **state)
{
  static const uint8_t prefixes[][2]
      = { { 0 },    { 0x66 },       { 0xf2 },       { 0xf3 },      { 0x48 },
          { 0x45 }, { 0x66, 0x48 }, { 0xf3, 0x4f }, { 0x40, 0x66 } };
  unsigned differ = 0;
  (void)state;
  for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    for (unsigned opcode = 0; opcode < 512; opcode++)
      for (unsigned modrm = 0; modrm < 256; modrm++)
        {
          uint8_t bytes[32];
          for (unsigned k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)(0x25 + modrm + 16 * k);
          uint8_t *at = bytes;
          for (unsigned k = 0; k < 2 && prefixes[i][k] != 0; k++)
            *at++ = prefixes[i][k];
          if (opcode >= 256)
            *at++ = 0x0f;
          *at++ = (uint8_t)opcode;
          *at = (uint8_t)modrm;
          differ += compare_with_zydis (bytes);
          at[1] = 0x24; /* (%rsp), or a small number */
          differ += compare_with_zydis (bytes);
        }
  assert_int_equal (differ, 0);
}

/* Nothing is told of bytes behind the end, although the decoder has seen the
   whole instruction before.  */
static void
cut_everywhere (const uint8_t *bytes, size_t size)
{
  struct insn insn;
  struct insn_step step;
  uint8_t whole[32] = { 0 };
  memcpy (whole, bytes, size);
  assert_true (
      insn_decode_step (decoder, whole, sizeof whole, ADDRESS, &step));
  assert_true (insn_decode (decoder, whole, sizeof whole, ADDRESS, &insn));
  for (size_t n = 0; n < size; n++)
    {
      if (insn_decode_step (decoder, whole, n, ADDRESS, &step))
        assert_true (step.size <= n);
      if (insn_decode (decoder, whole, n, ADDRESS, &insn))
        assert_true (insn.size <= n);
    }
}

/* Whether the instruction BYTES, of 8, name EXPECTED.  */
static bool
names (const char *bytes, uint64_t expected)
{
  uint64_t named = 0;
  return insn_may_name (decoder, (const uint8_t *)bytes, 8, ADDRESS, &named)
         && named == expected;
}

static void
addresses_that_code_names (void **state)
{
  uint64_t named;
  (void)state;
  assert_true (names ("\x48\x8d\x05\x10\x00\x00\x00", ADDRESS + 7 + 16));
  assert_true (names ("\x4c\x8d\x3d\xf9\xff\xff\xff", ADDRESS));
  assert_true (names ("\xff\x24\xc5\x00\x20\x40\x00", 0x402000));
  assert_true (names ("\x48\x8b\x04\xf5\x00\x20\x40\x00", 0x402000));
  assert_true (names ("\x48\x63\x04\x85\x00\x20\x40\x00", 0x402000));
  /* By another base; without the width of an address; from a base.  */
  assert_false (names ("\x48\x8d\x40\x10\x00\x00\x00", ADDRESS + 7 + 16));
  assert_false (names ("\x66\x8d\x05\x10\x00\x00\x00", ADDRESS + 7 + 16));
  assert_false (names ("\xff\x24\xc0\x00\x20\x40\x00", 0x402000));
  /* An instruction of another kind; without the width; with another operand.
   */
  assert_false (names ("\x48\x89\x04\xf5\x00\x20\x40\x00", 0x402000));
  assert_false (names ("\x66\x8b\x04\xf5\x00\x20\x40\x00", 0x402000));
  assert_false (names ("\x48\x8b\x03\xf5\x00\x20\x40\x00", 0x402000));
  assert_false (names ("\xff\x14\xc5\x00\x20\x40\x00", 0x402000));
  assert_false (names ("\xfe\x24\xc5\x00\x20\x40\x00", 0x402000));
  assert_false (insn_may_name (decoder,
                               (const uint8_t *)"\x48\x8d\x05\x10\x00\x00\x00",
                               7, ADDRESS, &named));
}

/* Bytes that are no instruction have no words.  */
static void
shown_as_text (void **state)
{
  char text[INSN_TEXT_MAX];
  (void)state;
  assert_true (insn_show (decoder, (const uint8_t *)"\x55", 1, 0, text));
  assert_string_equal (text, "push %rbp");
  assert_true (
      insn_show (decoder, (const uint8_t *)"\xeb\xfe", 2, 0x1234, text));
  assert_non_null (strstr (text, "1234"));
  assert_false (insn_show (decoder, (const uint8_t *)"\x48\x8b", 2, 0, text));
  assert_false (insn_show (decoder, (const uint8_t *)"\x06", 1, 0, text));
}

/* 3DNow! has its opcodes at the end, behind what is remembered of others.  */
static void
opcodes_at_the_end (void **state)
{
  struct insn_step step;
  uint8_t bytes[32] = { 0x0f, 0x0f, 0x40, 8, 0x9e }; /* pfadd 8(%rax), %mm0 */
  (void)state;
  assert_true (insn_decode_step (decoder, bytes, 32, ADDRESS, &step));
  bytes[4] = 0;
  assert_false (insn_decode_step (decoder, bytes, 32, ADDRESS, &step));
}

/* System V ABI for x86-64, figure 3.36: DWARF numbers registers in another
   order than instructions do.  */
static void
registers_have_the_numbers_of_dwarf (void **state)
{
  enum
  {
    RAX,
    RDX,
    RCX,
    RBX,
    RSI,
    RDI,
    RBP,
    RSP
  };
  static const uint8_t low[] = { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };
  (void)state;
  for (unsigned n = 0; n < 16; n++)
    {
      const uint8_t mov[]
          = { 0x48 | (n >= 8), 0xc7, 0xc0 | (n & 7), 5, 0, 0, 0 };
      struct insn insn = insn_of (mov, sizeof mov);
      assert_int_equal (insn.op, OP_SET);
      assert_int_equal (insn.to, n < 8 ? low[n] : n);
    }
}

/* A page with nothing behind it.  */
static uint8_t *
last_page (size_t page)
{
  uint8_t *pages = mmap (NULL, 2 * page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true (pages != MAP_FAILED);
  assert_int_equal (mprotect (pages + page, page, PROT_NONE), 0);
  return pages;
}

/* Each kind of instruction, in all widths that make a difference.  */
static void
in_words (void **state)
{
  static const struct
  {
    size_t size;
    const char *bytes, *text, *words;
  } cases[] = {
    { 3, "\x66\x89\xc3", "mov %ax,%bx", "- writes rbx reads rax" },
    { 2, "\x88\xc3", "mov %al,%bl", "- writes rbx reads rax" },
    { 3, "\x48\x89\xc3", "mov %rax,%rbx", "move to rbx from rax width 8" },
    { 2, "\x89\xc3", "mov %eax,%ebx",
      "move to rbx from rax width 4 reads rax" },
    { 5, "\xbb\x05\x00\x00\x00", "mov $5,%ebx", "set to rbx 0x5" },
    { 5, "\xbb\xff\xff\xff\xff", "mov $-1,%ebx", "set to rbx 0xffffffff" },
    { 7, "\x48\xc7\xc3\xff\xff\xff\xff", "mov $-1,%rbx", "set to rbx -0x1" },
    { 10, "\x48\xbb\x9a\x78\x56\x34\x12\x00\x00\x00",
      "movabs $0x123456789a,%rbx", "set to rbx 0x123456789a" },
    { 2, "\xb3\x05", "mov $5,%bl", "insert-byte to rbx 0x5" },
    { 3, "\x8b\x04\x24", "mov (%rsp),%eax",
      "load to rax [rsp+0]:4 reads rsp" },
    { 5, "\x48\x8b\x5c\x24\x08", "mov 8(%rsp),%rbx",
      "load to rbx [rsp+8]:8 reads rsp" },
    { 4, "\x0f\x1b\x04\x08", "bndstx %bnd0,(%rax,%rcx)",
      "- reads rax,rcx" }, /* no sum of the two */
    { 4, "\x48\x8b\x14\x88", "mov (%rax,%rcx,4),%rdx",
      "load to rdx [rax+rcx*4+0]:8 reads rax,rcx" },
    { 4, "\x48\x89\x1c\xc8", "mov %rbx,(%rax,%rcx,8)",
      "store from rbx [rax+rcx*8+0]:8 reads rax,rcx" },
    { 4, "\x48\x63\x14\x88", "movslq (%rax,%rcx,4),%rdx",
      "load to rdx [rax+rcx*4+0]:4 sx reads rax,rcx" },
    { 4, "\x0f\xb6\x04\x24", "movzbl (%rsp),%eax",
      "load to rax [rsp+0]:1 reads rsp" },
    { 4, "\x0f\xbe\x04\x24", "movsbl (%rsp),%eax",
      "load to rax [rsp+0]:1 sx reads rsp" },
    { 3, "\x0f\xb6\xc1", "movzbl %cl,%eax",
      "move to rax from rcx width 1 reads rcx" },
    { 4, "\x48\x0f\xbe\xc1", "movsbq %cl,%rax",
      "move to rax from rcx width 1 reads rcx" },
    { 3, "\x48\x63\xc1", "movslq %ecx,%rax",
      "move to rax from rcx width 4 reads rcx" },
    { 9, "\x64\x48\x8b\x04\x25\x28\x00\x00\x00", "mov %fs:0x28,%rax",
      "- writes rax" },
    { 9, "\x65\x48\x8b\x04\x25\x28\x00\x00\x00", "mov %gs:0x28,%rax",
      "- writes rax" },
    { 6, "\x65\x48\x89\x44\x24\x08", "mov %rax,%gs:8(%rsp)",
      "- reads rax,rsp" },
    { 6, "\x64\x48\x89\x44\x24\x08", "mov %rax,%fs:8(%rsp)",
      "- reads rax,rsp" },
    { 7, "\x48\x8b\x05\x10\x00\x00\x00", "mov 16(%rip),%rax",
      "load to rax [+4119]:8" },
    { 5, "\x48\x89\x5c\x24\x08", "mov %rbx,8(%rsp)",
      "store from rbx [rsp+8]:8 reads rsp" },
    { 4, "\x89\x5c\x24\x08", "mov %ebx,8(%rsp)",
      "store [rsp+8]:4 reads rbx,rsp" },
    { 4, "\x48\x89\x24\x24", "mov %rsp,(%rsp)",
      "store from rsp [rsp+0]:8 reads rsp" },
    { 3, "\x48\x89\x1b", "mov %rbx,(%rbx)",
      "store from rbx [rbx+0]:8 reads rbx" },
    { 4, "\x48\x89\x1c\x18", "mov %rbx,(%rax,%rbx)",
      "store from rbx [rax+rbx*1+0]:8 reads rax,rbx" },
    { 8, "\x48\xc7\x04\x24\x05\x00\x00\x00", "movq $5,(%rsp)",
      "store [rsp+0]:8 0x5 reads rsp" },
    { 7, "\xc7\x04\x24\xfb\xff\xff\xff", "movl $-5,(%rsp)",
      "store [rsp+0]:4 -0x5 reads rsp" },
    { 2, "\x8c\xd8", "mov %ds,%eax", "- writes rax" },
    { 3, "\x0f\x20\xc0", "mov %cr0,%rax", "- writes rax" },
    { 4, "\x67\x48\x8d\x03", "lea (%ebx),%rax",
      "- width 4 writes rax reads rbx" },
    { 2, "\x8d\x03", "lea (%rbx),%eax", "- width 8 writes rax reads rbx" },
    { 4, "\x48\x8d\x43\x08", "lea 8(%rbx),%rax",
      "add to rax from rbx width 8 0x8 reads rbx" },
    { 8, "\x48\x8d\x0c\xc5\x10\x00\x00\x00", "lea 0x10(,%rax,8),%rcx",
      "- index rax scale 8 width 8 writes rcx reads rax" },
    { 8, "\x48\x8d\x0c\xc5\x00\x00\x00\x00", "lea (,%rax,8),%rcx",
      "scale to rcx from rax index rax scale 8 width 8 0x8 reads rax" },
    { 4, "\x48\x8d\x0c\x18", "lea (%rax,%rbx),%rcx",
      "sum to rcx from rax index rbx scale 1 width 8 reads rax,rbx" },
    { 5, "\x48\x8d\x4c\x18\x08", "lea 8(%rax,%rbx),%rcx",
      "- index rbx scale 1 width 8 writes rcx reads rax,rbx" },
    { 4, "\x48\x8d\x0c\x58", "lea (%rax,%rbx,2),%rcx",
      "- index rbx scale 2 width 8 writes rcx reads rax,rbx" },
    { 7, "\x48\x8d\x05\x10\x00\x00\x00", "lea 16(%rip),%rax",
      "set to rax width 8 0x1017 place" },
    { 8, "\x48\x8d\x04\x25\x00\x50\x00\x00", "lea 0x5000,%rax",
      "set to rax width 8 0x5000 place" },
    { 4, "\x48\x83\xc4\x18", "add $24,%rsp",
      "add to rsp from rsp 0x18 flags reads rsp" },
    { 4, "\x48\x83\xc0\xf8", "add $-8,%rax",
      "add to rax from rax -0x8 flags reads rax" },
    { 3, "\x83\xc0\x08", "add $8,%eax", "- flags writes rax reads rax" },
    { 3, "\x48\x01\xc3", "add %rax,%rbx",
      "sum to rbx from rbx index rax flags reads rax,rbx" },
    { 5, "\x48\x03\x44\x24\x08", "add 8(%rsp),%rax",
      "- [rsp+8]:8 flags writes rax reads rax,rsp" },
    { 2, "\x01\xc3", "add %eax,%ebx", "- flags writes rbx reads rax,rbx" },
    { 4, "\x48\x01\x04\x24", "add %rax,(%rsp)",
      "store [rsp+0]:8 flags reads rax,rsp" },
    { 4, "\x48\x83\xec\x80", "sub $-0x80,%rsp",
      "add to rsp from rsp 0x80 flags reads rsp" },
    { 3, "\x48\x29\xc4", "sub %rax,%rsp",
      "lower to rsp from rsp index rax flags reads rax,rsp" },
    { 5, "\x48\x2b\x64\x24\x08", "sub 8(%rsp),%rsp",
      "lower to rsp from rsp [rsp+8]:8 flags reads rsp" },
    { 3, "\x48\x29\xc3", "sub %rax,%rbx", "- flags writes rbx reads rax,rbx" },
    { 2, "\x29\xdb", "sub %ebx,%ebx", "set to rbx flags" },
    { 3, "\x48\xff\xc0", "inc %rax",
      "add to rax from rax 0x1 flags reads rax" },
    { 3, "\x48\xff\xc8", "dec %rax",
      "add to rax from rax -0x1 flags reads rax" },
    { 2, "\xff\xc0", "inc %eax", "- flags writes rax reads rax" },
    { 3, "\xff\x04\x24", "incl (%rsp)", "store [rsp+0]:4 flags reads rsp" },
    { 4, "\x48\xc1\xe0\x03", "shl $3,%rax",
      "scale to rax from rax 0x8 flags reads rax" },
    { 4, "\x48\xc1\xe0\x04", "shl $4,%rax", "- flags writes rax reads rax" },
    { 3, "\xc1\xe0\x02", "shl $2,%eax", "- flags writes rax reads rax" },
    { 3, "\x48\xd3\xe0", "shl %cl,%rax", "- flags writes rax reads rax,rcx" },
    { 4, "\x48\xc1\xe8\x03", "shr $3,%rax", "- flags writes rax reads rax" },
    { 5, "\x25\xff\x00\x00\x00", "and $0xff,%eax",
      "move to rax from rax width 1 flags reads rax" },
    { 6, "\x81\xe3\xff\xff\x00\x00", "and $0xffff,%ebx",
      "move to rbx from rbx width 2 flags reads rbx" },
    { 6, "\x81\xe3\xff\x0f\x00\x00", "and $0xfff,%ebx",
      "- flags writes rbx reads rbx" },
    { 4, "\x48\x83\xe3\x00", "and $0,%rbx", "set to rbx flags" },
    { 2, "\x21\xc0", "and %eax,%eax",
      "move to rax from rax width 4 flags reads rax" },
    { 3, "\x48\x21\xc0", "and %rax,%rax",
      "move to rax from rax width 8 flags reads rax" },
    { 4, "\x48\x83\xe4\xf0", "and $-16,%rsp",
      "align to rsp from rsp -0x10 flags reads rsp" },
    { 4, "\x48\x83\xe3\xe0", "and $-32,%rbx",
      "align to rbx from rbx -0x20 flags reads rbx" },
    { 3, "\x83\xe4\xf0", "and $-16,%esp", "- flags writes rsp reads rsp" },
    { 4, "\x48\x83\xe4\xf1", "and $-15,%rsp", "- flags writes rsp reads rsp" },
    { 3, "\x48\x21\xc3", "and %rax,%rbx", "- flags writes rbx reads rax,rbx" },
    { 2, "\x24\x0f", "and $15,%al", "- flags writes rax reads rax" },
    { 2, "\x20\xc0", "and %al,%al", "- flags writes rax reads rax" },
    { 2, "\x30\xdb", "xor %bl,%bl", "- flags writes rbx" },
    { 2, "\x31\xdb", "xor %ebx,%ebx", "set to rbx flags" },
    { 3, "\x48\x31\xdb", "xor %rbx,%rbx", "set to rbx flags" },
    { 2, "\x31\xc3", "xor %eax,%ebx", "- flags writes rbx reads rax,rbx" },
    { 4, "\x48\x31\x1c\x24", "xor %rbx,(%rsp)",
      "store [rsp+0]:8 flags reads rbx,rsp" },
    { 5, "\xf0\x83\x0c\x24\x00", "lock orl $0,(%rsp)",
      "- [rsp+0]:4 flags reads rsp" },
    { 4, "\x83\x0c\x24\x01", "orl $1,(%rsp)",
      "store [rsp+0]:4 flags reads rsp" },
    { 3, "\x83\xcb\xff", "or $-1,%ebx", "set to rbx 0xffffffff flags" },
    { 4, "\x48\x83\xcb\xff", "or $-1,%rbx", "set to rbx -0x1 flags" },
    { 4, "\x66\x83\xcb\xff", "or $-1,%bx", "- flags writes rbx reads rbx" },
    { 4, "\x48\x83\xcb\x01", "or $1,%rbx", "- flags writes rbx reads rbx" },
    { 2, "\x3c\xff", "cmp $-1,%al", "compare from rax 0xff flags reads rax" },
    { 4, "\x66\x83\xf8\xff", "cmp $-1,%ax",
      "compare from rax 0xffff flags reads rax" },
    { 3, "\x83\xf8\xff", "cmp $-1,%eax",
      "compare from rax 0xffffffff flags reads rax" },
    { 4, "\x48\x83\xf8\xff", "cmp $-1,%rax",
      "compare from rax -0x1 flags reads rax" },
    { 4, "\x48\x83\xff\x09", "cmp $9,%rdi",
      "compare from rdi 0x9 flags reads rdi" },
    { 5, "\x83\x7c\x24\x08\x05", "cmpl $5,8(%rsp)",
      "compare-mem [rsp+8]:4 0x5 flags reads rsp" },
    { 3, "\x80\x38\xff", "cmpb $-1,(%rax)",
      "compare-mem [rax+0]:1 0xff flags reads rax" },
    { 3, "\x48\x39\xc3", "cmp %rax,%rbx",
      "compare-2 from rbx index rax width 8 flags reads rax,rbx" },
    { 2, "\x39\xc3", "cmp %eax,%ebx", "- flags reads rax,rbx" },
    { 4, "\x48\x39\x04\x24", "cmp %rax,(%rsp)",
      "- [rsp+0]:8 flags reads rax,rsp" },
    { 4, "\x65\x80\x38\x05", "cmpb $5,%gs:(%rax)", "- 0x5 flags reads rax" },
    { 2, "\x6a\x05", "push $5", "push" },
    { 2, "\x66\x53", "pushw %bx", "- writes rsp reads rbx,rsp" },
    { 2, "\xff\x30", "push (%rax)", "push width 8 reads rax" },
    { 1, "\x54", "push %rsp", "push from rsp" },
    { 1, "\x53", "push %rbx", "push from rbx" },
    { 2, "\x0f\xa0", "push %fs", "push" },
    { 1, "\x9c", "pushfq", "push" },
    { 1, "\x5b", "pop %rbx", "pop to rbx" },
    { 1, "\x5c", "pop %rsp", "pop to rsp" },
    { 2, "\x8f\x00", "pop (%rax)", "pop [rax+0]:8 reads rax" },
    { 3, "\x8f\x04\x24", "pop (%rsp)",
      "store [rsp+0]:8 writes rsp reads rsp" },
    { 2, "\x66\x5b", "popw %bx", "- writes rbx,rsp reads rsp" },
    { 1, "\x9d", "popfq", "pop flags" },
    { 2, "\x0f\xa1", "pop %fs", "pop" },
    { 2, "\x48\x93", "xchg %rax,%rbx", "swap to rbx from rax" },
    { 1, "\x93", "xchg %eax,%ebx", "- writes rax,rbx reads rax,rbx" },
    { 4, "\x48\x87\x04\x24", "xchg %rax,(%rsp)",
      "store [rsp+0]:8 writes rax reads rax,rsp" },
    { 1, "\xc9", "leave", "leave" },
    { 2, "\x66\xc9", "leavew", "- writes rbp,rsp reads rbp,rsp" },
    { 3, "\xc2\x08\x00", "ret $8", "- 0x8 return" },
    { 2, "\xf3\xc3", "repz ret", "- return" },
    { 2, "\xff\xd0", "call *%rax", "- from rax reads rax call-to" },
    { 2, "\xff\x10", "call *(%rax)", "- [rax+0]:8 reads rax call-to" },
    { 6, "\xff\x15\x08\x00\x00\x00", "call *8(%rip)", "- [+4110]:8 call-to" },
    { 5, "\xe8\x00\x00\x00\x00", "call .+5", "- call 0x1005" },
    { 2, "\xff\xe0", "jmp *%rax", "- from rax reads rax jump-to" },
    { 3, "\xff\x24\xc8", "jmp *(%rax,%rcx,8)",
      "- [rax+rcx*8+0]:8 reads rax,rcx jump-to" },
    { 3, "\x3e\xff\xe0", "notrack jmp *%rax", "- from rax reads rax jump-to" },
    { 2, "\xeb\xfe", "jmp .", "- jump 0x1000" },
    { 2, "\x77\xfe", "ja .", "- branch a 0x1000" },
    { 2, "\x76\xfe", "jbe .", "- branch na 0x1000" },
    { 2, "\x72\xfe", "jb .", "- branch b 0x1000" },
    { 2, "\x73\xfe", "jae .", "- branch nb 0x1000" },
    { 2, "\x74\xfe", "je .", "- branch e 0x1000" },
    { 2, "\x75\xfe", "jne .", "- branch ne 0x1000" },
    { 2, "\x7f\xfe", "jg .", "- branch 0x1000" },
    { 2, "\xe2\xfe", "loop .", "- writes rcx reads rcx branch 0x1000" },
    { 2, "\x48\x98", "cltq", "move to rax from rax width 4 reads rax" },
    { 1, "\x98", "cwtl", "- writes rax reads rax" },
    { 2, "\x48\x99", "cqto", "- writes rdx reads rax" },
    { 2, "\x0f\x05", "syscall", "- flags kernel writes rax,rcx,r11" },
    { 3, "\x0f\x1f\x00", "nopl (%rax)", "- nop" },
    { 4, "\xf3\x0f\x1e\xfa", "endbr64", "- nop" },
    { 5, "\x48\x0f\xba\xe0\x01", "bt $1,%rax", "- flags reads rax" },
    { 1, "\xf9", "stc", "- flags" },
    { 1, "\xfc", "cld", "-" },
    { 2, "\xf3\xa4", "rep movsb", "- writes rcx,rsi,rdi reads rcx,rsi,rdi" },
    { 3, "\xf3\x48\xab", "rep stosq", "- writes rcx,rdi reads rax,rcx,rdi" },
    { 2, "\x19\xdb", "sbb %ebx,%ebx", "- flags writes rbx" },
    { 2, "\x19\xc3", "sbb %eax,%ebx", "- flags writes rbx reads rax,rbx" },
    { 6, "\xc4\xe2\x7d\x90\x14\x88", "vpgatherdd %ymm0,(%rax,%ymm1,4),%ymm2",
      "- reads rax" },
    { 4, "\x48\x0f\x44\xd8", "cmove %rax,%rbx", "- writes rbx reads rax" },
    { 3, "\x48\xf7\xe3", "mul %rbx", "- flags writes rax,rdx reads rax,rbx" },
    { 4, "\xc8\x08\x00\x00", "enter $8,$0", "- writes rbp,rsp reads rbp,rsp" },
    { 1, "\xcc", "int3", "- stop" },
    { 2, "\x0f\x0b", "ud2", "- stop" },
    { 1, "\xf4", "hlt", "- stop" },
    { 2, "\x48\xcb", "lretq", "- writes rsp reads rsp stop" },
    { 2, "\xb4\x05", "mov $5,%ah", "- writes rax" },
    { 2, "\xb7\x05", "mov $5,%bh", "- writes rbx" },
    { 3, "\x41\xb0\x05", "mov $5,%r8b", "insert-byte to r8 0x5" },
    { 3, "\xc6\x00\x05", "movb $5,(%rax)", "store [rax+0]:1 0x5 reads rax" },
    { 3, "\x0f\x22\xc0", "mov %rax,%cr0", "- reads rax" },
    { 3, "\x0f\x20\xc0", "mov %cr0,%rax", "- writes rax" },
    { 8, "\x48\x8d\x1c\x05\0\0\0", "lea 0(,%rax,1),%rbx",
      "scale to rbx from rax index rax scale 1 width 8 0x1 reads rax" },
    { 4, "\x48\xc1\x20\x02", "shlq $2,(%rax)",
      "store [rax+0]:8 flags reads rax" },
    { 1, "\xcb", "lret", "- writes rsp reads rsp stop" },
    { 3, "\xca\x08\x00", "lret $8", "- writes rsp reads rsp stop" },
    { 2, "\xff\x28", "ljmp *(%rax)", "- [rax+0]:6 reads rax stop" },
    { 2, "\xff\x20", "jmp *(%rax)", "- [rax+0]:8 reads rax jump-to" },
    { 2, "\x0f\xa2", "cpuid", "- writes rax,rdx,rcx,rbx reads rax,rcx" },
    { 5, "\x48\x0f\xc1\x04\x24", "xadd %rax,(%rsp)",
      "store [rsp+0]:8 flags writes rax reads rax,rsp" },
    { 5, "\x48\x0f\xb1\x1c\x24", "cmpxchg %rbx,(%rsp)",
      "store [rsp+0]:8 flags writes rax reads rax,rbx,rsp" },
    { 3, "\x0f\x95\xc3", "setne %bl", "- writes rbx" },
    { 4, "\x0f\x29\x04\x24", "movaps %xmm0,(%rsp)",
      "store [rsp+0]:16 reads rsp" },
    { 5, "\x66\x48\x0f\x7e\xc3", "movq %xmm0,%rbx", "- writes rbx" },
    /* In memory, in parts of registers, with flags of which none is
       known.  */
    { 6, "\x81\x20\xff\x00\x00\x00", "andl $0xff,(%rax)",
      "store [rax+0]:4 flags reads rax" },
    { 3, "\x83\x20\x00", "andl $0,(%rax)", "store [rax+0]:4 flags reads rax" },
    { 4, "\x48\x83\x20\xf0", "andq $-16,(%rax)",
      "store [rax+0]:8 flags reads rax" },
    { 4, "\x48\x83\x00\x08", "addq $8,(%rax)",
      "store [rax+0]:8 flags reads rax" },
    { 4, "\x48\x83\x28\x08", "subq $8,(%rax)",
      "store [rax+0]:8 flags reads rax" },
    { 3, "\x48\xff\x00", "incq (%rax)", "store [rax+0]:8 flags reads rax" },
    { 3, "\x83\x08\xff", "orl $-1,(%rax)", "store [rax+0]:4 flags reads rax" },
    { 2, "\x31\x00", "xorl %eax,(%rax)", "store [rax+0]:4 flags reads rax" },
    { 2, "\x33\x00", "xorl (%rax),%eax",
      "- [rax+0]:4 flags writes rax reads rax" },
    { 3, "\x48\x29\x00", "subq %rax,(%rax)",
      "store [rax+0]:8 flags reads rax" },
    { 2, "\x85\x00", "testl %eax,(%rax)", "- [rax+0]:4 flags reads rax" },
    { 5, "\xa9\x08\x00\x00\x00", "testl $8,%eax", "- flags reads rax" },
    { 4, "\x48\x3b\x04\x24", "cmpq (%rsp),%rax",
      "- [rsp+0]:8 flags reads rax,rsp" },
    { 4, "\x66\x83\x38\xff", "cmpw $-1,(%rax)",
      "compare-mem [rax+0]:2 0xffff flags reads rax" },
    { 4, "\x48\x83\x38\xff", "cmpq $-1,(%rax)",
      "compare-mem [rax+0]:8 -0x1 flags reads rax" },
    { 5, "\x64\x48\x83\x38\x05", "cmpq $5,%fs:(%rax)",
      "- 0x5 flags reads rax" },
    { 2, "\x19\xc0", "sbb %eax,%eax", "- flags writes rax" },
    { 2, "\x1b\x00", "sbb (%rax),%eax",
      "- [rax+0]:4 flags writes rax reads rax" },
    { 4, "\xff\x74\x24\x08", "push 8(%rsp)", "push width 8" },
    { 3, "\x8f\x40\x08", "pop 8(%rax)", "pop [rax+8]:8 reads rax" },
    { 4, "\x8f\x44\x24\x08", "pop 8(%rsp)",
      "store [rsp+8]:8 writes rsp reads rsp" },
    { 2, "\x66\x50", "pushw %ax", "- writes rsp reads rax,rsp" },
    { 2, "\x66\x58", "popw %ax", "- writes rax,rsp reads rsp" },
    { 3, "\x66\x21\xc0", "and %ax,%ax", "- flags writes rax reads rax" },
    { 4, "\x66\x25\xff\x00", "and $0xff,%ax", "- flags writes rax reads rax" },
    { 4, "\x48\x83\xe4\x0f", "and $15,%rsp", "- flags writes rsp reads rsp" },
    { 2, "\x8c\xe0", "mov %fs,%eax", "- writes rax" },
    { 2, "\x8e\xe0", "mov %eax,%fs", "- reads rax" },
    { 2, "\x88\xe0", "mov %ah,%al", "- writes rax reads rax" },
    { 7, "\x48\xc7\x00\x05\x00\x00\x00", "movq $5,(%rax)",
      "store [rax+0]:8 0x5 reads rax" },
    { 2, "\x89\x00", "mov %eax,(%rax)", "store [rax+0]:4 reads rax" },
    { 4, "\x64\x48\x89\x00", "mov %rax,%fs:(%rax)", "- reads rax" },
    { 5, "\x48\x8d\x4c\x18\x04", "lea 4(%rax,%rbx,1),%rcx",
      "- index rbx scale 1 width 8 writes rcx reads rax,rbx" },
    { 8, "\x48\x8d\x0c\x9d\x00\x00\x00\x00", "lea (,%rbx,4),%rcx",
      "scale to rcx from rbx index rbx scale 4 width 8 0x4 reads rbx" },
    { 8, "\x48\x8d\x0c\x9d\x04\x00\x00\x00", "lea 4(,%rbx,4),%rcx",
      "- index rbx scale 4 width 8 writes rcx reads rbx" },
    { 4, "\x48\x8d\x0c\x98", "lea (%rax,%rbx,4),%rcx",
      "- index rbx scale 4 width 8 writes rcx reads rax,rbx" },
    { 8, "\x48\x8d\x0c\x25\x05\x00\x00\x00", "lea 5,%rcx",
      "set to rcx width 8 0x5 place" },
    { 3, "\x8d\x48\x05", "lea 5(%rax),%ecx",
      "- width 8 writes rcx reads rax" },
    { 3, "\x83\xc8\x00", "or $0,%eax", "- flags writes rax reads rax" },
    { 3, "\x83\xc8\xff", "or $-1,%eax", "set to rax 0xffffffff flags" },
    { 4, "\x48\x83\xc8\xff", "or $-1,%rax", "set to rax -0x1 flags" },
    { 4, "\x66\x83\xc8\xff", "or $-1,%ax", "- flags writes rax reads rax" },
    { 3, "\x83\x08\x00", "or $0,(%rax)", "- [rax+0]:4 flags reads rax" },
    { 2, "\x09\x00", "or %eax,(%rax)", "store [rax+0]:4 flags reads rax" },
    { 3, "\x48\x01\xc4", "add %rax,%rsp",
      "sum to rsp from rsp index rax flags reads rax,rsp" },
    { 3, "\x48\x2b\x20", "sub (%rax),%rsp",
      "lower to rsp from rsp [rax+0]:8 flags reads rax,rsp" },
    { 3, "\x48\x29\xc0", "sub %rax,%rax", "set to rax flags" },
    { 3, "\x66\x29\xc0", "sub %ax,%ax", "- flags writes rax" },
  };
  struct insn_text text = { .machine = code_machine_of (&arch_amd64) };
  size_t page = (size_t)sysconf (_SC_PAGESIZE);
  uint8_t *pages = last_page (page);
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      /* Nothing is read behind the bytes.  */
      uint8_t *bytes = pages + page - cases[i].size;
      memcpy (bytes, cases[i].bytes, cases[i].size);
      struct insn insn = insn_of (bytes, cases[i].size);
      if (strcmp (insn_text_of (&text, &insn), cases[i].words) != 0)
        fail_msg ("%s: %s", cases[i].text, text.words);
      cut_everywhere ((const uint8_t *)cases[i].bytes, cases[i].size);
    }
  munmap (pages, 2 * page);
}

int
main (void)
{
  cmocka_set_message_output (CM_OUTPUT_TAP);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (what_is_known_is_what_zydis_says),
    cmocka_unit_test (flow),
    cmocka_unit_test (registers_have_the_numbers_of_dwarf),
    cmocka_unit_test (in_words),
    cmocka_unit_test (addresses_that_code_names),
    cmocka_unit_test (shown_as_text),
    cmocka_unit_test (opcodes_at_the_end),
    cmocka_unit_test (saving_is_not_reading),
    cmocka_unit_test (stack_pointer_arithmetic),
    cmocka_unit_test (the_old_value_has_no_part_in_these),
    cmocka_unit_test (an_instruction_must_be_whole),
    cmocka_unit_test (sizes_without_zydis_are_the_same),
    cmocka_unit_test (other_machines_have_no_decoder),
  };
  return cmocka_run_group_tests (tests, setup, teardown);
}

#else

static void
there_is_no_decoder (void **state)
{
  (void)state;
  assert_false (insn_decoder_exists (&arch_amd64));
  assert_null (insn_decoder_new (&arch_amd64));
}

int
main (void)
{
  cmocka_set_message_output (CM_OUTPUT_TAP);
  const struct CMUnitTest tests[] = { cmocka_unit_test (there_is_no_decoder) };
  return cmocka_run_group_tests (tests, NULL, NULL);
}

#endif

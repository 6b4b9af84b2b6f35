/* Unit tests of analysis/insn.c: decoded x86-64 instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "analysis/insn.h"
#include "arch/arch.h"

#include <stdio.h>
#include <string.h>

#include "tests/analysis/insn_rows.h"
#include "tests/guarded.h"

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

/* Read bytes that are given as objdump prints them: "48 89 c3".  */
static size_t
bytes_of (const char *hex, uint8_t bytes[16])
{
  size_t n = 0;
  for (char *end; *hex != '\0'; hex = end)
    bytes[n++] = (uint8_t)strtoul (hex, &end, 16);
  return n;
}

/* Where each goes on, and which place in memory it names.  */
enum
{
  IS_NOP = 1,
  COMPUTES = 2
};
static const struct
{
  const char *bytes, *text;
  enum insn_flow flow;
  uint64_t target, place;
  unsigned flags;
} flows[] = {
  { "e8 01 00 00 00", "call .+6", FLOW_CALL, ADDRESS + 6, 0, 0 },
  { "ff d0", "call *%rax", FLOW_CALL_INDIRECT, 0, 0, 0 },
  { "ff 15 02 00 00 00", "call *2(%rip)", FLOW_CALL_INDIRECT, 0, ADDRESS + 8,
    0 },
  { "ff 18", "lcall *(%rax)", FLOW_CALL_INDIRECT, 0, 0, 0 },
  { "3e ff e0", "notrack jmp *%rax", FLOW_JUMP_INDIRECT, 0, 0, 0 },
  { "ff 25 10 00 00 00", "jmp *16(%rip)", FLOW_JUMP_INDIRECT, 0, ADDRESS + 22,
    0 },
  { "ff 28", "ljmp *(%rax)", FLOW_STOP, 0, 0, 0 },
  { "eb fe", "jmp .", FLOW_JUMP, ADDRESS, 0, 0 },
  { "e9 10 00 00 00", "jmp .+21", FLOW_JUMP, ADDRESS + 21, 0, 0 },
  { "77 10", "ja .+18", FLOW_BRANCH, ADDRESS + 18, 0, 0 },
  { "0f 87 10 00 00 00", "ja .+22", FLOW_BRANCH, ADDRESS + 22, 0, 0 },
  { "e3 fe", "jrcxz .", FLOW_BRANCH, ADDRESS, 0, 0 },
  { "e2 fe", "loop .", FLOW_BRANCH, ADDRESS, 0, 0 },
  { "c7 f8 10 00 00 00", "xbegin .+22", FLOW_BRANCH, ADDRESS + 22, 0, 0 },
  { "c3", "ret", FLOW_RETURN, 0, 0, 0 },
  { "f3 c3", "repz ret", FLOW_RETURN, 0, 0, 0 },
  { "c2 08 00", "ret $8", FLOW_RETURN, 0, 0, 0 },
  { "cb", "lret", FLOW_STOP, 0, 0, 0 },
  { "ca 08 00", "lret $8", FLOW_STOP, 0, 0, 0 },
  { "cc", "int3", FLOW_STOP, 0, 0, 0 },
  { "f4", "hlt", FLOW_STOP, 0, 0, 0 },
  { "0f ff c0", "ud0 %eax,%eax", FLOW_STOP, 0, 0, 0 },
  { "0f b9 c0", "ud1 %eax,%eax", FLOW_STOP, 0, 0, 0 },
  { "0f 0b", "ud2", FLOW_STOP, 0, 0, 0 },
  { "66 cf", "iretw", FLOW_RESUME, 0, 0, 0 },
  { "cf", "iretl", FLOW_RESUME, 0, 0, 0 },
  { "48 cf", "iretq", FLOW_RESUME, 0, 0, 0 },
  { "0f 07", "sysretl", FLOW_RESUME, 0, 0, 0 },
  { "48 0f 07", "sysretq", FLOW_RESUME, 0, 0, 0 },
  { "0f 35", "sysexit", FLOW_RESUME, 0, 0, 0 },
  { "f3 0f 01 ec", "uiret", FLOW_RESUME, 0, 0, 0 },
  { "0f 05", "syscall", FLOW_NEXT, 0, 0, 0 },
  { "cd 80", "int $0x80", FLOW_NEXT, 0, 0, 0 },
  { "90", "nop", FLOW_NEXT, 0, 0, IS_NOP },
  { "0f 1f 00", "nopl (%rax)", FLOW_NEXT, 0, 0, IS_NOP },
  { "f3 0f 1e fa", "endbr64", FLOW_NEXT, 0, 0, IS_NOP },
  { "f3 90", "pause", FLOW_NEXT, 0, 0, 0 },
  { "48 8d 05 01 00 00 00", "lea 1(%rip),%rax", FLOW_NEXT, 0, ADDRESS + 8,
    COMPUTES },
  { "48 8b 05 01 00 00 00", "mov 1(%rip),%rax", FLOW_NEXT, 0, ADDRESS + 8, 0 },
  { "83 3d 01 00 00 00 05", "cmpl $5,1(%rip)", FLOW_NEXT, 0, ADDRESS + 8, 0 },
  { "ff 35 01 00 00 00", "push 1(%rip)", FLOW_NEXT, 0, ADDRESS + 7, 0 },
  { "48 8d 44 24 08", "lea 8(%rsp),%rax", FLOW_NEXT, 0, 0, 0 },
};

TEST (flow)
{
  FOR_EACH_ROW (given, flows)
    {
      uint8_t bytes[16];
      struct insn_step step = step_of (bytes, bytes_of (given->bytes, bytes));
      if (step.flow != given->flow || step.target != given->target
          || step.place != given->place
          || step.is_nop != ((given->flags & IS_NOP) != 0)
          || step.computes_address != ((given->flags & COMPUTES) != 0))
        fail_msg ("%s: flow %d target %#lx place %#lx nop %d computes %d",
                  given->text, step.flow, (unsigned long)step.target,
                  (unsigned long)step.place, step.is_nop,
                  step.computes_address);
    }
}

TEST (an_instruction_must_be_whole)
{
  struct insn insn;
  const uint8_t cut[] = { 0xe8, 0, 0 }, none[] = { 0x06 };
  assert_false (insn_decode (decoder, cut, sizeof cut, ADDRESS, &insn));
  assert_false (insn_decode (decoder, none, sizeof none, ADDRESS, &insn));
  assert_false (insn_decode (decoder, none, 0, ADDRESS, &insn));
}

/* The sizes that arch/ knows in every build.  What it calls unknown is rare:
   XOP, 3DNow! and instructions that only operating systems use.  */
TEST (sizes_without_zydis_are_the_same)
{
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
      unsigned size = arch_amd64.instruction_size (bytes, 15, &is_call);
      unknown += size == 0;
      if (size == 0)
        continue;
      assert_int_equal (size, step.size);
      assert_int_equal (is_call, step.flow == FLOW_CALL
                                     || step.flow == FLOW_CALL_INDIRECT);
    }
  assert_in_range (unknown, 1, decoded / 5000);
}

TEST (other_machines_have_no_decoder)
{
  assert_non_null (code_machine_of (&arch_amd64));
  assert_null (code_machine_of (&arch_s390x));
  assert_null (insn_decoder_new (NULL));
}

/* Whether the first word of TEXT is one of NAMES, which end in NULL, perhaps
   with the letter of a width behind it.  */
static bool
begins_with_one (const char *text, const char *const *names)
{
  size_t length = strcspn (text, " ");
  for (; *names != NULL; names++)
    {
      size_t size = strlen (*names);
      if (strncmp (text, *names, size) == 0
          && (length == size
              || (length == size + 1 && strchr ("bwlq", text[size]))))
        return true;
    }
  return false;
}

/* What is told of an instruction beside the registers that it changes is told
   of these alone: of no other one of a similar name or place.  */
static bool
is_rightly_told (const uint8_t bytes[32])
{
  static const char *const computing[]
      = { "mov", "movzx", "movsx", "movsxd", "lea",   "add",   "inc",  "sub",
          "dec", "shl",   "and",   "xor",    "or",    "cmp",   "push", "pushf",
          "pop", "popf",  "xchg",  "test",   "leave", "enter", "cdqe", "neg",
          "not", "imul",  "shr",   "sar",    "rol",   "ror",   NULL };
  static const char *const conditions[]
      = { [CONDITION_ABOVE] = "jnbe", [CONDITION_NOT_ABOVE] = "jbe",
          [CONDITION_BELOW] = "jb",   [CONDITION_NOT_BELOW] = "jnb",
          [CONDITION_EQUAL] = "jz",   [CONDITION_NOT_EQUAL] = "jnz" };
  char text[INSN_TEXT_MAX];
  struct insn insn;
  if (!insn_decode (decoder, bytes, 32, ADDRESS, &insn))
    return true;
  bool computes = insn.op != OP_NONE && insn.op != OP_STORE;
  if (!computes && insn.condition == CONDITION_OTHER && !insn.is_syscall)
    return true;
  assert_true (insn_show (decoder, bytes, 32, ADDRESS, text));
  const char *const names[] = { conditions[insn.condition], NULL };
  return (!computes || begins_with_one (text, computing))
         && (insn.condition == CONDITION_OTHER
             || begins_with_one (text, names))
         && (!insn.is_syscall || strncmp (text, "syscall", 7) == 0);
}

TEST (nothing_is_told_of_others)
{
  enum
  {
    BND = 0xf2 /* a prefix, which the text begins with */
  };
  static const uint8_t prefixes[] = { 0, 0x66, 0x48, 0x45 };
  unsigned wrong = 0;
  for (unsigned i = 0; i < sizeof prefixes; i++)
    for (unsigned opcode = 0; opcode < 512; opcode++)
      for (unsigned modrm = 0; modrm < 256 && opcode != BND; modrm++)
        {
          uint8_t bytes[32] = { 0 };
          uint8_t *at = bytes;
          if (prefixes[i] != 0)
            *at++ = prefixes[i];
          if (opcode >= 256)
            *at++ = 0x0f;
          *at++ = (uint8_t)opcode;
          *at = (uint8_t)modrm;
          bool right = is_rightly_told (bytes);
          wrong += !right;
          if (!right && wrong < 10)
            print_message ("# %02x %02x %02x %02x\n", bytes[0], bytes[1],
                           bytes[2], bytes[3]);
        }
  assert_int_equal (wrong, 0);
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

/* Which address each names; 0: none.  What is behind it is 0.  */
TEST (addresses_that_code_names)
{
  static const struct
  {
    const char *bytes;
    uint64_t named;
  } cases[] = {
    { "48 8d 05 10 00 00 00", ADDRESS + 7 + 16 },
    { "4c 8d 3d f9 ff ff ff", ADDRESS },
    { "ff 24 c5 00 20 40 00", 0x402000 },
    { "48 8b 04 f5 00 20 40 00", 0x402000 },
    { "48 63 04 85 00 20 40 00", 0x402000 },
    /* By another base; without the width of an address; from a base.  */
    { "48 8d 40 10 00 00 00", 0 },
    { "66 8d 05 10 00 00 00", 0 },
    { "ff 24 c0 00 20 40 00", 0 },
    { "48 8d 45 10 00 00 00", 0 },
    { "44 8d 05 10 00 00 00", 0 },
    { "ff 24 05 00 20 40 00", 0 },
    { "ff 24 45 00 20 40 00", 0 },
    /* Of another kind; without the width; with another operand.  */
    { "48 89 04 f5 00 20 40 00", 0 },
    { "66 8b 04 f5 00 20 40 00", 0 },
    { "48 8b 03 f5 00 20 40 00", 0 },
    { "ff 14 c5 00 20 40 00", 0 },
    { "fe 24 c5 00 20 40 00", 0 },
  };
  uint64_t named;
  FOR_EACH_ROW (given, cases)
    {
      uint8_t bytes[16] = { 0 };
      bytes_of (given->bytes, bytes);
      bool names = insn_may_reference (decoder, bytes, 8, ADDRESS, &named);
      if (names != (given->named != 0) || (names && named != given->named))
        fail_msg ("%s", given->bytes);
    }
  assert_false (insn_may_reference (
      decoder, (const uint8_t *)"\x48\x8d\x05\x10\0\0\0", 7, ADDRESS, &named));
}

/* Bytes that are not instructions have no words.  */
TEST (shown_as_text)
{
  char text[INSN_TEXT_MAX];
  assert_true (insn_show (decoder, (const uint8_t *)"\x55", 1, 0, text));
  assert_string_equal (text, "push %rbp");
  assert_true (
      insn_show (decoder, (const uint8_t *)"\xeb\xfe", 2, 0x1234, text));
  assert_non_null (strstr (text, "1234"));
  assert_false (insn_show (decoder, (const uint8_t *)"\x48\x8b", 2, 0, text));
  assert_false (insn_show (decoder, (const uint8_t *)"\x06", 1, 0, text));
}

/* System V ABI for x86-64, figure 3.36: DWARF numbers registers in another
   order than instructions do.  */
TEST (registers_have_the_numbers_of_dwarf)
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
  for (unsigned n = 0; n < 16; n++)
    {
      const uint8_t mov[]
          = { 0x48 | (n >= 8), 0xc7, 0xc0 | (n & 7), 5, 0, 0, 0 };
      struct insn insn = insn_of (mov, sizeof mov);
      assert_int_equal (insn.op, OP_SET);
      assert_int_equal (insn.to, n < 8 ? low[n] : n);
    }
}

static struct insn_text text;
static struct guarded memory;

static void
check_row (const char *hex)
{
  uint8_t bytes[16];
  size_t size = bytes_of (hex, bytes);
  /* Nothing is read behind the bytes.  */
  memcpy (memory.end - size, bytes, size);
  struct insn insn = insn_of (memory.end - size, size);
  insn_text_of (&text, &insn);
  cut_everywhere (bytes, size);
}

TEST (in_words)
{
  text.machine = code_machine_of (&arch_amd64);
  memory = guarded_memory (1);
  check_insn_rows ("insns.x86_64", check_row, &text);
  guarded_free (memory);
}

TEST_GROUP (setup, teardown)

#else

TEST (there_is_no_decoder)
{
  assert_null (code_machine_of (&arch_amd64));
  assert_null (insn_decoder_new (&arch_amd64));
}

#endif

/* Unit tests of analysis/insn.c: decoded x86-64 instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "analysis/insn.h"
#include "arch/arch.h"

#include <stdio.h>
#include <string.h>

#include "tests/analysis/insn_text.h"
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

/* Each kind of instruction, in all widths that make a difference.  To save a
   register or to move it whole is not to read it, and where the old value has
   no part in the result ("xor %ebx,%ebx") it is not read.  */
static const struct
{
  const char *bytes, *text, *words;
} words[] = {
  { "66 89 c3", "mov %ax,%bx",
    "move to rbx from rbx index rax width 2 reads rax" },
  { "88 c3", "mov %al,%bl",
    "move to rbx from rbx index rax width 1 reads rax" },
  { "48 89 c3", "mov %rax,%rbx", "move to rbx from rax width 8" },
  { "89 c3", "mov %eax,%ebx", "move to rbx from rax width 4 reads rax" },
  { "bb 05 00 00 00", "mov $5,%ebx", "set to rbx 0x5" },
  { "bb ff ff ff ff", "mov $-1,%ebx", "set to rbx 0xffffffff" },
  { "48 c7 c3 ff ff ff ff", "mov $-1,%rbx", "set to rbx -0x1" },
  { "48 bb 9a 78 56 34 12 00 00 00", "movabs $0x123456789a,%rbx",
    "set to rbx 0x123456789a" },
  { "b3 05", "mov $5,%bl", "move to rbx from rbx width 1 0x5" },
  { "8b 04 24", "mov (%rsp),%eax", "load to rax [rsp+0]:4 reads rsp" },
  { "48 8b 5c 24 08", "mov 8(%rsp),%rbx", "load to rbx [rsp+8]:8 reads rsp" },
  { "0f 1b 04 08", "bndstx %bnd0,(%rax,%rcx)",
    "- reads rax,rcx" }, /* no sum of the two */
  { "48 8b 14 88", "mov (%rax,%rcx,4),%rdx",
    "load to rdx [rax+rcx*4+0]:8 reads rax,rcx" },
  { "48 89 1c c8", "mov %rbx,(%rax,%rcx,8)",
    "store from rbx [rax+rcx*8+0]:8 reads rax,rcx" },
  { "48 63 14 88", "movslq (%rax,%rcx,4),%rdx",
    "load to rdx [rax+rcx*4+0]:4 sx reads rax,rcx" },
  { "0f b6 04 24", "movzbl (%rsp),%eax", "load to rax [rsp+0]:1 reads rsp" },
  { "0f be 04 24", "movsbl (%rsp),%eax",
    "load to rax [rsp+0]:1 sx reads rsp" },
  { "0f b6 c1", "movzbl %cl,%eax", "move to rax from rcx width 1 reads rcx" },
  { "48 0f be c1", "movsbq %cl,%rax",
    "move to rax from rcx width 1 reads rcx" },
  { "48 63 c1", "movslq %ecx,%rax", "move to rax from rcx width 4 reads rcx" },
  { "64 48 8b 04 25 28 00 00 00", "mov %fs:0x28,%rax", "- writes rax" },
  { "65 48 8b 04 25 28 00 00 00", "mov %gs:0x28,%rax", "- writes rax" },
  { "65 48 89 44 24 08", "mov %rax,%gs:8(%rsp)", "- reads rax,rsp" },
  { "64 48 89 44 24 08", "mov %rax,%fs:8(%rsp)", "- reads rax,rsp" },
  { "48 8b 05 10 00 00 00", "mov 16(%rip),%rax", "load to rax [+4119]:8" },
  { "48 89 5c 24 08", "mov %rbx,8(%rsp)",
    "store from rbx [rsp+8]:8 reads rsp" },
  { "89 5c 24 08", "mov %ebx,8(%rsp)",
    "store from rbx [rsp+8]:4 reads rbx,rsp" },
  { "48 89 24 24", "mov %rsp,(%rsp)", "store from rsp [rsp+0]:8 reads rsp" },
  { "48 89 1b", "mov %rbx,(%rbx)", "store from rbx [rbx+0]:8 reads rbx" },
  { "48 89 1c 18", "mov %rbx,(%rax,%rbx)",
    "store from rbx [rax+rbx*1+0]:8 reads rax,rbx" },
  { "48 c7 04 24 05 00 00 00", "movq $5,(%rsp)",
    "store [rsp+0]:8 0x5 reads rsp" },
  { "c7 04 24 fb ff ff ff", "movl $-5,(%rsp)",
    "store [rsp+0]:4 -0x5 reads rsp" },
  { "8c d8", "mov %ds,%eax", "- writes rax" },
  { "0f 20 c0", "mov %cr0,%rax", "- writes rax" },
  { "67 48 8d 03", "lea (%ebx),%rax", "- width 4 writes rax reads rbx" },
  { "8d 03", "lea (%rbx),%eax", "add to rax from rbx width 4 reads rbx" },
  { "48 8d 43 08", "lea 8(%rbx),%rax",
    "add to rax from rbx width 8 0x8 reads rbx" },
  { "48 8d 65 d8", "lea -0x28(%rbp),%rsp",
    "add to rsp from rbp width 8 -0x28 reads rbp" },
  { "48 8d 0c c5 10 00 00 00", "lea 0x10(,%rax,8),%rcx",
    "- index rax scale 8 width 8 writes rcx reads rax" },
  { "48 8d 0c c5 00 00 00 00", "lea (,%rax,8),%rcx",
    "scale to rcx from rax index rax scale 8 width 8 0x8 reads rax" },
  { "48 8d 0c 18", "lea (%rax,%rbx),%rcx",
    "sum to rcx from rax index rbx scale 1 width 8 reads rax,rbx" },
  { "48 8d 4c 18 08", "lea 8(%rax,%rbx),%rcx",
    "- index rbx scale 1 width 8 writes rcx reads rax,rbx" },
  { "48 8d 0c 58", "lea (%rax,%rbx,2),%rcx",
    "- index rbx scale 2 width 8 writes rcx reads rax,rbx" },
  { "48 8d 05 10 00 00 00", "lea 16(%rip),%rax",
    "set to rax width 8 0x1017 place" },
  { "48 8d 04 25 00 50 00 00", "lea 0x5000,%rax",
    "set to rax width 8 0x5000 place" },
  { "48 83 c4 18", "add $24,%rsp",
    "add to rsp from rsp 0x18 flags reads rsp" },
  { "48 83 c0 f8", "add $-8,%rax",
    "add to rax from rax -0x8 flags reads rax" },
  { "83 c0 08", "add $8,%eax",
    "add to rax from rax width 4 0x8 flags reads rax" },
  { "48 01 c3", "add %rax,%rbx",
    "sum to rbx from rbx index rax flags reads rax,rbx" },
  { "48 03 44 24 08", "add 8(%rsp),%rax",
    "- [rsp+8]:8 flags writes rax reads rax,rsp" },
  { "01 c3", "add %eax,%ebx",
    "add to rbx from rbx index rax width 4 flags reads rax,rbx" },
  { "48 01 04 24", "add %rax,(%rsp)", "store [rsp+0]:8 flags reads rax,rsp" },
  { "48 83 ec 18", "sub $0x18,%rsp",
    "add to rsp from rsp -0x18 flags reads rsp" },
  { "48 83 ec 80", "sub $-0x80,%rsp",
    "add to rsp from rsp 0x80 flags reads rsp" },
  { "48 29 c4", "sub %rax,%rsp",
    "lower to rsp from rsp index rax flags reads rax,rsp" },
  { "48 2b 64 24 08", "sub 8(%rsp),%rsp",
    "lower to rsp from rsp [rsp+8]:8 flags reads rsp" },
  { "48 29 c3", "sub %rax,%rbx",
    "subtract to rbx from rbx index rax width 8 flags reads rax,rbx" },
  { "29 db", "sub %ebx,%ebx", "set to rbx flags" },
  { "48 ff c0", "inc %rax", "add to rax from rax 0x1 flags reads rax" },
  { "48 ff c8", "dec %rax", "add to rax from rax -0x1 flags reads rax" },
  { "ff c0", "inc %eax", "add to rax from rax width 4 0x1 flags reads rax" },
  { "ff 04 24", "incl (%rsp)", "store [rsp+0]:4 flags reads rsp" },
  { "48 c1 e0 03", "shl $3,%rax",
    "scale to rax from rax 0x8 flags reads rax" },
  { "48 c1 e0 04", "shl $4,%rax",
    "shift-left to rax from rax width 8 0x4 flags reads rax" },
  { "c1 e0 02", "shl $2,%eax",
    "shift-left to rax from rax width 4 0x2 flags reads rax" },
  { "48 d3 e0", "shl %cl,%rax", "- flags writes rax reads rax,rcx" },
  { "48 c1 e8 03", "shr $3,%rax",
    "shift-right to rax from rax width 8 0x3 flags reads rax" },
  { "25 ff 00 00 00", "and $0xff,%eax",
    "move to rax from rax width 1 flags reads rax" },
  { "81 e3 ff ff 00 00", "and $0xffff,%ebx",
    "move to rbx from rbx width 2 flags reads rbx" },
  { "81 e3 ff 0f 00 00", "and $0xfff,%ebx",
    "and to rbx from rbx width 4 0xfff flags reads rbx" },
  { "48 83 e3 00", "and $0,%rbx", "set to rbx flags" },
  { "21 c0", "and %eax,%eax", "move to rax from rax width 4 flags reads rax" },
  { "48 21 c0", "and %rax,%rax",
    "move to rax from rax width 8 flags reads rax" },
  { "48 83 e4 f0", "and $-16,%rsp",
    "align to rsp from rsp -0x10 flags reads rsp" },
  { "48 83 e3 e0", "and $-32,%rbx",
    "align to rbx from rbx -0x20 flags reads rbx" },
  { "83 e4 f0", "and $-16,%esp",
    "and to rsp from rsp width 4 -0x10 flags reads rsp" },
  { "48 83 e4 f1", "and $-15,%rsp",
    "and to rsp from rsp width 8 -0xf flags reads rsp" },
  { "48 21 c3", "and %rax,%rbx",
    "and to rbx from rbx index rax width 8 flags reads rax,rbx" },
  { "24 0f", "and $15,%al",
    "and to rax from rax width 1 0xf flags reads rax" },
  { "20 c0", "and %al,%al",
    "and to rax from rax index rax width 1 flags reads rax" },
  { "30 db", "xor %bl,%bl", "xor to rbx from rbx index rbx width 1 flags" },
  { "31 db", "xor %ebx,%ebx", "set to rbx flags" },
  { "48 31 db", "xor %rbx,%rbx", "set to rbx flags" },
  { "31 c3", "xor %eax,%ebx",
    "xor to rbx from rbx index rax width 4 flags reads rax,rbx" },
  { "48 31 1c 24", "xor %rbx,(%rsp)", "store [rsp+0]:8 flags reads rbx,rsp" },
  { "f0 83 0c 24 00", "lock orl $0,(%rsp)", "- [rsp+0]:4 flags reads rsp" },
  { "83 0c 24 01", "orl $1,(%rsp)", "store [rsp+0]:4 flags reads rsp" },
  { "83 cb ff", "or $-1,%ebx", "set to rbx 0xffffffff flags" },
  { "48 83 cb ff", "or $-1,%rbx", "set to rbx -0x1 flags" },
  { "66 83 cb ff", "or $-1,%bx",
    "or to rbx from rbx width 2 -0x1 flags reads rbx" },
  { "48 83 cb 01", "or $1,%rbx",
    "or to rbx from rbx width 8 0x1 flags reads rbx" },
  { "3c ff", "cmp $-1,%al", "compare from rax 0xff flags reads rax" },
  { "66 83 f8 ff", "cmp $-1,%ax", "compare from rax 0xffff flags reads rax" },
  { "83 f8 ff", "cmp $-1,%eax",
    "compare from rax 0xffffffff flags reads rax" },
  { "48 83 f8 ff", "cmp $-1,%rax", "compare from rax -0x1 flags reads rax" },
  { "48 83 ff 09", "cmp $9,%rdi", "compare from rdi 0x9 flags reads rdi" },
  { "83 7c 24 08 05", "cmpl $5,8(%rsp)",
    "compare-mem [rsp+8]:4 0x5 flags reads rsp" },
  { "80 38 ff", "cmpb $-1,(%rax)",
    "compare-mem [rax+0]:1 0xff flags reads rax" },
  { "48 39 c3", "cmp %rax,%rbx",
    "compare-2 from rbx index rax width 8 flags reads rax,rbx" },
  { "39 c3", "cmp %eax,%ebx", "- flags reads rax,rbx" },
  { "48 39 04 24", "cmp %rax,(%rsp)", "- [rsp+0]:8 flags reads rax,rsp" },
  { "65 80 38 05", "cmpb $5,%gs:(%rax)", "- 0x5 flags reads rax" },
  { "6a 05", "push $5", "push 0x5" },
  { "66 53", "pushw %bx", "- writes rsp reads rbx,rsp" },
  { "ff 30", "push (%rax)", "push width 8 reads rax" },
  { "54", "push %rsp", "push from rsp" },
  { "53", "push %rbx", "push from rbx" },
  { "0f a0", "push %fs", "push" },
  { "9c", "pushfq", "push" },
  { "5b", "pop %rbx", "pop to rbx" },
  { "5c", "pop %rsp", "pop to rsp" },
  { "8f 00", "pop (%rax)", "pop [rax+0]:8 reads rax" },
  { "8f 04 24", "pop (%rsp)", "store [rsp+0]:8 writes rsp reads rsp" },
  { "66 5b", "popw %bx", "- writes rbx,rsp reads rsp" },
  { "9d", "popfq", "pop flags" },
  { "0f a1", "pop %fs", "pop" },
  { "48 93", "xchg %rax,%rbx", "swap to rbx from rax width 8" },
  { "93", "xchg %eax,%ebx", "swap to rbx from rax width 4 reads rax,rbx" },
  { "48 87 04 24", "xchg %rax,(%rsp)",
    "store [rsp+0]:8 writes rax reads rax,rsp" },
  { "c9", "leave", "leave to rbp" },
  { "66 c9", "leavew", "- writes rbp,rsp reads rbp,rsp" },
  { "c2 08 00", "ret $8", "- 0x8 return" },
  { "f3 c3", "repz ret", "- return" },
  { "ff d0", "call *%rax", "- from rax reads rax call-to" },
  { "ff 10", "call *(%rax)", "- [rax+0]:8 reads rax call-to" },
  { "ff 15 08 00 00 00", "call *8(%rip)", "- [+4110]:8 call-to" },
  { "e8 00 00 00 00", "call .+5", "- call 0x1005" },
  { "ff e0", "jmp *%rax", "- from rax reads rax jump-to" },
  { "ff 24 c8", "jmp *(%rax,%rcx,8)",
    "- [rax+rcx*8+0]:8 reads rax,rcx jump-to" },
  { "3e ff e0", "notrack jmp *%rax", "- from rax reads rax jump-to" },
  { "eb fe", "jmp .", "- jump 0x1000" },
  { "77 fe", "ja .", "- branch a 0x1000" },
  { "76 fe", "jbe .", "- branch na 0x1000" },
  { "72 fe", "jb .", "- branch b 0x1000" },
  { "73 fe", "jae .", "- branch nb 0x1000" },
  { "74 fe", "je .", "- branch e 0x1000" },
  { "75 fe", "jne .", "- branch ne 0x1000" },
  { "7f fe", "jg .", "- branch 0x1000" },
  { "e2 fe", "loop .", "- writes rcx reads rcx branch 0x1000" },
  { "48 98", "cltq", "move to rax from rax width 4 reads rax" },
  { "98", "cwtl", "- writes rax reads rax" },
  { "48 99", "cqto", "- writes rdx reads rax" },
  { "0f 05", "syscall", "- flags kernel writes rax,rcx,r11" },
  { "0f 1f 00", "nopl (%rax)", "- nop" },
  { "f3 0f 1e fa", "endbr64", "- nop" },
  { "48 0f ba e0 01", "bt $1,%rax", "- flags reads rax" },
  { "f9", "stc", "- flags" },
  { "fc", "cld", "-" },
  { "f3 a4", "rep movsb", "- writes rcx,rsi,rdi reads rcx,rsi,rdi" },
  { "f3 48 ab", "rep stosq", "- writes rcx,rdi reads rax,rcx,rdi" },
  { "19 db", "sbb %ebx,%ebx", "- flags writes rbx" },
  { "19 c3", "sbb %eax,%ebx", "- flags writes rbx reads rax,rbx" },
  { "c4 e2 7d 90 14 88", "vpgatherdd %ymm0,(%rax,%ymm1,4),%ymm2",
    "- reads rax" },
  { "48 0f 44 d8", "cmove %rax,%rbx", "- writes rbx reads rax" },
  { "48 f7 e3", "mul %rbx", "- flags writes rax,rdx reads rax,rbx" },
  { "c8 08 00 00", "enter $8,$0", "enter to rbp from rbp -0x8" },
  { "cc", "int3", "- stop" },
  { "0f 0b", "ud2", "- stop" },
  { "f4", "hlt", "- stop" },
  { "48 cb", "lretq", "- writes rsp reads rsp stop" },
  { "b4 05", "mov $5,%ah", "- writes rax" },
  { "b7 05", "mov $5,%bh", "- writes rbx" },
  { "41 b0 05", "mov $5,%r8b", "move to r8 from r8 width 1 0x5" },
  { "c6 00 05", "movb $5,(%rax)", "store [rax+0]:1 0x5 reads rax" },
  { "0f 22 c0", "mov %rax,%cr0", "- reads rax" },
  { "48 8d 1c 05 00 00 00 00", "lea 0(,%rax,1),%rbx",
    "scale to rbx from rax index rax scale 1 width 8 0x1 reads rax" },
  { "48 c1 20 02", "shlq $2,(%rax)", "store [rax+0]:8 flags reads rax" },
  { "cb", "lret", "- writes rsp reads rsp stop" },
  { "ca 08 00", "lret $8", "- writes rsp reads rsp stop" },
  { "ff 28", "ljmp *(%rax)", "- [rax+0]:6 reads rax stop" },
  { "ff 20", "jmp *(%rax)", "- [rax+0]:8 reads rax jump-to" },
  { "0f a2", "cpuid", "- writes rax,rdx,rcx,rbx reads rax,rcx" },
  { "48 0f c1 04 24", "xadd %rax,(%rsp)",
    "store [rsp+0]:8 flags writes rax reads rax,rsp" },
  { "48 0f b1 1c 24", "cmpxchg %rbx,(%rsp)",
    "store [rsp+0]:8 flags writes rax reads rax,rbx,rsp" },
  { "0f 95 c3", "setne %bl", "- writes rbx" },
  { "0f 29 04 24", "movaps %xmm0,(%rsp)", "store [rsp+0]:16 reads rsp" },
  { "66 48 0f 7e c3", "movq %xmm0,%rbx", "- writes rbx" },
  /* In memory, in parts of registers, with flags of which none is
     known.  */
  { "81 20 ff 00 00 00", "andl $0xff,(%rax)",
    "store [rax+0]:4 flags reads rax" },
  { "83 20 00", "andl $0,(%rax)", "store [rax+0]:4 flags reads rax" },
  { "48 83 20 f0", "andq $-16,(%rax)", "store [rax+0]:8 flags reads rax" },
  { "48 83 00 08", "addq $8,(%rax)", "store [rax+0]:8 flags reads rax" },
  { "48 83 28 08", "subq $8,(%rax)", "store [rax+0]:8 flags reads rax" },
  { "48 ff 00", "incq (%rax)", "store [rax+0]:8 flags reads rax" },
  { "83 08 ff", "orl $-1,(%rax)", "store [rax+0]:4 flags reads rax" },
  { "31 00", "xorl %eax,(%rax)", "store [rax+0]:4 flags reads rax" },
  { "33 00", "xorl (%rax),%eax", "- [rax+0]:4 flags writes rax reads rax" },
  { "48 29 00", "subq %rax,(%rax)", "store [rax+0]:8 flags reads rax" },
  { "85 00", "testl %eax,(%rax)", "- [rax+0]:4 flags reads rax" },
  { "a9 08 00 00 00", "testl $8,%eax", "- flags reads rax" },
  { "48 3b 04 24", "cmpq (%rsp),%rax", "- [rsp+0]:8 flags reads rax,rsp" },
  { "66 83 38 ff", "cmpw $-1,(%rax)",
    "compare-mem [rax+0]:2 0xffff flags reads rax" },
  { "48 83 38 ff", "cmpq $-1,(%rax)",
    "compare-mem [rax+0]:8 -0x1 flags reads rax" },
  { "64 48 83 38 05", "cmpq $5,%fs:(%rax)", "- 0x5 flags reads rax" },
  { "19 c0", "sbb %eax,%eax", "- flags writes rax" },
  { "1b 00", "sbb (%rax),%eax", "- [rax+0]:4 flags writes rax reads rax" },
  { "ff 74 24 08", "push 8(%rsp)", "push width 8" },
  { "8f 40 08", "pop 8(%rax)", "pop [rax+8]:8 reads rax" },
  { "8f 44 24 08", "pop 8(%rsp)", "store [rsp+8]:8 writes rsp reads rsp" },
  { "66 50", "pushw %ax", "- writes rsp reads rax,rsp" },
  { "66 58", "popw %ax", "- writes rax,rsp reads rsp" },
  { "66 21 c0", "and %ax,%ax",
    "and to rax from rax index rax width 2 flags reads rax" },
  { "66 25 ff 00", "and $0xff,%ax",
    "and to rax from rax width 2 0xff flags reads rax" },
  { "48 83 e4 0f", "and $15,%rsp",
    "and to rsp from rsp width 8 0xf flags reads rsp" },
  { "8c e0", "mov %fs,%eax", "- writes rax" },
  { "8e e0", "mov %eax,%fs", "- reads rax" },
  { "88 e0", "mov %ah,%al", "- writes rax reads rax" },
  { "48 c7 00 05 00 00 00", "movq $5,(%rax)",
    "store [rax+0]:8 0x5 reads rax" },
  { "89 00", "mov %eax,(%rax)", "store from rax [rax+0]:4 reads rax" },
  { "64 48 89 00", "mov %rax,%fs:(%rax)", "- reads rax" },
  { "48 8d 4c 18 04", "lea 4(%rax,%rbx,1),%rcx",
    "- index rbx scale 1 width 8 writes rcx reads rax,rbx" },
  { "48 8d 0c 9d 00 00 00 00", "lea (,%rbx,4),%rcx",
    "scale to rcx from rbx index rbx scale 4 width 8 0x4 reads rbx" },
  { "48 8d 0c 9d 04 00 00 00", "lea 4(,%rbx,4),%rcx",
    "- index rbx scale 4 width 8 writes rcx reads rbx" },
  { "48 8d 0c 98", "lea (%rax,%rbx,4),%rcx",
    "- index rbx scale 4 width 8 writes rcx reads rax,rbx" },
  { "48 8d 0c 25 05 00 00 00", "lea 5,%rcx", "set to rcx width 8 0x5 place" },
  { "8d 48 05", "lea 5(%rax),%ecx",
    "add to rcx from rax width 4 0x5 reads rax" },
  { "83 c8 00", "or $0,%eax", "or to rax from rax width 4 flags reads rax" },
  { "83 c8 ff", "or $-1,%eax", "set to rax 0xffffffff flags" },
  { "48 83 c8 ff", "or $-1,%rax", "set to rax -0x1 flags" },
  { "66 83 c8 ff", "or $-1,%ax",
    "or to rax from rax width 2 -0x1 flags reads rax" },
  { "83 08 00", "or $0,(%rax)", "- [rax+0]:4 flags reads rax" },
  { "09 00", "or %eax,(%rax)", "store [rax+0]:4 flags reads rax" },
  { "48 01 c4", "add %rax,%rsp",
    "sum to rsp from rsp index rax flags reads rax,rsp" },
  { "48 2b 20", "sub (%rax),%rsp",
    "lower to rsp from rsp [rax+0]:8 flags reads rax,rsp" },
  { "48 29 c0", "sub %rax,%rax", "set to rax flags" },
  { "66 29 c0", "sub %ax,%ax",
    "subtract to rax from rax index rax width 2 flags" },
  /* What only looks like another one: with another mnemonic, operand,
     width or condition.  */
  { "ff 18", "lcall *(%rax)", "- [rax+0]:6 reads rax call-to" },
  { "f3 90", "pause", "-" },
  { "e3 fe", "jrcxz 0x1000", "- reads rcx branch 0x1000" },
  { "67 e3 fe", "jecxz 0x1001", "- reads rcx branch 0x1001" },
  { "e1 fe", "loope 0x1000", "- writes rcx reads rcx branch 0x1000" },
  { "e0 fe", "loopne 0x1000", "- writes rcx reads rcx branch 0x1000" },
  { "7c fe", "jl 0x1000", "- branch 0x1000" },
  { "7d fe", "jnl 0x1000", "- branch 0x1000" },
  { "7e fe", "jle 0x1000", "- branch 0x1000" },
  { "78 fe", "js 0x1000", "- branch 0x1000" },
  { "79 fe", "jns 0x1000", "- branch 0x1000" },
  { "70 fe", "jo 0x1000", "- branch 0x1000" },
  { "71 fe", "jno 0x1000", "- branch 0x1000" },
  { "7a fe", "jp 0x1000", "- branch 0x1000" },
  { "7b fe", "jnp 0x1000", "- branch 0x1000" },
  { "0f 87 10 00 00 00", "jnbe 0x1016", "- branch a 0x1016" },
  { "e9 10 00 00 00", "jmp 0x1015", "- jump 0x1015" },
  { "41 ff d3", "call *%r11", "- from r11 reads r11 call-to" },
  { "41 ff e3", "jmp *%r11", "- from r11 reads r11 jump-to" },
  { "ff 54 24 08", "call *8(%rsp)", "- [rsp+8]:8 call-to" },
  { "ff 64 24 08", "jmp *8(%rsp)", "- [rsp+8]:8 reads rsp jump-to" },
  { "ff 25 10 00 00 00", "jmp *16(%rip)", "- [+4118]:8 jump-to" },
  { "f3 0f 1e fb", "endbr32", "-" },
  { "48 83 d4 08", "adc $8,%rsp", "- flags writes rsp reads rsp" },
  { "48 11 c3", "adc %rax,%rbx", "- flags writes rbx reads rax,rbx" },
  { "48 83 db 08", "sbb $8,%rbx", "- flags writes rbx reads rbx" },
  { "48 0f c1 c3", "xadd %rax,%rbx", "- flags writes rax,rbx reads rax,rbx" },
  { "48 0f b1 c3", "cmpxchg %rax,%rbx",
    "- flags writes rax,rbx reads rax,rbx" },
  { "48 f7 db", "neg %rbx",
    "subtract-from to rbx from rbx width 8 flags reads rbx" },
  { "48 f7 d3", "not %rbx", "xor to rbx from rbx width 8 -0x1 reads rbx" },
  { "48 6b db 08", "imul $8,%rbx,%rbx",
    "multiply to rbx from rbx width 8 0x8 flags reads rbx" },
  { "48 0f af d8", "imul %rax,%rbx",
    "multiply to rbx from rbx index rax width 8 flags reads rax,rbx" },
  { "48 0f cb", "bswap %rbx", "- writes rbx reads rbx" },
  { "f3 48 0f b8 d8", "popcnt %rax,%rbx", "- flags writes rbx reads rax" },
  { "48 c1 c0 03", "rol $3,%rax",
    "rotate-left to rax from rax width 8 0x3 flags reads rax" },
  { "48 c1 c8 03", "ror $3,%rax",
    "rotate-right to rax from rax width 8 0x3 flags reads rax" },
  { "48 c1 f8 03", "sar $3,%rax",
    "shift-sx to rax from rax width 8 0x3 flags reads rax" },
  { "48 d1 e0", "shl $1,%rax", "scale to rax from rax 0x2 flags reads rax" },
  { "48 c1 e0 02", "shl $2,%rax",
    "scale to rax from rax 0x4 flags reads rax" },
  { "48 0f a4 c3 03", "shld $3,%rax,%rbx",
    "- flags writes rbx reads rax,rbx" },
  { "48 0f bc d8", "bsf %rax,%rbx", "- flags writes rbx reads rax" },
  { "48 0f 42 d8", "cmovb %rax,%rbx", "- writes rbx reads rax" },
  { "48 0f 44 5c 24 08", "cmove 8(%rsp),%rbx",
    "- [rsp+8]:8 writes rbx reads rsp" },
  { "48 0f 38 f0 5c 24 08", "movbe 8(%rsp),%rbx",
    "- [rsp+8]:8 writes rbx reads rsp" },
  { "0f b6 5c 24 08", "movzbl 8(%rsp),%ebx",
    "load to rbx [rsp+8]:1 reads rsp" },
  { "0f b7 5c 24 08", "movzwl 8(%rsp),%ebx",
    "load to rbx [rsp+8]:2 reads rsp" },
  { "0f be 5c 24 08", "movsbl 8(%rsp),%ebx",
    "load to rbx [rsp+8]:1 sx reads rsp" },
  { "48 0f be 5c 24 08", "movsbq 8(%rsp),%rbx",
    "load to rbx [rsp+8]:1 sx reads rsp" },
  { "48 63 5c 24 08", "movslq 8(%rsp),%rbx",
    "load to rbx [rsp+8]:4 sx reads rsp" },
  { "48 63 d8", "movslq %eax,%rbx", "move to rbx from rax width 4 reads rax" },
  { "0f b6 d8", "movzbl %al,%ebx", "move to rbx from rax width 1 reads rax" },
  { "0f b6 dc", "movzbl %ah,%ebx", "- writes rbx reads rax" },
  { "0f b7 d8", "movzwl %ax,%ebx", "move to rbx from rax width 2 reads rax" },
  { "0f be d8", "movsbl %al,%ebx", "move to rbx from rax width 1 reads rax" },
  { "48 0f bf d8", "movswq %ax,%rbx",
    "move to rbx from rax width 2 reads rax" },
  { "66 0f b6 d8", "movzbw %al,%bx", "- writes rbx reads rax" },
  { "88 44 24 08", "mov %al,8(%rsp)", "store [rsp+8]:1 reads rax,rsp" },
  { "8a 44 24 08", "mov 8(%rsp),%al", "- [rsp+8]:1 writes rax reads rsp" },
  { "66 8b 44 24 08", "mov 8(%rsp),%ax", "- [rsp+8]:2 writes rax reads rsp" },
  { "48 a1 88 77 66 55 44 33 22 11", "movabs 0x1122334455667788,%rax",
    "load to rax [+1234605616436508552]:8" },
  { "48 a3 88 77 66 55 44 33 22 11", "movabs %rax,0x1122334455667788",
    "store from rax [+1234605616436508552]:8" },
  { "48 bb 88 77 66 55 44 33 22 11", "movabs $0x1122334455667788,%rbx",
    "set to rbx 0x1122334455667788" },
  { "66 bb ff ff", "mov $-1,%bx", "move to rbx from rbx width 2 -0x1" },
  { "48 c7 44 24 08 ff ff ff ff", "movq $-1,8(%rsp)",
    "store [rsp+8]:8 -0x1 reads rsp" },
  { "c7 44 24 08 ff ff ff ff", "movl $-1,8(%rsp)",
    "store [rsp+8]:4 -0x1 reads rsp" },
  { "64 48 8b 1c 25 08 00 00 00", "mov %fs:8,%rbx", "- writes rbx" },
  { "65 48 8b 1c 25 08 00 00 00", "mov %gs:8,%rbx", "- writes rbx" },
  { "65 48 89 58 08", "mov %rbx,%gs:8(%rax)", "- reads rax,rbx" },
  { "67 48 8d 58 08", "lea 8(%eax),%rbx", "- width 4 writes rbx reads rax" },
  { "8d 1d 08 00 00 00", "lea 8(%rip),%ebx", "- width 8 writes rbx" },
  { "66 8d 1d 08 00 00 00", "lea 8(%rip),%bx", "- width 8 writes rbx" },
  { "67 48 8d 1d 08 00 00 00", "lea 8(%eip),%rbx", "- width 4 writes rbx" },
  { "48 8d 24 18", "lea (%rax,%rbx,1),%rsp",
    "sum to rsp from rax index rbx scale 1 width 8 reads rax,rbx" },
  { "48 8d 24 24", "lea (%rsp),%rsp",
    "add to rsp from rsp width 8 reads rsp" },
  { "48 8d 65 f8", "lea -8(%rbp),%rsp",
    "add to rsp from rbp width 8 -0x8 reads rbp" },
  { "4d 8d 6c 24 08", "lea 8(%r12),%r13",
    "add to r13 from r12 width 8 0x8 reads r12" },
  { "65 48 8d 58 08", "lea %gs:8(%rax),%rbx",
    "add to rbx from rax width 8 0x8 reads rax" },
  { "48 03 1c 24", "add (%rsp),%rbx",
    "- [rsp+0]:8 flags writes rbx reads rbx,rsp" },
  { "48 01 1c 24", "add %rbx,(%rsp)", "store [rsp+0]:8 flags reads rbx,rsp" },
  { "48 81 c4 78 56 34 12", "add $0x12345678,%rsp",
    "add to rsp from rsp 0x12345678 flags reads rsp" },
  { "48 83 c4 80", "add $-128,%rsp",
    "add to rsp from rsp -0x80 flags reads rsp" },
  { "04 08", "add $8,%al", "add to rax from rax width 1 0x8 flags reads rax" },
  { "83 c4 08", "add $8,%esp",
    "add to rsp from rsp width 4 0x8 flags reads rsp" },
  { "01 e0", "add %esp,%eax",
    "add to rax from rax index rsp width 4 flags reads rax,rsp" },
  { "48 29 c5", "sub %rax,%rbp",
    "subtract to rbp from rbp index rax width 8 flags reads rax,rbp" },
  { "83 ed 08", "sub $8,%ebp",
    "subtract to rbp from rbp width 4 0x8 flags reads rbp" },
  { "48 2b 1c 24", "sub (%rsp),%rbx",
    "- [rsp+0]:8 flags writes rbx reads rbx,rsp" },
  { "48 ff cc", "dec %rsp", "add to rsp from rsp -0x1 flags reads rsp" },
  { "ff c4", "inc %esp", "add to rsp from rsp width 4 0x1 flags reads rsp" },
  { "48 ff 0c 24", "decq (%rsp)", "store [rsp+0]:8 flags reads rsp" },
  { "83 e0 ff", "and $-1,%eax",
    "and to rax from rax width 4 -0x1 flags reads rax" },
  { "25 ff ff ff ff", "and $-0x1, %eax",
    "and to rax from rax width 4 -0x1 flags reads rax" },
  { "48 25 ff 00 00 00", "and $0xff,%rax",
    "move to rax from rax width 1 flags reads rax" },
  { "80 e3 ff", "and $0xff,%bl",
    "and to rbx from rbx width 1 -0x1 flags reads rbx" },
  { "48 81 e3 ff ff 00 00", "and $0xffff,%rbx",
    "move to rbx from rbx width 2 flags reads rbx" },
  { "48 81 e4 00 f0 ff ff", "and $-4096,%rsp",
    "align to rsp from rsp -0x1000 flags reads rsp" },
  { "48 81 e3 ff ff ff 7f", "and $0x7fffffff,%rbx",
    "and to rbx from rbx width 8 0x7fffffff flags reads rbx" },
  { "25 ff ff ff 7f", "and $0x7fffffff,%eax",
    "and to rax from rax width 4 0x7fffffff flags reads rax" },
  { "83 e0 00", "and $0,%eax", "set to rax flags" },
  { "66 83 e0 00", "and $0,%ax",
    "and to rax from rax width 2 flags reads rax" },
  { "20 e0", "and %ah,%al", "- flags writes rax reads rax" },
  { "30 e0", "xor %ah,%al", "- flags writes rax reads rax" },
  { "66 31 c0", "xor %ax,%ax", "xor to rax from rax index rax width 2 flags" },
  { "83 f0 01", "xor $1,%eax",
    "xor to rax from rax width 4 0x1 flags reads rax" },
  { "45 31 c0", "xor %r8d,%r8d", "set to r8 flags" },
  { "28 c4", "sub %al,%ah", "- flags writes rax reads rax" },
  { "84 c4", "test %al,%ah", "- flags reads rax" },
  { "18 e0", "sbb %ah,%al", "- flags writes rax reads rax" },
  { "48 19 db", "sbb %rbx,%rbx", "- flags writes rbx" },
  { "85 c0", "test %eax,%eax", "test from rax flags reads rax" },
  { "48 85 db", "test %rbx,%rbx", "test from rbx flags reads rbx" },
  { "84 c0", "test %al,%al", "- flags reads rax" },
  { "a8 01", "test $1,%al", "- flags reads rax" },
  { "85 c3", "test %eax,%ebx", "- flags reads rax,rbx" },
  { "f6 44 24 08 01", "testb $1,8(%rsp)", "- [rsp+8]:1 flags reads rsp" },
  { "81 0c 24 00 01 00 00", "orl $0x100,(%rsp)",
    "store [rsp+0]:4 flags reads rsp" },
  { "81 0c 24 00 56 34 12", "orl $0x12345600,(%rsp)",
    "store [rsp+0]:4 flags reads rsp" },
  { "48 83 0c 24 00", "orq $0,(%rsp)", "- [rsp+0]:8 flags reads rsp" },
  { "0d 00 01 00 00", "or $0x100,%eax",
    "or to rax from rax width 4 0x100 flags reads rax" },
  { "48 09 c3", "or %rax,%rbx",
    "or to rbx from rbx index rax width 8 flags reads rax,rbx" },
  { "48 09 c0", "or %rax,%rax",
    "or to rax from rax index rax width 8 flags reads rax" },
  { "48 0b 04 24", "or (%rsp),%rax",
    "- [rsp+0]:8 flags writes rax reads rax,rsp" },
  { "48 f7 f3", "div %rbx", "- flags writes rax,rdx reads rax,rdx,rbx" },
  { "f7 f9", "idiv %ecx", "- flags writes rax,rdx reads rax,rdx,rcx" },
  { "f8", "clc", "- flags" },
  { "f5", "cmc", "- flags" },
  { "fd", "std", "-" },
  { "80 fc ff", "cmp $-1,%ah", "- 0xff flags reads rax" },
  { "3d 78 56 34 12", "cmp $0x12345678,%eax",
    "compare from rax 0x12345678 flags reads rax" },
  { "3d 00 00 00 80", "cmp $0x80000000,%eax",
    "compare from rax 0x80000000 flags reads rax" },
  { "38 c3", "cmp %al,%bl", "- flags reads rax,rbx" },
  { "66 39 c3", "cmp %ax,%bx", "- flags reads rax,rbx" },
  { "3b 04 24", "cmp (%rsp),%eax", "- [rsp+0]:4 flags reads rax,rsp" },
  { "39 05 08 00 00 00", "cmp %eax,8(%rip)", "- [+4110]:4 flags reads rax" },
  { "83 3d 08 00 00 00 05", "cmpl $5,8(%rip)",
    "compare-mem [+4111]:4 0x5 flags" },
  { "80 7c 58 08 05", "cmpb $5,8(%rax,%rbx,2)",
    "compare-mem [rax+rbx*2+8]:1 0x5 flags reads rax,rbx" },
  { "68 78 56 34 12", "push $0x12345678", "push 0x12345678" },
  { "ff 75 08", "push 8(%rbp)", "push width 8 reads rbp" },
  { "ff 34 c4", "push (%rsp,%rax,8)",
    "push index rax scale 8 width 8 reads rax" },
  { "ff 35 08 00 00 00", "push 8(%rip)", "push width 8" },
  { "41 54", "push %r12", "push from r12" },
  { "0f a8", "push %gs", "push" },
  { "66 6a 05", "pushw $5", "- writes rsp reads rsp" },
  { "66 9c", "pushfw", "- writes rsp reads rsp" },
  { "66 9d", "popfw", "- flags writes rsp reads rsp" },
  { "41 5c", "pop %r12", "pop to r12" },
  { "8f 45 08", "pop 8(%rbp)", "pop [rbp+8]:8 reads rbp" },
  { "0f a9", "pop %gs", "pop" },
  { "66 8f 00", "popw (%rax)", "store [rax+0]:2 writes rsp reads rax,rsp" },
  { "48 87 e5", "xchg %rsp,%rbp", "swap to rbp from rsp width 8" },
  { "49 94", "xchg %rax,%r12", "swap to r12 from rax width 8" },
  { "66 93", "xchg %ax,%bx", "- writes rax,rbx reads rax,rbx" },
  { "86 c3", "xchg %al,%bl", "- writes rax,rbx reads rax,rbx" },
  { "c8 10 00 01", "enter $16,$1", "- writes rbp,rsp reads rbp,rsp" },
  { "c2 ff 7f", "ret $0x7fff", "- 0x7fff return" },
  { "c2 f8 ff", "ret $0xfff8", "- 0xfff8 return" },
  { "66 99", "cwtd", "- writes rdx reads rax" },
  { "f0 48 0f c1 03", "lock xadd %rax,(%rbx)",
    "store [rbx+0]:8 flags writes rax reads rax,rbx" },
  { "0f 28 04 24", "movaps (%rsp),%xmm0", "- [rsp+0]:16 reads rsp" },
  { "c5 fe 7f 04 24", "vmovdqu %ymm0,(%rsp)", "store [rsp+0]:32 reads rsp" },
  { "c5 fe 7f 44 84 08", "vmovdqu %ymm0,8(%rsp,%rax,4)",
    "store [rsp+rax*4+8]:32 reads rax,rsp" },
  { "66 48 0f 6e c3", "movq %rbx,%xmm0", "- reads rbx" },
  { "66 0f 6e c3", "movd %ebx,%xmm0", "- reads rbx" },
  { "0f 17 44 24 08", "movhps %xmm0,8(%rsp)", "store [rsp+8]:8 reads rsp" },
  { "48 0f c3 04 24", "movnti %rax,(%rsp)", "store [rsp+0]:8 reads rax,rsp" },
  { "d9 3c 24", "fnstcw (%rsp)", "store [rsp+0]:2 reads rsp" },
  { "db 3c 24", "fstpt (%rsp)", "store [rsp+0]:10 reads rsp" },
  { "db 2c 24", "fldt (%rsp)", "- [rsp+0]:10 reads rsp" },
  { "0f ae 5c 24 08", "stmxcsr 8(%rsp)", "store [rsp+8]:4 reads rsp" },
  { "ac", "lods (%rsi),%al", "- writes rax,rsi reads rsi" },
  { "a6", "cmpsb", "- flags writes rsi,rdi reads rsi,rdi" },
  { "ae", "scasb", "- flags writes rdi reads rax,rdi" },
  { "d7", "xlat", "- writes rax reads rbx" },
  { "0f 92 44 24 08", "setb 8(%rsp)", "store [rsp+8]:1 reads rsp" },
  { "48 0f a3 04 24", "bt %rax,(%rsp)", "- [rsp+0]:8 flags reads rax,rsp" },
  { "48 0f ab 04 24", "bts %rax,(%rsp)",
    "store [rsp+0]:8 flags reads rax,rsp" },
  { "90", "nop", "- nop" },
  { "66 0f 1f 44 00 08", "nopw 8(%rax,%rax,1)", "- nop" },
  { "87 c0", "xchg %eax,%eax", "swap to rax from rax width 4 reads rax" },
  { "66 90", "nop", "- nop" },
  { "0f 18 08", "prefetcht0 (%rax)", "- [rax+0]:1 reads rax" },
  { "48 89 e5", "mov %rsp,%rbp", "move to rbp from rsp width 8" },
  { "48 89 ec", "mov %rbp,%rsp", "move to rsp from rbp width 8" },
  { "89 ec", "mov %ebp,%esp", "move to rsp from rbp width 4 reads rbp" },
  { "48 89 60 08", "mov %rsp,8(%rax)", "store from rsp [rax+8]:8 reads rax" },
  { "48 8b 64 24 08", "mov 8(%rsp),%rsp", "load to rsp [rsp+8]:8 reads rsp" },
  { "4f 89 64 f5 00", "mov %r12,(%r13,%r14,8)",
    "store from r12 [r13+r14*8+0]:8 reads r13,r14" },
};

TEST (in_words)
{
  struct insn_text text = { .machine = code_machine_of (&arch_amd64) };
  struct guarded memory = guarded_memory (1);
  FOR_EACH_ROW (given, words)
    {
      uint8_t bytes[16];
      size_t size = bytes_of (given->bytes, bytes);
      /* Nothing is read behind the bytes.  */
      memcpy (memory.end - size, bytes, size);
      struct insn insn = insn_of (memory.end - size, size);
      if (strcmp (insn_text_of (&text, &insn), given->words) != 0)
        fail_msg ("%s: %s", given->text, text.words);
      cut_everywhere (bytes, size);
    }
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

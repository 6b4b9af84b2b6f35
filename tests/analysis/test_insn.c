/* Unit tests of analysis/insn.c: decoded x86-64 instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "analysis/decoder.h"
#include "arch/amd64_instruction.h"

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

#  define STEP(...)                            \
    step_of ((const uint8_t[]){ __VA_ARGS__ }, \
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

/* Where each goes on, and which place in memory it names.  */
enum
{
  IS_NOP = 1,
  COMPUTES = 2
};
static const struct
{
  size_t size;
  const char *bytes, *text;
  enum insn_flow flow;
  uint64_t target, place;
  unsigned flags;
} flows[] = {
  { 5, "\xe8\x01\0\0\0", "call .+6", FLOW_CALL, ADDRESS + 6, 0, 0 },
  { 2, "\xff\xd0", "call *%rax", FLOW_CALL_INDIRECT, 0, 0, 0 },
  { 6, "\xff\x15\x02\0\0\0", "call *2(%rip)", FLOW_CALL_INDIRECT, 0,
    ADDRESS + 8, 0 },
  { 2, "\xff\x18", "lcall *(%rax)", FLOW_CALL_INDIRECT, 0, 0, 0 },
  { 3, "\x3e\xff\xe0", "notrack jmp *%rax", FLOW_JUMP_INDIRECT, 0, 0, 0 },
  { 6, "\xff\x25\x10\0\0\0", "jmp *16(%rip)", FLOW_JUMP_INDIRECT, 0,
    ADDRESS + 22, 0 },
  { 2, "\xff\x28", "ljmp *(%rax)", FLOW_STOP, 0, 0, 0 },
  { 2, "\xeb\xfe", "jmp .", FLOW_JUMP, ADDRESS, 0, 0 },
  { 5, "\xe9\x10\0\0\0", "jmp .+21", FLOW_JUMP, ADDRESS + 21, 0, 0 },
  { 2, "\x77\x10", "ja .+18", FLOW_BRANCH, ADDRESS + 18, 0, 0 },
  { 6, "\x0f\x87\x10\0\0\0", "ja .+22", FLOW_BRANCH, ADDRESS + 22, 0, 0 },
  { 2, "\xe3\xfe", "jrcxz .", FLOW_BRANCH, ADDRESS, 0, 0 },
  { 2, "\xe2\xfe", "loop .", FLOW_BRANCH, ADDRESS, 0, 0 },
  { 6, "\xc7\xf8\x10\0\0\0", "xbegin .+22", FLOW_BRANCH, ADDRESS + 22, 0, 0 },
  { 1, "\xc3", "ret", FLOW_RETURN, 0, 0, 0 },
  { 2, "\xf3\xc3", "repz ret", FLOW_RETURN, 0, 0, 0 },
  { 3, "\xc2\x08\0", "ret $8", FLOW_RETURN, 0, 0, 0 },
  { 1, "\xcb", "lret", FLOW_STOP, 0, 0, 0 },
  { 3, "\xca\x08\0", "lret $8", FLOW_STOP, 0, 0, 0 },
  { 1, "\xcc", "int3", FLOW_STOP, 0, 0, 0 },
  { 1, "\xf4", "hlt", FLOW_STOP, 0, 0, 0 },
  { 3, "\x0f\xff\xc0", "ud0 %eax,%eax", FLOW_STOP, 0, 0, 0 },
  { 3, "\x0f\xb9\xc0", "ud1 %eax,%eax", FLOW_STOP, 0, 0, 0 },
  { 2, "\x0f\x0b", "ud2", FLOW_STOP, 0, 0, 0 },
  { 2, "\x66\xcf", "iretw", FLOW_RESUME, 0, 0, 0 },
  { 1, "\xcf", "iretl", FLOW_RESUME, 0, 0, 0 },
  { 2, "\x48\xcf", "iretq", FLOW_RESUME, 0, 0, 0 },
  { 2, "\x0f\x07", "sysretl", FLOW_RESUME, 0, 0, 0 },
  { 3, "\x48\x0f\x07", "sysretq", FLOW_RESUME, 0, 0, 0 },
  { 2, "\x0f\x35", "sysexit", FLOW_RESUME, 0, 0, 0 },
  { 4, "\xf3\x0f\x01\xec", "uiret", FLOW_RESUME, 0, 0, 0 },
  { 2, "\x0f\x05", "syscall", FLOW_NEXT, 0, 0, 0 },
  { 2, "\xcd\x80", "int $0x80", FLOW_NEXT, 0, 0, 0 },
  { 1, "\x90", "nop", FLOW_NEXT, 0, 0, IS_NOP },
  { 3, "\x0f\x1f\0", "nopl (%rax)", FLOW_NEXT, 0, 0, IS_NOP },
  { 4, "\xf3\x0f\x1e\xfa", "endbr64", FLOW_NEXT, 0, 0, IS_NOP },
  { 2, "\xf3\x90", "pause", FLOW_NEXT, 0, 0, 0 },
  { 7, "\x48\x8d\x05\x01\0\0\0", "lea 1(%rip),%rax", FLOW_NEXT, 0, ADDRESS + 8,
    COMPUTES },
  { 7, "\x48\x8b\x05\x01\0\0\0", "mov 1(%rip),%rax", FLOW_NEXT, 0, ADDRESS + 8,
    0 },
  { 7, "\x83\x3d\x01\0\0\0\x05", "cmpl $5,1(%rip)", FLOW_NEXT, 0, ADDRESS + 8,
    0 },
  { 6, "\xff\x35\x01\0\0\0", "push 1(%rip)", FLOW_NEXT, 0, ADDRESS + 7, 0 },
  { 5, "\x48\x8d\x44\x24\x08", "lea 8(%rsp),%rax", FLOW_NEXT, 0, 0, 0 },
};

TEST (flow)
{
  for (size_t i = 0; i < sizeof flows / sizeof *flows; i++)
    {
      struct insn_step step
          = step_of ((const uint8_t *)flows[i].bytes, flows[i].size);
      if (step.flow != flows[i].flow || step.target != flows[i].target
          || step.place != flows[i].place
          || step.is_nop != ((flows[i].flags & IS_NOP) != 0)
          || step.computes_place != ((flows[i].flags & COMPUTES) != 0))
        fail_msg ("%s: flow %d target %#lx place %#lx nop %d computes %d",
                  flows[i].text, step.flow, (unsigned long)step.target,
                  (unsigned long)step.place, step.is_nop, step.computes_place);
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
  if (!computes && insn.condition == CONDITION_OTHER && !insn.calls_kernel)
    return true;
  assert_true (insn_show (decoder, bytes, 32, ADDRESS, text));
  const char *const names[] = { conditions[insn.condition], NULL };
  return (!computes || begins_with_one (text, computing))
         && (insn.condition == CONDITION_OTHER
             || begins_with_one (text, names))
         && (!insn.calls_kernel || strncmp (text, "syscall", 7) == 0);
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

/* Whether the instruction BYTES, of 8, name EXPECTED.  */
static bool
names (const char *bytes, uint64_t expected)
{
  uint64_t named = 0;
  return insn_may_name (decoder, (const uint8_t *)bytes, 8, ADDRESS, &named)
         && named == expected;
}

TEST (addresses_that_code_names)
{
  uint64_t named;
  assert_true (names ("\x48\x8d\x05\x10\x00\x00\x00", ADDRESS + 7 + 16));
  assert_true (names ("\x4c\x8d\x3d\xf9\xff\xff\xff", ADDRESS));
  assert_true (names ("\xff\x24\xc5\x00\x20\x40\x00", 0x402000));
  assert_true (names ("\x48\x8b\x04\xf5\x00\x20\x40\x00", 0x402000));
  assert_true (names ("\x48\x63\x04\x85\x00\x20\x40\x00", 0x402000));
  /* By another base; without the width of an address; from a base.  */
  assert_false (names ("\x48\x8d\x40\x10\x00\x00\x00", ADDRESS + 7 + 16));
  assert_false (names ("\x66\x8d\x05\x10\x00\x00\x00", ADDRESS + 7 + 16));
  assert_false (names ("\xff\x24\xc0\x00\x20\x40\x00", 0x402000));
  assert_false (names ("\x48\x8d\x45\x10\x00\x00\x00", ADDRESS + 7 + 16));
  assert_false (names ("\x44\x8d\x05\x10\x00\x00\x00", ADDRESS + 7 + 16));
  assert_false (names ("\xff\x24\x05\x00\x20\x40\x00", 0x402000));
  assert_false (names ("\xff\x24\x45\x00\x20\x40\x00", 0x402000));
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
  size_t size;
  const char *bytes, *text, *words;
} words[] = {
  { 3, "\x66\x89\xc3", "mov %ax,%bx",
    "move to rbx from rbx index rax width 2 reads rax" },
  { 2, "\x88\xc3", "mov %al,%bl",
    "move to rbx from rbx index rax width 1 reads rax" },
  { 3, "\x48\x89\xc3", "mov %rax,%rbx", "move to rbx from rax width 8" },
  { 2, "\x89\xc3", "mov %eax,%ebx", "move to rbx from rax width 4 reads rax" },
  { 5, "\xbb\x05\x00\x00\x00", "mov $5,%ebx", "set to rbx 0x5" },
  { 5, "\xbb\xff\xff\xff\xff", "mov $-1,%ebx", "set to rbx 0xffffffff" },
  { 7, "\x48\xc7\xc3\xff\xff\xff\xff", "mov $-1,%rbx", "set to rbx -0x1" },
  { 10, "\x48\xbb\x9a\x78\x56\x34\x12\x00\x00\x00",
    "movabs $0x123456789a,%rbx", "set to rbx 0x123456789a" },
  { 2, "\xb3\x05", "mov $5,%bl", "move to rbx from rbx width 1 0x5" },
  { 3, "\x8b\x04\x24", "mov (%rsp),%eax", "load to rax [rsp+0]:4 reads rsp" },
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
  { 6, "\x65\x48\x89\x44\x24\x08", "mov %rax,%gs:8(%rsp)", "- reads rax,rsp" },
  { 6, "\x64\x48\x89\x44\x24\x08", "mov %rax,%fs:8(%rsp)", "- reads rax,rsp" },
  { 7, "\x48\x8b\x05\x10\x00\x00\x00", "mov 16(%rip),%rax",
    "load to rax [+4119]:8" },
  { 5, "\x48\x89\x5c\x24\x08", "mov %rbx,8(%rsp)",
    "store from rbx [rsp+8]:8 reads rsp" },
  { 4, "\x89\x5c\x24\x08", "mov %ebx,8(%rsp)",
    "store from rbx [rsp+8]:4 reads rbx,rsp" },
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
  { 2, "\x8d\x03", "lea (%rbx),%eax",
    "add to rax from rbx width 4 reads rbx" },
  { 4, "\x48\x8d\x43\x08", "lea 8(%rbx),%rax",
    "add to rax from rbx width 8 0x8 reads rbx" },
  { 4, "\x48\x8d\x65\xd8", "lea -0x28(%rbp),%rsp",
    "add to rsp from rbp width 8 -0x28 reads rbp" },
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
  { 3, "\x83\xc0\x08", "add $8,%eax",
    "add to rax from rax width 4 0x8 flags reads rax" },
  { 3, "\x48\x01\xc3", "add %rax,%rbx",
    "sum to rbx from rbx index rax flags reads rax,rbx" },
  { 5, "\x48\x03\x44\x24\x08", "add 8(%rsp),%rax",
    "- [rsp+8]:8 flags writes rax reads rax,rsp" },
  { 2, "\x01\xc3", "add %eax,%ebx",
    "add to rbx from rbx index rax width 4 flags reads rax,rbx" },
  { 4, "\x48\x01\x04\x24", "add %rax,(%rsp)",
    "store [rsp+0]:8 flags reads rax,rsp" },
  { 4, "\x48\x83\xec\x18", "sub $0x18,%rsp",
    "add to rsp from rsp -0x18 flags reads rsp" },
  { 4, "\x48\x83\xec\x80", "sub $-0x80,%rsp",
    "add to rsp from rsp 0x80 flags reads rsp" },
  { 3, "\x48\x29\xc4", "sub %rax,%rsp",
    "lower to rsp from rsp index rax flags reads rax,rsp" },
  { 5, "\x48\x2b\x64\x24\x08", "sub 8(%rsp),%rsp",
    "lower to rsp from rsp [rsp+8]:8 flags reads rsp" },
  { 3, "\x48\x29\xc3", "sub %rax,%rbx",
    "subtract to rbx from rbx index rax width 8 flags reads rax,rbx" },
  { 2, "\x29\xdb", "sub %ebx,%ebx", "set to rbx flags" },
  { 3, "\x48\xff\xc0", "inc %rax", "add to rax from rax 0x1 flags reads rax" },
  { 3, "\x48\xff\xc8", "dec %rax",
    "add to rax from rax -0x1 flags reads rax" },
  { 2, "\xff\xc0", "inc %eax",
    "add to rax from rax width 4 0x1 flags reads rax" },
  { 3, "\xff\x04\x24", "incl (%rsp)", "store [rsp+0]:4 flags reads rsp" },
  { 4, "\x48\xc1\xe0\x03", "shl $3,%rax",
    "scale to rax from rax 0x8 flags reads rax" },
  { 4, "\x48\xc1\xe0\x04", "shl $4,%rax",
    "shift-left to rax from rax width 8 0x4 flags reads rax" },
  { 3, "\xc1\xe0\x02", "shl $2,%eax",
    "shift-left to rax from rax width 4 0x2 flags reads rax" },
  { 3, "\x48\xd3\xe0", "shl %cl,%rax", "- flags writes rax reads rax,rcx" },
  { 4, "\x48\xc1\xe8\x03", "shr $3,%rax",
    "shift-right to rax from rax width 8 0x3 flags reads rax" },
  { 5, "\x25\xff\x00\x00\x00", "and $0xff,%eax",
    "move to rax from rax width 1 flags reads rax" },
  { 6, "\x81\xe3\xff\xff\x00\x00", "and $0xffff,%ebx",
    "move to rbx from rbx width 2 flags reads rbx" },
  { 6, "\x81\xe3\xff\x0f\x00\x00", "and $0xfff,%ebx",
    "and to rbx from rbx width 4 0xfff flags reads rbx" },
  { 4, "\x48\x83\xe3\x00", "and $0,%rbx", "set to rbx flags" },
  { 2, "\x21\xc0", "and %eax,%eax",
    "move to rax from rax width 4 flags reads rax" },
  { 3, "\x48\x21\xc0", "and %rax,%rax",
    "move to rax from rax width 8 flags reads rax" },
  { 4, "\x48\x83\xe4\xf0", "and $-16,%rsp",
    "align to rsp from rsp -0x10 flags reads rsp" },
  { 4, "\x48\x83\xe3\xe0", "and $-32,%rbx",
    "align to rbx from rbx -0x20 flags reads rbx" },
  { 3, "\x83\xe4\xf0", "and $-16,%esp",
    "and to rsp from rsp width 4 -0x10 flags reads rsp" },
  { 4, "\x48\x83\xe4\xf1", "and $-15,%rsp",
    "and to rsp from rsp width 8 -0xf flags reads rsp" },
  { 3, "\x48\x21\xc3", "and %rax,%rbx",
    "and to rbx from rbx index rax width 8 flags reads rax,rbx" },
  { 2, "\x24\x0f", "and $15,%al",
    "and to rax from rax width 1 0xf flags reads rax" },
  { 2, "\x20\xc0", "and %al,%al",
    "and to rax from rax index rax width 1 flags reads rax" },
  { 2, "\x30\xdb", "xor %bl,%bl",
    "xor to rbx from rbx index rbx width 1 flags" },
  { 2, "\x31\xdb", "xor %ebx,%ebx", "set to rbx flags" },
  { 3, "\x48\x31\xdb", "xor %rbx,%rbx", "set to rbx flags" },
  { 2, "\x31\xc3", "xor %eax,%ebx",
    "xor to rbx from rbx index rax width 4 flags reads rax,rbx" },
  { 4, "\x48\x31\x1c\x24", "xor %rbx,(%rsp)",
    "store [rsp+0]:8 flags reads rbx,rsp" },
  { 5, "\xf0\x83\x0c\x24\x00", "lock orl $0,(%rsp)",
    "- [rsp+0]:4 flags reads rsp" },
  { 4, "\x83\x0c\x24\x01", "orl $1,(%rsp)",
    "store [rsp+0]:4 flags reads rsp" },
  { 3, "\x83\xcb\xff", "or $-1,%ebx", "set to rbx 0xffffffff flags" },
  { 4, "\x48\x83\xcb\xff", "or $-1,%rbx", "set to rbx -0x1 flags" },
  { 4, "\x66\x83\xcb\xff", "or $-1,%bx",
    "or to rbx from rbx width 2 -0x1 flags reads rbx" },
  { 4, "\x48\x83\xcb\x01", "or $1,%rbx",
    "or to rbx from rbx width 8 0x1 flags reads rbx" },
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
  { 2, "\x6a\x05", "push $5", "push 0x5" },
  { 2, "\x66\x53", "pushw %bx", "- writes rsp reads rbx,rsp" },
  { 2, "\xff\x30", "push (%rax)", "push width 8 reads rax" },
  { 1, "\x54", "push %rsp", "push from rsp" },
  { 1, "\x53", "push %rbx", "push from rbx" },
  { 2, "\x0f\xa0", "push %fs", "push" },
  { 1, "\x9c", "pushfq", "push" },
  { 1, "\x5b", "pop %rbx", "pop to rbx" },
  { 1, "\x5c", "pop %rsp", "pop to rsp" },
  { 2, "\x8f\x00", "pop (%rax)", "pop [rax+0]:8 reads rax" },
  { 3, "\x8f\x04\x24", "pop (%rsp)", "store [rsp+0]:8 writes rsp reads rsp" },
  { 2, "\x66\x5b", "popw %bx", "- writes rbx,rsp reads rsp" },
  { 1, "\x9d", "popfq", "pop flags" },
  { 2, "\x0f\xa1", "pop %fs", "pop" },
  { 2, "\x48\x93", "xchg %rax,%rbx", "swap to rbx from rax width 8" },
  { 1, "\x93", "xchg %eax,%ebx",
    "swap to rbx from rax width 4 reads rax,rbx" },
  { 4, "\x48\x87\x04\x24", "xchg %rax,(%rsp)",
    "store [rsp+0]:8 writes rax reads rax,rsp" },
  { 1, "\xc9", "leave", "leave to rbp" },
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
  { 4, "\xc8\x08\x00\x00", "enter $8,$0", "enter to rbp from rbp -0x8" },
  { 1, "\xcc", "int3", "- stop" },
  { 2, "\x0f\x0b", "ud2", "- stop" },
  { 1, "\xf4", "hlt", "- stop" },
  { 2, "\x48\xcb", "lretq", "- writes rsp reads rsp stop" },
  { 2, "\xb4\x05", "mov $5,%ah", "- writes rax" },
  { 2, "\xb7\x05", "mov $5,%bh", "- writes rbx" },
  { 3, "\x41\xb0\x05", "mov $5,%r8b", "move to r8 from r8 width 1 0x5" },
  { 3, "\xc6\x00\x05", "movb $5,(%rax)", "store [rax+0]:1 0x5 reads rax" },
  { 3, "\x0f\x22\xc0", "mov %rax,%cr0", "- reads rax" },
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
  { 3, "\x48\x29\x00", "subq %rax,(%rax)", "store [rax+0]:8 flags reads rax" },
  { 2, "\x85\x00", "testl %eax,(%rax)", "- [rax+0]:4 flags reads rax" },
  { 5, "\xa9\x08\x00\x00\x00", "testl $8,%eax", "- flags reads rax" },
  { 4, "\x48\x3b\x04\x24", "cmpq (%rsp),%rax",
    "- [rsp+0]:8 flags reads rax,rsp" },
  { 4, "\x66\x83\x38\xff", "cmpw $-1,(%rax)",
    "compare-mem [rax+0]:2 0xffff flags reads rax" },
  { 4, "\x48\x83\x38\xff", "cmpq $-1,(%rax)",
    "compare-mem [rax+0]:8 -0x1 flags reads rax" },
  { 5, "\x64\x48\x83\x38\x05", "cmpq $5,%fs:(%rax)", "- 0x5 flags reads rax" },
  { 2, "\x19\xc0", "sbb %eax,%eax", "- flags writes rax" },
  { 2, "\x1b\x00", "sbb (%rax),%eax",
    "- [rax+0]:4 flags writes rax reads rax" },
  { 4, "\xff\x74\x24\x08", "push 8(%rsp)", "push width 8" },
  { 3, "\x8f\x40\x08", "pop 8(%rax)", "pop [rax+8]:8 reads rax" },
  { 4, "\x8f\x44\x24\x08", "pop 8(%rsp)",
    "store [rsp+8]:8 writes rsp reads rsp" },
  { 2, "\x66\x50", "pushw %ax", "- writes rsp reads rax,rsp" },
  { 2, "\x66\x58", "popw %ax", "- writes rax,rsp reads rsp" },
  { 3, "\x66\x21\xc0", "and %ax,%ax",
    "and to rax from rax index rax width 2 flags reads rax" },
  { 4, "\x66\x25\xff\x00", "and $0xff,%ax",
    "and to rax from rax width 2 0xff flags reads rax" },
  { 4, "\x48\x83\xe4\x0f", "and $15,%rsp",
    "and to rsp from rsp width 8 0xf flags reads rsp" },
  { 2, "\x8c\xe0", "mov %fs,%eax", "- writes rax" },
  { 2, "\x8e\xe0", "mov %eax,%fs", "- reads rax" },
  { 2, "\x88\xe0", "mov %ah,%al", "- writes rax reads rax" },
  { 7, "\x48\xc7\x00\x05\x00\x00\x00", "movq $5,(%rax)",
    "store [rax+0]:8 0x5 reads rax" },
  { 2, "\x89\x00", "mov %eax,(%rax)", "store from rax [rax+0]:4 reads rax" },
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
    "add to rcx from rax width 4 0x5 reads rax" },
  { 3, "\x83\xc8\x00", "or $0,%eax",
    "or to rax from rax width 4 flags reads rax" },
  { 3, "\x83\xc8\xff", "or $-1,%eax", "set to rax 0xffffffff flags" },
  { 4, "\x48\x83\xc8\xff", "or $-1,%rax", "set to rax -0x1 flags" },
  { 4, "\x66\x83\xc8\xff", "or $-1,%ax",
    "or to rax from rax width 2 -0x1 flags reads rax" },
  { 3, "\x83\x08\x00", "or $0,(%rax)", "- [rax+0]:4 flags reads rax" },
  { 2, "\x09\x00", "or %eax,(%rax)", "store [rax+0]:4 flags reads rax" },
  { 3, "\x48\x01\xc4", "add %rax,%rsp",
    "sum to rsp from rsp index rax flags reads rax,rsp" },
  { 3, "\x48\x2b\x20", "sub (%rax),%rsp",
    "lower to rsp from rsp [rax+0]:8 flags reads rax,rsp" },
  { 3, "\x48\x29\xc0", "sub %rax,%rax", "set to rax flags" },
  { 3, "\x66\x29\xc0", "sub %ax,%ax",
    "subtract to rax from rax index rax width 2 flags" },
  /* What only looks like another one: with another mnemonic, operand,
     width or condition.  */
  { 2, "\xff\x18", "lcall *(%rax)", "- [rax+0]:6 reads rax call-to" },
  { 2, "\xf3\x90", "pause", "-" },
  { 2, "\xe3\xfe", "jrcxz 0x1000", "- reads rcx branch 0x1000" },
  { 3, "\x67\xe3\xfe", "jecxz 0x1001", "- reads rcx branch 0x1001" },
  { 2, "\xe1\xfe", "loope 0x1000", "- writes rcx reads rcx branch 0x1000" },
  { 2, "\xe0\xfe", "loopne 0x1000", "- writes rcx reads rcx branch 0x1000" },
  { 2, "\x7c\xfe", "jl 0x1000", "- branch 0x1000" },
  { 2, "\x7d\xfe", "jnl 0x1000", "- branch 0x1000" },
  { 2, "\x7e\xfe", "jle 0x1000", "- branch 0x1000" },
  { 2, "\x78\xfe", "js 0x1000", "- branch 0x1000" },
  { 2, "\x79\xfe", "jns 0x1000", "- branch 0x1000" },
  { 2, "\x70\xfe", "jo 0x1000", "- branch 0x1000" },
  { 2, "\x71\xfe", "jno 0x1000", "- branch 0x1000" },
  { 2, "\x7a\xfe", "jp 0x1000", "- branch 0x1000" },
  { 2, "\x7b\xfe", "jnp 0x1000", "- branch 0x1000" },
  { 6, "\x0f\x87\x10\x00\x00\x00", "jnbe 0x1016", "- branch a 0x1016" },
  { 5, "\xe9\x10\x00\x00\x00", "jmp 0x1015", "- jump 0x1015" },
  { 3, "\x41\xff\xd3", "call *%r11", "- from r11 reads r11 call-to" },
  { 3, "\x41\xff\xe3", "jmp *%r11", "- from r11 reads r11 jump-to" },
  { 4, "\xff\x54\x24\x08", "call *8(%rsp)", "- [rsp+8]:8 call-to" },
  { 4, "\xff\x64\x24\x08", "jmp *8(%rsp)", "- [rsp+8]:8 reads rsp jump-to" },
  { 6, "\xff\x25\x10\x00\x00\x00", "jmp *16(%rip)", "- [+4118]:8 jump-to" },
  { 4, "\xf3\x0f\x1e\xfb", "endbr32", "-" },
  { 4, "\x48\x83\xd4\x08", "adc $8,%rsp", "- flags writes rsp reads rsp" },
  { 3, "\x48\x11\xc3", "adc %rax,%rbx", "- flags writes rbx reads rax,rbx" },
  { 4, "\x48\x83\xdb\x08", "sbb $8,%rbx", "- flags writes rbx reads rbx" },
  { 4, "\x48\x0f\xc1\xc3", "xadd %rax,%rbx",
    "- flags writes rax,rbx reads rax,rbx" },
  { 4, "\x48\x0f\xb1\xc3", "cmpxchg %rax,%rbx",
    "- flags writes rax,rbx reads rax,rbx" },
  { 3, "\x48\xf7\xdb", "neg %rbx",
    "subtract-from to rbx from rbx width 8 flags reads rbx" },
  { 3, "\x48\xf7\xd3", "not %rbx",
    "xor to rbx from rbx width 8 -0x1 reads rbx" },
  { 4, "\x48\x6b\xdb\x08", "imul $8,%rbx,%rbx",
    "multiply to rbx from rbx width 8 0x8 flags reads rbx" },
  { 4, "\x48\x0f\xaf\xd8", "imul %rax,%rbx",
    "multiply to rbx from rbx index rax width 8 flags reads rax,rbx" },
  { 3, "\x48\x0f\xcb", "bswap %rbx", "- writes rbx reads rbx" },
  { 5, "\xf3\x48\x0f\xb8\xd8", "popcnt %rax,%rbx",
    "- flags writes rbx reads rax" },
  { 4, "\x48\xc1\xc0\x03", "rol $3,%rax",
    "rotate-left to rax from rax width 8 0x3 flags reads rax" },
  { 4, "\x48\xc1\xc8\x03", "ror $3,%rax",
    "rotate-right to rax from rax width 8 0x3 flags reads rax" },
  { 4, "\x48\xc1\xf8\x03", "sar $3,%rax",
    "shift-sx to rax from rax width 8 0x3 flags reads rax" },
  { 3, "\x48\xd1\xe0", "shl $1,%rax",
    "scale to rax from rax 0x2 flags reads rax" },
  { 4, "\x48\xc1\xe0\x02", "shl $2,%rax",
    "scale to rax from rax 0x4 flags reads rax" },
  { 5, "\x48\x0f\xa4\xc3\x03", "shld $3,%rax,%rbx",
    "- flags writes rbx reads rax,rbx" },
  { 4, "\x48\x0f\xbc\xd8", "bsf %rax,%rbx", "- flags writes rbx reads rax" },
  { 4, "\x48\x0f\x42\xd8", "cmovb %rax,%rbx", "- writes rbx reads rax" },
  { 6, "\x48\x0f\x44\x5c\x24\x08", "cmove 8(%rsp),%rbx",
    "- [rsp+8]:8 writes rbx reads rsp" },
  { 7, "\x48\x0f\x38\xf0\x5c\x24\x08", "movbe 8(%rsp),%rbx",
    "- [rsp+8]:8 writes rbx reads rsp" },
  { 5, "\x0f\xb6\x5c\x24\x08", "movzbl 8(%rsp),%ebx",
    "load to rbx [rsp+8]:1 reads rsp" },
  { 5, "\x0f\xb7\x5c\x24\x08", "movzwl 8(%rsp),%ebx",
    "load to rbx [rsp+8]:2 reads rsp" },
  { 5, "\x0f\xbe\x5c\x24\x08", "movsbl 8(%rsp),%ebx",
    "load to rbx [rsp+8]:1 sx reads rsp" },
  { 6, "\x48\x0f\xbe\x5c\x24\x08", "movsbq 8(%rsp),%rbx",
    "load to rbx [rsp+8]:1 sx reads rsp" },
  { 5, "\x48\x63\x5c\x24\x08", "movslq 8(%rsp),%rbx",
    "load to rbx [rsp+8]:4 sx reads rsp" },
  { 3, "\x48\x63\xd8", "movslq %eax,%rbx",
    "move to rbx from rax width 4 reads rax" },
  { 3, "\x0f\xb6\xd8", "movzbl %al,%ebx",
    "move to rbx from rax width 1 reads rax" },
  { 3, "\x0f\xb6\xdc", "movzbl %ah,%ebx", "- writes rbx reads rax" },
  { 3, "\x0f\xb7\xd8", "movzwl %ax,%ebx",
    "move to rbx from rax width 2 reads rax" },
  { 3, "\x0f\xbe\xd8", "movsbl %al,%ebx",
    "move to rbx from rax width 1 reads rax" },
  { 4, "\x48\x0f\xbf\xd8", "movswq %ax,%rbx",
    "move to rbx from rax width 2 reads rax" },
  { 4, "\x66\x0f\xb6\xd8", "movzbw %al,%bx", "- writes rbx reads rax" },
  { 4, "\x88\x44\x24\x08", "mov %al,8(%rsp)",
    "store [rsp+8]:1 reads rax,rsp" },
  { 4, "\x8a\x44\x24\x08", "mov 8(%rsp),%al",
    "- [rsp+8]:1 writes rax reads rsp" },
  { 5, "\x66\x8b\x44\x24\x08", "mov 8(%rsp),%ax",
    "- [rsp+8]:2 writes rax reads rsp" },
  { 10, "\x48\xa1\x88\x77\x66\x55\x44\x33\x22\x11",
    "movabs 0x1122334455667788,%rax", "load to rax [+1234605616436508552]:8" },
  { 10, "\x48\xa3\x88\x77\x66\x55\x44\x33\x22\x11",
    "movabs %rax,0x1122334455667788",
    "store from rax [+1234605616436508552]:8" },
  { 10, "\x48\xbb\x88\x77\x66\x55\x44\x33\x22\x11",
    "movabs $0x1122334455667788,%rbx", "set to rbx 0x1122334455667788" },
  { 4, "\x66\xbb\xff\xff", "mov $-1,%bx",
    "move to rbx from rbx width 2 -0x1" },
  { 9, "\x48\xc7\x44\x24\x08\xff\xff\xff\xff", "movq $-1,8(%rsp)",
    "store [rsp+8]:8 -0x1 reads rsp" },
  { 8, "\xc7\x44\x24\x08\xff\xff\xff\xff", "movl $-1,8(%rsp)",
    "store [rsp+8]:4 -0x1 reads rsp" },
  { 9, "\x64\x48\x8b\x1c\x25\x08\x00\x00\x00", "mov %fs:8,%rbx",
    "- writes rbx" },
  { 9, "\x65\x48\x8b\x1c\x25\x08\x00\x00\x00", "mov %gs:8,%rbx",
    "- writes rbx" },
  { 5, "\x65\x48\x89\x58\x08", "mov %rbx,%gs:8(%rax)", "- reads rax,rbx" },
  { 5, "\x67\x48\x8d\x58\x08", "lea 8(%eax),%rbx",
    "- width 4 writes rbx reads rax" },
  { 6, "\x8d\x1d\x08\x00\x00\x00", "lea 8(%rip),%ebx",
    "- width 8 writes rbx" },
  { 7, "\x66\x8d\x1d\x08\x00\x00\x00", "lea 8(%rip),%bx",
    "- width 8 writes rbx" },
  { 8, "\x67\x48\x8d\x1d\x08\x00\x00\x00", "lea 8(%eip),%rbx",
    "- width 4 writes rbx" },
  { 4, "\x48\x8d\x24\x18", "lea (%rax,%rbx,1),%rsp",
    "sum to rsp from rax index rbx scale 1 width 8 reads rax,rbx" },
  { 4, "\x48\x8d\x24\x24", "lea (%rsp),%rsp",
    "add to rsp from rsp width 8 reads rsp" },
  { 4, "\x48\x8d\x65\xf8", "lea -8(%rbp),%rsp",
    "add to rsp from rbp width 8 -0x8 reads rbp" },
  { 5, "\x4d\x8d\x6c\x24\x08", "lea 8(%r12),%r13",
    "add to r13 from r12 width 8 0x8 reads r12" },
  { 5, "\x65\x48\x8d\x58\x08", "lea %gs:8(%rax),%rbx",
    "add to rbx from rax width 8 0x8 reads rax" },
  { 4, "\x48\x03\x1c\x24", "add (%rsp),%rbx",
    "- [rsp+0]:8 flags writes rbx reads rbx,rsp" },
  { 4, "\x48\x01\x1c\x24", "add %rbx,(%rsp)",
    "store [rsp+0]:8 flags reads rbx,rsp" },
  { 7, "\x48\x81\xc4\x78\x56\x34\x12", "add $0x12345678,%rsp",
    "add to rsp from rsp 0x12345678 flags reads rsp" },
  { 4, "\x48\x83\xc4\x80", "add $-128,%rsp",
    "add to rsp from rsp -0x80 flags reads rsp" },
  { 2, "\x04\x08", "add $8,%al",
    "add to rax from rax width 1 0x8 flags reads rax" },
  { 3, "\x83\xc4\x08", "add $8,%esp",
    "add to rsp from rsp width 4 0x8 flags reads rsp" },
  { 2, "\x01\xe0", "add %esp,%eax",
    "add to rax from rax index rsp width 4 flags reads rax,rsp" },
  { 3, "\x48\x29\xc5", "sub %rax,%rbp",
    "subtract to rbp from rbp index rax width 8 flags reads rax,rbp" },
  { 3, "\x83\xed\x08", "sub $8,%ebp",
    "subtract to rbp from rbp width 4 0x8 flags reads rbp" },
  { 4, "\x48\x2b\x1c\x24", "sub (%rsp),%rbx",
    "- [rsp+0]:8 flags writes rbx reads rbx,rsp" },
  { 3, "\x48\xff\xcc", "dec %rsp",
    "add to rsp from rsp -0x1 flags reads rsp" },
  { 2, "\xff\xc4", "inc %esp",
    "add to rsp from rsp width 4 0x1 flags reads rsp" },
  { 4, "\x48\xff\x0c\x24", "decq (%rsp)", "store [rsp+0]:8 flags reads rsp" },
  { 3, "\x83\xe0\xff", "and $-1,%eax",
    "and to rax from rax width 4 -0x1 flags reads rax" },
  { 5, "\x25\xff\xff\xff\xff", "and $-0x1, %eax",
    "and to rax from rax width 4 -0x1 flags reads rax" },
  { 6, "\x48\x25\xff\x00\x00\x00", "and $0xff,%rax",
    "move to rax from rax width 1 flags reads rax" },
  { 3, "\x80\xe3\xff", "and $0xff,%bl",
    "and to rbx from rbx width 1 -0x1 flags reads rbx" },
  { 7, "\x48\x81\xe3\xff\xff\x00\x00", "and $0xffff,%rbx",
    "move to rbx from rbx width 2 flags reads rbx" },
  { 7, "\x48\x81\xe4\x00\xf0\xff\xff", "and $-4096,%rsp",
    "align to rsp from rsp -0x1000 flags reads rsp" },
  { 7, "\x48\x81\xe3\xff\xff\xff\x7f", "and $0x7fffffff,%rbx",
    "and to rbx from rbx width 8 0x7fffffff flags reads rbx" },
  { 5, "\x25\xff\xff\xff\x7f", "and $0x7fffffff,%eax",
    "and to rax from rax width 4 0x7fffffff flags reads rax" },
  { 3, "\x83\xe0\x00", "and $0,%eax", "set to rax flags" },
  { 4, "\x66\x83\xe0\x00", "and $0,%ax",
    "and to rax from rax width 2 flags reads rax" },
  { 2, "\x20\xe0", "and %ah,%al", "- flags writes rax reads rax" },
  { 2, "\x30\xe0", "xor %ah,%al", "- flags writes rax reads rax" },
  { 3, "\x66\x31\xc0", "xor %ax,%ax",
    "xor to rax from rax index rax width 2 flags" },
  { 3, "\x83\xf0\x01", "xor $1,%eax",
    "xor to rax from rax width 4 0x1 flags reads rax" },
  { 3, "\x45\x31\xc0", "xor %r8d,%r8d", "set to r8 flags" },
  { 2, "\x28\xc4", "sub %al,%ah", "- flags writes rax reads rax" },
  { 2, "\x84\xc4", "test %al,%ah", "- flags reads rax" },
  { 2, "\x18\xe0", "sbb %ah,%al", "- flags writes rax reads rax" },
  { 3, "\x48\x19\xdb", "sbb %rbx,%rbx", "- flags writes rbx" },
  { 2, "\x85\xc0", "test %eax,%eax", "test from rax flags reads rax" },
  { 3, "\x48\x85\xdb", "test %rbx,%rbx", "test from rbx flags reads rbx" },
  { 2, "\x84\xc0", "test %al,%al", "- flags reads rax" },
  { 2, "\xa8\x01", "test $1,%al", "- flags reads rax" },
  { 2, "\x85\xc3", "test %eax,%ebx", "- flags reads rax,rbx" },
  { 5, "\xf6\x44\x24\x08\x01", "testb $1,8(%rsp)",
    "- [rsp+8]:1 flags reads rsp" },
  { 7, "\x81\x0c\x24\x00\x01\x00\x00", "orl $0x100,(%rsp)",
    "store [rsp+0]:4 flags reads rsp" },
  { 7, "\x81\x0c\x24\x00\x56\x34\x12", "orl $0x12345600,(%rsp)",
    "store [rsp+0]:4 flags reads rsp" },
  { 5, "\x48\x83\x0c\x24\x00", "orq $0,(%rsp)",
    "- [rsp+0]:8 flags reads rsp" },
  { 5, "\x0d\x00\x01\x00\x00", "or $0x100,%eax",
    "or to rax from rax width 4 0x100 flags reads rax" },
  { 3, "\x48\x09\xc3", "or %rax,%rbx",
    "or to rbx from rbx index rax width 8 flags reads rax,rbx" },
  { 3, "\x48\x09\xc0", "or %rax,%rax",
    "or to rax from rax index rax width 8 flags reads rax" },
  { 4, "\x48\x0b\x04\x24", "or (%rsp),%rax",
    "- [rsp+0]:8 flags writes rax reads rax,rsp" },
  { 3, "\x48\xf7\xf3", "div %rbx",
    "- flags writes rax,rdx reads rax,rdx,rbx" },
  { 2, "\xf7\xf9", "idiv %ecx", "- flags writes rax,rdx reads rax,rdx,rcx" },
  { 1, "\xf8", "clc", "- flags" },
  { 1, "\xf5", "cmc", "- flags" },
  { 1, "\xfd", "std", "-" },
  { 3, "\x80\xfc\xff", "cmp $-1,%ah", "- 0xff flags reads rax" },
  { 5, "\x3d\x78\x56\x34\x12", "cmp $0x12345678,%eax",
    "compare from rax 0x12345678 flags reads rax" },
  { 5, "\x3d\x00\x00\x00\x80", "cmp $0x80000000,%eax",
    "compare from rax 0x80000000 flags reads rax" },
  { 2, "\x38\xc3", "cmp %al,%bl", "- flags reads rax,rbx" },
  { 3, "\x66\x39\xc3", "cmp %ax,%bx", "- flags reads rax,rbx" },
  { 3, "\x3b\x04\x24", "cmp (%rsp),%eax", "- [rsp+0]:4 flags reads rax,rsp" },
  { 6, "\x39\x05\x08\x00\x00\x00", "cmp %eax,8(%rip)",
    "- [+4110]:4 flags reads rax" },
  { 7, "\x83\x3d\x08\x00\x00\x00\x05", "cmpl $5,8(%rip)",
    "compare-mem [+4111]:4 0x5 flags" },
  { 5, "\x80\x7c\x58\x08\x05", "cmpb $5,8(%rax,%rbx,2)",
    "compare-mem [rax+rbx*2+8]:1 0x5 flags reads rax,rbx" },
  { 5, "\x68\x78\x56\x34\x12", "push $0x12345678", "push 0x12345678" },
  { 3, "\xff\x75\x08", "push 8(%rbp)", "push width 8 reads rbp" },
  { 3, "\xff\x34\xc4", "push (%rsp,%rax,8)",
    "push index rax scale 8 width 8 reads rax" },
  { 6, "\xff\x35\x08\x00\x00\x00", "push 8(%rip)", "push width 8" },
  { 2, "\x41\x54", "push %r12", "push from r12" },
  { 2, "\x0f\xa8", "push %gs", "push" },
  { 3, "\x66\x6a\x05", "pushw $5", "- writes rsp reads rsp" },
  { 2, "\x66\x9c", "pushfw", "- writes rsp reads rsp" },
  { 2, "\x66\x9d", "popfw", "- flags writes rsp reads rsp" },
  { 2, "\x41\x5c", "pop %r12", "pop to r12" },
  { 3, "\x8f\x45\x08", "pop 8(%rbp)", "pop [rbp+8]:8 reads rbp" },
  { 2, "\x0f\xa9", "pop %gs", "pop" },
  { 3, "\x66\x8f\x00", "popw (%rax)",
    "store [rax+0]:2 writes rsp reads rax,rsp" },
  { 3, "\x48\x87\xe5", "xchg %rsp,%rbp", "swap to rbp from rsp width 8" },
  { 2, "\x49\x94", "xchg %rax,%r12", "swap to r12 from rax width 8" },
  { 2, "\x66\x93", "xchg %ax,%bx", "- writes rax,rbx reads rax,rbx" },
  { 2, "\x86\xc3", "xchg %al,%bl", "- writes rax,rbx reads rax,rbx" },
  { 4, "\xc8\x10\x00\x01", "enter $16,$1", "- writes rbp,rsp reads rbp,rsp" },
  { 3, "\xc2\xff\x7f", "ret $0x7fff", "- 0x7fff return" },
  { 3, "\xc2\xf8\xff", "ret $0xfff8", "- 0xfff8 return" },
  { 2, "\x66\x99", "cwtd", "- writes rdx reads rax" },
  { 5, "\xf0\x48\x0f\xc1\x03", "lock xadd %rax,(%rbx)",
    "store [rbx+0]:8 flags writes rax reads rax,rbx" },
  { 4, "\x0f\x28\x04\x24", "movaps (%rsp),%xmm0", "- [rsp+0]:16 reads rsp" },
  { 5, "\xc5\xfe\x7f\x04\x24", "vmovdqu %ymm0,(%rsp)",
    "store [rsp+0]:32 reads rsp" },
  { 6, "\xc5\xfe\x7f\x44\x84\x08", "vmovdqu %ymm0,8(%rsp,%rax,4)",
    "store [rsp+rax*4+8]:32 reads rax,rsp" },
  { 5, "\x66\x48\x0f\x6e\xc3", "movq %rbx,%xmm0", "- reads rbx" },
  { 4, "\x66\x0f\x6e\xc3", "movd %ebx,%xmm0", "- reads rbx" },
  { 5, "\x0f\x17\x44\x24\x08", "movhps %xmm0,8(%rsp)",
    "store [rsp+8]:8 reads rsp" },
  { 5, "\x48\x0f\xc3\x04\x24", "movnti %rax,(%rsp)",
    "store [rsp+0]:8 reads rax,rsp" },
  { 3, "\xd9\x3c\x24", "fnstcw (%rsp)", "store [rsp+0]:2 reads rsp" },
  { 3, "\xdb\x3c\x24", "fstpt (%rsp)", "store [rsp+0]:10 reads rsp" },
  { 3, "\xdb\x2c\x24", "fldt (%rsp)", "- [rsp+0]:10 reads rsp" },
  { 5, "\x0f\xae\x5c\x24\x08", "stmxcsr 8(%rsp)",
    "store [rsp+8]:4 reads rsp" },
  { 1, "\xac", "lods (%rsi),%al", "- writes rax,rsi reads rsi" },
  { 1, "\xa6", "cmpsb", "- flags writes rsi,rdi reads rsi,rdi" },
  { 1, "\xae", "scasb", "- flags writes rdi reads rax,rdi" },
  { 1, "\xd7", "xlat", "- writes rax reads rbx" },
  { 5, "\x0f\x92\x44\x24\x08", "setb 8(%rsp)", "store [rsp+8]:1 reads rsp" },
  { 5, "\x48\x0f\xa3\x04\x24", "bt %rax,(%rsp)",
    "- [rsp+0]:8 flags reads rax,rsp" },
  { 5, "\x48\x0f\xab\x04\x24", "bts %rax,(%rsp)",
    "store [rsp+0]:8 flags reads rax,rsp" },
  { 1, "\x90", "nop", "- nop" },
  { 6, "\x66\x0f\x1f\x44\x00\x08", "nopw 8(%rax,%rax,1)", "- nop" },
  { 2, "\x87\xc0", "xchg %eax,%eax",
    "swap to rax from rax width 4 reads rax" },
  { 2, "\x66\x90", "nop", "- nop" },
  { 3, "\x0f\x18\x08", "prefetcht0 (%rax)", "- [rax+0]:1 reads rax" },
  { 3, "\x48\x89\xe5", "mov %rsp,%rbp", "move to rbp from rsp width 8" },
  { 3, "\x48\x89\xec", "mov %rbp,%rsp", "move to rsp from rbp width 8" },
  { 2, "\x89\xec", "mov %ebp,%esp", "move to rsp from rbp width 4 reads rbp" },
  { 4, "\x48\x89\x60\x08", "mov %rsp,8(%rax)",
    "store from rsp [rax+8]:8 reads rax" },
  { 5, "\x48\x8b\x64\x24\x08", "mov 8(%rsp),%rsp",
    "load to rsp [rsp+8]:8 reads rsp" },
  { 5, "\x4f\x89\x64\xf5\x00", "mov %r12,(%r13,%r14,8)",
    "store from r12 [r13+r14*8+0]:8 reads r13,r14" },
};

TEST (in_words)
{
  struct insn_text text = { .machine = code_machine_of (&arch_amd64) };
  struct guarded memory = guarded_memory (1);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    {
      /* Nothing is read behind the bytes.  */
      uint8_t *bytes = memory.end - words[i].size;
      memcpy (bytes, words[i].bytes, words[i].size);
      struct insn insn = insn_of (bytes, words[i].size);
      if (strcmp (insn_text_of (&text, &insn), words[i].words) != 0)
        fail_msg ("%s: %s", words[i].text, text.words);
      cut_everywhere ((const uint8_t *)words[i].bytes, words[i].size);
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

/* What A64 instructions are made of (analysis/insn_aarch64*).
   SPDX-License-Identifier: LGPL-2.1-or-later

   Instructions are given as words, so that no assembler is needed; the text
   next to them is what GNU objdump says of them.  */

#include <config.h>

#include "analysis/insn.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "tests/analysis/insn_text.h"
#include "tests/unit_test.h"

#ifdef CODE_ANALYSIS

enum
{
  ADDRESS = 0x10008
};

static struct insn_decoder *decoder;

static int
setup (void **state)
{
  (void)state;
  decoder = insn_decoder_new (&arch_aarch64);
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
step_of (uint32_t word)
{
  struct insn_step step;
  uint8_t bytes[4];
  store_u32 (bytes, word, false);
  assert_true (insn_decode_step (decoder, bytes, 4, ADDRESS, &step));
  assert_int_equal (step.size, 4);
  return step;
}

static struct insn
insn_of (uint32_t word)
{
  struct insn insn;
  uint8_t bytes[4];
  store_u32 (bytes, word, false);
  assert_true (insn_decode (decoder, bytes, 4, ADDRESS, &insn));
  assert_int_equal (insn.size, 4);
  assert_int_equal (insn.flow, step_of (word).flow);
  assert_int_equal (insn.target, step_of (word).target);
  assert_int_equal (insn.is_nop, step_of (word).is_nop);
  return insn;
}

/* Not allocated: data, in all likelihood.  */
TEST (what_is_no_instruction)
{
  static const uint32_t words[] = {
    0x80000000, 0xffffffff, 0x00050002, 0x22000000, 0x32400000, 0x12c00000,
    0x13400000, 0x8b2014ff, 0x0b008000, 0xd6000000, 0xd6bf0000, 0xd4600001,
    0x9bff0000, 0x5ac00c00, 0xd65f0bdf, 0xd65f0fc0, 0x68000000, 0x68400000,
    0xd65f03c1, 0xd67f0000, 0xd69f03c0, 0xd6df03e0, 0xd65f07ff, 0xd65f13c0,
    0xd65e03c0, 0xd75f0bff, 0xd4000000, 0xd4000005, 0xd4200001, 0xd4a00000,
    0x55000000, 0xd5400000, 0xd71f0020, 0x3f800000, 0xbff00000,
  };
  FOR_EACH_ROW (given, words)
    {
      struct insn insn;
      uint8_t bytes[4];
      store_u32 (bytes, *given, false);
      if (insn_decode (decoder, bytes, 4, ADDRESS, &insn))
        fail_msg ("%#x", *given);
    }
}

TEST (an_instruction_must_be_whole)
{
  struct insn insn;
  struct insn_step step;
  const uint8_t cut[] = { 0xc0, 0x03, 0x5f };
  assert_false (insn_decode (decoder, cut, sizeof cut, ADDRESS, &insn));
  assert_false (insn_decode_step (decoder, cut, sizeof cut, ADDRESS, &step));
}

/* Whether FIRST and what follows, at ADDRESS, name EXPECTED.  */
static bool
names (uint32_t first, uint32_t second, uint32_t third, uint64_t address,
       uint64_t expected)
{
  const uint32_t words[]
      = { htole32 (first), htole32 (second), htole32 (third) };
  uint64_t named = 0;
  return insn_may_reference (decoder, (const uint8_t *)words, sizeof words,
                             address, &named)
         && named == expected;
}

TEST (addresses_that_code_names)
{
  enum
  {
    NOP = 0xd503201f,
    ADR_X1_MINUS_4 = 0x10ffffe1,
    ADRP_X1_2_PAGES = 0xd0000001,
    ADD_X3_X1_0X10 = 0x91004023,
    ADD_X1_X2_0X10 = 0x91004041
  };
  assert_true (names (ADR_X1_MINUS_4, NOP, NOP, ADDRESS, ADDRESS - 4));
  assert_true (names (ADRP_X1_2_PAGES, NOP, ADD_X3_X1_0X10, ADDRESS, 0x12010));
  assert_false (names (ADRP_X1_2_PAGES, NOP, NOP, ADDRESS, 0x12000));
  assert_false (
      names (ADRP_X1_2_PAGES, ADD_X1_X2_0X10, NOP, ADDRESS, 0x12010));
  assert_false (names (ADR_X1_MINUS_4, NOP, NOP, ADDRESS + 2, ADDRESS - 2));
  assert_false (names (NOP, NOP, NOP, ADDRESS, 0));
  /* Nor does what is behind the end of the code, by some bytes or all.  */
  const uint32_t words[]
      = { htole32 (ADRP_X1_2_PAGES), htole32 (NOP), htole32 (ADD_X3_X1_0X10) };
  for (unsigned size = 4; size <= 12; size++)
    {
      uint64_t named;
      assert_int_equal (insn_may_reference (decoder, (const uint8_t *)words,
                                            size, ADDRESS, &named),
                        size == 12);
    }
  /* What is farther away than compilers put it belongs to other code.  */
  for (unsigned distance = 15; distance <= 16; distance++)
    {
      uint8_t bytes[17 * 4];
      uint64_t named;
      for (unsigned i = 0; i < 17; i++)
        store_u32 (bytes + 4 * (size_t)i,
                   i == 0          ? ADRP_X1_2_PAGES
                   : i == distance ? ADD_X3_X1_0X10
                                   : NOP,
                   false);
      assert_int_equal (
          insn_may_reference (decoder, bytes, sizeof bytes, ADDRESS, &named),
          distance < 16);
    }
}

/* For a sweep a PLT stub is one jump, with BTI C in front of it, too.  */
TEST (stubs)
{
  enum
  {
    BTI_C = 0xd503245f,
    NOP = 0xd503201f,
    ADRP_NEXT_PAGE = 0xb0000010,
    LDR = 0xf9400a11,
    ADD = 0x91004210,
    AUTIA1716 = 0xd503219f,
    BR = 0xd61f0220
  };
  static const struct
  {
    uint32_t words[5];
    uint64_t address, place; /* place 0: it is no stub */
  } cases[] = {
    { { ADRP_NEXT_PAGE, LDR, ADD, AUTIA1716, BR }, ADDRESS, 0x11010 },
    { { ADRP_NEXT_PAGE, LDR, ADD, BR }, ADDRESS, 0x11010 },
    /* Instead of an addition of 0.  */
    { { ADRP_NEXT_PAGE, LDR, NOP, BR }, ADDRESS, 0x11010 },
    { { ADRP_NEXT_PAGE, LDR, NOP }, ADDRESS, 0 },
    /* ADRP is of the page behind that of BTI C.  */
    { { BTI_C, ADRP_NEXT_PAGE, LDR, ADD, BR }, 0xffc, 0x2010 },
    { { BTI_C, ADRP_NEXT_PAGE, LDR, ADD }, ADDRESS, 0 },
    { { BTI_C }, ADDRESS, 0 },
    /* Pages in front of the stub and behind it.  */
    { { 0x90000010, LDR, ADD, BR }, ADDRESS, 0x10010 },
    { { 0xf0000010, LDR, ADD, BR }, ADDRESS, 0x13010 },
    { { 0x90000030, LDR, ADD, BR }, ADDRESS, 0x14010 },
    { { 0xf0fffff0, LDR, ADD, BR }, ADDRESS, 0xf010 },
    { { 0xf07ffff0, LDR, ADD, BR }, ADDRESS, 0x10000f010 },
    { { 0x90800010, LDR, ADD, BR }, ADDRESS, 0xffffffff00010010 },
  };
  FOR_EACH_ROW (given, cases)
    {
      bool is_stub = given->place != 0;
      uint8_t bytes[sizeof given->words];
      struct insn_step step;
      size_t size = 0;
      for (; size < sizeof bytes && given->words[size / 4] != 0; size += 4)
        store_u32 (bytes + size, given->words[size / 4], false);
      assert_true (
          insn_decode_step (decoder, bytes, size, given->address, &step));
      assert_int_equal (step.size, is_stub ? size : 4);
      assert_int_equal (step.flow, is_stub ? FLOW_JUMP_INDIRECT : FLOW_NEXT);
      if (is_stub)
        assert_true (step.place == given->place);
    }
}

/* Each bit that stubs have in common has to be that of stubs.  The others are
   page and offset.  */
TEST (other_words_are_no_stub)
{
  static const uint32_t words[]
      = { 0xb0000010, 0xf9400a11, 0x91004210, 0xd61f0220 };
  static const uint32_t common[]
      = { 0x9f00001f, 0xffc003ff, 0xffc003ff, 0xffffffff };
  for (size_t i = 0; i < 4; i++)
    for (unsigned bit = 0; bit < 32; bit++)
      {
        uint8_t bytes[sizeof words];
        struct insn_step step = { 0 };
        for (size_t k = 0; k < 4; k++)
          store_u32 (bytes + 4 * k, words[k] ^ (uint32_t)(k == i) << bit,
                     false);
        bool decoded
            = insn_decode_step (decoder, bytes, sizeof bytes, ADDRESS, &step);
        bool is_stub = decoded && step.size == sizeof bytes;
        assert_int_equal (is_stub, !(common[i] >> bit & 1));
      }
}

/* Of big-endian files, data are the other way round, but not the code.  */
TEST (byte_order_is_that_of_data)
{
  const uint8_t ret[] = { 0xc0, 0x03, 0x5f, 0xd6 };
  struct insn_step step;
  struct insn_decoder *other = insn_decoder_new (&arch_aarch64_be);
  assert_non_null (other);
  assert_true (insn_decode_step (other, ret, sizeof ret, ADDRESS, &step));
  assert_int_equal (step.flow, FLOW_RETURN);
  insn_decoder_free (other);
}

/* Each kind of instruction that has a part in unwinding.  */
static const struct
{
  uint32_t word;
  const char *text, *words;
} words[] = {
  { 0xa9be7bfd, "stp x29,x30,[sp,#-32]!",
    "store from x29 second x30 [sp-32]:16 -0x20 pair adjusts reads sp" },
  { 0xa8017bfd, "stnp x29,x30,[sp,#16]",
    "store from x29 second x30 [sp+16]:16 pair reads sp" },
  { 0xa8417bfd, "ldnp x29,x30,[sp,#16]",
    "load to x29 second x30 [sp+16]:16 pair reads sp" },
  { 0xa90153f3, "stp x19,x20,[sp,#16]",
    "store from x19 second x20 [sp+16]:16 pair reads sp" },
  { 0xa9017ff3, "stp x19,xzr,[sp,#16]",
    "store from x19 [sp+16]:16 pair reads sp" },
  { 0xa8c253f3, "ldp x19,x20,[sp],#32",
    "load to x19 second x20 [sp+0]:16 0x20 pair adjusts reads sp" },
  { 0x290107e0, "stp w0,w1,[sp,#8]", "store [sp+8]:8 reads x0,x1,sp" },
  { 0x28c107e0, "ldp w0,w1,[sp],#8",
    "add to sp from sp width 8 0x8 writes x0,x1 reads sp" },
  { 0x694007e0, "ldpsw x0,x1,[sp]", "- width 8 writes x0,x1 reads sp" },
  { 0x6dbf27e8, "stp d8,d9,[sp,#-16]!",
    "store [sp-16]:16 -0x10 adjusts reads sp" },
  { 0x6cc127e8, "ldp d8,d9,[sp],#16",
    "add to sp from sp width 16 0x10 reads sp" },
  { 0xad0107e0, "stp q0,q1,[sp,#32]", "store [sp+32]:32 reads sp" },
  { 0xf81f0ff3, "str x19,[sp,#-16]!",
    "store from x19 [sp-16]:8 -0x10 adjusts reads sp" },
  { 0xf90007f3, "str x19,[sp,#8]", "store from x19 [sp+8]:8 reads sp" },
  { 0xf81f83f3, "stur x19,[sp,#-8]", "store from x19 [sp-8]:8 reads sp" },
  { 0xb90007f3, "str w19,[sp,#4]", "store from x19 [sp+4]:4 reads x19,sp" },
  { 0x390003f3, "strb w19,[sp]", "store [sp+0]:1 reads x19,sp" },
  { 0xf90003ff, "str xzr,[sp]", "store [sp+0]:8 reads sp" },
  { 0xf84107f3, "ldr x19,[sp],#16",
    "load to x19 [sp+0]:8 0x10 adjusts reads sp" },
  { 0xf94007f3, "ldr x19,[sp,#8]", "load to x19 [sp+8]:8 reads sp" },
  { 0xf84107ff, "ldr xzr,[sp],#16",
    "add to sp from sp width 8 0x10 reads sp" },
  { 0xb94007e0, "ldr w0,[sp,#4]", "load to x0 [sp+4]:4 reads sp" },
  { 0xb98007e0, "ldrsw x0,[sp,#4]", "load to x0 [sp+4]:4 sx reads sp" },
  { 0x39400c20, "ldrb w0,[x1,#3]", "load to x0 [x1+3]:1 reads x1" },
  { 0x39800020, "ldrsb x0,[x1]", "load to x0 [x1+0]:1 sx reads x1" },
  { 0xf8626820, "ldr x0,[x1,x2]", "load to x0 [x1+x2*1+0]:8 reads x1,x2" },
  { 0xf8627820, "ldr x0,[x1,x2,lsl #3]",
    "load to x0 [x1+x2*8+0]:8 reads x1,x2" },
  { 0xfc4087e0, "ldr d0,[sp],#8", "add to sp from sp width 8 0x8 reads sp" },
  { 0xfc1f8fe0, "str d0,[sp,#-8]!", "store [sp-8]:8 -0x8 adjusts reads sp" },
  { 0x3dc007e0, "ldr q0,[sp,#16]", "- width 16 reads sp" },
  { 0x3d8007e0, "str q0,[sp,#16]", "store [sp+16]:16 reads sp" },
  { 0xf9800000, "prfm pldl1keep,[x0]", "- width 8 reads x0" },
  { 0xd71f0901, "braa x8,x1", "- from x8 reads x1,x8 jump-to" },
  { 0xd73f0901, "blraa x8,x1", "- from x8 reads x1,x8 call-to" },
  { 0xd63f091f, "blraaz x8", "- from x8 reads x8 call-to" },
  { 0xd61f091f, "braaz x8", "- from x8 reads x8 jump-to" },
  { 0xd61f0100, "br x8", "- from x8 reads x8 jump-to" },
  { 0xd63f0100, "blr x8", "- from x8 reads x8 call-to" },
  { 0xd65f03c0, "ret", "- from x30 return" },
  { 0xd65f0120, "ret x9", "- from x9 return" },
  { 0xd65f0bff, "retaa", "auth to x30 from x30 return" },
  { 0xd65f0fff, "retab", "auth to x30 from x30 0x1 return" },
  { 0xd69f03e0, "eret", "- resume" },
  { 0x54000000, "b.eq .", "- branch e 0x10008" },
  { 0x54000001, "b.ne .", "- branch ne 0x10008" },
  { 0x54000002, "b.hs .", "- branch nb 0x10008" },
  { 0x11000d08, "add w8,w8,#3", "add to x8 from x8 width 4 0x3 reads x8" },
  { 0x71001528, "subs w8,w9,#5",
    "subtract to x8 from x9 width 4 0x5 flags reads x9" },
  { 0x92401d28, "and x8,x9,#0xff", "and to x8 from x9 width 8 0xff reads x9" },
  { 0x32000128, "orr w8,w9,#1", "or to x8 from x9 width 4 0x1 reads x9" },
  { 0xd27c0d28, "eor x8,x9,#0xf0", "xor to x8 from x9 width 8 0xf0 reads x9" },
  { 0x72000928, "ands w8,w9,#7",
    "and to x8 from x9 width 4 0x7 flags reads x9" },
  { 0xaa0a0128, "orr x8,x9,x10",
    "or to x8 from x9 index x10 width 8 reads x9,x10" },
  { 0x4a0a0128, "eor w8,w9,w10",
    "xor to x8 from x9 index x10 width 4 reads x9,x10" },
  { 0x8a0a0128, "and x8,x9,x10",
    "and to x8 from x9 index x10 width 8 reads x9,x10" },
  { 0x8a2a0128, "bic x8,x9,x10", "- writes x8 reads x9,x10" },
  { 0xaa0a0528, "orr x8,x9,x10,lsl #1", "- writes x8 reads x9,x10" },
  { 0x0b0a0128, "add w8,w9,w10",
    "add to x8 from x9 index x10 width 4 reads x9,x10" },
  { 0x4b0a0128, "sub w8,w9,w10",
    "subtract to x8 from x9 index x10 width 4 reads x9,x10" },
  { 0x53047d28, "lsr w8,w9,#4",
    "shift-right to x8 from x9 width 4 0x4 reads x9" },
  { 0x9344fd28, "asr x8,x9,#4",
    "shift-sx to x8 from x9 width 8 0x4 reads x9" },
  { 0xd37be928, "lsl x8,x9,#5",
    "shift-left to x8 from x9 width 8 0x5 reads x9" },
  { 0xd3441d28, "ubfx x8,x9,#4,#4", "- writes x8 reads x9" },
  { 0x1b0a7d28, "mul w8,w9,w10",
    "multiply to x8 from x9 index x10 width 4 reads x9,x10" },
  { 0x1b0afd28, "mneg w8,w9,w10", "- writes x8 reads x9,x10" },
  { 0x4b0903e8, "neg w8,w9", "- writes x8 reads x9" },
  { 0x54000003, "b.lo .", "- branch b 0x10008" },
  { 0x54000008, "b.hi .", "- branch a 0x10008" },
  { 0x54000009, "b.ls .", "- branch na 0x10008" },
  { 0x5400000a, "b.ge .", "- branch 0x10008" },
  { 0x5400000e, "b.al .", "- jump 0x10008" },
  { 0xb4000013, "cbz x19,.", "- from x19 reads x19 branch zero 0x10008" },
  { 0x35000013, "cbnz w19,.", "- from x19 reads x19 branch not-zero 0x10008" },
  { 0x36180013, "tbz x19,#3,.", "- reads x19 branch 0x10008" },
  { 0xb7080013, "tbnz x19,#33,.", "- reads x19 branch 0x10008" },
  { 0x14000000, "b .", "- jump 0x10008" },
  { 0x94000000, "bl .", "- call 0x10008" },
  { 0xd503233f, "paciasp", "sign to x30 from x30 flags" },
  { 0xd503237f, "pacibsp", "sign to x30 from x30 0x1 flags" },
  { 0xd50323bf, "autiasp", "auth to x30 from x30 flags" },
  { 0xd50323ff, "autibsp", "auth to x30 from x30 0x1 flags" },
  { 0xd503231f, "paciaz", "- flags writes x30" },
  { 0xd503235f, "pacibz", "- flags writes x30" },
  { 0xd503239f, "autiaz", "- flags writes x30" },
  { 0xd50323df, "autibz", "- flags writes x30" },
  { 0xd503251f, "chkfeat x16", "- flags writes x16" },
  { 0xd503211f, "pacia1716", "- flags writes x17" },
  { 0xd503215f, "pacib1716", "- flags writes x17" },
  { 0xd503219f, "autia1716", "- flags writes x17" },
  { 0xd50321df, "autib1716", "- flags writes x17" },
  { 0xd50320ff, "xpaclri", "strip to x30 from x30 flags" },
  { 0xdac143fe, "xpaci x30", "- writes x30" },
  { 0xd503201f, "nop", "- flags nop" },
  { 0xd503245f, "bti c", "- flags" },
  { 0xd503245f, "hint #34", "- flags" },
  { 0xd503203f, "yield", "- flags" },
  { 0xd4000001, "svc #0", "- kernel writes x0" },
  { 0xd4000021, "svc #1", "- kernel writes x0" },
  { 0xd4000002, "hvc #0",
    "- writes "
    "x0,x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14,x15,x16,x17" },
  { 0xd4200020, "brk #1",
    "- writes x0,x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14,x15,x16,x17 "
    "stop" },
  { 0xd4400000, "hlt #0",
    "- writes x0,x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14,x15,x16,x17 "
    "stop" },
  { 0xd4a00001, "dcps1", "- writes x0 stop" },
  { 0x00000000, "udf #0", "- stop" },
  { 0xd53bd053, "mrs x19,tpidr_el0", "- writes x19" },
  { 0xd51bd053, "msr tpidr_el0,x19", "- flags reads x19" },
  { 0xd51b4200, "msr nzcv,x0", "- flags reads x0" },
  { 0xd50b7420, "sys #3,c7,c4,#1,x0", "- flags reads x0" },
  { 0xd52b7420, "sysl x0,#3,c7,c4,#1", "- writes x0" },
  { 0xd5033bbf, "dmb ish", "- flags" },
  { 0xd5033fdf, "isb", "- flags" },
  { 0x0e40fc00, "fdot v0.4h, v0.8b, v0.8b", "-" }, /* Armv9.5 */
  { 0xd500401f, "cfinv", "- flags" },
  { 0x94000002, "bl .+8", "- call 0x10010" },
  { 0x97ffffff, "bl .-4", "- call 0x10004" },
  { 0x14000001, "b .+4", "- jump 0x1000c" },
  { 0xd63f0000, "blr x0", "- from x0 reads x0 call-to" },
  { 0xd63f081f, "blraaz x0", "- from x0 reads x0 call-to" },
  { 0xd73f0801, "blraa x0,x1", "- from x0 reads x0,x1 call-to" },
  { 0xd61f0220, "br x17", "- from x17 reads x17 jump-to" },
  { 0x5400004f, "b.nv .+8", "- jump 0x10010" },
  { 0xb4ffffe0, "cbz x0,.-4", "- from x0 reads x0 branch zero 0x10004" },
  { 0x36f80040, "tbz w0,#31,.+8", "- reads x0 branch 0x10010" },
  { 0xb7ffffe0, "tbnz x0,#63,.-4", "- reads x0 branch 0x10004" },
  { 0x54000058, "bc.hi .+8", "- branch 0x10010" },
  { 0xb400005f, "cbz xzr,.+8", "- branch 0x10010" },
  /* The farthest bits of each.  */
  { 0x36020000, "tbz w0,#0,.+0x4000", "- reads x0 branch 0x14008" },
  { 0x36040000, "tbz w0,#0,.-0x8000", "- reads x0 branch 0x8008" },
  { 0xb4400000, "cbz x0,.+0x80000", "- from x0 reads x0 branch zero 0x90008" },
  { 0xb4800000, "cbz x0,.-0x100000",
    "- from x0 reads x0 branch zero 0xfffffffffff10008" },
  { 0x54400000, "b.eq .+0x80000", "- branch e 0x90008" },
  { 0x54800000, "b.eq .-0x100000", "- branch e 0xfffffffffff10008" },
  { 0x15000000, "b .+0x4000000", "- jump 0x4010008" },
  { 0x96000000, "bl .-0x8000000", "- call 0xfffffffff8010008" },
  /* Frames, numbers and jump tables.  */
  { 0xa8c27bfd, "ldp x29,x30,[sp],#32",
    "load to x29 second x30 [sp+0]:16 0x20 pair adjusts reads sp" },
  { 0xa9007fff, "stp xzr,xzr,[sp]", "store [sp+0]:16 pair reads sp" },
  { 0xf81f0ffe, "str x30,[sp,#-16]!",
    "store from x30 [sp-16]:8 -0x10 adjusts reads sp" },
  { 0x6dbe27e8, "stp d8,d9,[sp,#-32]!",
    "store [sp-32]:16 -0x20 adjusts reads sp" },
  { 0x6cc227e8, "ldp d8,d9,[sp],#32",
    "add to sp from sp width 16 0x20 reads sp" },
  { 0x29400400, "ldp w0,w1,[x0]", "- width 8 writes x0,x1 reads x0" },
  { 0xd10083ff, "sub sp,sp,#0x20", "add to sp from sp -0x20 reads sp" },
  { 0xd1400bff, "sub sp,sp,#0x2,lsl #12",
    "add to sp from sp -0x2000 reads sp" },
  { 0xcb2c63ff, "sub sp,sp,x12",
    "lower to sp from sp index x12 scale 1 width 8 reads x12,sp" },
  { 0x8b2c63ff, "add sp,sp,x12",
    "sum to sp from sp index x12 scale 1 width 8 reads x12,sp" },
  { 0x910003fd, "mov x29,sp", "add to x29 from sp place reads sp" },
  { 0x927ae53f, "and sp,x9,#-64", "align to sp from x9 -0x40 reads x9" },
  { 0x043f57ff, "addvl sp,sp,#-1", "- flags writes sp" },
  { 0x510083ff, "sub wsp,wsp,#0x20",
    "subtract to sp from sp width 4 0x20 reads sp" },
  { 0xd2824680, "mov x0,#0x1234", "set to x0 0x1234" },
  { 0x12800000, "mov w0,#0xffffffff", "set to x0 0xffffffff" },
  { 0x92800000, "mov x0,#-1", "set to x0 -0x1" },
  { 0xb27cebe0, "mov x0,#0x7ffffffffffffff0", "set to x0 0x7ffffffffffffff0" },
  { 0xf2a24680, "movk x0,#0x1234,lsl #16",
    "insert to x0 from x0 scale 16 width 8 0x12340000 reads x0" },
  { 0xb0000000, "adrp x0,.+0x1000", "set to x0 0x11000 part" },
  { 0x10000041, "adr x1,.+8", "set to x1 0x10010 place" },
  { 0xaa1f03e0, "mov x0,xzr", "set to x0" },
  { 0xaa1303e0, "mov x0,x19", "move to x0 from x19 width 8" },
  { 0x2a1303e0, "mov w0,w19", "move to x0 from x19 width 4 reads x19" },
  { 0xb90003f3, "str w19,[sp]", "store from x19 [sp+0]:4 reads x19,sp" },
  { 0xf90003f3, "str x19,[sp]", "store from x19 [sp+0]:8 reads sp" },
  { 0x38604821, "ldrb w1,[x1,w0,uxtw]",
    "load to x1 [x1+x0*1+0]:1 reads x0,x1" },
  { 0xb8a17800, "ldrsw x0,[x0,x1,lsl #2]",
    "load to x0 [x0+x1*4+0]:4 sx reads x0,x1" },
  { 0x8b218801, "add x1,x0,w1,sxtb #2",
    "sum-scaled to x1 from x0 index x1 scale 4 width 1 sx reads x0,x1" },
  { 0x8b0a0929, "add x9,x9,x10,lsl #2",
    "sum-scaled to x9 from x9 index x10 scale 4 width 8 reads x9,x10" },
  { 0x7100281f, "cmp w0,#0xa", "compare from x0 0xa flags reads x0" },
  { 0xeb2963ff, "cmp sp,x9",
    "compare-2 from sp index x9 width 8 flags reads x9,sp" },
  { 0xdac103fe, "pacia x30,sp", "- writes x30" },
  /* Registers that instructions of other kinds change.  */
  { 0xf8e00020, "ldaddal x0,x0,[x1]", "store [x1+0]:8 writes x0 reads x0,x1" },
  { 0x885ffc01, "ldaxr w1,[x0]", "- writes x1 reads x0" },
  { 0x8802fc01, "stlxr w2,w1,[x0]", "store [x0+0]:4 writes x2 reads x0,x1" },
  { 0xc87f8c02, "ldaxp x2,x3,[x0]", "- writes x2,x3 reads x0" },
  { 0x48227c04, "casp x2,x3,x4,x5,[x0]",
    "store [x0+0]:16 writes x2,x3 reads x0,x2,x3,x4,x5" },
  { 0xc8e07c41, "casa x0,x1,[x2]", "store [x2+0]:8 writes x0 reads x0,x1,x2" },
  { 0x1e260013, "fmov w19,s0", "- writes x19" },
  { 0x9e780013, "fcvtzs x19,d0", "- writes x19" },
  { 0x1e270273, "fmov s19,w19", "- reads x19" },
  { 0x9e620273, "scvtf d19,x19", "- reads x19" },
  { 0x4e083c13, "mov x19,v0.d[0]", "- writes x19" },
  { 0x4e083e73, "mov x19,v19.d[0]", "- writes x19" },
  { 0x4e081e73, "mov v19.d[0],x19", "- reads x19" },
  { 0x4c407013, "ld1 {v19.16b},[x0]", "- width 16 reads x0" },
  { 0x4cc17013, "ld1 {v19.16b},[x0],x1", "- width 16 writes x0 reads x0,x1" },
  { 0x04bf5013, "rdvl x19,#0", "- flags writes x19" },
  { 0x0420e3f3, "cntb x19", "- flags writes x19" },
  { 0x0430e3f3, "incb x19", "- flags writes x19" },
  { 0x25208013, "cntp x19,p0,p0.b", "- flags writes x19" },
  { 0xa400a013, "ld1b {z19.b},p0/z,[x0]", "- flags" },
  { 0x9ac10813, "udiv x19,x0,x1", "- writes x19 reads x0,x1" },
  { 0xdac00013, "rbit x19,x0", "- writes x19 reads x0" },
  { 0x9b010813, "madd x19,x0,x1,x2", "- writes x19 reads x0,x1,x2" },
  { 0x9a810013, "csel x19,x0,x1,eq", "- writes x19 reads x0,x1" },
  { 0xfa410000, "ccmp x0,x1,#0x0,eq", "- flags reads x0,x1" },
  { 0x9a010013, "adc x19,x0,x1", "- writes x19 reads x0,x1" },
  { 0x93c10013, "extr x19,x0,x1,#0", "- writes x19 reads x0,x1" },
  { 0x58000013, "ldr x19,.", "- writes x19" },
  { 0x1d010413, "cpyp [x19]!,[x1]!,x0!",
    "- flags writes x0,x1,x19 reads x0,x1,x19" },
};

TEST (in_words)
{
  struct insn_text text = { .machine = code_machine_of (&arch_aarch64) };
  FOR_EACH_ROW (given, words)
    {
      struct insn insn = insn_of (given->word);
      if (strcmp (insn_text_of (&text, &insn), given->words) != 0)
        fail_msg ("%s: %s", given->text, text.words);
    }
}

TEST_GROUP (setup, teardown)

#else

TEST (there_is_no_decoder)
{
  assert_null (code_machine_of (&arch_aarch64));
  assert_null (insn_decoder_new (&arch_aarch64));
}

#endif

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
#include "tests/analysis/insn_rows.h"

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

static struct insn_text text;

static void
check_row (const char *word)
{
  struct insn insn = insn_of ((uint32_t)strtoul (word, NULL, 16));
  insn_text_of (&text, &insn);
}

TEST (in_words)
{
  text.machine = code_machine_of (&arch_aarch64);
  check_insn_rows ("insns.aarch64", check_row, &text);
}

TEST_GROUP (setup, teardown)

#else

TEST (there_is_no_decoder)
{
  assert_null (code_machine_of (&arch_aarch64));
  assert_null (insn_decoder_new (&arch_aarch64));
}

#endif

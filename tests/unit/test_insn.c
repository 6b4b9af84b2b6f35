/* What instructions are made of (src/code/insn).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "code/insn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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

int
main (void)
{
  cmocka_set_message_output (CM_OUTPUT_TAP);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (what_is_known_is_what_zydis_says),
    cmocka_unit_test (flow),
    cmocka_unit_test (saving_is_not_reading),
    cmocka_unit_test (stack_pointer_arithmetic),
    cmocka_unit_test (the_old_value_has_no_part_in_these),
    cmocka_unit_test (an_instruction_must_be_whole),
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

/* Unit tests of src/cfi/cfa_program.c: call-frame instructions in, frame rows
   out.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>

#include "cfi/cfa_opcode.h"
#include "elf/encoded_pointer.h"
#include "frame/numbers.h"
#include "tests/unit/cfi_fixture.h"
#include "tests/unit_test.h"

#define CODE UINT64_C (0x123400000000)
#define FUNCTION_SIZE 100

/* A row written down: "start cfa ra fp".  */
static void
print_rule (char *out, size_t size, struct frame_rule rule)
{
  switch (rule.kind)
    {
    case RULE_UNDEFINED:
      snprintf (out, size, "undef");
      break;
    case RULE_SAME:
      snprintf (out, size, "same");
      break;
    case RULE_REG:
      snprintf (out, size, "r%u%+d", rule.reg, rule.offset);
      break;
    case RULE_DEREF_REG:
      snprintf (out, size, "[r%u%+d]", rule.reg, rule.offset);
      break;
    case RULE_CFA:
      snprintf (out, size, "c%+d", rule.offset);
      break;
    case RULE_DEREF_CFA:
      snprintf (out, size, "[c%+d]", rule.offset);
      break;
    case RULE_PLT:
      snprintf (out, size, "plt%d", rule.offset);
      break;
    default:
      snprintf (out, size, "%s", frame_reason_name (rule.reason));
      break;
    }
}

static void
print_rows (char *out, size_t size, const struct frame_function *function)
{
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < function->n_rows; i++)
    {
      const struct frame_row *row = &function->rows[i];
      char cfa[40], ra[40], fp[40];
      print_rule (cfa, sizeof cfa, row->cfa);
      print_rule (ra, sizeof ra, row->ra);
      print_rule (fp, sizeof fp, row->fp);
      used += (size_t)snprintf (out + used, size - used, "%s%u %s %s %s%s",
                                i ? "; " : "", row->start, cfa, ra, fp,
                                row->ra_signed ? " signed" : "");
    }
}

struct program
{
  const struct arch *arch;
  const char *cie; /* instructions */
  size_t cie_size;
  const char *fde;
  size_t fde_size;
  uint8_t code_alignment, data_alignment;
};

/* The rows of PROGRAM or, where it has none, the reason.  */
static void
expect (const struct program *program, const char *rows)
{
  struct cfi_fixture f = cfi_fixture_new (program->arch->big_endian);
  char got[1000];
  size_t cie = put_cie (&f.bytes, 1, "zR", "\x1b", 1, program->code_alignment,
                        program->data_alignment, (uint8_t)program->arch->ra,
                        program->cie, program->cie_size);
  put_fde (&f.bytes, cie, CODE, FUNCTION_SIZE, program->fde,
           program->fde_size);
  cfi_fixture_machine (&f, program->arch);
  assert_int_equal (f.section.n_fdes, 1);
  assert_int_equal (f.section.fdes[0].address, CODE);
  enum frame_reason reason = cfi_fixture_run (&f, 0);
  print_rows (got, sizeof got, &f.function);
  if (reason != REASON_NONE)
    {
      assert_string_equal (got, "");
      snprintf (got, sizeof got, "%s", frame_reason_name (reason));
    }
  assert_string_equal (got, rows);
  cfi_fixture_free (&f);
}

#define PROGRAM(machine, code_alignment, cie, fde)                           \
  &(struct program)                                                          \
  {                                                                          \
    &machine, cie, sizeof cie - 1, fde, sizeof fde - 1, code_alignment, 0x78 \
  }
#define AMD64_WITH(cie, fde) PROGRAM (arch_amd64, 1, cie, fde)
#define AMD64(fde) AMD64_WITH ("\x0c\x07\x08\x90\x01", fde)
#define AARCH64_WITH(cie, fde) PROGRAM (arch_aarch64, 4, cie, fde)
#define AARCH64(fde) AARCH64_WITH ("\x0c\x1f\x00", fde)
#define S390X(fde) PROGRAM (arch_s390x, 1, "\x0c\x0f\xa0\x01", fde)
#define BAD "bad-instruction bad-instruction bad-instruction"
#define ROW0 "0 r7+8 [c-8] same"

TEST (a_prologue_is_three_rows)
{
  expect (AMD64 (""), ROW0);
  /* push %rbp; mov %rsp,%rbp; ... leave */
  expect (AMD64 ("\x41\x0e\x10\x86\x02\x43\x0d\x06\x50\x0c\x07\x08"),
          ROW0 "; 1 r7+16 [c-8] [c-16]; 4 r6+16 [c-8] [c-16]; "
               "20 r7+8 [c-8] [c-16]");
  /* Callee-saved registers that are not tracked make no rows.  */
  expect (AMD64 ("\x41\x83\x03\x42\x8c\x04"), ROW0);
}

TEST (every_advance_moves_the_location)
{
  expect (AMD64 ("\x02\x05\x0e\x10\x03\x05\x00\x0e\x18"
                 "\x04\x05\x00\x00\x00\x0e\x20"),
          ROW0 "; 5 r7+16 [c-8] same; 10 r7+24 [c-8] same; "
               "15 r7+32 [c-8] same");
  /* set_loc, PC-relative as the CIE says: the field is at section + 0x18 +
     17 + 1 = 0x2a of this section.  */
  expect (AMD64 ("\x01\xe6\xef\xff\xff\x0e\x10"),
          ROW0 "; 16 r7+16 [c-8] same");
  /* Backwards.  */
  expect (AMD64 ("\x50\x01\xd6\xef\xff\xff\x0e\x10"), ROW0 "; 16 " BAD);
  /* In front of the function is backwards, too.  */
  expect (AMD64 ("\x50\x01\xd4\xef\xff\xff\x0e\x10"), ROW0 "; 16 " BAD);
  /* MIPS_advance_loc8.  */
  expect (AMD64 ("\x1d\x05\x00\x00\x00\x00\x00\x00\x00\x0e\x10"),
          ROW0 "; 5 r7+16 [c-8] same");
  /* At one place the last rule counts.  */
  expect (AMD64 ("\x41\x0e\x10\x0e\x18\x40\x0e\x20"),
          ROW0 "; 1 r7+32 [c-8] same");
  expect (AMD64 ("\x41\x0e\x10\x41\x0e\x18\x41\x0e\x10\x40\x0e\x18"),
          ROW0 "; 1 r7+16 [c-8] same; 2 r7+24 [c-8] same");
}

/* Every format takes its own number of bytes.  */
TEST (every_pointer_format_takes_its_bytes)
{
  static const uint8_t bytes[]
      = { 0xf0, 0x8f, 0x01, 0x80, 0x05, 0x06, 0x07, 0x08, 0x09 };
  static const struct
  {
    uint8_t encoding;
    size_t size;
    uint64_t value;
  } formats[] = {
    { 0x00, 8, UINT64_C (0x0807060580018ff0) },
    { 0x01, 3, 0x47f0 },
    { 0x02, 2, 0x8ff0 },
    { 0x03, 4, 0x80018ff0 },
    { 0x04, 8, UINT64_C (0x0807060580018ff0) },
    { 0x09, 3, 0x47f0 },
    { 0x0a, 2, (uint64_t)-0x7010 },
    { 0x0b, 4, (uint64_t)-0x7ffe7010ll },
    { 0x0c, 8, UINT64_C (0x0807060580018ff0) },
    { 0x12, 2, 0x9ff0 },
    { 0x1b, 4, (uint64_t)-0x7ffe6010ll },
  };
  FOR_EACH_ROW (given, formats)
    {
      struct cursor cursor = cursor_over (bytes, sizeof bytes, false);
      uint64_t value;
      assert_true (
          encoded_pointer_read (&cursor, given->encoding, 0x1000, &value));
      assert_int_equal (value, given->value);
      assert_int_equal (sizeof bytes - cursor_left (&cursor), given->size);
    }
  static const uint8_t refused[]
      = { 0x05, 0x0d, 0x20, 0x3b, 0x50, 0x9b, 0xff };
  FOR_EACH_ROW (given, refused)
    {
      struct cursor cursor = cursor_over (bytes, sizeof bytes, false);
      uint64_t value;
      assert_false (encoded_pointer_read (&cursor, *given, 0x1000, &value));
    }
  struct cursor cut = cursor_over (bytes, 3, false);
  uint64_t value;
  assert_false (encoded_pointer_read (&cut, 0x0b, 0, &value));
}

TEST (nothing_is_said_past_the_end)
{
  expect (AMD64 ("\x02\x63\x0e\x10\x41\x0e\x18"),
          ROW0 "; 99 r7+16 [c-8] same");
  expect (AMD64 ("\x02\x64\x0e\x10"), ROW0);
  expect (AMD64 ("\x04\xff\xff\xff\xff\x0e\x10\x04\xff\xff\xff\xff"), ROW0);
}

TEST (states_are_remembered_and_restored)
{
  expect (AMD64 ("\x41\x0e\x10\x0a\x41\x0e\x18\x0a\x41\x0e\x20\x41"
                 "\x0b\x41\x0b"),
          ROW0 "; 1 r7+16 [c-8] same; 2 r7+24 [c-8] same; "
               "3 r7+32 [c-8] same; 4 r7+24 [c-8] same; "
               "5 r7+16 [c-8] same");
  expect (AMD64 ("\x0b"), "bad-state");
  /* The CFA comes back with the state.  */
  expect (AMD64 ("\x0a\x41\x0c\x06\x10\x41\x0b"),
          ROW0 "; 1 r6+16 [c-8] same; 2 r7+8 [c-8] same");
  char deep[200];
  memset (deep, 0x0a, sizeof deep);
  struct program program = *AMD64 ("");
  program.fde = deep;
  program.fde_size = sizeof deep;
  expect (&program, "bad-state");
}

TEST (every_register_rule_is_understood)
{
  /* restore takes the CIE's rule, also after other changes.  */
  expect (AMD64 ("\x86\x02\x41\xc6\x41\x06\x06"),
          "0 r7+8 [c-8] [c-16]; 1 r7+8 [c-8] same");
  expect (AMD64 ("\x90\x03\x41\xd0"), "0 r7+8 [c-24] same; 1 r7+8 [c-8] same");
  expect (AMD64 ("\x07\x10\x41\x08\x10\x41\x07\x06"),
          "0 r7+8 undef same; 1 r7+8 same same; "
          "2 r7+8 same undef");
  expect (AMD64 ("\x09\x10\x0c\x09\x06\x00"), "0 r7+8 r12+0 r0+0");
  expect (AMD64 ("\x09\x06\x06"), ROW0);
  expect (AMD64 ("\x05\x06\x02\x41\x11\x06\x7e\x41\x2f\x06\x03"),
          "0 r7+8 [c-8] [c-16]; 1 r7+8 [c-8] [c+16]; "
          "2 r7+8 [c-8] [c+24]");
  expect (AMD64 ("\x14\x06\x02\x41\x15\x06\x7e"),
          "0 r7+8 [c-8] c-16; 1 r7+8 [c-8] c+16");
}

TEST (every_cfa_rule_is_understood)
{
  expect (AMD64 ("\x0c\x0a\x00\x41\x0d\x06\x41\x0e\x05"),
          "0 r10+0 [c-8] same; 1 r6+0 [c-8] same; "
          "2 r6+5 [c-8] same");
  /* The offset that def_cfa gave stays with a new register.  */
  expect (AMD64 ("\x0c\x0a\x20\x0d\x06"), "0 r6+32 [c-8] same");
  expect (AMD64 ("\x12\x07\x7e\x41\x13\x7d"),
          "0 r7+16 [c-8] same; 1 r7+24 [c-8] same");
  /* Only a register rule can be amended.  */
  expect (AMD64 ("\x0f\x02\x76\x08\x0e\x08"), "bad-state");
  /* Out of range until it is replaced.  */
  expect (AMD64 ("\x0e\xff\xff\xff\xff\x0f\x41\x0e\x08"),
          "0 offset-range [c-8] same; 1 r7+8 [c-8] same");
  expect (AMD64 ("\x0c\x80\x80\x04\x08"), "0 register-range [c-8] same");
  expect (AMD64_WITH ("\x90\x01", ""), "0 cfa-undefined [c-8] same");
}

TEST (registers_have_16_bits)
{
  expect (AMD64 ("\x09\x06\xff\xff\x03"), "0 r7+8 [c-8] r65535+0");
  expect (AMD64 ("\x09\x06\x80\x80\x04"), "0 r7+8 [c-8] register-range");
  expect (AMD64 ("\x09\x06\x83\x80\x04"), "0 r7+8 [c-8] register-range");
  expect (AMD64 ("\x0c\xff\xff\x03\x08"), "0 r65535+8 [c-8] same");
}

TEST (expressions_of_known_forms_are_rules)
{
  /* CFA = *(rbp-8); rbp saved at rbp+0: a realigned stack.  */
  expect (AMD64 ("\x10\x06\x02\x76\x00\x41\x0f\x03\x76\x78\x06"),
          "0 r7+8 [c-8] [r6+0]; 1 [r6-8] [c-8] [r6+0]");
  expect (AMD64 ("\x0f\x02\x77\x18"), "0 r7+24 [c-8] same");
  expect (AMD64 ("\x16\x06\x02\x73\x08"), "0 r7+8 [c-8] r3+8");
  expect (AMD64 ("\x10\x06\x02\x23\x08"), "0 r7+8 [c-8] [c+8]");
  /* The lazy PLT, both forms.  */
  expect (AMD64 ("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24"
                 "\x22"),
          "0 plt11 [c-8] same");
  expect (AMD64 ("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x39\x2a\x33\x24"
                 "\x22"),
          "0 plt9 [c-8] same");
  /* Entries have 16 bytes.  */
  expect (AMD64 ("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3f\x2a\x33\x24"
                 "\x22"),
          "0 plt15 [c-8] same");
  expect (AMD64 ("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x40\x2a\x33\x24"
                 "\x22"),
          "0 cfa-expression [c-8] same");
  /* Two dereferences, an operation we do not know, a truncated operand, a
     value through the PC.  */
  expect (AMD64 ("\x0f\x04\x76\x78\x06\x06"), "0 cfa-expression [c-8] same");
  expect (AMD64 ("\x0f\x03\x76\x78\x1f"), "0 cfa-expression [c-8] same");
  expect (AMD64 ("\x0f\x01\x76"), "0 cfa-expression [c-8] same");
  expect (AMD64 ("\x0f\x02\x80\x00"), "0 cfa-expression [c-8] same");
  expect (AMD64 ("\x0f\x00"), "0 cfa-expression [c-8] same");
  /* The slot's address comes from memory: no form.  */
  expect (AMD64 ("\x10\x06\x03\x76\x00\x06"), "0 r7+8 [c-8] fp-expression");
}

/* Sums and differences of a register and constants of every kind.  */
TEST (sums_in_expressions_are_registers_and_offsets)
{
  const struct
  {
    struct program program;
    const char *cfa;
  } cases[] = {
    { *AMD64 ("\x0f\x02\x70\x08"), "r0+8" },
    { *AMD64 ("\x0f\x03\x96\x76\x08"), "r6+8" },
    /* The top of the stack counts.  */
    { *AMD64 ("\x0f\x04\x76\x00\x77\x08"), "r7+8" },
    { *AMD64 ("\x0f\x02\x8f\x08"), "r31+8" },
    { *AMD64 ("\x0f\x03\x92\x06\x08"), "r6+8" },
    { *AMD64 ("\x0f\x03\x92\x06\x78"), "r6-8" },
    { *AMD64 ("\x0f\x05\x92\xff\xff\x03\x08"), "r65535+8" },
    { *AMD64 ("\x0f\x04\x76\x00\x23\x08"), "r6+8" },
    { *AMD64 ("\x0f\x05\x76\x7f\x23\x80\x01"), "r6+127" },
    { *AMD64 ("\x0f\x05\x76\x00\x08\xf0\x22"), "r6+240" },
    { *AMD64 ("\x0f\x05\x76\x00\x09\xf0\x22"), "r6-16" },
    { *AMD64 ("\x0f\x06\x76\x00\x0a\x00\x80\x22"), "r6+32768" },
    { *AMD64 ("\x0f\x06\x76\x00\x0b\x00\x80\x22"), "r6-32768" },
    { *AMD64 ("\x0f\x08\x76\x00\x0c\xff\xff\xff\x7f\x22"), "r6+2147483647" },
    { *AMD64 ("\x0f\x08\x76\x00\x0d\xff\xff\xff\xff\x22"), "r6-1" },
    { *AMD64 ("\x0f\x06\x76\x00\x10\x80\x01\x22"), "r6+128" },
    { *AMD64 ("\x0f\x05\x76\x00\x11\x7f\x22"), "r6-1" },
    { *AMD64 ("\x0f\x04\x76\x00\x30\x22"), "r6+0" },
    { *AMD64 ("\x0f\x04\x76\x00\x4f\x22"), "r6+31" },
    { *AMD64 ("\x0f\x04\x76\x10\x38\x1c"), "r6+8" },
    { *AMD64 ("\x0f\x04\x38\x76\x00\x22"), "r6+8" },
    { *AMD64 ("\x0f\x03\x76\x10\x06"), "[r6+16]" },
  };
  FOR_EACH_ROW (given, cases)
    {
      char rows[100];
      snprintf (rows, sizeof rows, "0 %s [c-8] same", given->cfa);
      expect (&given->program, rows);
    }
}

/* Two registers, out of range, the wrong number of operands, something behind
   a dereference.  */
TEST (expressions_without_form_are_named)
{
  const struct program programs[] = {
    *AMD64 (
        "\x0f\x0e\x76\x00\x11\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f\x1c"),
    *AMD64 ("\x0f\x04\x38\x76\x00\x1c"),
    *AMD64 ("\x0f\x05\x76\x00\x77\x00\x22"),
    *AMD64 ("\x0f\x05\x76\x00\x77\x00\x1c"),
    *AMD64 ("\x0f\x08\x76\x00\x0c\xff\xff\xff\xff\x22"),
    *AMD64 ("\x0f\x08\x76\x00\x0c\x00\x00\x00\x80\x22"),
    *AMD64 ("\x0f\x01\x38"),
    *AMD64 ("\x0f\x02\x38\x06"),
    *AMD64 ("\x0f\x01\x22"),
    *AMD64 ("\x0f\x03\x76\x00\x22"),
    *AMD64 ("\x0f\x01\x06"),
    *AMD64 ("\x0f\x02\x23\x08"),
    *AMD64 ("\x0f\x02\x80\x00"),
    *AMD64 ("\x0f\x03\x92\x10\x00"),
    *AMD64 ("\x0f\x05\x92\x80\x80\x04\x08"),
    *AMD64 ("\x0f\x05\x76\x10\x06\x23\x08"),
    *AMD64 ("\x0f\x05\x76\x10\x06\x38\x22"),
    *AMD64 ("\x0f\x0c\x76\x00\x0f\x00\x00\x00\x00\x00\x00\x00\x80\x1c"),
  };
  FOR_EACH_ROW (given, programs)
    expect (given, "0 cfa-expression [c-8] same");
}

TEST (a_caller_sp_other_than_the_cfa_is_named)
{
  expect (AMD64 ("\x14\x07\x00"), ROW0);
  expect (AMD64 ("\x14\x07\x01"), "0 sp-rule [c-8] same");
  expect (AMD64 ("\x09\x07\x08"), "0 sp-rule [c-8] same");
  expect (AMD64 ("\x87\x02"), "0 sp-rule [c-8] same");
  expect (AMD64 ("\x07\x07"), "0 sp-rule [c-8] same");
  expect (AMD64 ("\x08\x07"), "0 sp-rule [c-8] same");
  /* restore takes the rule back.  */
  expect (AMD64 ("\x14\x07\x01\x41\xc7"),
          "0 sp-rule [c-8] same; 1 r7+8 [c-8] same");
  /* __restore_rt: CFA and SP from the same slot.  */
  expect (AMD64 ("\x0f\x04\x77\xa0\x01\x06\x10\x07\x03\x77\xa0\x01"),
          "0 [r7+160] [c-8] same");
  /* s390x stores r15 as a matter of course.  */
  expect (S390X ("\x8f\x05\x41\x8e\x06\x8b\x09"),
          "0 r15+160 same same; 1 r15+160 [c-48] [c-72]");
}

TEST (signing_is_followed_or_named)
{
  expect (AARCH64 ("\x41\x2d\x41\x0e\x10\x9d\x02\x9e\x01\x44\x2d"),
          "0 r31+0 same same; 4 r31+0 same same signed; "
          "8 r31+16 [c-8] [c-16] signed; "
          "24 r31+16 [c-8] [c-16]");
  expect (AARCH64 ("\x41\x2c\x41\x2c"),
          "0 r31+0 same same; 4 r31+0 ra-signing same signed; "
          "8 r31+0 same same");
  expect (AARCH64 ("\x08\x22\x41\x06\x22"),
          "0 r31+0 ra-signing same; 4 r31+0 same same");
  /* restore gives the initial value back: not signed.  */
  expect (AARCH64 ("\x41\x2d\x41\xe2\x41\x2d\x41\x06\x22"),
          "0 r31+0 same same; 4 r31+0 same same signed; "
          "8 r31+0 same same; 12 r31+0 same same signed; "
          "16 r31+0 same same");
  expect (AARCH64 ("\x41\x2c\x41\x06\x22"),
          "0 r31+0 same same; 4 r31+0 ra-signing same signed; "
          "8 r31+0 same same");
  /* So does it when that is not "unsigned", or nobody knows.  */
  expect (AARCH64_WITH ("\x0c\x1f\x00\x2d", "\x41\x2d\x41\xe2"),
          "0 r31+0 same same signed; 4 r31+0 same same; "
          "8 r31+0 same same signed");
  expect (AARCH64_WITH ("\x0c\x1f\x00\x08\x22", "\x41\x2d\x41\xe2"),
          "0 r31+0 ra-signing same; 4 r31+0 ra-signing same signed; "
          "8 r31+0 ra-signing same");
  expect (AARCH64_WITH ("\x0c\x1f\x00\x2c", "\x41\x2c\x41\xe2"),
          "0 r31+0 ra-signing same signed; 4 r31+0 same same; "
          "8 r31+0 ra-signing same signed");
  /* Elsewhere the opcode is SPARC's.  */
  expect (AMD64 ("\x2d"), "bad-instruction");
}

TEST (what_is_said_before_a_broken_instruction_holds)
{
  expect (AMD64 ("\x3f"), "bad-instruction");
  expect (AMD64 ("\x1c\x00\x00\x00"), "bad-instruction");
  /* A block that ends behind the FDE.  */
  expect (AMD64 ("\x0f\x7f\x76"), "bad-instruction");
  /* In the middle, what was said until then holds: here of bytes 0 to 4.  */
  expect (AMD64 ("\x41\x0e\x10\x44\x3f"), ROW0 "; 1 r7+16 [c-8] same; "
                                               "5 " BAD);
  expect (AMD64 ("\x41\x0e\x10\x44\x0e\x18\x0b\x41\x0e\x20"),
          ROW0 "; 1 r7+16 [c-8] same; "
               "5 bad-state bad-state bad-state");
  /* libgcrypt's assembly amends a CFA expression.  */
  expect (AMD64 ("\x41\x0f\x02\x76\x08\x41\x0d\x07"),
          ROW0 "; 1 r6+8 [c-8] same; "
               "2 bad-state bad-state bad-state");
  /* A location in a CIE, and restore.  */
  expect (AMD64_WITH ("\x41\x0e\x10", ""), "bad-state");
  expect (AMD64_WITH ("\x0c\x07\x08\x41", ""), "bad-state");
  expect (AMD64_WITH ("\x0c\x07\x08\xc3", ""), "bad-state");
  expect (AMD64_WITH ("\x0c\x07\x08\xc6", ""), "bad-state");
}

TEST (what_concerns_no_row_is_passed_over)
{
  expect (AMD64 ("\x00\x2e\x10\x41\x2e\xff\x01\x00"), ROW0);
  expect (AMD64 ("\x2e\x10\x41\x0e\x10"), ROW0 "; 1 r7+16 [c-8] same");
  /* Registers far outside any table.  */
  expect (AMD64 ("\x05\xff\xff\xff\x7f\x01\x06\xff\x7f\x07\x80\x40"), ROW0);
}

/* Every instruction takes its operands and no more: what follows is
   executed.  */
TEST (every_instruction_takes_its_operands_and_no_more)
{
  const struct program programs[] = {
    *AMD64 ("\x12\x07\x7f\x0e\x05"),     /* def_cfa_sf */
    *AMD64 ("\x13\x7f\x0e\x05"),         /* def_cfa_offset_sf */
    *AMD64 ("\x0c\x07\x08\x0e\x05"),     /* def_cfa */
    *AMD64 ("\x0d\x07\x0e\x05"),         /* def_cfa_register */
    *AMD64 ("\x05\x03\x02\x0e\x05"),     /* offset_extended */
    *AMD64 ("\x11\x03\x02\x0e\x05"),     /* offset_extended_sf */
    *AMD64 ("\x2f\x03\x02\x0e\x05"),     /* negative_offset_extended */
    *AMD64 ("\x06\x03\x0e\x05"),         /* restore_extended */
    *AMD64 ("\xc3\x0e\x05"),             /* restore */
    *AMD64 ("\x07\x03\x0e\x05"),         /* undefined */
    *AMD64 ("\x08\x03\x0e\x05"),         /* same_value */
    *AMD64 ("\x09\x03\x02\x0e\x05"),     /* register */
    *AMD64 ("\x10\x03\x01\x30\x0e\x05"), /* expression */
    *AMD64 ("\x16\x03\x01\x30\x0e\x05"), /* val_expression */
    *AMD64 ("\x14\x03\x02\x0e\x05"),     /* val_offset */
    *AMD64 ("\x15\x03\x02\x0e\x05"),     /* val_offset_sf */
    *AMD64 ("\x0f\x01\x30\x0c\x07\x05"), /* def_cfa_expression */
    *AMD64 ("\x2e\x80\x10\x0e\x05"),     /* args_size */
    *AMD64 ("\x0a\x0b\x0e\x05"),         /* remember, restore_state */
    *AMD64 ("\x40\x02\x00\x03\x00\x00\x04\x00\x00\x00\x00\x0e\x05"),
  };
  FOR_EACH_ROW (given, programs)
    expect (given, "0 r7+5 [c-8] same");
}

/* What the fast way through frequent instructions must leave to the other.  */
TEST (operands_of_several_bytes_are_read)
{
  expect (AMD64 ("\x41\x83\x03\x0e\x10"), ROW0 "; 1 r7+16 [c-8] same");
  expect (AMD64 ("\x41\x83\x80\x01\x0e\x10"), ROW0 "; 1 r7+16 [c-8] same");
  expect (AMD64 ("\x0e\x80\x01"), "0 r7+128 [c-8] same");
  expect (AMD64 ("\x0e\x85\x02"), "0 r7+261 [c-8] same");
  /* The operand, or its last byte, would be the byte behind the FDE.  */
  expect (AMD64 ("\x41\x00\x00\x00\x00\x00\x83"), ROW0 "; 1 " BAD);
  expect (AMD64 ("\x41\x00\x00\x00\x00\x0e\x80"), ROW0 "; 1 " BAD);
}

TEST (offsets_out_of_range_are_named)
{
  expect (AMD64 ("\x05\x06\x80\x80\x80\x80\x01"),
          "0 r7+8 [c-8] [c-2147483648]");
  expect (AMD64 ("\x05\x06\x81\x80\x80\x80\x01"), "0 r7+8 [c-8] offset-range");
  /* Not -1.  */
  expect (AMD64 ("\x05\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
          "0 r7+8 [c-8] offset-range");
  /* The product does not fit 64 bits.  */
  expect (AMD64 ("\x05\x06\x80\x80\x80\x80\x80\x80\x80\x80\x20"),
          "0 r7+8 [c-8] offset-range");
}

/* An advance that wraps around would go back.  */
TEST (no_advance_wraps_around)
{
  expect (AMD64 ("\x45\x1d\xff\xff\xff\xff\xff\xff\xff\xff\x0e\x10"), ROW0);
  expect (AARCH64 ("\x1d\x01\x00\x00\x00\x00\x00\x00\x40\x0e\x10"),
          "0 r31+0 same same");
  /* To where it is.  */
  expect (AMD64 ("\x01\xd6\xef\xff\xff\x0e\x10"), "0 r7+16 [c-8] same");
}

TEST (an_sp_in_another_register_is_named)
{
  /* s390x: a leaf function keeps r15 in a floating-point register.  */
  expect (S390X ("\x09\x0f\x10"), "0 r15+160 same same");
  /* The CFA is set back to r15 + 160 before r15 is restored.  */
  expect (S390X ("\x09\x0f\x10\x41\x0e\xc8\x02\x41\x0a\x0e\xa0\x01\x41"
                 "\xcf\x41\x0b\x41\xcf\x0e\xa0\x01"),
          "0 r15+160 same same; 1 r15+328 same same; "
          "2 sp-rule same same; 3 r15+160 same same; "
          "4 r15+328 same same; 5 r15+160 same same");
  /* The state with the moved SP is remembered before it has a row.  */
  expect (S390X ("\x09\x0f\x10\x0e\xc8\x02\x0a\xcf\x0e\xa0\x01\x41"
                 "\x0b\x0e\xa0\x01"),
          "0 r15+160 same same; 1 sp-rule same same");
  /* A rule that is set anew says where r15 is from now on.  */
  expect (S390X ("\x09\x0f\x10\x0e\xc8\x02\x41\x0e\xa0\x01\x09\x0f\x11"),
          "0 r15+328 same same; 1 r15+160 same same");
  expect (S390X ("\x16\x0f\x02\x80\x08"), "0 sp-rule same same");
  /* SP keeps its value: true when the CFA is SP + 160.  */
  expect (S390X ("\x08\x0f"), "0 r15+160 same same");
  expect (S390X ("\x0e\xc8\x01\x08\x0f"), "0 sp-rule same same");
  expect (S390X ("\x16\x0f\x02\x7f\x00"), "0 r15+160 same same");
  expect (S390X ("\x0e\xc8\x01\x16\x0f\x02\x7f\x00"), "0 sp-rule same same");
  /* SP = r16 + 0x7fffffff; CFA = SP + 160 only if that wraps around.  */
  expect (S390X ("\x0f\x06\x80\x9f\x81\x80\x80\x78\x16\x0f\x06\x80\xff"
                 "\xff\xff\xff\x07"),
          "0 sp-rule same same");
  /* Of two odd rules the CFA's is named.  */
  expect (AMD64 ("\x0c\x80\x80\x04\x08\x87\x02"),
          "0 register-range [c-8] same");
}

TEST (registers_are_those_of_the_machine)
{
  /* RA_SIGN_STATE is another register elsewhere.  */
  expect (AMD64 ("\x08\x22"), ROW0);
  expect (AARCH64 ("\x41\x08\x22"),
          "0 r31+0 same same; 4 r31+0 ra-signing same");
  /* x30 is one.  */
  expect (AARCH64 ("\x0f\x02\x8e\x10"), "0 r30+16 same same");
  /* The RA column of x86-64 is not a register that could hold a value.  */
  expect (AMD64 ("\x09\x06\x10"), "0 r7+8 [c-8] ra-register");
  expect (AARCH64 ("\x09\x1d\x1e"), "0 r31+0 same r30+0");
  expect (AMD64 ("\x0d\x10\x41\x0c\x10\x10\x41\x0c\x03\x10"),
          "0 cfa-register [c-8] same; 2 r3+16 [c-8] same");
  expect (AARCH64 ("\x0d\x1e"), "0 r30+0 same same");
}

/* Execute INSTRUCTIONS, which are freed.  */
static void
run_long_program (struct cfi_fixture *f, struct buffer *instructions)
{
  put_fde (&f->bytes, put_amd64_cie (&f->bytes), CODE, 1 << 20,
           (const char *)instructions->bytes, instructions->size);
  cfi_fixture_machine (f, &arch_amd64);
  assert_int_equal (cfi_fixture_run (f, 0), REASON_NONE);
  buffer_free (instructions);
}

/* A program of N_ROWS rows, each unlike the one before, and of advances
   without rules.  */
static void
expect_last_reason (unsigned n_rows, unsigned n_advances,
                    enum frame_reason reason)
{
  struct buffer fde;
  struct cfi_fixture f = cfi_fixture_new (false);
  buffer_init (&fde, false);
  for (unsigned i = 1; i < n_rows; i++)
    buffer_append (&fde, i % 2 ? "\x41\x0e\x10" : "\x41\x0e\x18", 3);
  for (unsigned i = 0; i < n_advances; i++)
    buffer_u8 (&fde, 0x41);
  run_long_program (&f, &fde);
  const struct frame_row *last = &f.function.rows[f.function.n_rows - 1];
  assert_int_equal (last->cfa.kind == RULE_UNSUPPORTED ? last->cfa.reason
                                                       : REASON_NONE,
                    reason);
  cfi_fixture_free (&f);
}

/* Row starts have 32 bits.  */
static void
expect_size_reason (uint64_t size, enum frame_reason reason)
{
  struct cfi_fixture f = cfi_fixture_new (false);
  put_fde (&f.bytes, put_amd64_cie (&f.bytes), CODE, 16, "\x41\x0e\x10", 3);
  cfi_fixture_machine (&f, &arch_amd64);
  f.section.fdes[0].size = size;
  assert_int_equal (cfi_fixture_run (&f, 0), reason);
  assert_int_equal (f.function.n_rows, reason == REASON_NONE ? 2 : 0);
  cfi_fixture_free (&f);
}

TEST (row_starts_have_32_bits)
{
  expect_size_reason (0, REASON_EMPTY_RANGE);
  expect_size_reason (UINT32_MAX, REASON_NONE);
  expect_size_reason (UINT64_C (1) << 32, REASON_FUNCTION_SIZE);
  expect_size_reason ((UINT64_C (1) << 32) + 16, REASON_FUNCTION_SIZE);
}

TEST (the_last_of_too_many_rows_is_named)
{
  expect_last_reason (FRAME_ROWS_MAX, 2, REASON_NONE);
  expect_last_reason (FRAME_ROWS_MAX + 1, 2, REASON_FUNCTION_SIZE);
  /* No advance follows the last row.  */
  expect_last_reason (FRAME_ROWS_MAX, 0, REASON_NONE);
  expect_last_reason (FRAME_ROWS_MAX + 1, 0, REASON_FUNCTION_SIZE);
}

/* DW_CFA_advance_loc 1, DW_CFA_def_cfa_offset OFFSET.  */
static void
put_wide_offset (struct buffer *program, unsigned offset)
{
  buffer_append (program, "\x41\x0e", 2);
  buffer_u8 (program, (uint8_t)(offset | 0x80));
  buffer_u8 (program, (uint8_t)(offset >> 7 | 0x80));
  buffer_u8 (program, (uint8_t)(offset >> 14));
}

/* More rules than there are numbers for: rows without a number are kept, too,
   and equal neighbours among them are one row.  */
CFI_TEST (rules_without_numbers_are_kept)
{
  struct buffer program;
  const unsigned n = NUMBERS_MAX + 100;
  buffer_init (&program, false);
  for (unsigned i = 0; i < n; i++)
    put_wide_offset (&program, 100 + i / 2 * 2);
  /* Different in each row: most come when no numbers are left.  */
  for (unsigned i = 0; i < n; i++)
    put_wide_offset (&program, 101 + i * 2);
  for (unsigned i = 0; i < 3; i++)
    buffer_append (&program, "\x41\x0e\x81\x80\x10", 5);
  run_long_program (f, &program);
  assert_int_equal (f->function.n_rows, 1 + n / 2 + n + 1);
}

/* Callee-saved registers, on request: rbx and r12 here.  */
CFI_TEST (saved_registers_are_tracked_on_request)
{
  /* That of rcx, register 2, is nobody's.  */
  static const char fde[]
      = "\x41\x83\x03\x82\x0b\x0a\x41\x8c\x04\x83\x05\x41\x0b\x41"
        "\xc3\x41\x87\x09";
  put_fde (&f->bytes, put_amd64_cie (&f->bytes), CODE, FUNCTION_SIZE, fde,
           sizeof fde - 1);
  cfi_fixture_machine (f, &arch_amd64);
  assert_true (cfa_machine_track_saved (f->machine));
  assert_int_equal (cfi_fixture_run (f, 0), REASON_NONE);
  static const struct
  {
    uint32_t start;
    int32_t rbx, r12; /* offset from the CFA; 0: unchanged */
  } expected[] = {
    { 0, 0, 0 }, { 1, -24, 0 }, { 2, -40, -32 }, { 3, -24, 0 }, { 4, 0, 0 }
  };
  assert_int_equal (f->function.n_saved, 5);
  assert_true (f->function.n_rows >= 5);
  for (size_t i = 0; i < 5; i++)
    {
      const struct frame_rule *saved = frame_function_saved (&f->function, i);
      assert_int_equal (f->function.rows[i].start, expected[i].start);
      assert_int_equal (saved[0].kind,
                        expected[i].rbx ? RULE_DEREF_CFA : RULE_SAME);
      assert_int_equal (saved[0].offset, expected[i].rbx);
      assert_int_equal (saved[1].kind,
                        expected[i].r12 ? RULE_DEREF_CFA : RULE_SAME);
      assert_int_equal (saved[1].offset, expected[i].r12);
    }
}

/* A walk that could not begin has no machine.  */
TEST (a_machine_that_was_not_made_can_be_freed) { cfa_machine_free (NULL); }

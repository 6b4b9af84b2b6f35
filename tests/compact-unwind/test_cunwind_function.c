/* From hand-written CFI and code to compact unwind encodings.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "arch/patterns.h"
#include "cfi/cfi_section.h"
#include "cfi/cfa_opcode.h"
#include "cfi/cfa_program.h"
#include "compact-unwind/section_builder.h"
#include "compact-unwind/encoding.h"
#include "tests/unit/cfi_fixture.h"
#include "tests/unit_test.h"

#define CODE UINT64_C (0x123400000000)
#define FUNCTION_SIZE 100

/* A file that is nothing but one executable segment.  */
struct code
{
  struct image image;
  GElf_Phdr segment;
  uint8_t bytes[FUNCTION_SIZE];
};

static void
code_init (struct code *code, const struct arch *arch, const char *bytes,
           size_t size)
{
  *code = (struct code){ 0 };
  memset (code->bytes, 0x90, sizeof code->bytes);
  if (arch == &arch_aarch64)
    for (size_t i = 0; i < FUNCTION_SIZE; i += 4)
      store_u32 (code->bytes + i, 0xd503201f, false);
  if (size > 0)
    memcpy (code->bytes, bytes, size);
  code->segment = (GElf_Phdr){ .p_type = PT_LOAD,
                               .p_flags = PF_R | PF_X,
                               .p_vaddr = CODE,
                               .p_filesz = FUNCTION_SIZE,
                               .p_memsz = FUNCTION_SIZE };
  code->image = (struct image){ .bytes = code->bytes,
                                .size = FUNCTION_SIZE,
                                .arch = arch,
                                .segments = &code->segment,
                                .n_segments = 1 };
}

struct example
{
  const struct arch *arch;
  const char *fde; /* instructions */
  size_t fde_size;
  const char *code;
  size_t code_size;
  bool signal;
};

static struct cunwind_encoded
encode_example (const struct example *example)
{
  struct code code;
  struct cfi_fixture f = cfi_fixture_new (false);
  bool amd64 = example->arch == &arch_amd64;
  size_t cie = put_cie (&f.bytes, 1, example->signal ? "zRS" : "zR", "\x1b", 1,
                        amd64 ? 1 : 4, 0x78, (uint8_t)example->arch->ra,
                        amd64 ? "\x0c\x07\x08\x90\x01" : "\x0c\x1f\x00",
                        amd64 ? 5 : 3);
  put_fde (&f.bytes, cie, CODE, FUNCTION_SIZE, example->fde,
           example->fde_size);
  cfi_fixture_machine (&f, example->arch);
  assert_int_equal (f.section.n_fdes, 1);
  assert_true (cfa_machine_track_saved (f.machine));
  assert_int_equal (cfi_fixture_run (&f, 0), REASON_NONE);
  code_init (&code, example->arch, example->code, example->code_size);
  struct cunwind_encoded encoded
      = cunwind_encode_function (&code.image, &f.function);
  cfi_fixture_free (&f);
  return encoded;
}

static void
expect (const struct example *example, enum cunwind_reason reason,
        uint32_t encoding)
{
  struct cunwind_encoded encoded = encode_example (example);
  assert_string_equal (cunwind_reason_name (encoded.reason),
                       cunwind_reason_name (reason));
  assert_int_equal (encoded.encoding, encoding);
}

#define EXAMPLE(arch, fde, code)                             \
  &(struct example)                                          \
  {                                                          \
    &arch, fde, sizeof fde - 1, code, sizeof code - 1, false \
  }
#define AMD64(fde, code) EXAMPLE (arch_amd64, fde, code)
#define ARM64(fde) EXAMPLE (arch_aarch64, fde, "")

/* Instructions.  Registers are one byte, offsets below 128.  */
#define AT(n) "\x02" n              /* advance_loc1 */
#define CFA_OFFSET_IS(n) "\x0e" n   /* def_cfa_offset */
#define CFA_IS(reg, n) "\x0c" reg n /* def_cfa */
#define SAVED(reg, n) "\x05" reg n  /* offset_extended, factor -8 */
#define RESTORED(reg) "\x06" reg
#define UNDEFINED(reg) "\x07" reg
#define REMEMBER "\x0a"
#define RESTORE_STATE "\x0b"

#define RBX "\x03"
#define RBP "\x06"
#define RSP "\x07"
#define R12 "\x0c"
#define RA "\x10"

TEST (a_leaf_is_asynchronous)
{
  struct cunwind_encoded encoded = encode_example (AMD64 ("", "\xc3"));
  assert_int_equal (encoded.reason, CUNWIND_EXPRESSED);
  assert_int_equal (encoded.encoding, 0x02010000);
  assert_true (encoded.asynchronous);
  encoded = encode_example (AMD64 (AT ("\x04") CFA_OFFSET_IS ("\x10"), ""));
  assert_int_equal (encoded.encoding, 0x02020000);
  assert_false (encoded.asynchronous);
}

/* push %rbp; mov %rsp,%rbp; push %r12; push %rbx.  */
#define FRAME            \
  AT ("\x01")            \
  CFA_OFFSET_IS ("\x10") \
  SAVED (RBP, "\x02")    \
  AT ("\x03") "\x0d" RBP AT ("\x03") SAVED (R12, "\x03") SAVED (RBX, "\x04")

TEST (frames_of_rbp_are_expressed)
{
  expect (AMD64 (FRAME, ""), CUNWIND_EXPRESSED,
          0x01000000 | 2 << 16 | 2 << 3 | 1);
  /* leave; ret; and code behind it.  */
  expect (AMD64 (FRAME AT ("\x20") REMEMBER CFA_IS (RSP, "\x08") AT ("\x01")
                     RESTORE_STATE,
                 ""),
          CUNWIND_EXPRESSED, 0x01000000 | 2 << 16 | 2 << 3 | 1);
  /* Without mov: RBP is saved like any other register.  */
  expect (AMD64 (AT ("\x01") CFA_OFFSET_IS ("\x10") SAVED (RBP, "\x02"), ""),
          CUNWIND_EXPRESSED, 0x02020400 | 5);
}

TEST (odd_frames_of_rbp_are_refused)
{
  expect (AMD64 (AT ("\x01") CFA_IS (RBP, "\x20") SAVED (RBP, "\x02"), ""),
          CUNWIND_CFA_RULE, 0);
  expect (AMD64 (AT ("\x01") CFA_IS (RBP, "\x10"), ""), CUNWIND_CFA_RULE, 0);
  expect (AMD64 (AT ("\x01") CFA_IS (R12, "\x10"), ""), CUNWIND_CFA_RULE, 0);
  /* R12 six words from RBX.  */
  expect (AMD64 (AT ("\x01") CFA_IS (RBP, "\x10") SAVED (RBP, "\x02")
                     SAVED (R12, "\x03") SAVED (RBX, "\x09"),
                 ""),
          CUNWIND_SAVED_PLACE, 0);
  /* RA undefined; RBX in R12; RBX = CFA - 8.  */
  expect (AMD64 (UNDEFINED (RA), ""), CUNWIND_RA_RULE, 0);
  expect (AMD64 ("\x09" RBX R12, ""), CUNWIND_SAVED_RULE, 0);
  expect (AMD64 ("\x14" RBX "\x01", ""), CUNWIND_SAVED_RULE, 0);
}

TEST (signal_frames_are_refused)
{
  struct example example = *AMD64 ("", "");
  example.signal = true;
  expect (&example, CUNWIND_SIGNAL_FRAME, 0);
}

/* push %rbp; push %rbx; sub $24,%rsp.  */
#define PUSHES           \
  AT ("\x01")            \
  CFA_OFFSET_IS ("\x10") \
  SAVED (RBP, "\x02")    \
  AT ("\x01")            \
  CFA_OFFSET_IS ("\x18") SAVED (RBX, "\x03") AT ("\x04") CFA_OFFSET_IS ("\x30")
/* Their number: RBX is 1, first; then RBP is the fifth of those left.  */
#define PUSHES_ENCODING (0x02000000 | 6 << 16 | 2 << 10 | 4)

TEST (frameless_functions_are_expressed)
{
  expect (AMD64 (PUSHES, ""), CUNWIND_EXPRESSED, PUSHES_ENCODING);
  /* The epilogue, and the body again.  */
  expect (AMD64 (PUSHES AT ("\x10") REMEMBER CFA_OFFSET_IS ("\x18") AT ("\x01")
                     RESTORED (RBX) CFA_OFFSET_IS ("\x10") AT ("\x01")
                         RESTORED (RBP) CFA_OFFSET_IS ("\x08") AT ("\x01")
                             RESTORE_STATE,
                 ""),
          CUNWIND_EXPRESSED, PUSHES_ENCODING);
  /* A register below a gap.  */
  expect (AMD64 (AT ("\x01") CFA_OFFSET_IS ("\x30") SAVED (RBX, "\x04"), ""),
          CUNWIND_SAVED_PLACE, 0);
}

#define CALL "\xe8\x00\x00\x00\x00" /* of the next instruction */
#define NOPS4 "\x90\x90\x90\x90"
#define NOPS16 NOPS4 NOPS4 NOPS4 NOPS4

/* Calls may be made only where the encoding holds.  */
TEST (calls_are_made_only_where_the_encoding_holds)
{
  expect (AMD64 (PUSHES, NOPS16 CALL), CUNWIND_EXPRESSED, PUSHES_ENCODING);
  /* In the prologue: directly, through a register, through memory.  */
#define LATE AT ("\x10") CFA_OFFSET_IS ("\x10") SAVED (RBX, "\x02")
  expect (AMD64 (LATE, NOPS4 CALL), CUNWIND_CALL_OUTSIDE, 0);
  expect (AMD64 (LATE, NOPS4 "\xff\xd0"), CUNWIND_CALL_OUTSIDE, 0);
  expect (AMD64 (LATE, NOPS4 "\xff\x53\x08"), CUNWIND_CALL_OUTSIDE, 0);
  expect (AMD64 (LATE, NOPS4 "\x41\xff\xd4"), CUNWIND_CALL_OUTSIDE, 0);
  /* The last instruction of the row, and the first of the body.  */
  expect (AMD64 (LATE, NOPS4 NOPS4 "\x90\x90\x90" CALL), CUNWIND_CALL_OUTSIDE,
          0);
  expect (AMD64 (LATE, NOPS16 CALL), CUNWIND_EXPRESSED, 0x02020400);
  /* jmp and push through memory, and a displacement that leads nowhere.  */
  expect (AMD64 (LATE, NOPS4 "\xff\xe0\xff\x73\x08"), CUNWIND_EXPRESSED,
          0x02020400);
  expect (AMD64 (LATE, "\x48\x89\xe8\x45\x12\x33\x71\x90"), CUNWIND_EXPRESSED,
          0x02020400);
  /* After the epilogue, in a smaller frame than the body's.  */
  expect (AMD64 (PUSHES AT ("\x02") RESTORED (RBX) RESTORED (RBP)
                     CFA_OFFSET_IS ("\x10"),
                 NOPS16 CALL),
          CUNWIND_CALL_OUTSIDE, 0);
}

/* Instructions whose bytes look like calls to who does not decode them.  */
TEST (what_looks_like_a_call_is_none)
{
  /* mov $-1,%esi; push %rbx.  And jmp with a displacement that holds e8.  */
  expect (AMD64 (LATE, "\xbe\xff\xff\xff\xff\x53"), CUNWIND_EXPRESSED,
          0x02020400);
  expect (AMD64 (LATE, "\xe9\xe8\x01\x00\x00\x00\x00"), CUNWIND_EXPRESSED,
          0x02020400);
  /* What cannot be decoded is searched: the e8 leads to code here.  */
  expect (AMD64 (LATE, "\x06\xe9\xe8\x01\x00\x00\x00\x00"),
          CUNWIND_CALL_OUTSIDE, 0);
  /* An instruction that does not end where the row does: the same.  */
  expect (AMD64 (LATE, NOPS4 NOPS4 "\x90\xff\xd0\x90\x90\x90\x90\xe9"),
          CUNWIND_CALL_OUTSIDE, 0);
}

/* Where bytes are searched for a call, it may begin at any of them, and needs
   no more than are there.  */
TEST (calls_are_searched_for_up_to_the_last_byte)
{
#define UNKNOWN "\x06" NOPS4 NOPS4
  expect (AMD64 (LATE, UNKNOWN NOPS4 "\x90\xff\xd0"), CUNWIND_CALL_OUTSIDE, 0);
  expect (AMD64 (LATE, UNKNOWN NOPS4 "\x90\xff\x1b"), CUNWIND_CALL_OUTSIDE, 0);
  expect (AMD64 (LATE, UNKNOWN NOPS4 "\x90\xff\xe0"), CUNWIND_EXPRESSED,
          0x02020400);
  /* Half of it is behind the row.  */
  expect (AMD64 (LATE, UNKNOWN NOPS4 "\x90\x90\xff\xd0"), CUNWIND_EXPRESSED,
          0x02020400);
  expect (AMD64 (LATE, UNKNOWN "\x90\x90\x90" CALL), CUNWIND_EXPRESSED,
          0x02020400);
  /* What decides is the instruction that the row ends within.  */
  expect (AMD64 (LATE, "\x48\xbb\xe8\0\0\0\0\0\0\0" NOPS4 "\x90\xb8"),
          CUNWIND_CALL_OUTSIDE, 0);
  expect (AMD64 (LATE, "\x48\xbb\xe8\0\0\0\0\0\0\0" NOPS4 "\x90\x90"),
          CUNWIND_EXPRESSED, 0x02020400);
  expect (AMD64 (LATE, CALL), CUNWIND_CALL_OUTSIDE, 0);
  /* To the segment's first byte, and in front of it; to its last byte, and
     behind it.  */
  expect (AMD64 (LATE, UNKNOWN "\x90\x90\xe8\xf0\xff\xff\xff"),
          CUNWIND_CALL_OUTSIDE, 0);
  expect (AMD64 (LATE, UNKNOWN "\x90\x90\xe8\xef\xff\xff\xff"),
          CUNWIND_EXPRESSED, 0x02020400);
  expect (AMD64 (LATE, UNKNOWN "\x90\x90\xe8\x53\0\0\0"), CUNWIND_CALL_OUTSIDE,
          0);
  expect (AMD64 (LATE, UNKNOWN "\x90\x90\xe8\x54\0\0\0"), CUNWIND_EXPRESSED,
          0x02020400);
}

/* A call of what is not code is none, though the file has bytes there.  */
TEST (calls_lead_to_code)
{
  static const char bytes[] = UNKNOWN "\xe8\x22\0\0\0";
  struct code code;
  code_init (&code, &arch_amd64, bytes, sizeof bytes - 1);
  assert_false (cunwind_code_has_no_call (&code.image, CODE, 16));
  GElf_Phdr segments[] = { code.segment, code.segment };
  segments[0].p_filesz = segments[0].p_memsz = 48;
  segments[1].p_offset = 48;
  segments[1].p_vaddr += 48;
  segments[1].p_filesz = segments[1].p_memsz = FUNCTION_SIZE - 48;
  segments[1].p_flags = PF_R;
  code.image.segments = segments;
  code.image.n_segments = 2;
  assert_true (cunwind_code_has_no_call (&code.image, CODE, 16));
  segments[1].p_flags |= PF_X;
  assert_false (cunwind_code_has_no_call (&code.image, CODE, 16));
}

/* Of what the file does not have, as of half an instruction, nothing is
   known.  */
TEST (code_that_is_not_there_may_make_calls)
{
  const struct arch *const machines[] = { &arch_amd64, &arch_aarch64 };
  for (size_t i = 0; i < 2; i++)
    {
      struct code code;
      code_init (&code, machines[i], "", 0);
      assert_true (
          cunwind_code_has_no_call (&code.image, CODE, FUNCTION_SIZE));
      assert_true (
          cunwind_code_has_no_call (&code.image, CODE + FUNCTION_SIZE - 4, 4));
      assert_false (
          cunwind_code_has_no_call (&code.image, CODE, FUNCTION_SIZE + 4));
      assert_false (
          cunwind_code_has_no_call (&code.image, CODE + FUNCTION_SIZE - 4, 8));
      assert_false (cunwind_code_has_no_call (&code.image, CODE - 4, 8));
      assert_int_equal (cunwind_code_has_no_call (&code.image, CODE, 6),
                        i == 0);
    }
}

TEST (arm64_calls_are_looked_for_in_each_instruction)
{
  for (size_t at = 0; at < 16; at += 4)
    {
      struct code code;
      code_init (&code, &arch_aarch64, "", 0);
      store_u32 (code.bytes + at, 0x94000001, false); /* bl */
      for (size_t size = 0; size <= 16; size += 4)
        assert_int_equal (cunwind_code_has_no_call (&code.image, CODE, size),
                          size <= at);
      assert_true (cunwind_code_has_no_call (&code.image, CODE + at + 4, 16));
    }
}

TEST (changes_in_the_body_are_named)
{
  /* RBX is saved again elsewhere.  */
  expect (AMD64 (PUSHES AT ("\x10") SAVED (RBX, "\x05"), ""),
          CUNWIND_BODY_CHANGES, 0);
  /* The frame grows while registers come back.  */
  expect (AMD64 (PUSHES AT ("\x10") RESTORED (RBX) CFA_OFFSET_IS ("\x40"), ""),
          CUNWIND_BODY_CHANGES, 0);
  /* Before the body, too.  */
  expect (AMD64 (AT ("\x01") CFA_OFFSET_IS ("\x40") AT ("\x01")
                     CFA_OFFSET_IS ("\x10") SAVED (RBX, "\x02"),
                 ""),
          CUNWIND_BODY_CHANGES, 0);
  /* Pushed arguments: the deepest row is taken for the body, and calls in
     others are not.  */
  expect (AMD64 (PUSHES AT ("\x20") CFA_OFFSET_IS ("\x40") AT ("\x08")
                     CFA_OFFSET_IS ("\x30"),
                 ""),
          CUNWIND_EXPRESSED, PUSHES_ENCODING + (2 << 16));
  expect (AMD64 (PUSHES AT ("\x20") CFA_OFFSET_IS ("\x40") AT ("\x08")
                     CFA_OFFSET_IS ("\x30"),
                 NOPS16 CALL),
          CUNWIND_CALL_OUTSIDE, 0);
}

/* push %rbx; sub $0x1000,%rsp.  CFA = SP + 0x1010.  */
#define LARGE            \
  AT ("\x01")            \
  CFA_OFFSET_IS ("\x10") \
  SAVED (RBX, "\x02") AT ("\x07") CFA_OFFSET_IS ("\x90\x20")
#define SUB "\x53\x48\x81\xec"

TEST (a_large_stack_is_read_from_the_code)
{
  expect (AMD64 (LARGE, SUB "\x00\x10\x00\x00"), CUNWIND_EXPRESSED,
          0x03000000 | 4 << 16 | 2 << 13 | 1 << 10);
  /* Another number in the code, another instruction, another place.  */
  expect (AMD64 (LARGE, SUB "\x00\x20\x00\x00"), CUNWIND_STACK_SIZE, 0);
  expect (AMD64 (LARGE, "\x53\x48\x81\xe8\x00\x10\x00\x00"),
          CUNWIND_STACK_SIZE, 0);
  expect (AMD64 (LARGE, "\x90" SUB "\x00\x10\x00\x00"), CUNWIND_STACK_SIZE, 0);
}

TEST (an_unaligned_stack_is_refused)
{
  expect (AMD64 (AT ("\x01") CFA_OFFSET_IS ("\x14"), ""), CUNWIND_STACK_SIZE,
          0);
}

#define X19 "\x13"
#define X20 "\x14"
#define FP "\x1d"
#define LR "\x1e"
#define SP "\x1f"

TEST (arm64_frames_are_expressed_or_refused)
{
  expect (ARM64 (""), CUNWIND_EXPRESSED, 0x02000000);
  expect (ARM64 (AT ("\x01") CFA_OFFSET_IS ("\x40")), CUNWIND_EXPRESSED,
          0x02004000);
  /* clang's frame for Apple: x29 and x30 on top, the pairs below.  */
#define TOP CFA_IS (FP, "\x10") SAVED (FP, "\x02") SAVED (LR, "\x01")
  expect (ARM64 (AT ("\x02") TOP), CUNWIND_EXPRESSED, 0x04000000);
  expect (ARM64 (AT ("\x02") TOP SAVED (X19, "\x03") SAVED (X20, "\x04")),
          CUNWIND_EXPRESSED, 0x04000001);
  expect (ARM64 (AT ("\x02") TOP SAVED (X20, "\x03") SAVED (X19, "\x04")),
          CUNWIND_SAVED_PLACE, 0);
  /* gcc's: x29 and x30 at the bottom.  */
  expect (ARM64 (AT ("\x02") CFA_IS (FP, "\x20") SAVED (FP, "\x04")
                     SAVED (LR, "\x03")),
          CUNWIND_CFA_RULE, 0);
  expect (ARM64 (AT ("\x02") CFA_OFFSET_IS ("\x20") SAVED (FP, "\x04")
                     SAVED (LR, "\x03")),
          CUNWIND_RA_RULE, 0);
  /* x30 elsewhere; x19 saved by a leaf; a signed return address.  */
  expect (ARM64 (AT ("\x02") CFA_IS (FP, "\x10") SAVED (FP, "\x02")
                     SAVED (LR, "\x03")),
          CUNWIND_RA_RULE, 0);
  expect (ARM64 (AT ("\x01") CFA_OFFSET_IS ("\x10") SAVED (X19, "\x02")),
          CUNWIND_SAVED_PLACE, 0);
  expect (ARM64 (AT ("\x01") "\x2d" AT ("\x01") TOP), CUNWIND_RA_SIGNED, 0);
  expect (ARM64 (AT ("\x01") CFA_OFFSET_IS ("\x18")), CUNWIND_STACK_SIZE, 0);
}

/* A frameless function may save all that it must preserve, and FP.  */
TEST (arm64_may_save_every_register)
{
  const struct arch *arch = &arch_aarch64;
  char fde[3 * (SAVED_REGISTERS_MAX + 1)];
  size_t size = 0;
  for (unsigned i = 0; i <= arch->n_saved_registers; i++)
    {
      unsigned reg
          = i < arch->n_saved_registers ? arch->saved_registers[i] : arch->fp;
      fde[size++] = CFA_OFFSET_EXTENDED;
      fde[size++] = (char)reg;
      fde[size++] = (char)(i + 1);
    }
  expect (&(struct example){ .arch = arch, .fde = fde, .fde_size = size },
          CUNWIND_SAVED_PLACE, 0);
}

TEST (arm64_calls_outside_of_the_body_are_refused)
{
  struct example example = *ARM64 (AT ("\x02") TOP);
  static const struct
  {
    const char *code;
    enum cunwind_reason reason;
  } cases[] = {
    { "\x01\x00\x00\x94", CUNWIND_CALL_OUTSIDE }, /* bl */
    { "\x00\x00\x3f\xd6", CUNWIND_CALL_OUTSIDE }, /* blr x0 */
    { "\x11\x0a\x3f\xd7", CUNWIND_CALL_OUTSIDE }, /* blraa x16, x17 */
    { "\x1f\x0a\x3f\xd6", CUNWIND_CALL_OUTSIDE }, /* blraaz x16 */
    { "\x01\x00\x00\x14", CUNWIND_EXPRESSED },    /* b */
    { "\x00\x00\x1f\xd6", CUNWIND_EXPRESSED },    /* br x0 */
  };
  FOR_EACH_ROW (given, cases)
    {
      example.code = given->code;
      example.code_size = 4;
      expect (&example, given->reason,
              given->reason == CUNWIND_EXPRESSED ? 0x04000000 : 0);
    }
}

/* Personality and LSDA.  */

static void
put_pcrel (struct buffer *bytes, uint64_t target)
{
  buffer_u32 (bytes, (uint32_t)(target - (SECTION_ADDRESS + bytes->size)));
}

/* A "zPLR" CIE whose personality is at SLOT, with ENCODING.  */
static size_t
put_personality_cie (struct buffer *bytes, uint8_t encoding, uint64_t slot)
{
  size_t start = bytes->size;
  buffer_u32 (bytes, 0);
  buffer_u32 (bytes, 0);
  buffer_u8 (bytes, 1);
  put (bytes, "zPLR\0\x01\x78\x10\x07", 9);
  buffer_u8 (bytes, encoding);
  put_pcrel (bytes, slot);
  put (bytes, "\x1b\x1b\x0c\x07\x08\x90\x01", 7);
  end_entry (bytes, start);
  return start;
}

static void
put_lsda_fde (struct buffer *bytes, size_t cie, uint64_t address,
              uint64_t lsda)
{
  size_t start = bytes->size;
  buffer_u32 (bytes, 0);
  buffer_u32 (bytes, (uint32_t)(start + 4 - cie));
  put_pcrel (bytes, address);
  buffer_u32 (bytes, 10);
  buffer_u8 (bytes, 4);
  if (lsda != 0)
    put_pcrel (bytes, lsda);
  else
    buffer_u32 (bytes, 0);
  end_entry (bytes, start);
}

/* Put everything in BYTES through a section and give its entries to
   ENCODINGS.  */
static size_t
section_of (const struct buffer *bytes, struct cunwind_entry *entries,
            struct cunwind_section *section)
{
  struct cfi_section cfi;
  struct frame_function function = { 0 };
  struct error err = { 0 };
  struct code code;
  const struct padding_finder padding
      = { .image = &code.image, .patterns = arch_patterns_of (EM_X86_64) };
  code_init (&code, &arch_amd64, "", 0);
  assert_true (eh_frame_read (&cfi, &arch_amd64, bytes->bytes, bytes->size,
                              SECTION_ADDRESS, &err));
  struct cfa_machine *machine = cfa_machine_new (&cfi);
  assert_true (cfa_machine_track_saved (machine));
  assert_true (
      cunwind_section_init (section, &code.image, &cfi, &padding, &err));
  for (size_t i = 0; i < cfi.n_fdes; i++)
    {
      enum frame_reason reason;
      assert_true (
          cfa_machine_run (machine, &cfi.fdes[i], &function, &reason, &err));
      assert_true (
          cunwind_section_add (section, &cfi.fdes[i], &function, &err));
    }
  size_t n = section->info.n;
  memcpy (entries, section->info.entries, n * sizeof *entries);
  frame_function_free (&function);
  cfa_machine_free (machine);
  cfi_section_free (&cfi);
  cunwind_section_free (section);
  return n;
}

TEST (personalities_and_lsdas_are_kept)
{
  struct buffer bytes;
  struct cunwind_entry entries[8];
  struct cunwind_section section;
  buffer_init (&bytes, false);
  size_t cie = put_personality_cie (&bytes, 0x9b, CODE + 0x5000);
  put_lsda_fde (&bytes, cie, CODE, CODE + 0x6000);
  put_lsda_fde (&bytes, cie, CODE + 10, 0);
  put_lsda_fde (&bytes, cie, CODE + 20, CODE + 0x6100);
  /* Behind them, one that has neither.  */
  put_fde (&bytes, put_amd64_cie (&bytes), CODE + 30, 10, "", 0);
  assert_int_equal (section_of (&bytes, entries, &section), 4);
  assert_int_equal (section.info.n_personalities, 1);
  assert_int_equal (section.info.personalities[0], 0x5000);
  assert_int_equal (section.info.n_lsdas, 2);
  assert_int_equal (entries[0].encoding, 0x52010000);
  assert_int_equal (entries[0].lsda, 0x6000);
  assert_int_equal (entries[1].encoding, 0x12010000);
  assert_int_equal (entries[2].encoding, 0x52010000);
  assert_int_equal (entries[2].lsda, 0x6100);
  assert_int_equal (entries[3].encoding, 0x02010000);
  assert_int_equal (entries[3].lsda, 0);
  assert_int_equal (section.bytes_kept, 0);
  buffer_free (&bytes);
}

/* No-ops between functions are padding, if they are 15 bytes or less.  */
TEST (code_between_functions_has_an_empty_entry)
{
  struct buffer bytes;
  struct cunwind_entry entries[8];
  struct cunwind_section section;
  buffer_init (&bytes, false);
  size_t cie = put_amd64_cie (&bytes);
  put_fde (&bytes, cie, CODE, 10, "", 0);
  put_fde (&bytes, cie, CODE + 20, 10, "", 0);
  put_fde (&bytes, cie, CODE + 46, 10, "", 0);
  assert_int_equal (section_of (&bytes, entries, &section), 3);
  assert_int_equal (entries[0].function, 0);
  assert_int_equal (entries[1].function, 30);
  assert_int_equal (entries[1].encoding, 0);
  assert_int_equal (entries[2].function, 46);
  assert_int_equal (entries[2].encoding, entries[0].encoding);
  buffer_free (&bytes);
}

TEST (the_fourth_personality_stays_in_dwarf)
{
  struct buffer bytes;
  struct cunwind_entry entries[8];
  struct cunwind_section section;
  size_t cie = 0, before = 0;
  buffer_init (&bytes, false);
  for (unsigned i = 0; i < 4; i++)
    {
      before = bytes.size;
      cie = put_personality_cie (&bytes, 0x9b, CODE + 0x5000 + 8 * i);
      put_lsda_fde (&bytes, cie, CODE + 10 * i, CODE + 0x6000);
    }
  assert_int_equal (section_of (&bytes, entries, &section), 4);
  assert_int_equal (section.by_reason[CUNWIND_PERSONALITY], 1);
  assert_int_equal (entries[2].encoding, 0x72010000);
  /* The escape: no personality, no LSDA, the FDE's offset.  */
  assert_int_equal (entries[3].encoding >> 24, 4);
  assert_int_equal (section.bytes_kept, bytes.size - before);
  buffer_free (&bytes);
}

TEST (what_is_not_expressed_stays_in_dwarf)
{
  struct buffer bytes;
  struct cunwind_entry entries[8];
  struct cunwind_section section;
  buffer_init (&bytes, false);
  size_t cie = put_amd64_cie (&bytes), fde = bytes.size;
  put_fde (&bytes, cie, CODE, 10, UNDEFINED (RA), 2);
  assert_int_equal (section_of (&bytes, entries, &section), 1);
  assert_int_equal (section.by_reason[CUNWIND_RA_RULE], 1);
  assert_int_equal (entries[0].encoding, 0x04000000 | fde);
  assert_int_equal (section.bytes_kept, bytes.size);
  buffer_free (&bytes);
}

/* A personality by its own address has no pointer that could be named.  */
TEST (a_personality_by_its_own_address_is_refused)
{
  struct buffer bytes;
  struct cunwind_entry entries[8];
  struct cunwind_section section;
  buffer_init (&bytes, false);
  size_t cie = put_personality_cie (&bytes, 0x1b, CODE + 0x5000);
  put_lsda_fde (&bytes, cie, CODE, CODE + 0x6000);
  assert_int_equal (section_of (&bytes, entries, &section), 1);
  assert_int_equal (section.by_reason[CUNWIND_LSDA], 1);
  assert_int_equal (section.info.n_personalities, 0);
  buffer_free (&bytes);
}

/* Functions made of what the code says, among those that are known already
   (src/convert/code_evidence).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/elf_sframe.h"
#include "cfi/source.h"
#include "analysis/code.h"
#include "analysis/starts.h"
#include "convert/code_evidence.h"
#include "tests/unit/elf_builder.h"
#include "tests/unit/failing_allocations.h"
#include "tests/unit_test.h"

/* ---- Functions */

#ifdef CODE_ANALYSIS

enum
{
  F = 0x1000, /* three instructions each */
  G = 0x100c,
  END = 0x1018
};

/* A program, its CFI, and what its code says.  */
static struct
{
  struct elf_builder elf;
  struct image image;
  struct cfi_source source;
  struct code_evidence rows;
} f;

static const struct cfi_options cfi_options
    = { .debug_info = CFI2SFRAME_DEBUG_INFO_OWN };

static void
close_fixture (void)
{
  if (f.image.elf == NULL)
    return;
  if (f.rows.functions != UINT64_C (0xa5a5a5a5a5a5a5a5))
    code_evidence_free (&f.rows);
  cfi_source_close (&f.source);
  image_close (&f.image);
  f.image.elf = NULL;
}

static int
tear_down (void **state)
{
  (void)state;
  close_fixture ();
  return 0;
}

#  define FIXTURE_TEST(name) TEST_BETWEEN (NULL, tear_down, name)

/* A program of two functions that push and pop 16 bytes.  */
static void
open_fixture (void)
{
  static const uint32_t code[]
      = { 0xd10043ff, 0x910043ff, 0xd65f03c0,   /* sub; add; ret */
          0xa9bf7bfd, 0xa8c17bfd, 0xd65f03c0 }; /* stp; ldp; ret */
  struct error err = { 0 };
  close_fixture ();
  memset (&f, 0, sizeof f);
  elf_builder_program (&f.elf, EM_AARCH64, false);
  memset (f.elf.bytes + F, 0, 0x100);
  for (size_t i = 0; i < N_OF (code); i++)
    store_u32 (f.elf.bytes + F + 4 * i, code[i], false);
  elf_builder_symbol (&f.elf, 1, ".text", STT_FUNC, F);
  elf_builder_symbol (&f.elf, 2, ".text", STT_FUNC, G);
  /* Nobody called what is at a program's entry.  */
  f.elf.header.e_entry = F + 0x80;
  elf_builder_finish (&f.elf);
  assert_true (image_open_memory (&f.image, f.elf.bytes, f.elf.size, &err));
  assert_true (
      code_evidence_open_source (&f.source, &f.image, &cfi_options, &err));
  assert_int_equal (err.status, CFI2SFRAME_OK);
  assert_ptr_equal (f.source.cfi.arch, f.image.arch);
  /* A source without CFI has no name for what it is of.  */
  f.source.image = &f.image;
  /* Whatever stood there before has no part in what is found.  */
  memset (&f.rows, 0xa5, sizeof f.rows);
}

/* A stub that was known before, with SP + 16.  */
static void
add_stub (uint64_t address, uint32_t size)
{
  struct frame_functions *plt = &f.source.stubs;
  const struct frame_row row = { .cfa = { RULE_REG, 0, 31, 16 } };
  plt->functions = reallocarray (plt->functions, plt->n_functions + 1,
                                 sizeof *plt->functions);
  struct frame_function *stub = &plt->functions[plt->n_functions++];
  plt->capacity = plt->n_functions;
  *stub = (struct frame_function){ .address = address,
                                   .size = size,
                                   .from_plt = true };
  assert_true (frame_function_append (stub, &row));
}

/* What is found, each as "address+size", with a P if it was a stub, and the
   number of its rows.  */
static void
expect (const char *expected)
{
  static const struct code_evidence_request add = { .add = true };
  struct error err = { 0 };
  char found[200] = "";
  assert_true (code_evidence_make (&f.rows, &f.source, &add, &err));
  const struct frame_functions *stubs = &f.source.stubs;
  const struct frame_functions *code = &f.source.found;
  for (size_t i = 0, j = 0; i < stubs->n_functions || j < code->n_functions;)
    {
      bool is_stub
          = j == code->n_functions
            || (i < stubs->n_functions
                && stubs->functions[i].address < code->functions[j].address);
      const struct frame_function *function
          = is_stub ? &stubs->functions[i] : &code->functions[j];
      snprintf (found + strlen (found), sizeof found - strlen (found),
                "%s%x+%x%s:%u", i + j > 0 ? " " : "",
                (unsigned)function->address, function->size,
                is_stub ? "P" : "", (unsigned)function->n_rows);
      *(is_stub ? &i : &j) += 1;
    }
  assert_string_equal (found, expected);
}

/* Go on aarch64 keeps the caller's FP one word below SP.  */
TEST (no_row_reads_below_the_stack_pointer)
{
  struct frame_row row
      = { .cfa = { .kind = RULE_REG, .offset = 64, .reg = arch_aarch64.sp },
          .ra = { .kind = RULE_DEREF_CFA, .offset = -64 } };
  assert_false (code_row_reads_below_sp (&row, &arch_aarch64));
  row.ra.offset = -80;
  assert_true (code_row_reads_below_sp (&row, &arch_aarch64));
  row.ra.offset = -8;
  row.fp = (struct frame_rule){ .kind = RULE_DEREF_CFA, .offset = -72 };
  assert_false (code_row_reads_below_sp (&row, &arch_aarch64));
  row.fp.offset = -73;
  assert_true (code_row_reads_below_sp (&row, &arch_aarch64));
  row.cfa.reg = arch_aarch64.fp; /* SP is anywhere below */
  assert_false (code_row_reads_below_sp (&row, &arch_aarch64));
}

FIXTURE_TEST (code_becomes_functions)
{
  open_fixture ();
  expect ("1000+c:3 100c+c:3");
  assert_int_equal (f.rows.functions, 2);
  const struct frame_row *rows = f.source.found.functions[1].rows;
  assert_int_equal (rows[0].start, 0);
  assert_int_equal (rows[1].start, 4);
  assert_int_equal (rows[1].cfa.offset, 16);
  assert_int_equal (rows[2].start, 8);
  assert_int_equal (rows[2].cfa.offset, 0);
}

FIXTURE_TEST (stubs_beside_code_stay)
{
  open_fixture ();
  add_stub (END, 16);
  expect ("1000+c:3 100c+c:3 1018+10P:1");
  open_fixture ();
  add_stub (G, 12);
  expect ("1000+c:3 100c+cP:1");
  assert_int_equal (f.rows.functions, 1);
}

/* A program with the six instructions of CODE.  */
static void
open_program_of (const uint32_t *code, uint64_t second)
{
  struct error err = { 0 };
  open_fixture ();
  cfi_source_close (&f.source);
  image_close (&f.image);
  for (size_t i = 0; i < 6; i++)
    store_u32 (f.elf.bytes + F + 4 * i, code[i], false);
  elf_builder_symbol (&f.elf, 2, ".text", STT_FUNC, second);
  f.source = (struct cfi_source){ 0 };
  assert_true (image_open_memory (&f.image, f.elf.bytes, f.elf.size, &err));
  assert_true (
      code_evidence_open_source (&f.source, &f.image, &cfi_options, &err));
  f.source.image = &f.image;
}

/* On another stack nobody knows where the frame is: no row says so.  */
FIXTURE_TEST (code_on_another_stack_has_no_rows)
{
  static const uint32_t code[]
      = { 0x910003e9, 0x9100001f, 0xd503201f,   /* mov x9, sp; mov sp, x0 */
          0x9100013f, 0xd65f03c0, 0x00000000 }; /* mov sp, x9; ret */
  open_program_of (code, F);
  expect ("1000+8:1 1010+4:1");
}

/* The same row holds in both, and yet they are two.  */
FIXTURE_TEST (functions_without_a_frame_are_not_one)
{
  static const uint32_t code[]
      = { 0xd503201f, 0xd503201f, 0xd65f03c0, /* nop; nop; ret */
          0xd503201f, 0xd503201f, 0xd65f03c0 };
  open_program_of (code, G);
  expect ("1000+c:1 100c+c:1");
  assert_int_equal (f.rows.functions, 2);
}

/* F goes on in the middle of what is known.  */
FIXTURE_TEST (known_code_has_no_further_rows)
{
  static const uint32_t code[]
      = { 0xd10043ff, 0x14000003, 0x00000000,   /* sub; b G + 4 */
          0xa9bf7bfd, 0x910043ff, 0xd65f03c0 }; /* stp; add; ret */
  open_program_of (code, F);
  add_stub (G, 12);
  expect ("1000+8:2 100c+cP:1");
  assert_int_equal (f.rows.functions, 1);
}

/* Between stubs, too, and what is in front of where the function starts.  */
FIXTURE_TEST (code_is_cut_by_all_that_is_known)
{
  static const uint32_t code[]
      = { 0x14000002, 0x00000000, 0x14000002,   /* b F + 8; stub; b F + 16 */
          0x00000000, 0xd503201f, 0xd65f03c0 }; /* stub; nop; ret */
  static const uint32_t backwards[]
      = { 0xd503201f, 0xd65f03c0, 0x00000000,   /* nop; ret */
          0xd503201f, 0x17fffffc, 0x00000000 }; /* G: nop; b F */
  open_program_of (code, F);
  add_stub (F + 4, 4);
  add_stub (F + 12, 4);
  expect ("1000+4:1 1004+4P:1 1008+4:1 100c+4P:1 1010+8:1");
  open_program_of (backwards, G);
  elf_builder_symbol (&f.elf, 1, ".text", STT_FUNC, G);
  expect ("1000+8:1 100c+8:1");
  assert_int_equal (f.rows.functions, 2);
}

/* What is in front of G, the only start, is not part of it.  */
FIXTURE_TEST (code_in_front_of_a_start_is_another_function)
{
  static const uint32_t code[]
      = { 0xd503201f, 0xd503201f, 0xd65f03c0,   /* nop; nop; ret */
          0x17fffffd, 0x00000000, 0x00000000 }; /* G: b F */
  open_program_of (code, G);
  elf_builder_symbol (&f.elf, 1, ".text", STT_FUNC, G);
  expect ("1000+c:1 100c+4:1");
}

/* Two stubs lie between the rows of one function and those of the next.  */
FIXTURE_TEST (code_behind_several_stubs_begins_behind_them)
{
  static const uint32_t code[]
      = { 0xd65f03c0, 0x00000000, 0x00000000,   /* ret; two stubs */
          0x00000000, 0xd503201f, 0xd65f03c0 }; /* nop; ret */
  open_program_of (code, F + 16);
  add_stub (F + 4, 4);
  add_stub (F + 8, 4);
  expect ("1000+4:1 1004+4P:1 1008+4P:1 1010+8:1");
}

/* A path enters a stub in the middle and goes on behind it.  */
FIXTURE_TEST (code_behind_a_stub_that_was_entered_stays)
{
  static const uint32_t code[]
      = { 0xd503201f, 0x14000002, 0x00000000,   /* nop; b F + 12; stub */
          0xd503201f, 0xd503201f, 0xd65f03c0 }; /* nop; nop; ret */
  open_program_of (code, F);
  add_stub (F + 8, 8);
  expect ("1000+8:1 1008+8P:1 1010+8:1");
}

FIXTURE_TEST (what_is_not_asked_for_is_not_found)
{
  for (unsigned add = 0; add < 2; add++)
    {
      const struct code_evidence_request request
          = { .add = add, .verify = true };
      struct error err = { 0 };
      open_fixture ();
      add_stub (G, 12);
      assert_true (code_evidence_make (&f.rows, &f.source, &request, &err));
      assert_int_equal (f.source.found.n_functions, request.add ? 1 : 0);
      assert_int_equal (f.rows.functions, request.add ? 1 : 0);
    }
}

/* Nothing else leads to G.  */
FIXTURE_TEST (what_rows_describe_is_tried)
{
  static const uint32_t code[]
      = { 0xd503201f, 0xd503201f, 0xd65f03c0, /* nop; nop; ret */
          0xd503201f, 0xd503201f, 0xd65f03c0 };
  static struct frame_function function = { .address = G, .size = END - G };
  for (size_t n = 0; n < 2; n++)
    {
      const struct frame_functions described = { &function, n, n };
      const struct code_evidence_request request
          = { .add = true, .described = &described };
      struct error err = { 0 };
      open_program_of (code, F);
      assert_true (code_evidence_make (&f.rows, &f.source, &request, &err));
      assert_int_equal (f.rows.functions, 1 + n);
    }
}

FIXTURE_TEST (code_of_another_machine_is_refused)
{
  static const struct code_evidence_request add = { .add = true };
  struct error err = { 0 };
  open_fixture ();
  f.image.arch = &arch_s390x;
  assert_false (code_evidence_make (&f.rows, &f.source, &add, &err));
  assert_int_equal (err.status, CFI2SFRAME_UNSUPPORTED);
  f.image.arch = &arch_aarch64;
}

FIXTURE_TEST (without_memory_no_code_is_read)
{
  static const struct code_evidence_request add
      = { .add = true, .verify = true };
  unsigned refused = 0;
  bool done = false;
  for (unsigned n = 0; !done; n++)
    {
      struct error err = { 0 };
      open_fixture ();
      allocations_granted = n;
      bool ok = code_evidence_make (&f.rows, &f.source, &add, &err);
      done = allocations_granted != UINT_MAX;
      allocations_granted = UINT_MAX;
      assert_true (ok || err.status == CFI2SFRAME_NO_MEMORY);
      /* What only costs time may be left out.  */
      refused += !ok;
      if (ok && f.rows.functions == 2)
        {
          assert_int_equal (f.source.found.n_functions, 2);
          assert_int_equal (f.source.found.functions[1].n_rows, 3);
        }
    }
  assert_true (refused > 4);
}

/* That there is no CFI is not an error; others are.  */
FIXTURE_TEST (without_a_machine_there_is_no_source)
{
  struct cfi_source source;
  struct error err = { 0 };
  open_fixture ();
  assert_true (
      code_evidence_open_source (&source, &f.image, &cfi_options, &err));
  cfi_source_close (&source);
  f.image.arch = NULL;
  assert_false (
      code_evidence_open_source (&source, &f.image, &cfi_options, &err));
  assert_int_equal (err.status, CFI2SFRAME_UNSUPPORTED);
  cfi_source_close (&source);
}

#endif

/* ---- Where functions may start */

/* How many of three words of a program's data, which are addresses of its
   code, are taken for such, when SIZE bytes, from the second of them on, are
   .sframe.  */
static unsigned
words_beside_sframe (uint64_t size)
{
  static struct elf_builder elf;
  struct image image;
  struct error err = { 0 };
  const uint64_t code = 0x401008;
  unsigned count = 0;
  elf_builder_program (&elf, EM_X86_64, false);
  elf_builder_relocate (&elf, 0x400000);
  const Elf64_Shdr *data
      = &elf.sections[elf_builder_section (&elf, ".rodata")];
  *elf_builder_segment (&elf, PT_NOTE)
      = (Elf64_Phdr){ .p_type = PT_GNU_SFRAME,
                      .p_flags = PF_R,
                      .p_offset = data->sh_offset + 8,
                      .p_vaddr = data->sh_addr + 8,
                      .p_filesz = size,
                      .p_memsz = size };
  for (unsigned k = 0; k < 24; k += 8)
    store_u64 (elf.bytes + data->sh_offset + k, code + k, false);
  elf_builder_finish (&elf);
  assert_true (image_open_memory (&image, elf.bytes, elf.size, &err));
  struct analysis_shared shared
      = { .context = { .request = &(struct code_request){ 0 },
                       .covered_code = &(struct covered_code){ 0 },
                       .has_hints = true },
          .row_map = &(struct row_map){ 0 },
          .functions = functions_new (&image) };
  struct starts starts = { .shared = &shared };
  assert_true (facts_read (&shared.facts, &image, &err));
  assert_non_null (shared.functions);
  assert_true (starts_add_pointers (&starts));
  for (unsigned k = 0; k < 24; k += 8)
    count += functions_at (shared.functions, code + k) != NULL;
  starts_free (&starts);
  functions_free (shared.functions);
  facts_free (&shared.facts);
  image_close (&image);
  return count;
}

/* Words of .sframe were taken for addresses, and --check denied rows that
   --analyze had made.  */
TEST (words_of_sframe_are_no_addresses)
{
  assert_int_equal (words_beside_sframe (0), 3);
  assert_int_equal (words_beside_sframe (8), 2);
  assert_int_equal (words_beside_sframe (16), 1);
}

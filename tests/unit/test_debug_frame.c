/* Unit tests of src/cfi: .debug_frame, alone and beside .eh_frame.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/cfa_program.h"
#include "cfi/precedence.h"
#include "tests/unit/cfi_builder.h"
#include "tests/unit_test.h"

#define CODE UINT64_C (0x123400000000)

/* Inputs, each an exact-size copy, so that ASan sees any step over its end. */
struct fixture
{
  struct buffer bytes; /* of the next one */
  struct cfi_section section;
  uint8_t *copies[CFI_INPUTS_MAX];
};

/* Add f->bytes to the section.  */
static void
add_input (struct fixture *f, enum cfi_kind kind)
{
  struct error err = { 0 };
  struct buffer *from = &f->bytes;
  uint8_t *copy = malloc (from->size + 1);
  assert_non_null (copy);
  if (from->size > 0)
    memcpy (copy + 1, from->bytes, from->size);
  f->copies[f->section.n_inputs] = copy;
  const struct cfi_input input
      = { .kind = kind,
          .bytes = copy + 1,
          .size = from->size,
          .address = kind == CFI_EH_FRAME ? SECTION_ADDRESS : 0 };
  assert_true (cfi_read (&f->section, &input, &err));
  buffer_free (from);
}

static void
begin (struct fixture *f)
{
  *f = (struct fixture){ .section = { .arch = &arch_amd64 } };
  buffer_init (&f->bytes, false);
}

/* A function whose FDE has INSTRUCTIONS, none of which is 0.  */
struct function
{
  uint64_t address, size;
  const char *instructions;
};

/* Add an .eh_frame of one CIE and N FDEs.  */
static void
add_eh_frame (struct fixture *f, const struct function *functions, size_t n)
{
  size_t cie = put_amd64_cie (&f->bytes);
  for (size_t i = 0; i < n; i++)
    put_fde (&f->bytes, cie, functions[i].address, (uint32_t)functions[i].size,
             functions[i].instructions, strlen (functions[i].instructions));
  add_input (f, CFI_EH_FRAME);
}

static void
add_debug_frame (struct fixture *f, const struct function *functions, size_t n)
{
  size_t cie = put_debug_cie (&f->bytes, false, 4, "");
  for (size_t i = 0; i < n; i++)
    put_debug_fde (&f->bytes, false, cie, functions[i].address,
                   functions[i].size, functions[i].instructions,
                   strlen (functions[i].instructions));
  add_input (f, CFI_DEBUG_FRAME);
}

static void
end (struct fixture *f)
{
  cfi_section_free (&f->section);
  for (unsigned i = 0; i < CFI_INPUTS_MAX; i++)
    free (f->copies[i]);
  buffer_free (&f->bytes);
}

#define FIXTURE_TEST(name) TEST_WITH (struct fixture, f, begin, end, name)

/* The FDE with INDEX describes [ADDRESS, ADDRESS + SIZE) with a CFA that is SP
   plus 8, and from 4 bytes on SP plus 16.  */
static void
expect_pushing (struct fixture *f, size_t index, uint64_t address,
                uint64_t size)
{
  struct cfa_machine *machine = cfa_machine_new (&f->section);
  struct frame_function function = { 0 };
  struct error err = { 0 };
  assert_true (index < f->section.n_fdes);
  const struct cfi_fde *fde = &f->section.fdes[index];
  assert_int_equal (fde->address, address);
  assert_int_equal (fde->size, size);
  enum frame_reason reason;
  assert_true (cfa_machine_run (machine, fde, &function, &reason, &err));
  assert_int_equal (reason, REASON_NONE);
  assert_int_equal (function.n_rows, 2);
  assert_int_equal (function.rows[0].cfa.offset, 8);
  assert_int_equal (function.rows[0].ra.offset, -8);
  assert_int_equal (function.rows[1].start, 4);
  assert_int_equal (function.rows[1].cfa.offset, 16);
  frame_function_free (&function);
  cfa_machine_free (machine);
}

static const char pushing[] = "\x44\x0e\x10";

/* DWARF 2, 3 and 4, which DWARF 5 uses, too; both widths.  */
TEST (all_versions_and_widths_are_read)
{
  static const uint8_t versions[] = { 1, 3, 4 };
  for (unsigned i = 0; i < 6; i++)
    {
      struct fixture f;
      begin (&f);
      bool wide = i >= 3;
      size_t cie = put_debug_cie (&f.bytes, wide, versions[i % 3], "");
      put_debug_fde (&f.bytes, wide, cie, CODE, 32, pushing, 3);
      add_input (&f, CFI_DEBUG_FRAME);
      assert_int_equal (f.section.n_damaged, 0);
      expect_pushing (&f, 0, CODE, 32);
      end (&f);
    }
}

/* What different producers wrote is linked into one section, in which CIE
   pointers count from the beginning.  */
FIXTURE_TEST (widths_mix_in_one_section)
{
  size_t narrow = put_debug_cie (&f->bytes, false, 4, "");
  put_debug_fde (&f->bytes, false, narrow, CODE, 32, pushing, 3);
  size_t wide = put_debug_cie (&f->bytes, true, 3, "");
  put_debug_fde (&f->bytes, true, wide, CODE + 32, 32, pushing, 3);
  buffer_u32 (&f->bytes, 0);
  put_debug_fde (&f->bytes, false, wide, CODE + 64, 32, pushing, 3);
  put_debug_fde (&f->bytes, true, narrow, CODE + 96, 32, pushing, 3);
  add_input (f, CFI_DEBUG_FRAME);
  assert_int_equal (f->section.n_damaged, 0);
  assert_int_equal (f->section.n_fdes, 4);
  for (unsigned i = 0; i < 4; i++)
    expect_pushing (f, i, CODE + 32 * i, 32);
}

/* GNU as writes letters without augmentation data.  */
TEST (letters_without_data_are_read)
{
  static const struct
  {
    const char *letters;
    bool read, signal, b_key;
  } cases[]
      = { { "S", true, true, false },    { "B", true, false, true },
          { "SB", true, true, true },    { "G", true, false, false },
          { "z", false, false, false },  { "eh", false, false, false },
          { "zR", false, false, false }, { "P", false, false, false },
          { "SGB", true, true, true },   { "armcc+", false, false, false } };
  for (unsigned i = 0; i < N_OF (cases); i++)
    {
      struct fixture f;
      begin (&f);
      size_t cie = put_debug_cie (&f.bytes, false, 4, cases[i].letters);
      put_debug_fde (&f.bytes, false, cie, CODE, 32, pushing, 3);
      add_input (&f, CFI_DEBUG_FRAME);
      assert_int_equal (f.section.n_fdes, cases[i].read);
      if (cases[i].read)
        {
          expect_pushing (&f, 0, CODE, 32);
          assert_int_equal (f.section.cies[0].signal, cases[i].signal);
          assert_int_equal (f.section.cies[0].b_key, cases[i].b_key);
        }
      else
        assert_int_equal (f.section.damages[0].reason, REASON_AUGMENTATION);
      end (&f);
    }
}

TEST (every_truncation_costs_one_entry)
{
  for (unsigned wide = 0; wide < 2; wide++)
    for (size_t cut = 0;; cut++)
      {
        struct fixture f;
        begin (&f);
        size_t cie = put_debug_cie (&f.bytes, wide, 4, "S");
        size_t ends[] = { 0, f.bytes.size, 0, 0 };
        put_debug_fde (&f.bytes, wide, cie, CODE, 32, pushing, 3);
        ends[2] = f.bytes.size;
        put_debug_fde (&f.bytes, wide, cie, CODE + 32, 32, pushing, 3);
        size_t all = ends[3] = f.bytes.size;
        f.bytes.size = cut;
        add_input (&f, CFI_DEBUG_FRAME);
        bool whole = cut == ends[0] || cut == ends[1] || cut == ends[2]
                     || cut == ends[3];
        assert_int_equal (f.section.n_fdes, (cut >= ends[2]) + (cut >= all));
        assert_int_equal (f.section.n_damaged, !whole);
        end (&f);
        if (cut == all)
          break;
      }
}

FIXTURE_TEST (bad_cie_pointers_cost_their_fdes)
{
  size_t cie = put_debug_cie (&f->bytes, false, 4, "");
  size_t inside
      = put_debug_fde (&f->bytes, false, cie + 4, CODE, 32, pushing, 3);
  size_t itself
      = put_debug_fde (&f->bytes, true, f->bytes.size, CODE, 32, "", 0);
  size_t beyond
      = put_debug_fde (&f->bytes, true, UINT64_MAX - 1, CODE, 32, "", 0);
  put_debug_fde (&f->bytes, false, cie, CODE, 32, pushing, 3);
  add_input (f, CFI_DEBUG_FRAME);
  expect_pushing (f, 0, CODE, 32);
  assert_int_equal (f->section.n_fdes, 1);
  assert_int_equal (f->section.n_damages, 3);
  assert_int_equal (f->section.damages[0].offset, inside);
  assert_int_equal (f->section.damages[1].offset, itself);
  assert_int_equal (f->section.damages[2].offset, beyond);
}

/* 32-bit code has no place in a 64-bit file.  */
FIXTURE_TEST (another_address_size_is_damage)
{
  size_t cie = put_debug_cie (&f->bytes, false, 4, "");
  f->bytes.bytes[cie + 10] = 4;
  put_debug_fde (&f->bytes, false, cie, CODE, 32, pushing, 3);
  add_input (f, CFI_DEBUG_FRAME);
  assert_int_equal (f->section.n_fdes, 0);
  assert_int_equal (f->section.n_damaged, 2);
}

/* One list of FDEs, each with the CIE of its own section, and for equal
   addresses .eh_frame's in front.  */
FIXTURE_TEST (two_sections_make_one_list)
{
  size_t cie = put_amd64_cie (&f->bytes);
  put_fde (&f->bytes, cie, CODE + 64, 32, pushing, 3);
  put_fde (&f->bytes, cie, CODE, 32, pushing, 3);
  add_input (f, CFI_EH_FRAME);
  cie = put_debug_cie (&f->bytes, false, 4, "");
  put_debug_fde (&f->bytes, false, cie, CODE + 32, 32, pushing, 3);
  put_debug_fde (&f->bytes, false, cie, CODE, 32, pushing, 3);
  size_t damaged = put_debug_fde (&f->bytes, false, cie + 1, 0, 0, "", 0);
  add_input (f, CFI_DEBUG_FRAME);
  static const uint8_t inputs[] = { 0, 1, 1, 0 };
  static const uint8_t places[] = { 0, 0, 1, 2 };
  assert_int_equal (f->section.n_fdes, 4);
  for (unsigned i = 0; i < 4; i++)
    {
      assert_int_equal (f->section.fdes[i].input, inputs[i]);
      expect_pushing (f, i, CODE + 32 * places[i], 32);
    }
  assert_int_equal (f->section.damages[0].input, 1);
  assert_int_equal (f->section.damages[0].offset, damaged);
}

/* As many CIEs as objects, as linkers leave them.  */
FIXTURE_TEST (many_cies_and_one_damaged_fde_are_read)
{
  enum
  {
    N = 3000
  };
  for (unsigned i = 0; i < N; i++)
    {
      bool wide = i % 3 == 0;
      size_t cie = put_debug_cie (&f->bytes, wide, 4, i % 5 ? "" : "S");
      put_debug_fde (&f->bytes, wide, cie, CODE + 64 * (uint64_t)i, 32,
                     pushing, 3);
      put_debug_fde (&f->bytes, wide, i == 100 ? cie + 1 : cie,
                     CODE + 64 * (uint64_t)i + 32, 32, pushing, 3);
    }
  add_input (f, CFI_DEBUG_FRAME);
  assert_int_equal (f->section.n_damaged, 1);
  assert_int_equal (f->section.n_fdes, 2 * N - 1);
  expect_pushing (f, 2 * N - 2, CODE + 64 * (N - 1) + 32, 32);
}

/* Precedence.  */

enum
{
  NO_CODE_SIZE = 0x1111 /* of an FDE that is not of code */
};

static bool
is_of_code (const void *context, const struct cfi_fde *fde)
{
  (void)context;
  return fde->size != 0 && fde->size != NO_CODE_SIZE;
}

/* An .eh_frame and two .debug_frame, and which FDEs are left.  */
static void
expect_left (struct fixture *f, const uint64_t *addresses, size_t n,
             size_t n_set_aside, size_t n_contradictions)
{
  struct error err = { 0 };
  assert_true (remove_superseded_fdes (&f->section, is_of_code, NULL, &err));
  assert_int_equal (f->section.n_fdes, n);
  for (size_t i = 0; i < n; i++)
    assert_int_equal (f->section.fdes[i].address, addresses[i]);
  assert_int_equal (f->section.n_set_aside, n_set_aside);
  assert_int_equal (f->section.n_contradictions, n_contradictions);
}

/* Before, at, across, inside, around and behind an FDE of .eh_frame.  */
TEST (eh_frame_comes_before_debug_frame)
{
  static const struct function other = { CODE + 32, 32, "" };
  static const struct
  {
    uint64_t address, size;
    bool stays;
  } cases[] = { { CODE, 32, true },       { CODE, 33, false },
                { CODE + 31, 2, false },  { CODE + 32, 32, false },
                { CODE + 40, 4, false },  { CODE + 16, 64, false },
                { CODE + 63, 32, false }, { CODE + 64, 32, true } };
  for (unsigned i = 0; i < N_OF (cases); i++)
    {
      struct fixture f;
      begin (&f);
      const struct function function = { cases[i].address, cases[i].size, "" };
      add_eh_frame (&f, &other, 1);
      add_debug_frame (&f, &function, 1);
      const uint64_t before[] = { cases[i].address, CODE + 32 };
      const uint64_t behind[] = { CODE + 32, cases[i].address };
      if (!cases[i].stays)
        expect_left (&f, &other.address, 1, 1, 0);
      else
        expect_left (&f, cases[i].address == CODE ? before : behind, 2, 0, 0);
      end (&f);
    }
}

/* What two sections have, and what is left of it.  */
struct settlement
{
  const char *name;
  size_t n_eh_frame, n_debug_frame, n_left;
  struct function eh_frame[4], debug_frame[4];
  uint64_t left[5]; /* addresses */
  size_t n_set_aside, n_contradictions;
};

static const struct settlement settlements[] = {
  { "what_overlaps_in_one_section_stays", 3, 2, 5,
    .eh_frame
    = { { CODE, 32, "" }, { CODE, 32, pushing }, { CODE + 64, 0, "" } },
    .debug_frame = { { CODE + 64, 32, "" }, { CODE + 64, 32, pushing } },
    .left = { CODE, CODE, CODE + 64, CODE + 64, CODE + 64 } },
  /* The last of .eh_frame is broken, the third of .debug_frame ends early.  */
  { "only_what_both_say_of_the_same_code_can_contradict", 4, 4, 4,
    .eh_frame = { { CODE, 32, pushing },
                  { CODE + 32, 32, pushing },
                  { CODE + 64, 32, pushing },
                  { CODE + 96, 32, "\x3f" } },
    .debug_frame = { { CODE, 32, pushing },
                     { CODE + 32, 32, "\x44\x0e\x18" },
                     { CODE + 64, 4, "" },
                     { CODE + 96, 32, pushing } },
    .left = { CODE, CODE + 32, CODE + 64, CODE + 96 }, .n_set_aside = 4,
    .n_contradictions = 1 },
  /* In one section, too, an FDE can lie in another one.  */
  { "what_counts_is_how_far_any_fde_reaches", 2, 2, 3,
    .eh_frame = { { CODE, 0x100, "" }, { CODE + 0x10, 0x10, "" } },
    .debug_frame
    = { { CODE + 0xf0, 0x20, pushing }, { CODE + 0x100, 0x20, "" } },
    .left = { CODE, CODE + 0x10, CODE + 0x100 }, .n_set_aside = 1,
    .n_contradictions = 1 },
  /* One of the later section that begins in front of the other, and one that
     ends where it begins.  */
  { "what_reaches_into_eh_frames_from_the_front_is_set_aside", 2, 4, 4,
    .eh_frame = { { CODE + 0x40, 0x20, "" }, { CODE + 0xc0, 0x20, "" } },
    .debug_frame = { { CODE, 0x20, "" },
                     { CODE + 0x10, 0x31, pushing },
                     { CODE + 0x80, 0x40, "" },
                     { CODE + 0x88, 0x80, "" } },
    .left = { CODE, CODE + 0x40, CODE + 0x80, CODE + 0xc0 }, .n_set_aside = 2,
    .n_contradictions = 1 },
  { "what_stays_of_the_same_section_cannot_contradict", 1, 2, 2,
    .eh_frame = { { CODE, 0x20, "" } },
    .debug_frame
    = { { CODE + 0x10, 0x30, "" }, { CODE + 0x30, 0x20, pushing } },
    .left = { CODE, CODE + 0x30 }, .n_set_aside = 1 },
  { "what_is_not_of_code_takes_no_precedence", 1, 2, 3,
    .eh_frame = { { CODE + 0x10, NO_CODE_SIZE, "" } },
    .debug_frame = { { CODE, 0x20, "" }, { CODE + 0x20, 0x20, "" } },
    .left = { CODE, CODE + 0x10, CODE + 0x20 } },
  /* DW_CFA_def_cfa_expression.  */
  { "what_neither_can_say_is_no_contradiction", 1, 1, 1,
    .eh_frame = { { CODE, 0x20, "\x0f\x01\x96" } },
    .debug_frame = { { CODE, 0x20, "\x0f\x01\x96" } }, .left = { CODE },
    .n_set_aside = 1 },
  { "the_first_row_can_contradict", 1, 1, 1,
    .eh_frame = { { CODE, 4, "\x0e\x18" } },
    .debug_frame = { { CODE, 0x20, pushing } }, .left = { CODE },
    .n_set_aside = 1, .n_contradictions = 1 },
};

TEST_ROWS (settlements, const struct settlement *given, NULL, NULL, is_settled)
{
  struct fixture f;
  begin (&f);
  add_eh_frame (&f, given->eh_frame, given->n_eh_frame);
  add_debug_frame (&f, given->debug_frame, given->n_debug_frame);
  expect_left (&f, given->left, given->n_left, given->n_set_aside,
               given->n_contradictions);
  end (&f);
}

FIXTURE_TEST (a_files_own_section_comes_before_its_debug_files)
{
  static const struct function functions[] = { { CODE + 96, 32, "" },
                                               { CODE + 64, 32, "" },
                                               { CODE + 32, 32, "" } };
  const uint64_t left[] = { CODE + 32, CODE + 64, CODE + 96 };
  add_eh_frame (f, functions, 1);
  add_debug_frame (f, functions, 2);
  add_debug_frame (f, functions, 3);
  expect_left (f, left, 3, 3, 0);
  for (unsigned i = 0; i < 3; i++)
    assert_int_equal (f->section.fdes[i].input, 2 - i);
}

FIXTURE_TEST (one_section_has_nobody_beside_it)
{
  static const struct function functions[]
      = { { CODE, 32, "" }, { CODE, 32, pushing } };
  static const uint64_t left[] = { CODE, CODE };
  add_eh_frame (f, functions, 2);
  expect_left (f, left, 2, 0, 0);
}

/* A crowd in front: what reaches into the one set aside is far away.  */
FIXTURE_TEST (contradictions_are_found_among_many)
{
  struct function many[40];
  static const struct function others[]
      = { { CODE + 16 * 20, 16, pushing },
          { CODE + 16 * 30 + 8, 16, "" },
          { CODE + 16 * 35 + 15, 1, pushing } };
  uint64_t left[40];
  for (unsigned i = 0; i < 40; i++)
    {
      left[i] = CODE + 16 * (uint64_t)i;
      many[i] = (struct function){ left[i], 16, "" };
    }
  add_eh_frame (f, many, 40);
  add_debug_frame (f, others, 3);
  expect_left (f, left, 40, 3, 1);
}

/* Sixteen that start in it are heard, behind the one that starts with it.  */
TEST (sixteen_are_asked_for_contradictions)
{
  static const struct function around = { CODE, 0x1000, "" };
  for (unsigned different = 16; different <= 17; different++)
    {
      struct fixture f;
      begin (&f);
      struct function inside[20];
      uint64_t left[20];
      for (unsigned i = 0; i < 20; i++)
        {
          left[i] = CODE + 16 * (uint64_t)i;
          inside[i] = (struct function){ left[i], 16,
                                         i == different ? pushing : "" };
        }
      add_eh_frame (&f, inside, 20);
      add_debug_frame (&f, &around, 1);
      expect_left (&f, left, 20, 1, different == 16);
      end (&f);
    }
}

/* A program that stands in for many is not executed for all of them.  */
FIXTURE_TEST (a_program_is_not_executed_for_ever)
{
  enum
  {
    N_STEPS = 10000,
    N_INSIDE = 2000
  };
  static char program[6 * N_STEPS + 1];
  static struct function inside[N_INSIDE];
  for (unsigned i = 0; i < N_STEPS; i++)
    memcpy (program + 6 * (size_t)i, "\x41\x0e\x18\x41\x0e\x20", 6);
  for (unsigned i = 0; i < N_INSIDE; i++)
    inside[i] = (struct function){ CODE + 4 * (uint64_t)i, 4, "\x0e\x10" };
  const struct function around = { CODE, 2 * N_STEPS + 1, program };
  add_eh_frame (f, &around, 1);
  add_debug_frame (f, inside, N_INSIDE);
  struct error err = { 0 };
  assert_true (remove_superseded_fdes (&f->section, is_of_code, NULL, &err));
  assert_int_equal (f->section.n_set_aside, N_INSIDE);
  assert_in_range (f->section.n_contradictions, 1, N_INSIDE / 10);
}

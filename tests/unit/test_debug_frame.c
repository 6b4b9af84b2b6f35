/* Reading .debug_frame, and reading it next to .eh_frame.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cfi/cfa_program.h"
#include "cfi/precedence.h"
#include "tests/unit/cfi_builder.h"

#define CODE UINT64_C (0x123400000000)

/* Inputs, each an exact-size copy, so that ASan sees any step over its end. */
struct fixture
{
  struct cfi_section section;
  uint8_t *copies[CFI_INPUTS_MAX];
};

/* Add what FROM holds to the section; FROM is freed.  */
static void
add_input (struct fixture *f, enum cfi_kind kind, struct buffer *from)
{
  struct error err = { 0 };
  uint8_t *copy = malloc (from->size + 1);
  assert_non_null (copy);
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

static struct fixture
new_fixture (void)
{
  return (struct fixture){ .section = { .arch = &arch_amd64 } };
}

static void
free_fixture (struct fixture *f)
{
  cfi_section_free (&f->section);
  for (unsigned i = 0; i < CFI_INPUTS_MAX; i++)
    free (f->copies[i]);
}

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
  assert_int_equal (cfa_machine_run (machine, fde, &function, &err),
                    REASON_NONE);
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
static void
test_versions_and_widths (void **state)
{
  (void)state;
  static const uint8_t versions[] = { 1, 3, 4 };
  for (unsigned i = 0; i < 6; i++)
    {
      struct fixture f = new_fixture ();
      struct buffer bytes;
      buffer_init (&bytes, false);
      bool wide = i >= 3;
      size_t cie = put_debug_cie (&bytes, wide, versions[i % 3], "");
      put_debug_fde (&bytes, wide, cie, CODE, 32, pushing, 3);
      add_input (&f, CFI_DEBUG_FRAME, &bytes);
      assert_int_equal (f.section.n_damaged, 0);
      expect_pushing (&f, 0, CODE, 32);
      free_fixture (&f);
    }
}

/* What different producers wrote is linked into one section, in which CIE
   pointers count from the beginning.  */
static void
test_widths_in_one_section (void **state)
{
  (void)state;
  struct fixture f = new_fixture ();
  struct buffer bytes;
  buffer_init (&bytes, false);
  size_t narrow = put_debug_cie (&bytes, false, 4, "");
  put_debug_fde (&bytes, false, narrow, CODE, 32, pushing, 3);
  size_t wide = put_debug_cie (&bytes, true, 3, "");
  put_debug_fde (&bytes, true, wide, CODE + 32, 32, pushing, 3);
  buffer_u32 (&bytes, 0);
  put_debug_fde (&bytes, false, wide, CODE + 64, 32, pushing, 3);
  put_debug_fde (&bytes, true, narrow, CODE + 96, 32, pushing, 3);
  add_input (&f, CFI_DEBUG_FRAME, &bytes);
  assert_int_equal (f.section.n_damaged, 0);
  assert_int_equal (f.section.n_fdes, 4);
  for (unsigned i = 0; i < 4; i++)
    expect_pushing (&f, i, CODE + 32 * i, 32);
  free_fixture (&f);
}

/* GNU as writes letters without augmentation data.  */
static void
test_letters (void **state)
{
  (void)state;
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
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
      struct fixture f = new_fixture ();
      struct buffer bytes;
      buffer_init (&bytes, false);
      size_t cie = put_debug_cie (&bytes, false, 4, cases[i].letters);
      put_debug_fde (&bytes, false, cie, CODE, 32, pushing, 3);
      add_input (&f, CFI_DEBUG_FRAME, &bytes);
      assert_int_equal (f.section.n_fdes, cases[i].read);
      if (cases[i].read)
        {
          expect_pushing (&f, 0, CODE, 32);
          assert_int_equal (f.section.cies[0].signal, cases[i].signal);
          assert_int_equal (f.section.cies[0].b_key, cases[i].b_key);
        }
      else
        assert_int_equal (f.section.damages[0].reason, REASON_AUGMENTATION);
      free_fixture (&f);
    }
}

static void
test_every_truncation (void **state)
{
  (void)state;
  for (unsigned wide = 0; wide < 2; wide++)
    for (size_t cut = 0;; cut++)
      {
        struct fixture f = new_fixture ();
        struct buffer bytes;
        buffer_init (&bytes, false);
        size_t cie = put_debug_cie (&bytes, wide, 4, "S");
        size_t ends[] = { 0, bytes.size, 0, 0 };
        put_debug_fde (&bytes, wide, cie, CODE, 32, pushing, 3);
        ends[2] = bytes.size;
        put_debug_fde (&bytes, wide, cie, CODE + 32, 32, pushing, 3);
        size_t all = ends[3] = bytes.size;
        bytes.size = cut;
        add_input (&f, CFI_DEBUG_FRAME, &bytes);
        bool whole = cut == ends[0] || cut == ends[1] || cut == ends[2]
                     || cut == ends[3];
        assert_int_equal (f.section.n_fdes, (cut >= ends[2]) + (cut >= all));
        assert_int_equal (f.section.n_damaged, !whole);
        free_fixture (&f);
        if (cut == all)
          break;
      }
}

static void
test_bad_cie_pointers (void **state)
{
  (void)state;
  struct fixture f = new_fixture ();
  struct buffer bytes;
  buffer_init (&bytes, false);
  size_t cie = put_debug_cie (&bytes, false, 4, "");
  size_t inside = put_debug_fde (&bytes, false, cie + 4, CODE, 32, pushing, 3);
  size_t itself = put_debug_fde (&bytes, true, bytes.size, CODE, 32, "", 0);
  size_t beyond
      = put_debug_fde (&bytes, true, UINT64_MAX - 1, CODE, 32, "", 0);
  put_debug_fde (&bytes, false, cie, CODE, 32, pushing, 3);
  add_input (&f, CFI_DEBUG_FRAME, &bytes);
  expect_pushing (&f, 0, CODE, 32);
  assert_int_equal (f.section.n_fdes, 1);
  assert_int_equal (f.section.n_damages, 3);
  assert_int_equal (f.section.damages[0].offset, inside);
  assert_int_equal (f.section.damages[1].offset, itself);
  assert_int_equal (f.section.damages[2].offset, beyond);
  free_fixture (&f);
}

/* 32-bit code has no place in a 64-bit file.  */
static void
test_other_address_size (void **state)
{
  (void)state;
  struct fixture f = new_fixture ();
  struct buffer bytes;
  buffer_init (&bytes, false);
  size_t cie = put_debug_cie (&bytes, false, 4, "");
  bytes.bytes[cie + 10] = 4;
  put_debug_fde (&bytes, false, cie, CODE, 32, pushing, 3);
  add_input (&f, CFI_DEBUG_FRAME, &bytes);
  assert_int_equal (f.section.n_fdes, 0);
  assert_int_equal (f.section.n_damaged, 2);
  free_fixture (&f);
}

/* One list of FDEs, each with the CIE of its own section, and for equal
   addresses .eh_frame's in front.  */
static void
test_two_sections (void **state)
{
  (void)state;
  struct fixture f = new_fixture ();
  struct buffer eh_frame, debug_frame;
  buffer_init (&eh_frame, false);
  buffer_init (&debug_frame, false);
  size_t cie = put_amd64_cie (&eh_frame);
  put_fde (&eh_frame, cie, CODE + 64, 32, pushing, 3);
  put_fde (&eh_frame, cie, CODE, 32, pushing, 3);
  cie = put_debug_cie (&debug_frame, false, 4, "");
  put_debug_fde (&debug_frame, false, cie, CODE + 32, 32, pushing, 3);
  put_debug_fde (&debug_frame, false, cie, CODE, 32, pushing, 3);
  size_t damaged = put_debug_fde (&debug_frame, false, cie + 1, 0, 0, "", 0);
  add_input (&f, CFI_EH_FRAME, &eh_frame);
  add_input (&f, CFI_DEBUG_FRAME, &debug_frame);
  static const uint8_t inputs[] = { 0, 1, 1, 0 };
  static const uint8_t places[] = { 0, 0, 1, 2 };
  assert_int_equal (f.section.n_fdes, 4);
  for (unsigned i = 0; i < 4; i++)
    {
      assert_int_equal (f.section.fdes[i].input, inputs[i]);
      expect_pushing (&f, i, CODE + 32 * places[i], 32);
    }
  assert_int_equal (f.section.damages[0].input, 1);
  assert_int_equal (f.section.damages[0].offset, damaged);
  free_fixture (&f);
}

/* As many CIEs as objects, as linkers leave them; several batches.  */
static void
test_many (void **state)
{
  (void)state;
  enum
  {
    N = 3000
  };
  struct fixture f = new_fixture ();
  struct buffer bytes;
  buffer_init (&bytes, false);
  for (unsigned i = 0; i < N; i++)
    {
      bool wide = i % 3 == 0;
      size_t cie = put_debug_cie (&bytes, wide, 4, i % 5 ? "" : "S");
      put_debug_fde (&bytes, wide, cie, CODE + 64 * (uint64_t)i, 32, pushing,
                     3);
      put_debug_fde (&bytes, wide, i == 100 ? cie + 1 : cie,
                     CODE + 64 * (uint64_t)i + 32, 32, pushing, 3);
    }
  add_input (&f, CFI_DEBUG_FRAME, &bytes);
  assert_int_equal (f.section.n_damaged, 1);
  assert_int_equal (f.section.n_fdes, 2 * N - 1);
  expect_pushing (&f, 2 * N - 2, CODE + 64 * (N - 1) + 32, 32);
  free_fixture (&f);
}

/* Precedence.  */

static bool
is_of_code (const void *context, const struct cfi_fde *fde)
{
  (void)context;
  return fde->size != 0;
}

/* An .eh_frame and two .debug_frame, and which FDEs are left.  */
static void
expect_left (struct fixture *f, const uint64_t *addresses, size_t n,
             size_t n_set_aside, size_t n_contradictions)
{
  struct error err = { 0 };
  assert_true (precedence_settle (&f->section, is_of_code, NULL, &err));
  assert_int_equal (f->section.n_fdes, n);
  for (size_t i = 0; i < n; i++)
    assert_int_equal (f->section.fdes[i].address, addresses[i]);
  assert_int_equal (f->section.n_set_aside, n_set_aside);
  assert_int_equal (f->section.n_contradictions, n_contradictions);
}

/* Before, at, across, inside, around and behind an FDE of .eh_frame.  */
static void
test_precedence (void **state)
{
  (void)state;
  static const struct
  {
    uint64_t address, size;
    bool stays;
  } cases[] = { { CODE, 32, true },       { CODE, 33, false },
                { CODE + 31, 2, false },  { CODE + 32, 32, false },
                { CODE + 40, 4, false },  { CODE + 16, 64, false },
                { CODE + 63, 32, false }, { CODE + 64, 32, true } };
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
      struct fixture f = new_fixture ();
      struct buffer eh_frame, debug_frame;
      buffer_init (&eh_frame, false);
      buffer_init (&debug_frame, false);
      size_t cie = put_amd64_cie (&eh_frame);
      put_fde (&eh_frame, cie, CODE + 32, 32, "", 0);
      cie = put_debug_cie (&debug_frame, false, 4, "");
      put_debug_fde (&debug_frame, false, cie, cases[i].address, cases[i].size,
                     "", 0);
      add_input (&f, CFI_EH_FRAME, &eh_frame);
      add_input (&f, CFI_DEBUG_FRAME, &debug_frame);
      const uint64_t before[] = { cases[i].address, CODE + 32 };
      const uint64_t behind[] = { CODE + 32, cases[i].address };
      const uint64_t alone[] = { CODE + 32 };
      if (!cases[i].stays)
        expect_left (&f, alone, 1, 1, 0);
      else
        expect_left (&f, cases[i].address == CODE ? before : behind, 2, 0, 0);
      free_fixture (&f);
    }
}

/* What overlaps in one section is not settled by precedence.  */
static void
test_no_precedence_within_a_section (void **state)
{
  (void)state;
  struct fixture f = new_fixture ();
  struct buffer eh_frame, debug_frame;
  buffer_init (&eh_frame, false);
  buffer_init (&debug_frame, false);
  size_t cie = put_amd64_cie (&eh_frame);
  put_fde (&eh_frame, cie, CODE, 32, "", 0);
  put_fde (&eh_frame, cie, CODE, 32, pushing, 3);
  put_fde (&eh_frame, cie, CODE + 64, 0, "", 0);
  cie = put_debug_cie (&debug_frame, false, 4, "");
  put_debug_fde (&debug_frame, false, cie, CODE + 64, 32, "", 0);
  put_debug_fde (&debug_frame, false, cie, CODE + 64, 32, pushing, 3);
  add_input (&f, CFI_EH_FRAME, &eh_frame);
  add_input (&f, CFI_DEBUG_FRAME, &debug_frame);
  const uint64_t left[] = { CODE, CODE, CODE + 64, CODE + 64, CODE + 64 };
  expect_left (&f, left, 5, 0, 0);
  free_fixture (&f);
}

/* A file's own section comes before its debug file's.  */
static void
test_three_sections (void **state)
{
  (void)state;
  struct fixture f = new_fixture ();
  struct buffer sections[3];
  for (unsigned i = 0; i < 3; i++)
    {
      buffer_init (&sections[i], false);
      size_t cie = i == 0 ? put_amd64_cie (&sections[i])
                          : put_debug_cie (&sections[i], false, 4, "");
      for (unsigned j = 0; j <= i; j++)
        if (i == 0)
          put_fde (&sections[i], cie, CODE + 96, 32, "", 0);
        else
          put_debug_fde (&sections[i], false, cie, CODE + 96 - 32 * j, 32, "",
                         0);
    }
  for (unsigned i = 0; i < 3; i++)
    add_input (&f, i == 0 ? CFI_EH_FRAME : CFI_DEBUG_FRAME, &sections[i]);
  const uint64_t left[] = { CODE + 32, CODE + 64, CODE + 96 };
  expect_left (&f, left, 3, 3, 0);
  assert_int_equal (f.section.fdes[0].input, 2);
  assert_int_equal (f.section.fdes[1].input, 1);
  assert_int_equal (f.section.fdes[2].input, 0);
  free_fixture (&f);
}

/* Only what both say of the same code can contradict.  */
static void
test_contradictions (void **state)
{
  (void)state;
  struct fixture f = new_fixture ();
  struct buffer eh_frame, debug_frame;
  buffer_init (&eh_frame, false);
  buffer_init (&debug_frame, false);
  size_t cie = put_amd64_cie (&eh_frame);
  for (unsigned i = 0; i < 3; i++)
    put_fde (&eh_frame, cie, CODE + 32 * i, 32, pushing, 3);
  put_fde (&eh_frame, cie, CODE + 96, 32, "\x3f", 1); /* broken */
  cie = put_debug_cie (&debug_frame, false, 4, "");
  put_debug_fde (&debug_frame, false, cie, CODE, 32, pushing, 3);
  put_debug_fde (&debug_frame, false, cie, CODE + 32, 32, "\x44\x0e\x18", 3);
  put_debug_fde (&debug_frame, false, cie, CODE + 64, 4, "", 0);
  put_debug_fde (&debug_frame, false, cie, CODE + 96, 32, pushing, 3);
  add_input (&f, CFI_EH_FRAME, &eh_frame);
  add_input (&f, CFI_DEBUG_FRAME, &debug_frame);
  const uint64_t left[] = { CODE, CODE + 32, CODE + 64, CODE + 96 };
  expect_left (&f, left, 4, 4, 1);
  free_fixture (&f);
}

/* In one section, too, an FDE can lie in another one: what counts is how far
   any of them reaches.  */
static void
test_precedence_of_nested_fdes (void **state)
{
  (void)state;
  struct fixture f = new_fixture ();
  struct buffer eh_frame, debug_frame;
  buffer_init (&eh_frame, false);
  buffer_init (&debug_frame, false);
  size_t cie = put_amd64_cie (&eh_frame);
  put_fde (&eh_frame, cie, CODE, 0x100, "", 0);
  put_fde (&eh_frame, cie, CODE + 0x10, 0x10, "", 0);
  cie = put_debug_cie (&debug_frame, false, 4, "");
  put_debug_fde (&debug_frame, false, cie, CODE + 0xf0, 0x20, pushing, 3);
  put_debug_fde (&debug_frame, false, cie, CODE + 0x100, 0x20, "", 0);
  add_input (&f, CFI_EH_FRAME, &eh_frame);
  add_input (&f, CFI_DEBUG_FRAME, &debug_frame);
  const uint64_t left[] = { CODE, CODE + 0x10, CODE + 0x100 };
  expect_left (&f, left, 3, 1, 1);
  free_fixture (&f);
}

/* One of the later section that begins in front of the other, and one that
   ends where it begins.  */
static void
test_precedence_from_behind (void **state)
{
  (void)state;
  struct fixture f = new_fixture ();
  struct buffer eh_frame, debug_frame;
  buffer_init (&eh_frame, false);
  buffer_init (&debug_frame, false);
  size_t cie = put_amd64_cie (&eh_frame);
  put_fde (&eh_frame, cie, CODE + 0x40, 0x20, "", 0);
  put_fde (&eh_frame, cie, CODE + 0xc0, 0x20, "", 0);
  cie = put_debug_cie (&debug_frame, false, 4, "");
  put_debug_fde (&debug_frame, false, cie, CODE, 0x20, "", 0);
  put_debug_fde (&debug_frame, false, cie, CODE + 0x10, 0x31, pushing, 3);
  put_debug_fde (&debug_frame, false, cie, CODE + 0x80, 0x40, "", 0);
  put_debug_fde (&debug_frame, false, cie, CODE + 0x88, 0x80, "", 0);
  add_input (&f, CFI_EH_FRAME, &eh_frame);
  add_input (&f, CFI_DEBUG_FRAME, &debug_frame);
  const uint64_t left[] = { CODE, CODE + 0x40, CODE + 0x80, CODE + 0xc0 };
  expect_left (&f, left, 4, 2, 1);
  free_fixture (&f);
}

/* A crowd in front: what reaches into the one set aside is far away.  */
static void
test_contradictions_among_many (void **state)
{
  (void)state;
  struct fixture f = new_fixture ();
  struct buffer eh_frame, debug_frame;
  buffer_init (&eh_frame, false);
  buffer_init (&debug_frame, false);
  size_t cie = put_amd64_cie (&eh_frame);
  for (unsigned i = 0; i < 40; i++)
    put_fde (&eh_frame, cie, CODE + 16 * (uint64_t)i, 16, "", 0);
  cie = put_debug_cie (&debug_frame, false, 4, "");
  put_debug_fde (&debug_frame, false, cie, CODE + 16 * 20, 16, pushing, 3);
  put_debug_fde (&debug_frame, false, cie, CODE + 16 * 30 + 8, 16, "", 0);
  put_debug_fde (&debug_frame, false, cie, CODE + 16 * 35 + 15, 1, pushing, 3);
  add_input (&f, CFI_EH_FRAME, &eh_frame);
  add_input (&f, CFI_DEBUG_FRAME, &debug_frame);
  uint64_t left[40];
  for (unsigned i = 0; i < 40; i++)
    left[i] = CODE + 16 * (uint64_t)i;
  expect_left (&f, left, 40, 3, 1);
  free_fixture (&f);
}

/* What stays in the same section as the one set aside has no say.  */
static void
test_contradictions_of_the_same_section (void **state)
{
  (void)state;
  struct fixture f = new_fixture ();
  struct buffer eh_frame, debug_frame;
  buffer_init (&eh_frame, false);
  buffer_init (&debug_frame, false);
  size_t cie = put_amd64_cie (&eh_frame);
  put_fde (&eh_frame, cie, CODE, 0x20, "", 0);
  cie = put_debug_cie (&debug_frame, false, 4, "");
  put_debug_fde (&debug_frame, false, cie, CODE + 0x10, 0x30, "", 0);
  put_debug_fde (&debug_frame, false, cie, CODE + 0x30, 0x20, pushing, 3);
  add_input (&f, CFI_EH_FRAME, &eh_frame);
  add_input (&f, CFI_DEBUG_FRAME, &debug_frame);
  const uint64_t left[] = { CODE, CODE + 0x30 };
  expect_left (&f, left, 2, 1, 0);
  free_fixture (&f);
}

/* Sixteen that start in it are heard, behind the one that starts with it.  */
static void
test_contradictions_of_sixteen (void **state)
{
  (void)state;
  for (unsigned different = 16; different <= 17; different++)
    {
      struct fixture f = new_fixture ();
      struct buffer eh_frame, debug_frame;
      uint64_t left[20];
      buffer_init (&eh_frame, false);
      buffer_init (&debug_frame, false);
      size_t cie = put_amd64_cie (&eh_frame);
      for (unsigned i = 0; i < 20; i++)
        {
          left[i] = CODE + 16 * (uint64_t)i;
          put_fde (&eh_frame, cie, left[i], 16, pushing,
                   i == different ? 3 : 0);
        }
      cie = put_debug_cie (&debug_frame, false, 4, "");
      put_debug_fde (&debug_frame, false, cie, CODE, 0x1000, "", 0);
      add_input (&f, CFI_EH_FRAME, &eh_frame);
      add_input (&f, CFI_DEBUG_FRAME, &debug_frame);
      expect_left (&f, left, 20, 1, different == 16);
      free_fixture (&f);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_versions_and_widths),
    cmocka_unit_test (test_widths_in_one_section),
    cmocka_unit_test (test_letters),
    cmocka_unit_test (test_every_truncation),
    cmocka_unit_test (test_bad_cie_pointers),
    cmocka_unit_test (test_other_address_size),
    cmocka_unit_test (test_two_sections),
    cmocka_unit_test (test_many),
    cmocka_unit_test (test_precedence),
    cmocka_unit_test (test_no_precedence_within_a_section),
    cmocka_unit_test (test_three_sections),
    cmocka_unit_test (test_contradictions),
    cmocka_unit_test (test_precedence_of_nested_fdes),
    cmocka_unit_test (test_precedence_from_behind),
    cmocka_unit_test (test_contradictions_among_many),
    cmocka_unit_test (test_contradictions_of_the_same_section),
    cmocka_unit_test (test_contradictions_of_sixteen),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}

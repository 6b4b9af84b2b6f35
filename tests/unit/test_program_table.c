/* Unit tests of src/cfi/finished_rows.c: FDEs with the call-frame program of
   an earlier one.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>

#include "cfi/fde.h"
#include "cfi/finished_rows.h"
#include "tests/unit/cfi_fixture.h"
#include "tests/unit_test.h"

#define CODE UINT64_C (0x123400000000)

/* push %rbp at 1, mov %rsp, %rbp at 4.  */
#define PUSH "\x41\x0e\x10\x86\x02\x43\x0d\x06"

static uint64_t
reach_of (const struct cfi_section *section, size_t index)
{
  struct error err = { 0 };
  struct frame_function function = { 0 };
  struct cfa_machine *machine = cfa_machine_new (section);
  assert_non_null (machine);
  enum frame_reason reason;
  assert_true (cfa_machine_run (machine, &section->fdes[index], &function,
                                &reason, &err));
  uint64_t reach = cfa_machine_reach (machine);
  cfa_machine_free (machine);
  frame_function_free (&function);
  return reach;
}

CFI_TEST (reach_is_the_last_location)
{
  size_t cie = put_amd64_cie (&f->bytes);
  put_fde (&f->bytes, cie, CODE, 16, PUSH, 8);
  put_fde (&f->bytes, cie, CODE + 16, 4, PUSH, 8); /* ends before it */
  put_fde (&f->bytes, cie, CODE + 32, 5, PUSH, 8); /* just long enough */
  put_fde (&f->bytes, cie, CODE + 48, 16, "", 0);  /* no instructions */
  put_fde (&f->bytes, cie, CODE + 64, 16, "\x0b\x44\x0a", 3); /* broken */
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, 5);
  assert_int_equal (reach_of (&f->section, 0), 4);
  assert_true (reach_of (&f->section, 1) == UINT64_MAX);
  assert_int_equal (reach_of (&f->section, 2), 4);
  assert_int_equal (reach_of (&f->section, 3), 0);
  assert_true (reach_of (&f->section, 4) == UINT64_MAX);
}

CFI_TEST (set_loc_depends_on_the_address)
{
  size_t cie = put_amd64_cie (&f->bytes);
  size_t at = put_fde (&f->bytes, cie, CODE, 16, "\x01\0\0\0\0\x0e\x10", 7);
  /* The operand, 18 bytes into the entry, counts from itself.  */
  store_u32 (f->bytes.bytes + at + 18,
             (uint32_t)(CODE + 2 - (SECTION_ADDRESS + at + 18)), false);
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, 1);
  assert_true (reach_of (&f->section, 0) == UINT64_MAX);
}

CFI_TEST (only_equal_programs_are_found)
{
  size_t cie = put_amd64_cie (&f->bytes);
  put_fde (&f->bytes, cie, CODE, 16, PUSH, 8);
  put_fde (&f->bytes, cie, CODE + 16, 99, PUSH, 8);
  put_fde (&f->bytes, cie, CODE + 176, 16, PUSH "\x0e\x08", 10);
  put_fde (&f->bytes, cie, CODE + 192, 16, "\x42\x0e\x10\x86\x02\x43\x0d\x06",
           8);
  size_t other = put_cie (&f->bytes, 1, "zRS", "\x1b", 1, 1, 0x78, 16,
                          "\x0c\x07\x08\x90\x01", 5);
  put_fde (&f->bytes, other, CODE + 208, 16, PUSH, 8);
  put_fde (&f->bytes, cie, CODE + 224, 16, PUSH "\x0e\x08", 10);
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, 6);
  struct program_table *table = program_table_new (&f->section);
  assert_non_null (table);
  static const size_t first[] = { 0, 0, 2, 3, 4, 2 };
  for (size_t i = 0; i < 6; i++)
    {
      uint32_t hash;
      const struct program_result *found
          = program_table_find (table, &f->section.fdes[i], &hash);
      assert_int_equal (found == NULL, first[i] == i);
      if (found != NULL)
        assert_int_equal (found->reach, first[i]);
      else
        assert_non_null (
            program_table_add (table, &f->section.fdes[i], hash, i));
    }
  program_table_free (table);
}

/* In front of equal instructions FDEs may differ.  */
CFI_TEST (equal_programs_keep_their_heads)
{
  enum
  {
    N = 100
  };
  uint64_t lsda;
  size_t cie = put_cie (&f->bytes, 1, "zLR", "\x1b\x1b", 2, 1, 0x78, 16,
                        "\x0c\x07\x08\x90\x01", 5);
  size_t starts[N];
  for (uint32_t i = 0; i < N; i++)
    {
      /* The last bytes in front of the instructions: augmentation data, of
         which every third FDE has some.  */
      const char data[] = { 4, (char)i, 1, 0, 0 };
      size_t start = starts[i] = f->bytes.size;
      buffer_u32 (&f->bytes, 0);
      buffer_u32 (&f->bytes, (uint32_t)(start + 4 - cie));
      buffer_u32 (&f->bytes, (uint32_t)(CODE + 1000 * (uint64_t)i
                                        - (SECTION_ADDRESS + start + 8)));
      buffer_u32 (&f->bytes, 100 + i);
      if (i % 3 == 0)
        put (&f->bytes, data, sizeof data);
      else
        buffer_u8 (&f->bytes, 0);
      put (&f->bytes, PUSH, 8);
      store_u32 (f->bytes.bytes + start, (uint32_t)(f->bytes.size - start - 4),
                 false);
    }
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, N);
  assert_int_equal (f->section.n_damaged, 0);
  for (uint32_t i = 0; i < N; i++)
    {
      const struct cfi_fde *fde = &f->section.fdes[i];
      assert_int_equal (fde->offset, starts[i]);
      assert_true (fde->address == CODE + 1000 * (uint64_t)i);
      assert_int_equal (fde->size, 100 + i);
      assert_int_equal (fde->instructions_size, 8);
      assert_memory_equal (cfi_fde_instructions (&f->section, fde), PUSH, 8);
      if (i % 3 == 0)
        {
          assert_true (fde_lsda (&f->section, fde, &lsda));
          assert_true (lsda == SECTION_ADDRESS + starts[i] + 17 + 256 + i);
        }
    }
}

/* An FDE with known instructions whose head is damaged is not known.  */
CFI_TEST (damaged_heads_are_left_out)
{
  enum
  {
    N = 100
  };
  size_t cie = put_amd64_cie (&f->bytes), damaged = 0;
  for (uint64_t i = 0; i < N; i++)
    {
      size_t start = put_fde (&f->bytes, cie, CODE + 16 * i, 16, PUSH, 8);
      if (i == N - 20)
        {
          damaged = start;
          f->bytes.bytes[start + 16] = 0x7f; /* size of augmentation data */
        }
    }
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, N - 1);
  assert_int_equal (f->section.n_damaged, 1);
  assert_int_equal (f->section.damages[0].offset, damaged);
}

/* More programs than the table has room for at first.  */
CFI_TEST (programs_are_found_among_many)
{
  enum
  {
    programs = 5000
  };
  size_t cie = put_amd64_cie (&f->bytes);
  for (unsigned round = 0; round < 2; round++)
    for (unsigned i = 0; i < programs; i++)
      {
        char program[] = { 0x03, (char)i, (char)(i >> 8), 0x0e, 0x10 };
        put_fde (&f->bytes, cie,
                 CODE + UINT64_C (0x10000) * (round * programs + i), 0x10000,
                 program, sizeof program);
      }
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, 2 * programs);
  struct program_table *table = program_table_new (&f->section);
  assert_non_null (table);
  uint32_t hash;
  for (uint32_t i = 0; i < programs; i++)
    {
      assert_null (program_table_find (table, &f->section.fdes[i], &hash));
      assert_non_null (
          program_table_add (table, &f->section.fdes[i], hash, i));
    }
  /* It may forget, but not by much, and not say anything wrong.  */
  size_t found = 0;
  for (uint32_t i = 0; i < programs; i++)
    {
      const struct program_result *result
          = program_table_find (table, &f->section.fdes[programs + i], &hash);
      if (result != NULL)
        {
          found++;
          assert_int_equal (result->reach, i);
        }
    }
  assert_true (found > programs - programs / 200);
  program_table_free (table);
}

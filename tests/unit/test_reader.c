/* Unit tests of src/cfi/reader.c: .eh_frame and .debug_frame, sound, damaged,
   or with what libdwarf refuses.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/fde.h"
#include "cfi/cfi_section.h"
#include "cfi/entry.h"
#include "cfi/libdwarf_pair.h"
#include "tests/unit/cfi_fixture.h"
#include "tests/unit_test.h"

#define CODE UINT64_C (0x123400000000)

static void
expect_damage (const struct cfi_section *section, size_t index,
               uint64_t offset, enum frame_reason reason)
{
  assert_true (index < section->n_damages);
  assert_int_equal (section->damages[index].offset, offset);
  assert_string_equal (frame_reason_name (section->damages[index].reason),
                       frame_reason_name (reason));
  assert_string_not_equal (section->damages[index].text, "");
}

CFI_TEST (an_empty_section_has_no_fdes)
{
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, 0);
  assert_int_equal (f->section.n_damaged, 0);
}

CFI_TEST (fdes_are_sorted_by_address)
{
  size_t cie = put_amd64_cie (&f->bytes);
  size_t third = put_fde (&f->bytes, cie, CODE + 64, 16, "", 0);
  size_t first = put_fde (&f->bytes, cie, CODE, 32, "", 0);
  size_t second = put_fde (&f->bytes, cie, CODE + 32, 32, "", 0);
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, 3);
  assert_int_equal (f->section.fdes[0].offset, first);
  assert_int_equal (f->section.fdes[1].offset, second);
  assert_int_equal (f->section.fdes[2].offset, third);
  assert_int_equal (f->section.fdes[2].address, CODE + 64);
  assert_int_equal (f->section.fdes[2].size, 16);
}

/* FDEs for the same code come in the order of the section, wherever the sort
   finds them.  */
CFI_TEST (fdes_of_equal_addresses_keep_their_order)
{
  enum
  {
    N = 60
  };
  size_t cie = put_amd64_cie (&f->bytes);
  for (unsigned i = 0; i < N; i++)
    put_fde (&f->bytes, cie, CODE + 16 * (uint64_t)(i * 7 % 4), 16, "", 0);
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, N);
  for (unsigned i = 1; i < N; i++)
    {
      const struct cfi_fde *fde = &f->section.fdes[i];
      assert_true (fde->address > fde[-1].address
                   || (fde->address == fde[-1].address
                       && fde->offset > fde[-1].offset));
    }
}

/* Without a z there are no augmentation data, not even their size.  */
CFI_TEST (cies_without_augmentation_have_no_data)
{
  size_t cie = put_cie (&f->bytes, 1, "", "", 0, 1, 0x78, 16, "", 0);
  for (unsigned i = 0; i < 40; i++)
    {
      size_t start = f->bytes.size;
      buffer_u32 (&f->bytes, 0);
      buffer_u32 (&f->bytes, (uint32_t)(start + 4 - cie));
      buffer_u64 (&f->bytes, CODE + 16 * (uint64_t)i);
      buffer_u64 (&f->bytes, 16);
      buffer_u8 (&f->bytes, 0x41);
      buffer_u8 (&f->bytes, (uint8_t)(i / 4));
      end_entry (&f->bytes, start);
    }
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, 40);
  assert_int_equal (f->section.n_damaged, 0);
  for (unsigned i = 0; i < 40; i++)
    {
      const struct cfi_fde *fde = &f->section.fdes[i];
      const uint8_t *instructions = cfi_fde_instructions (&f->section, fde);
      assert_true (fde->address == CODE + 16 * (uint64_t)i);
      assert_int_equal (fde->head_size, 24);
      assert_int_equal (instructions[0], 0x41);
      assert_int_equal (instructions[1], i / 4);
    }
}

/* libdwarf 0.11 refuses such an FDE where its section ends.  */
CFI_TEST (an_fde_without_instructions_is_read_where_the_section_ends)
{
  size_t cie = put_amd64_cie (&f->bytes), start = f->bytes.size;
  buffer_u32 (&f->bytes, 13);
  buffer_u32 (&f->bytes, (uint32_t)(start + 4 - cie));
  buffer_u32 (&f->bytes, (uint32_t)(CODE - (SECTION_ADDRESS + start + 8)));
  buffer_u32 (&f->bytes, 16);
  buffer_u8 (&f->bytes, 0);
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, 1);
  assert_true (f->section.fdes[0].address == CODE);
  assert_int_equal (f->section.fdes[0].instructions_size, 0);
}

CFI_TEST (terminators_end_nothing)
{
  size_t cie = put_amd64_cie (&f->bytes);
  put_fde (&f->bytes, cie, CODE, 16, "", 0);
  buffer_u32 (&f->bytes, 0); /* in the middle, as in libc for aarch64 */
  put_fde (&f->bytes, cie, CODE + 16, 16, "", 0);
  buffer_u32 (&f->bytes, 0);
  buffer_u32 (&f->bytes, 0);
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, 2);
  assert_int_equal (f->section.fdes[1].address, CODE + 16);
  assert_int_equal (f->section.n_damaged, 0);
}

CFI_TEST (a_bad_length_costs_one_entry)
{
  size_t cie = put_amd64_cie (&f->bytes);
  put_fde (&f->bytes, cie, CODE, 16, "", 0);
  size_t extended = f->bytes.size;
  buffer_u32 (&f->bytes, 0xffffffff);
  buffer_u64 (&f->bytes, 8);
  buffer_u64 (&f->bytes, 0);
  put_fde (&f->bytes, cie, CODE + 16, 16, "", 0);
  size_t tiny = f->bytes.size;
  buffer_u32 (&f->bytes, 2);
  buffer_u16 (&f->bytes, 0);
  put_fde (&f->bytes, cie, CODE + 32, 16, "", 0);
  size_t cut = put_fde (&f->bytes, cie, CODE + 48, 16, "", 0);
  f->bytes.size -= 3;
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, 3);
  assert_int_equal (f->section.n_damaged, 3);
  expect_damage (&f->section, 0, extended, REASON_BAD_ENTRY);
  expect_damage (&f->section, 1, tiny, REASON_BAD_ENTRY);
  expect_damage (&f->section, 2, cut, REASON_BAD_ENTRY);
}

TEST_ON (struct cfi_fixture *whole, cfi_fixture_set_up, cfi_fixture_tear_down,
         every_truncation_leaves_the_fdes_in_front)
{
  size_t cie = put_amd64_cie (&whole->bytes);
  put_fde (&whole->bytes, cie, CODE, 16, "\x41\x0e\x10", 3);
  size_t second
      = put_fde (&whole->bytes, cie, CODE + 16, 16, "\x41\x0e\x10", 3);
  for (size_t size = 0; size <= whole->bytes.size; size++)
    {
      struct cfi_fixture f = cfi_fixture_new (false);
      buffer_append (&f.bytes, whole->bytes.bytes, size);
      cfi_fixture_read (&f, &arch_amd64);
      size_t expected = size == whole->bytes.size ? 2 : size >= second ? 1 : 0;
      assert_int_equal (f.section.n_fdes, expected);
      cfi_fixture_free (&f);
    }
}

CFI_TEST (a_bad_cie_pointer_costs_one_fde)
{
  size_t cie = put_amd64_cie (&f->bytes);
  size_t good = put_fde (&f->bytes, cie, CODE, 16, "", 0);
  size_t inside = put_fde (&f->bytes, cie + 1, CODE + 16, 16, "", 0);
  size_t outside = put_fde (&f->bytes, cie, CODE + 32, 16, "", 0);
  store_u32 (f->bytes.bytes + outside + 4, 0x7fffffff, false);
  size_t itself = put_fde (&f->bytes, good, CODE + 48, 16, "", 0);
  put_fde (&f->bytes, cie, CODE + 64, 16, "", 0);
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, 2);
  assert_int_equal (f->section.n_damaged, 3);
  expect_damage (&f->section, 0, inside, REASON_BAD_ENTRY);
  expect_damage (&f->section, 1, outside, REASON_BAD_ENTRY);
  expect_damage (&f->section, 2, itself, REASON_BAD_ENTRY);
}

CFI_TEST (a_cie_behind_its_fde_cannot_be_meant)
{
  size_t fde = put_fde (&f->bytes, 0, CODE, 16, "", 0);
  size_t cie = put_amd64_cie (&f->bytes);
  store_u32 (f->bytes.bytes + fde + 4, (uint32_t)(fde + 4 - cie), false);
  cfi_fixture_read (f, &arch_amd64);
  /* The distance is unsigned, so that a later CIE cannot be meant.  */
  assert_int_equal (f->section.n_fdes, 0);
  expect_damage (&f->section, 0, fde, REASON_BAD_ENTRY);
}

/* An FDE of a CIE with the given AUGMENTATION.  */
static void
expect_augmentation (const struct arch *arch, const char *augmentation,
                     const char *data, size_t size, bool signal, bool b_key,
                     enum frame_reason unusable)
{
  struct cfi_fixture f = cfi_fixture_new (arch->big_endian);
  size_t good = put_cie (&f.bytes, 1, "zR", "\x1b", 1, 1, 0x78,
                         (uint8_t)arch->ra, "", 0);
  size_t cie = put_cie (&f.bytes, 1, augmentation, data, size, 4, 0x78,
                        (uint8_t)arch->ra, "", 0);
  put_fde (&f.bytes, good, CODE, 16, "", 0);
  put_fde (&f.bytes, cie, CODE + 16, 16, "", 0);
  put_fde (&f.bytes, good, CODE + 32, 16, "", 0);
  cfi_fixture_read (&f, arch);
  const struct cfi_cie *read = &f.section.cies[1];
  assert_string_equal (frame_reason_name (read->unusable),
                       frame_reason_name (unusable));
  assert_int_equal (f.section.n_fdes, unusable ? 2 : 3);
  if (!unusable)
    {
      assert_int_equal (read->signal, signal);
      assert_int_equal (read->b_key, b_key);
      assert_int_equal (read->pointer_encoding, 0x1b);
      assert_int_equal (read->code_alignment, 4);
      assert_int_equal (read->data_alignment, -8);
      assert_int_equal (f.section.fdes[1].address, CODE + 16);
    }
  cfi_fixture_free (&f);
}

TEST (augmentations_are_understood_or_named)
{
  expect_augmentation (&arch_amd64, "zRS", "\x1b", 1, true, false, 0);
  expect_augmentation (&arch_aarch64, "zRB", "\x1b", 1, false, true, 0);
  expect_augmentation (&arch_aarch64, "zRSB", "\x1b", 1, true, true, 0);
  expect_augmentation (&arch_aarch64, "zRG", "\x1b", 1, false, false, 0);
  expect_augmentation (&arch_aarch64, "zRBG", "\x1b", 1, false, true, 0);
  expect_augmentation (&arch_aarch64, "zRGSB", "\x1b", 1, true, true, 0);
  expect_augmentation (&arch_aarch64_be, "zRB", "\x1b", 1, false, true, 0);
  expect_augmentation (&arch_amd64, "zPLR", "\x9b\x00\x00\x00\x00\x1b\x1b", 7,
                       false, false, 0);
  expect_augmentation (&arch_amd64, "zPLR",
                       "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x1b\x1b", 11,
                       false, false, 0);
  expect_augmentation (&arch_amd64, "zRz", "\x1b", 1, false, false,
                       REASON_AUGMENTATION);
  expect_augmentation (&arch_amd64, "zRX", "\x1b", 1, false, false,
                       REASON_AUGMENTATION);
  expect_augmentation (&arch_amd64, "eh", "", 0, false, false,
                       REASON_AUGMENTATION);
  /* Data that ends early, a personality in no known form.  */
  expect_augmentation (&arch_amd64, "zR", "", 0, false, false,
                       REASON_BAD_ENTRY);
  expect_augmentation (&arch_amd64, "zPR", "\x1b\x00\x00\x00", 4, false, false,
                       REASON_BAD_ENTRY);
  expect_augmentation (&arch_amd64, "zPR", "\x05\x00\x00\x00\x00\x1b", 6,
                       false, false, REASON_BAD_ENTRY);
  /* An aligned one: libdw and others take it for one that is not.  */
  expect_augmentation (&arch_amd64, "zPR",
                       "\x50\x00\x00\x00\x00\x00\x00\x00\x00\x1b", 10, false,
                       false, REASON_BAD_ENTRY);
  expect_augmentation (&arch_amd64, "zR", "\x9b", 1, false, false,
                       REASON_POINTER_ENCODING);
  expect_augmentation (&arch_amd64, "zR", "\x3b", 1, false, false,
                       REASON_POINTER_ENCODING);
}

TEST (letters_end_inside_their_cie)
{
  struct cfi_fixture f = cfi_fixture_new (false);
  buffer_append (&f.bytes, "\7\0\0\0\0\0\0\0\1zR", 11);
  put_amd64_cie (&f.bytes); /* its length is no letter */
  cfi_fixture_read (&f, &arch_amd64);
  assert_int_equal (f.section.n_cies, 2);
  assert_int_equal (f.section.cies[0].unusable, REASON_BAD_ENTRY);
  cfi_fixture_free (&f);
}

/* An FDE whose pointers have ENCODING; FIELDS are address and size.  */
static void
expect_pointers (char encoding, const char *fields, size_t size,
                 uint64_t address)
{
  struct cfi_fixture f = cfi_fixture_new (false);
  size_t cie = put_cie (&f.bytes, 1, "zR", &encoding, 1, 1, 0x78, 16, "", 0);
  assert_int_equal (f.bytes.size, 24); /* expected addresses count on it */
  size_t start = f.bytes.size;
  buffer_u32 (&f.bytes, 0);
  buffer_u32 (&f.bytes, (uint32_t)(start + 4 - cie));
  put (&f.bytes, fields, size);
  buffer_u8 (&f.bytes, 0);
  end_entry (&f.bytes, start);
  cfi_fixture_read (&f, &arch_amd64);
  assert_int_equal (f.section.n_damaged, 0);
  assert_int_equal (f.section.n_fdes, 1);
  assert_int_equal (f.section.fdes[0].address, address);
  assert_int_equal (f.section.fdes[0].size, 0x21);
  cfi_fixture_free (&f);
}

TEST (pointers_are_read_in_every_encoding)
{
  const uint64_t field = SECTION_ADDRESS + 32;
  expect_pointers (0x00, "\x88\x77\x66\x55\x44\x33\x22\x11\x21\0\0\0\0\0\0\0",
                   16, UINT64_C (0x1122334455667788));
  expect_pointers (0x04, "\x88\x77\x66\x55\x44\x33\x22\x11\x21\0\0\0\0\0\0\0",
                   16, UINT64_C (0x1122334455667788));
  expect_pointers (0x03, "\x88\x77\x66\x55\x21\0\0\0", 8, 0x55667788);
  expect_pointers (0x0b, "\x88\x77\x66\x55\x21\0\0\0", 8, 0x55667788);
  expect_pointers (0x02, "\x88\x77\x21\0", 4, 0x7788);
  expect_pointers (0x1b, "\x00\x10\x00\x00\x21\0\0\0", 8, field + 0x1000);
  expect_pointers (0x1b, "\x00\xf0\xff\xff\x21\0\0\0", 8, field - 0x1000);
  expect_pointers (0x1a, "\x00\xf0\x21\0", 4, field - 0x1000);
  expect_pointers (0x1c, "\0\0\0\0\1\0\0\0\x21\0\0\0\0\0\0\0", 16,
                   field + 0x100000000);
  expect_pointers (0x10, "\0\0\0\0\1\0\0\0\x21\0\0\0\0\0\0\0", 16,
                   field + 0x100000000);
}

TEST (versions_1_3_and_4_of_cies_are_read)
{
  static const uint8_t versions[] = { 1, 3, 4 };
  FOR_EACH_ROW (given, versions)
    {
      struct cfi_fixture f = cfi_fixture_new (false);
      size_t cie = put_cie (&f.bytes, *given, "zR", "\x1b", 1, 1, 0x78, 16,
                            "\x0c\x07\x08", 3);
      put_fde (&f.bytes, cie, CODE, 16, "", 0);
      cfi_fixture_read (&f, &arch_amd64);
      assert_int_equal (f.section.n_fdes, 1);
      assert_int_equal (f.section.cies[0].ra_column, 16);
      assert_int_equal (f.section.cies[0].instructions[0], 0x0c);
      cfi_fixture_free (&f);
    }
  struct cfi_fixture f = cfi_fixture_new (false);
  size_t cie = put_cie (&f.bytes, 2, "zR", "\x1b", 1, 1, 0x78, 16, "", 0);
  size_t fde = put_fde (&f.bytes, cie, CODE, 16, "", 0);
  cfi_fixture_read (&f, &arch_amd64);
  assert_int_equal (f.section.n_fdes, 0);
  expect_damage (&f.section, 1, fde, REASON_BAD_ENTRY);
  cfi_fixture_free (&f);
}

/* Version 4 has the sizes of an address and of a segment selector.  */
TEST (a_cie_of_another_address_size_is_damaged)
{
  static const struct
  {
    uint8_t address, segment;
    bool good;
  } sizes[] = { { 8, 0, true }, { 4, 0, false }, { 8, 4, false } };
  for (size_t i = 0; i < 3; i++)
    {
      struct cfi_fixture f = cfi_fixture_new (false);
      size_t cie = put_cie (&f.bytes, 4, "zR", "\x1b", 1, 1, 0x78, 16,
                            "\x0c\x07\x08", 3);
      f.bytes.bytes[cie + 12] = sizes[i].address;
      f.bytes.bytes[cie + 13] = sizes[i].segment;
      put_fde (&f.bytes, cie, CODE, 16, "", 0);
      cfi_fixture_read (&f, &arch_amd64);
      assert_int_equal (f.section.n_fdes, sizes[i].good);
      if (!sizes[i].good)
        expect_damage (&f.section, 0, cie, REASON_BAD_ENTRY);
      cfi_fixture_free (&f);
    }
}

/* Augmentation data of any length but the right one: the instructions begin
   inside the entry, or there are none.  */
TEST (instructions_stay_inside_their_entry)
{
  for (unsigned length = 0; length < 128; length++)
    {
      struct cfi_fixture f = cfi_fixture_new (false);
      size_t cie = put_amd64_cie (&f.bytes);
      size_t fde = put_fde (&f.bytes, cie, CODE, 16, "\x41\x0e\x10", 3);
      uint64_t size = f.bytes.size - fde;
      put_fde (&f.bytes, cie, CODE + 16, 16, "\x41\x0e\x10", 3);
      put_fde (&f.bytes, cie, CODE + 32, 16, "\x41\x0e\x10", 3);
      f.bytes.bytes[fde + 16] = (uint8_t)length;
      cfi_fixture_read (&f, &arch_amd64);
      bool inside = 17 + length <= size;
      assert_int_equal (f.section.n_fdes, inside ? 3 : 2);
      if (inside)
        {
          assert_int_equal (f.section.fdes[0].head_size, 17 + length);
          assert_int_equal (f.section.fdes[0].instructions_size,
                            size - 17 - length);
        }
      else
        expect_damage (&f.section, 0, fde, REASON_BAD_ENTRY);
      cfi_fixture_free (&f);
    }
}

/* The same for a CIE, whose augmentation data is one byte.  */
TEST (augmentation_data_stays_inside_its_cie)
{
  for (unsigned length = 0; length < 128; length++)
    {
      struct cfi_fixture f = cfi_fixture_new (false);
      size_t cie = put_amd64_cie (&f.bytes);
      size_t size = f.bytes.size - cie;
      put_fde (&f.bytes, cie, CODE, 16, "\x41\x0e\x10", 3);
      f.bytes.bytes[cie + 15] = (uint8_t)length;
      cfi_fixture_read (&f, &arch_amd64);
      assert_int_equal (f.section.n_fdes, length >= 1 && 16 + length <= size);
      cfi_fixture_free (&f);
    }
}

TEST (a_cie_of_more_than_4_kib_is_damaged)
{
  static const char nops[5000];
  for (size_t size = 4000; size <= 5000; size += 1000)
    {
      struct cfi_fixture f = cfi_fixture_new (false);
      size_t cie
          = put_cie (&f.bytes, 1, "zR", "\x1b", 1, 1, 0x78, 16, nops, size);
      put_fde (&f.bytes, cie, CODE, 16, "\x41\x0e\x10", 3);
      cfi_fixture_read (&f, &arch_amd64);
      assert_int_equal (f.section.n_fdes, size == 4000);
      cfi_fixture_free (&f);
    }
}

/* What libdwarf might say one day of entries that it did not understand: the
   linker sends our question here.  */
static enum answer {
  RIGHT,
  FDE_LONGER,
  FDE_BEHIND,
  FDE_INSTRUCTIONS_LONGER,
  CIE_BEFORE,
  CIE_BEHIND,
  CIE_INSTRUCTIONS_LONGER,
  CIE_OTHER_CODE_ALIGNMENT,
  CIE_OTHER_DATA_ALIGNMENT,
  N_ANSWERS
} answer;

static void
change_answer (struct libdwarf_cie *cie, struct libdwarf_fde *fde)
{
  switch (answer)
    {
    case FDE_LONGER:
      fde->entry_size += 8;
      break;
    case FDE_BEHIND:
      fde->instructions += fde->entry_size;
      fde->instructions_size = 0;
      break;
    case FDE_INSTRUCTIONS_LONGER:
      fde->instructions_size++;
      break;
    case CIE_BEFORE:
      cie->instructions -= 64;
      break;
    case CIE_BEHIND:
      cie->instructions += 64;
      cie->instructions_size = 0;
      break;
    case CIE_INSTRUCTIONS_LONGER:
      cie->instructions_size++;
      break;
    case CIE_OTHER_CODE_ALIGNMENT:
      cie->code_alignment++;
      break;
    case CIE_OTHER_DATA_ALIGNMENT:
      cie->data_alignment++;
      break;
    default:
      break;
    }
}

bool __real_libdwarf_pair_read (const struct cfi_input *shown, bool big_endian,
                                unsigned address_size,
                                struct libdwarf_cie *cie,
                                struct libdwarf_fde *fde, char *text,
                                size_t text_size);
bool __wrap_libdwarf_pair_read (const struct cfi_input *shown, bool big_endian,
                                unsigned address_size,
                                struct libdwarf_cie *cie,
                                struct libdwarf_fde *fde, char *text,
                                size_t text_size);

bool
__wrap_libdwarf_pair_read (const struct cfi_input *shown, bool big_endian,
                           unsigned address_size, struct libdwarf_cie *cie,
                           struct libdwarf_fde *fde, char *text,
                           size_t text_size)
{
  if (!__real_libdwarf_pair_read (shown, big_endian, address_size, cie, fde,
                                  text, text_size))
    return false;
  change_answer (cie, fde);
  return true;
}

TEST (what_libdwarf_cannot_mean_is_damage)
{
  for (answer = RIGHT + 1; answer < N_ANSWERS; answer++)
    {
      struct cfi_fixture f = cfi_fixture_new (false);
      size_t cie = put_amd64_cie (&f.bytes);
      size_t fde = put_fde (&f.bytes, cie, CODE, 16, "\x41\x0e\x10", 3);
      cfi_fixture_read (&f, &arch_amd64);
      assert_int_equal (f.section.n_fdes, 0);
      expect_damage (&f.section, 0, fde, REASON_BAD_ENTRY);
      assert_string_equal (f.section.damages[0].text,
                           frame_reason_text (REASON_BAD_ENTRY));
      cfi_fixture_free (&f);
    }
  answer = RIGHT;
}

/* 64-bit lengths: what they say is skipped, as far as it is there.  */
TEST (extended_lengths_are_skipped_as_far_as_they_go)
{
  static const struct
  {
    uint64_t length;
    size_t bytes; /* behind the length */
    bool followed;
  } entries[] = { { 16, 16, true },
                  { 16, 15, false },
                  { UINT64_C (0x1000000000000010), 16, false },
                  { 0, 0, true },
                  { 0, 0, false } };
  FOR_EACH_ROW (given, entries)
    {
      struct cfi_fixture f = cfi_fixture_new (false);
      size_t cie = put_amd64_cie (&f.bytes);
      size_t extended = f.bytes.size;
      buffer_u32 (&f.bytes, 0xffffffff);
      buffer_u64 (&f.bytes, given->length);
      for (size_t j = 0; j < given->bytes; j++)
        buffer_u8 (&f.bytes, 0xee);
      uint64_t size = f.bytes.size - extended;
      if (given->followed)
        put_fde (&f.bytes, cie, CODE, 16, "", 0);
      const struct cfi_input input
          = { CFI_EH_FRAME, f.bytes.bytes, f.bytes.size, 0, false };
      assert_int_equal (entry_at (&input, false, extended).size, size);
      cfi_fixture_read (&f, &arch_amd64);
      assert_int_equal (f.section.n_fdes, given->followed);
      assert_int_equal (f.section.n_damaged, 1);
      expect_damage (&f.section, 0, extended, REASON_BAD_ENTRY);
      cfi_fixture_free (&f);
    }
}

/* Between two CIEs there is none, and a CIE is none but at its start.  */
CFI_TEST (a_cie_is_none_but_at_its_start)
{
  size_t cies[3];
  for (unsigned i = 0; i < 3; i++)
    cies[i] = put_amd64_cie (&f->bytes);
  size_t end = f->bytes.size;
  for (size_t at = 0; at < end; at += 4)
    put_fde (&f->bytes, at, CODE + at, 4, "", 0);
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, 3);
  for (unsigned i = 0; i < 3; i++)
    {
      assert_int_equal (f->section.fdes[i].address, CODE + cies[i]);
      assert_int_equal (f->section.cies[f->section.fdes[i].cie].offset,
                        cies[i]);
    }
  assert_int_equal (f->section.n_damaged, end / 4 - 3);
}

/* In version 1 the RA column is a byte, later it is a ULEB128.  */
CFI_TEST (ra_columns_above_127_are_a_byte_in_version_1)
{
  size_t cie = put_cie (&f->bytes, 1, "zR", "\x1b", 1, 1, 0x78, 0x90, "", 0);
  put_fde (&f->bytes, cie, CODE, 16, "", 0);
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, 1);
  assert_int_equal (f->section.fdes[0].address, CODE);
  assert_int_equal (f->section.cies[0].ra_column, 0x90);
}

/* Pointers to language-specific data with ENCODING; 8 bytes of them.  */
static void
expect_lsda (uint8_t encoding, bool known, uint64_t address)
{
  struct cfi_fixture f = cfi_fixture_new (false);
  uint64_t lsda;
  char data[2] = { (char)encoding, 0x1b };
  size_t cie = put_cie (&f.bytes, 1, "zLR", data, 2, 1, 0x78, 16, "", 0);
  size_t fde
      = put_fde (&f.bytes, cie, CODE, 16, "\x40\x30\x20\x10\0\0\0\0", 8);
  f.bytes.bytes[fde + 16] = 8;
  cfi_fixture_read (&f, &arch_amd64);
  assert_int_equal (f.section.n_fdes, 1);
  assert_int_equal (fde_pointers_end (&f.section, &f.section.fdes[0]), 16);
  assert_int_equal (fde_lsda (&f.section, &f.section.fdes[0], &lsda), known);
  if (known)
    assert_int_equal (lsda, address);
  cfi_fixture_free (&f);
}

TEST (pointers_to_language_specific_data_are_read)
{
  /* The CIE is 24 bytes, the pointer 17 behind the FDE's start.  */
  uint64_t place = SECTION_ADDRESS + 24 + 17;
  expect_lsda (0x00, true, 0x10203040);
  expect_lsda (0x03, true, 0x10203040);
  expect_lsda (0x1b, true, place + 0x10203040);
  expect_lsda (0xff, true, 0);  /* omitted */
  expect_lsda (0x3b, false, 0); /* relative to data */
  expect_lsda (0x9b, false, 0); /* indirect */
}

/* A CIE whose data alignment factor is -264, which libdwarf 20210528 takes for
   -8.  */
CFI_TEST (a_wide_alignment_factor_is_read_right_or_not_at_all)
{
  size_t start = f->bytes.size;
  put (&f->bytes, "\0\0\0\0\0\0\0\0\1zR\0", 12);
  put (&f->bytes, "\x01\xf8\x7d\x10\x01\x1b", 6);
  put (&f->bytes, "\x0c\x07\x08\x90\x01", 5);
  end_entry (&f->bytes, start);
  put_fde (&f->bytes, start, CODE, 16, "", 0);
  size_t other = put_amd64_cie (&f->bytes);
  put_fde (&f->bytes, other, CODE + 16, 16, "", 0);
  cfi_fixture_read (f, &arch_amd64);
  /* Right or not at all.  */
  if (f->section.n_fdes == 2)
    assert_int_equal (f->section.cies[0].data_alignment, -264);
  else
    expect_damage (&f->section, 0, 24 + start, REASON_BAD_ENTRY);
  assert_int_equal (f->section.fdes[f->section.n_fdes - 1].address, CODE + 16);
}

/* Many entries, one CIE each or one for all, in both byte orders, with a
   damaged one among them.  */
static void
read_many (const struct arch *arch, bool cie_each, size_t n)
{
  struct cfi_fixture f = cfi_fixture_new (arch->big_endian);
  size_t cie = 0, damaged = 0;
  for (size_t i = 0; i < n; i++)
    {
      if (i == 0 || cie_each)
        cie = put_cie (&f.bytes, 1, "zR", "\x1b", 1, 1, 0x78,
                       (uint8_t)arch->ra, "\x0c\x07\x08", 3);
      size_t fde = put_fde (&f.bytes, cie, CODE + 16 * i, 16, "\x41", 1);
      if (i == n / 3)
        {
          /* An augmentation size that leaves the entry, for which libdwarf
             refuses all that it is shown.  */
          f.bytes.bytes[fde + 16] = 0x7f;
          damaged = fde;
        }
    }
  cfi_fixture_read (&f, arch);
  assert_int_equal (f.section.n_fdes, n - 1);
  assert_int_equal (f.section.n_damaged, 1);
  expect_damage (&f.section, 0, damaged, REASON_BAD_ENTRY);
  for (size_t i = 0; i < n - 1; i++)
    {
      size_t function = i + (i >= n / 3);
      assert_int_equal (f.section.fdes[i].address, CODE + 16 * function);
      assert_int_equal (*cfi_fde_instructions (&f.section, &f.section.fdes[i]),
                        0x41);
      assert_int_equal (f.section.fdes[i].cie, cie_each ? function : 0);
    }
  cfi_fixture_free (&f);
}

TEST (many_fdes_are_read_but_the_damaged_one)
{
  read_many (&arch_amd64, false, 20000);
  read_many (&arch_amd64, true, 6000);
  read_many (&arch_s390x, false, 6000);
  read_many (&arch_aarch64_be, true, 2000);
}

/* It counted as a function, which --strict then missed.  */
CFI_TEST (an_unknown_cie_without_fdes_is_no_function)
{
  size_t known = put_amd64_cie (&f->bytes);
  size_t unknown = put_cie (&f->bytes, 1, "zX", "", 0, 1, 0x78, 16, "", 0);
  put_fde (&f->bytes, known, CODE, 16, "", 0);
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_damaged, 1);
  expect_damage (&f->section, 0, unknown, f->section.cies[1].unusable);
  assert_int_equal (cfi_section_functions (&f->section), 1);
  assert_int_equal (f->section.left_out[f->section.cies[1].unusable], 0);
}

CFI_TEST (an_fde_of_an_unknown_cie_is_a_function)
{
  size_t unknown = put_cie (&f->bytes, 1, "zX", "", 0, 1, 0x78, 16, "", 0);
  put_fde (&f->bytes, unknown, CODE, 16, "", 0);
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_damaged, 2);
  assert_int_equal (cfi_section_functions (&f->section), 1);
  assert_int_equal (f->section.left_out[f->section.cies[0].unusable], 1);
}

CFI_TEST (many_damages_are_counted_and_some_are_told)
{
  size_t cie = put_amd64_cie (&f->bytes);
  for (size_t i = 0; i < 200; i++)
    put_fde (&f->bytes, cie + 1, CODE + 16 * i, 16, "", 0);
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_damaged, 200);
  assert_int_equal (f->section.n_damages, CFI_DAMAGES_MAX);
  assert_int_equal (f->section.left_out[REASON_BAD_ENTRY], 200);
}

/* Damaged entries and CIEs at both ends of many, out of order.  */
CFI_TEST (many_fdes_find_their_cies)
{
  enum
  {
    N = 40000
  };
  size_t cies[3], damaged[2];
  cies[0] = put_amd64_cie (&f->bytes);
  for (unsigned i = 0; i < N; i++)
    {
      if (i == 10)
        cies[1] = put_cie (&f->bytes, 1, "zRS", "\x1b", 1, 1, 0x78, 16, "", 0);
      if (i == N - 10)
        cies[2] = put_cie (&f->bytes, 1, "zR", "\x1b", 1, 4, 0x78, 16, "", 0);
      if (i == 100 || i == N - 100)
        {
          damaged[i > 100] = f->bytes.size;
          buffer_u32 (&f->bytes, 4);
          buffer_u32 (&f->bytes, 3); /* no CIE there */
        }
      unsigned cie = i > N - 10 ? i % 3 : i > 10 ? i % 2 : 0;
      const char program[] = { (char)(0x41 + i % 11) };
      put_fde (&f->bytes, cies[cie], CODE + 16 * ((uint64_t)i * 7 % N), 16,
               program, 1);
    }
  cfi_fixture_read (f, &arch_amd64);
  assert_int_equal (f->section.n_fdes, N);
  assert_int_equal (f->section.n_cies, 3);
  assert_int_equal (f->section.cies[2].code_alignment, 4);
  for (unsigned i = 0; i < 3; i++)
    assert_int_equal (f->section.cies[i].offset, cies[i]);
  for (unsigned i = 0; i < N; i++)
    {
      const struct cfi_fde *fde = &f->section.fdes[i];
      assert_true (fde->address == CODE + 16 * i && fde->size == 16);
      assert_true (i == 0 || fde->offset != fde[-1].offset);
      assert_int_equal (
          load_u32 (f->section.inputs[0].bytes + fde->offset + 4, false),
          fde->offset + 4 - cies[fde->cie]);
    }
  assert_int_equal (f->section.n_damaged, 2);
  for (unsigned i = 0; i < 2; i++)
    expect_damage (&f->section, i, damaged[i], REASON_BAD_ENTRY);
}

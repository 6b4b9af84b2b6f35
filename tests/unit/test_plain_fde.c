/* Plain FDEs are what libdwarf says, also in damaged sections.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Every section is read twice, with and without plain_fde_read (), and all
   that came of it is compared: FDEs, CIEs, and what was left out and why.  */

#include "cfi/fde.h"

#include "tests/guarded.h"
#include "tests/unit/cfi_builder.h"
#include "tests/unit_test.h"

#define CODE UINT64_C (0x123400000000)

static bool
fdes_are_equal (const struct cfi_fde *a, const struct cfi_fde *b)
{
  return a->address == b->address && a->size == b->size
         && a->offset == b->offset && a->head_size == b->head_size
         && a->instructions_size == b->instructions_size && a->cie == b->cie
         && a->input == b->input;
}

static bool
damages_are_equal (const struct cfi_damage *a, const struct cfi_damage *b)
{
  return a->offset == b->offset && a->reason == b->reason
         && strcmp (a->text, b->text) == 0;
}

static bool
cies_are_equal (const struct cfi_cie *a, const struct cfi_cie *b)
{
  return a->offset == b->offset && a->instructions == b->instructions
         && a->instructions_size == b->instructions_size
         && a->ra_column == b->ra_column && a->unusable == b->unusable;
}

/* NULL, or what differs between A and B.  */
static const char *
sections_compare (const struct cfi_section *a, const struct cfi_section *b)
{
  if (a->n_cies != b->n_cies || a->n_fdes != b->n_fdes
      || a->n_damaged != b->n_damaged || a->n_damages != b->n_damages)
    return "numbers of entries";
  for (size_t i = 0; i < a->n_cies; i++)
    if (!cies_are_equal (&a->cies[i], &b->cies[i]))
      return "a CIE";
  for (size_t i = 0; i < a->n_fdes; i++)
    if (!fdes_are_equal (&a->fdes[i], &b->fdes[i]))
      return "an FDE";
  for (size_t i = 0; i < a->n_damages; i++)
    if (!damages_are_equal (&a->damages[i], &b->damages[i]))
      return "a damage";
  return NULL;
}

/* Read BYTES in both ways; how many FDEs there are.  */
static size_t
compare (const struct arch *arch, const struct buffer *bytes)
{
  struct error err = { 0 };
  /* A copy behind which nothing can be read.  */
  struct guarded memory = guarded_memory (bytes->size);
  uint8_t *copy = memory.end - bytes->size;
  memcpy (copy, bytes->bytes, bytes->size);
  const struct cfi_input input
      = { CFI_EH_FRAME, copy, bytes->size, SECTION_ADDRESS, false };
  struct cfi_section direct = { .arch = arch };
  struct cfi_section asked = { .arch = arch, .no_plain = true };
  assert_true (cfi_read (&direct, &input, &err));
  assert_true (cfi_read (&asked, &input, &err));
  const char *difference = sections_compare (&direct, &asked);
  assert_string_equal (difference != NULL ? difference : "", "");
  size_t n = direct.n_fdes;
  cfi_section_free (&direct);
  cfi_section_free (&asked);
  guarded_free (memory);
  return n;
}

/* Two CIEs and some FDEs of each, in turn.  */
static void
build (struct buffer *bytes, const struct arch *arch, const char *data,
       size_t data_size)
{
  buffer_init (bytes, arch->big_endian);
  size_t first
      = put_cie (bytes, 1, data_size == 1 ? "zR" : "zPLR", data, data_size, 1,
                 0x78, (uint8_t)arch->ra, "\x0c\x07\x08\x90\x01", 5);
  size_t second = put_cie (bytes, 1, "zRS", "\x1b", 1, 1, 0x78,
                           (uint8_t)arch->ra, "\x0c\x07\x08\x90\x01", 5);
  for (unsigned i = 0; i < 12; i++)
    put_fde (bytes, i % 3 == 2 ? second : first, CODE + 64 * (uint64_t)i,
             16 + i, "\x41\x0e\x10\x86\x02", i % 6);
}

TEST (whole_sections_are_read_as_libdwarf_reads_them)
{
  static const struct arch *const arches[]
      = { &arch_amd64, &arch_aarch64, &arch_s390x, &arch_aarch64_be };
  struct buffer bytes;
  FOR_EACH_ROW (given, arches)
    {
      build (&bytes, *given, "\x1b", 1);
      assert_int_equal (compare (*given, &bytes), 12);
      buffer_free (&bytes);
    }
}

/* A plain FDE is not shown to libdwarf, the first one of its CIE is.  */
TEST (what_is_plain_is_not_shown_to_libdwarf)
{
  struct error err = { 0 };
  struct cfi_section section;
  struct cfi_fde fde;
  struct buffer bytes;
  buffer_init (&bytes, false);
  size_t cie = put_amd64_cie (&bytes);
  size_t other = put_cie (&bytes, 1, "zR", "\x1c", 1, 1, 0x78, 16, "", 0);
  size_t at[2] = { put_fde (&bytes, cie, CODE, 16, "", 0),
                   put_fde (&bytes, other, CODE + 32, 16, "", 0) };
  assert_true (eh_frame_read (&section, &arch_amd64, bytes.bytes, bytes.size,
                              SECTION_ADDRESS, &err));
  for (size_t i = 0; i < 2; i++)
    {
      struct entry entry = entry_at (&section.inputs[0], false, at[i]);
      assert_int_equal (plain_fde_read (&section, &entry, i, &fde), i == 0);
    }
  struct entry entry = entry_at (&section.inputs[0], false, at[0]);
  section.no_plain = true;
  assert_false (plain_fde_read (&section, &entry, 0, &fde));
  section.no_plain = false;
  const uint64_t size = entry.size;
  entry.size = UINT32_MAX + UINT64_C (1);
  assert_false (plain_fde_read (&section, &entry, 0, &fde));
  entry.size = size;
  section.cies[0].instructions = NULL;
  assert_false (plain_fde_read (&section, &entry, 0, &fde));
  cfi_section_free (&section);
  buffer_free (&bytes);
}

/* Every pointer encoding and any byte for a size.  */
TEST (odd_encodings_are_read_as_libdwarf_reads_them)
{
  struct buffer bytes;
  for (unsigned encoding = 0; encoding < 256; encoding++)
    {
      const char data = (char)encoding;
      build (&bytes, &arch_amd64, &data, 1);
      compare (&arch_amd64, &bytes);
      buffer_free (&bytes);
    }
}

/* Where the size of the augmentation data and that of the code are odd.  */
TEST (odd_sizes_are_read_as_libdwarf_reads_them)
{
  static const char much[256] = { 1 }; /* and a length above 7f: up to ff */
  static const uint32_t sizes[]
      = { 0, 1, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff };
  struct buffer bytes;
  for (unsigned length = 0; length < 256; length++)
    FOR_EACH_ROW (given, sizes)
      {
        buffer_init (&bytes, false);
        size_t cie = put_amd64_cie (&bytes);
        put_fde (&bytes, cie, CODE, 16, "\x41\x0e\x10", 3);
        size_t odd = put_fde (&bytes, cie, CODE + 16, 16, "\x41\x0e\x10", 3);
        size_t long_one
            = put_fde (&bytes, cie, CODE + 32, 16, much, sizeof much);
        put_fde (&bytes, cie, CODE + 48, 16, "\x41\x0e\x10", 3);
        store_u32 (bytes.bytes + odd + 12, *given, false);
        bytes.bytes[odd + 16] = bytes.bytes[long_one + 16] = (uint8_t)length;
        compare (&arch_amd64, &bytes);
        buffer_free (&bytes);
      }
}

/* The section ends with an FDE too short for its fields: they are not read. */
TEST (fields_behind_the_end_are_not_read)
{
  struct buffer bytes;
  for (uint32_t length = 4; length < 20; length++)
    {
      buffer_init (&bytes, false);
      size_t cie = put_amd64_cie (&bytes);
      put_fde (&bytes, cie, CODE, 16, "\x41\x0e\x10", 3);
      size_t last = put_fde (&bytes, cie, CODE + 16, 16, "\x41\x0e\x10", 3);
      store_u32 (bytes.bytes + last, length, false);
      bytes.size = last + 4 + length;
      compare (&arch_amd64, &bytes);
      buffer_free (&bytes);
    }
}

/* Bytes changed here and there, always the same ones.  */
TEST (damaged_sections_are_read_as_libdwarf_reads_them)
{
  uint32_t random = 1;
  struct buffer bytes;
  size_t n_fdes = 0;
  for (unsigned i = 0; i < 20000; i++)
    {
      const struct arch *arch = i % 2 != 0 ? &arch_amd64 : &arch_s390x;
      build (&bytes, arch, i % 5 != 0 ? "\x1b" : "\x1b\0\0\0\0\x1b\x1b",
             i % 5 != 0 ? 1 : 7);
      for (unsigned changes = i % 4 + 1; changes-- > 0;)
        {
          random = random * 1664525 + 1013904223;
          size_t at = (random >> 8) % bytes.size;
          random = random * 1664525 + 1013904223;
          bytes.bytes[at] = (uint8_t)(random >> 24);
        }
      random = random * 1664525 + 1013904223;
      if (random >> 28 == 0)
        bytes.size -= (random >> 8) % bytes.size;
      n_fdes += compare (arch, &bytes);
      buffer_free (&bytes);
    }
  assert_true (n_fdes > 100000); /* most of them are whole */
}

/* FDEs of libdwarf's among plain ones: all come in the order of their
   offsets.  */
TEST (plain_and_odd_ones_come_in_their_order)
{
  struct buffer bytes;
  buffer_init (&bytes, false);
  size_t plain = put_amd64_cie (&bytes);
  size_t odd = put_cie (&bytes, 1, "zR", "\x13", 1, 1, 0x78, 16,
                        "\x0c\x07\x08\x90\x01", 5);
  for (unsigned i = 0; i < 3000; i++)
    put_fde (&bytes, i % 7 == 3 ? odd : plain, CODE + i % 5, 16, "", 0);
  assert_int_equal (compare (&arch_amd64, &bytes), 3000);
  buffer_free (&bytes);
}

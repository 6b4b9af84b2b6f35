/* Unit tests of src/elf/dynamic.c: the walk over all dynamic relocations, and
   the places they change.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "elf/dynamic.h"
#include "tests/unit/elf_builder.h"
#include "tests/unit/failing_allocations.h"
#include "tests/unit_test.h"

enum
{
  TABLE = 0x400, /* in .rodata, of 0x200 bytes; its segment ends there, too */
  TEXT = 0x1000,
  DYNAMIC = 0x2000,
  DATA = 0x2080, /* 0x80 bytes in the file, and 0x800 behind them */
  TAGS = 8,
  RELRSZ = 35,
  RELR = 36,
  ANDROID_REL = 0x6000000f,
  ANDROID_RELA = 0x60000011
};

/* A program, and what was found in it.  */
static struct
{
  struct elf_builder elf;
  struct image image;
  struct dynamic_places places;
  unsigned n_tags;
  char seen[400];
} f;

static int
end (void **state)
{
  (void)state;
  dynamic_places_free (&f.places);
  if (f.image.elf != NULL)
    image_close (&f.image);
  f.image.elf = NULL;
  return 0;
}

#define FIXTURE_TEST(name) TEST_BETWEEN (NULL, end, name)

static void
begin (bool big_endian)
{
  end (NULL);
  memset (&f, 0, sizeof f);
  elf_builder_program (&f.elf, big_endian ? EM_S390 : EM_X86_64, big_endian);
  memset (f.elf.bytes + DYNAMIC, 0, 16 * TAGS);
}

static void
add_tag (uint64_t tag, uint64_t value)
{
  uint8_t *entry = f.elf.bytes + DYNAMIC + 16 * (size_t)f.n_tags++;
  assert_true (f.n_tags < TAGS);
  store_u64 (entry, tag, f.elf.big_endian);
  store_u64 (entry + 8, value, f.elf.big_endian);
}

static void
put_word (uint64_t at, uint64_t word)
{
  store_u64 (f.elf.bytes + at, word, f.elf.big_endian);
}

static void
open_file (void)
{
  struct error err = { 0 };
  if (f.image.elf != NULL)
    image_close (&f.image);
  elf_builder_finish (&f.elf);
  assert_true (image_open_memory (&f.image, f.elf.bytes, f.elf.size, &err));
}

/* Find the places in SIZE bytes from ADDRESS on.  */
static void
find_places (uint64_t address, uint64_t size)
{
  struct error err = { 0 };
  open_file ();
  assert_true (dynamic_places_find (&f.places, &f.image, address, size, &err));
}

/* "place symbol addend" each, with "-" for an addend that is in no file.  */
static void
see (void *data, const struct dynamic_relocation *relocation)
{
  (void)data;
  size_t used = strlen (f.seen);
  used += (size_t)snprintf (f.seen + used, sizeof f.seen - used, "%llx %llx ",
                            (unsigned long long)relocation->place,
                            (unsigned long long)relocation->symbol);
  if (relocation->has_addend)
    snprintf (f.seen + used, sizeof f.seen - used, "%llx; ",
              (unsigned long long)relocation->addend);
  else
    snprintf (f.seen + used, sizeof f.seen - used, "-; ");
}

/* Append the type of each.  */
static void
see_type (void *data, const struct dynamic_relocation *relocation)
{
  (void)data;
  size_t used = strlen (f.seen);
  snprintf (f.seen + used, sizeof f.seen - used, "%u ",
            (unsigned)relocation->type);
}

static void
expect_types (const char *types)
{
  f.seen[0] = '\0';
  open_file ();
  assert_true (dynamic_relocations_walk (&f.image, see_type, NULL));
  assert_string_equal (f.seen, types);
}

static void
expect (bool known, const char *seen)
{
  open_file ();
  assert_int_equal (dynamic_relocations_walk (&f.image, see, NULL), known);
  assert_string_equal (f.seen, seen);
}

FIXTURE_TEST (with_addends)
{
  for (unsigned order = 0; order < 2; order++)
    {
      begin (order);
      add_tag (DT_RELA, TABLE);
      add_tag (DT_RELASZ, 2 * 24 + 23); /* the rest is none */
      put_word (TABLE, DATA);
      put_word (TABLE + 8, UINT64_C (5) << 32 | 1);
      put_word (TABLE + 16, 0x77);
      put_word (TABLE + 24, 0x9000);
      put_word (TABLE + 32, 8);
      put_word (TABLE + 40, 0x1234);
      expect (true, "2080 5 77; 9000 0 1234; ");
    }
}

/* Relative ones of a table of their own have none.  */
FIXTURE_TEST (types_are_told)
{
  begin (false);
  add_tag (DT_RELA, TABLE);
  add_tag (DT_RELASZ, 2 * 24);
  put_word (TABLE, DATA);
  put_word (TABLE + 8, UINT64_C (5) << 32 | 1);
  put_word (TABLE + 24, 0x9000);
  put_word (TABLE + 32, 8);
  add_tag (RELR, TABLE + 48);
  add_tag (RELRSZ, 2 * 8);
  put_word (TABLE + 48, DATA);
  put_word (TABLE + 56, 1 | 1 << 1 | 1 << 3);
  expect_types ("1 8 0 0 0 ");
}

static void
count (void *data, const struct dynamic_relocation *relocation)
{
  (void)relocation;
  ++*(size_t *)data;
}

/* A bitmap is 63 relocations in eight bytes, so a small file has millions.  */
FIXTURE_TEST (there_are_no_more_places_than_words_in_the_file)
{
  for (unsigned more = 0; more <= 1; more++)
    {
      size_t n = 0, words, n_bitmaps;
      begin (false);
      open_file ();
      words = f.image.size / 8;
      n_bitmaps = (words - 1) / 63;
      begin (false);
      add_tag (RELR, TABLE);
      add_tag (RELRSZ, 8 * (n_bitmaps + 2));
      put_word (TABLE, DATA);
      for (size_t i = 1; i <= n_bitmaps; i++)
        put_word (TABLE + 8 * i, UINT64_MAX);
      uint64_t rest = words - 1 - 63 * n_bitmaps + more;
      put_word (TABLE + 8 * (n_bitmaps + 1),
                ((UINT64_C (1) << rest) - 1) << 1 | 1);
      open_file ();
      assert_int_equal (f.image.size / 8, words);
      assert_int_equal (dynamic_relocations_walk (&f.image, count, &n),
                        more == 0);
      assert_int_equal (n, words);
    }
}

static void
see_tls (void *data, const struct dynamic_relocation *relocation)
{
  (void)data;
  size_t used = strlen (f.seen);
  snprintf (f.seen + used, sizeof f.seen - used, "%d", relocation->is_tls);
}

/* Whatever the one in front was about.  */
FIXTURE_TEST (those_of_tls_are_told)
{
  static const uint32_t types[]
      = { R_X86_64_TPOFF64,  R_X86_64_RELATIVE, R_X86_64_DTPMOD64,
          R_X86_64_DTPMOD64, R_X86_64_64,       R_X86_64_64,
          R_X86_64_TLSDESC };
  begin (false);
  add_tag (DT_RELA, TABLE);
  add_tag (DT_RELASZ, N_OF (types) * 24);
  for (size_t i = 0; i < N_OF (types); i++)
    {
      put_word (TABLE + 24 * i, DATA + 8 * i);
      put_word (TABLE + 24 * i + 8, types[i]);
    }
  open_file ();
  assert_true (dynamic_relocations_walk (&f.image, see_tls, NULL));
  assert_string_equal (f.seen, "1011001");
}

/* What is in the place is added; places may descend.  */
FIXTURE_TEST (without_addends)
{
  static const uint64_t places[]
      = { DATA, 0x5f8, DATA + 0x78, DATA + 0x79, 0x5f9, 0x610, TEXT, 0x300 };
  begin (false);
  add_tag (DT_REL, TABLE);
  add_tag (DT_RELSZ, 8 * 16);
  for (unsigned i = 0; i < 8; i++)
    {
      put_word (TABLE + 16 * (uint64_t)i, places[i]);
      put_word (TABLE + 16 * (uint64_t)i + 8, UINT64_C (3) << 32);
    }
  put_word (DATA, 0xa1);
  put_word (0x5f8, 0xa2);
  put_word (DATA + 0x78, 0xa3);
  put_word (TEXT, 0xa4);
  put_word (0x300, 0xa5);
  expect (true, "2080 3 a1; 5f8 3 a2; 20f8 3 a3; 20f9 3 -; 5f9 3 -; 610 3 -; "
                "1000 3 a4; 300 3 a5; ");
}

/* A word that a segment is too small for is in no file, whatever address the
   segment's contents once had.  */
FIXTURE_TEST (words_of_a_tiny_segment_are_in_no_file)
{
  for (unsigned tiny = 0; tiny < 2; tiny++)
    {
      begin (false);
      add_tag (DT_REL, TABLE);
      add_tag (DT_RELSZ, 16);
      put_word (TABLE, DATA);
      put_word (TABLE + 8, 0);
      put_word (DATA, 0x77);
      open_file ();
      for (size_t i = 0; i < f.image.n_segments; i++)
        {
          GElf_Phdr *load = &f.image.segments[i];
          load->p_paddr = 0x40;
          if (load->p_type == PT_LOAD && load->p_vaddr == DYNAMIC && tiny)
            {
              load->p_offset += DATA - load->p_vaddr;
              load->p_vaddr = DATA;
              load->p_filesz = 4;
            }
        }
      assert_true (dynamic_relocations_walk (&f.image, see, NULL));
      assert_string_equal (f.seen, tiny ? "2080 0 -; " : "2080 0 77; ");
    }
}

FIXTURE_TEST (of_the_plt)
{
  for (unsigned rela = 0; rela < 3; rela++)
    {
      begin (false);
      add_tag (DT_JMPREL, TABLE);
      add_tag (DT_PLTRELSZ, 48);
      if (rela < 2)
        add_tag (DT_PLTREL, rela ? DT_RELA : DT_REL);
      for (unsigned i = 0; i < 6; i++)
        put_word (TABLE + 8 * (uint64_t)i, DATA + 8 * (uint64_t)i);
      put_word (DATA, 1);
      put_word (DATA + 16, 3);
      put_word (DATA + 32, 5);
      expect (true, rela ? "2080 0 2090; 2098 0 20a8; "
                         : "2080 0 1; 2090 0 3; 20a0 0 5; ");
    }
}

/* An even word is a place, the bits of an odd one are the words behind.  */
FIXTURE_TEST (relative_ones)
{
  begin (false);
  add_tag (RELR, TABLE);
  add_tag (RELRSZ, 5 * 8 + 7);
  put_word (TABLE, DATA);
  put_word (TABLE + 8, 1 | 1 << 1 | 1 << 3);
  put_word (TABLE + 16, 1 | 1 << 1 | UINT64_C (1) << 63);
  put_word (TABLE + 24, DATA + 0x70);
  put_word (TABLE + 32, 1 | 1 << 1);
  for (unsigned i = 0; i < 16; i++)
    put_word (DATA + 8 * (uint64_t)i, i + 1);
  expect (true, "2080 0 1; 2088 0 2; 2098 0 4; 2280 0 -; 2470 0 -; 20f0 0 f; "
                "20f8 0 10; ");
}

/* Where no word says so, the places begin at 0, with the file's header.  */
FIXTURE_TEST (relative_ones_without_a_place)
{
  begin (false);
  add_tag (RELR, TABLE);
  add_tag (RELRSZ, 8);
  put_word (TABLE, 1 | 1 << 1 | 1 << 3);
  expect (true, "0 0 10102464c457f; 10 0 1003e0003; ");
}

FIXTURE_TEST (what_cannot_be_read_is_told)
{
  static const struct
  {
    uint64_t tags[4];
    bool known;
  } cases[] = {
    { { 0 }, true },
    { { DT_RELA, TABLE }, false },
    { { DT_RELA, TABLE, DT_RELASZ, 0x10000 }, false },
    { { DT_RELA, 0x900000, DT_RELASZ, 0 }, true },
    { { DT_REL, TABLE }, false },
    { { DT_JMPREL, TABLE }, false },
    { { RELR, TABLE }, false },
    { { ANDROID_REL, TABLE }, false },
    { { ANDROID_RELA, TABLE }, false },
  };
  FOR_EACH_ROW (given, cases)
    {
      begin (false);
      for (unsigned k = 0; k < 4 && given->tags[k] != 0; k += 2)
        add_tag (given->tags[k], given->tags[k + 1]);
      expect (given->known, "");
      open_file ();
      struct error err = { 0 };
      assert_true (dynamic_places_find (&f.places, &f.image, DATA, 8, &err));
      assert_int_equal (f.places.unknown, !given->known);
      assert_int_equal (dynamic_places_touch (&f.places, DATA, 8),
                        !given->known);
    }
}

/* Relocations at DATA + 0x20 and 0x40 and at TABLE + 0x100, in that file.  */
static void
begin_places (void)
{
  static const uint64_t places[] = { DATA + 0x40, DATA + 0x20, TABLE + 0x100 };
  begin (false);
  add_tag (DT_RELA, TABLE);
  add_tag (DT_RELASZ, 3 * 24);
  for (unsigned i = 0; i < 3; i++)
    {
      put_word (TABLE + 24 * (uint64_t)i, places[i]);
      put_word (TABLE + 24 * (uint64_t)i + 8, 8);
    }
}

FIXTURE_TEST (places_reach_into_what_is_asked_for)
{
  static const struct
  {
    uint64_t begin, end;
    size_t n;
  } cases[] = {
    { 0x20, 0x28, 1 }, { 0x27, 0x30, 1 }, { 0x28, 0x40, 0 }, { 0, 0x20, 0 },
    { 0, 0x21, 1 },    { 0x28, 0x41, 1 }, { 0, 0x80, 2 },    { 0x48, 0x80, 0 },
  };
  FOR_EACH_ROW (given, cases)
    {
      uint64_t size = given->end - given->begin;
      begin_places ();
      find_places (DATA + given->begin, size);
      assert_int_equal (f.places.n, given->n);
      assert_false (f.places.unknown);
      if (f.places.n == 2)
        assert_true (f.places.addresses[0] < f.places.addresses[1]);
      assert_int_equal (
          dynamic_places_touch (&f.places, DATA + given->begin, size),
          given->n > 0);
    }
}

FIXTURE_TEST (without_memory_no_place_is_forgotten)
{
  bool found = false;
  unsigned n = 0;
  for (; !found; n++)
    {
      struct error err = { 0 };
      begin_places ();
      open_file ();
      allocations_granted = n;
      found = dynamic_places_find (&f.places, &f.image, DATA, 0x80, &err);
      allocations_granted = UINT_MAX;
      assert_int_equal (err.status,
                        found ? CFI2SFRAME_OK : CFI2SFRAME_NO_MEMORY);
      if (found)
        assert_int_equal (f.places.n, 2);
    }
  assert_true (n > 1);
}

FIXTURE_TEST (places_come_in_any_order)
{
  static const uint8_t order[] = { 3, 9, 1, 0, 7, 5, 9, 2, 8, 6, 4 };
  enum
  {
    N = N_OF (order)
  };
  begin (false);
  add_tag (DT_RELA, TABLE);
  add_tag (DT_RELASZ, N * 24);
  for (size_t i = 0; i < N; i++)
    {
      put_word (TABLE + 24 * i, DATA + 12 * (uint64_t)order[i]);
      put_word (TABLE + 24 * i + 8, R_X86_64_RELATIVE);
    }
  find_places (DATA, 0x80);
  assert_int_equal (f.places.n, N);
  for (unsigned at = 0; at < 0x74; at++)
    assert_int_equal (dynamic_places_touch (&f.places, DATA + at, 1),
                      at % 12 < 8);
  dynamic_places_free (&f.places);
  assert_null (f.places.addresses);
  assert_int_equal (f.places.n, 0);
}

/* Only PT_LOADs ascend.  In front of them are headers of higher addresses, so
   that the one that can be written to is the last of all; or they are behind
   them.  Places descend.  */
static void
with_headers_in_front (bool in_front)
{
  Elf64_Phdr sorted[ELF_SEGMENTS_MAX];
  size_t n = 0;
  begin (false);
  for (unsigned loads = 0; loads < 2; loads++)
    for (size_t i = 0; i < f.elf.n_segments; i++)
      if ((f.elf.segments[i].p_type == PT_LOAD) == (loads == in_front))
        sorted[n++] = f.elf.segments[i];
  memcpy (f.elf.segments, sorted, n * sizeof *sorted);
  add_tag (DT_REL, TABLE);
  add_tag (DT_RELSZ, 2 * 16);
  put_word (TABLE, DATA + 0x40);
  put_word (TABLE + 8, UINT64_C (4) << 32);
  put_word (TABLE + 16, TABLE + 0x100);
  put_word (TABLE + 24, UINT64_C (3) << 32);
  put_word (TABLE + 0x100, 0xa1);
  put_word (DATA + 0x40, 0xa2);
  expect (true, "20c0 4 a2; 500 3 a1; ");
  find_places (DATA, 0x80);
  assert_int_equal (f.places.n, 1);
}

FIXTURE_TEST (other_headers_are_anywhere)
{
  with_headers_in_front (true);
  with_headers_in_front (false);
}

FIXTURE_TEST (touched_to_the_byte)
{
  static const struct
  {
    uint64_t begin, size;
    bool touched;
  } cases[] = {
    { 0x1f, 1, false },   { 0x1f, 2, true },  { 0x20, 1, true },
    { 0x27, 1, true },    { 0x28, 1, false }, { 0x28, 0x18, false },
    { 0x28, 0x19, true }, { 0x47, 9, true },  { 0x48, 0x38, false },
  };
  begin_places ();
  find_places (DATA, 0x80);
  FOR_EACH_ROW (given, cases)
    assert_int_equal (
        dynamic_places_touch (&f.places, DATA + given->begin, given->size),
        given->touched);
}

/* The dynamic linker writes to other segments only if the file says so.  */
FIXTURE_TEST (read_only_code_is_changed_by_text_relocations_alone)
{
  static const struct
  {
    uint64_t tag, value;
    size_t n;
  } cases[] = { { DT_RELACOUNT, 0, 0 },
                { DT_TEXTREL, 0, 1 },
                { DT_FLAGS, DF_TEXTREL, 1 },
                { DT_FLAGS, DF_TEXTREL | DF_BIND_NOW, 1 },
                { DT_FLAGS, DF_BIND_NOW, 0 } };
  FOR_EACH_ROW (given, cases)
    {
      begin_places ();
      add_tag (given->tag, given->value);
      find_places (TABLE, 0x200);
      assert_int_equal (f.places.n, given->n);
    }
}

/* Memory behind the file's bytes is writable, too; what is in no segment is
   not.  */
FIXTURE_TEST (segments_end_where_their_memory_does)
{
  static const struct
  {
    uint64_t address;
    size_t n;
  } cases[] = { { DYNAMIC + 0x8ff, 1 },
                { DYNAMIC + 0x900, 0 },
                { DYNAMIC - 1, 0 },
                { DYNAMIC, 1 } };
  for (size_t i = 0; i < 4; i++)
    {
      begin (false);
      add_tag (DT_RELA, TABLE);
      add_tag (DT_RELASZ, 24);
      put_word (TABLE, cases[i].address);
      find_places (cases[i].address, 1);
      assert_int_equal (f.places.n, cases[i].n);
    }
}

/* Seven bytes below address 3 there is nothing.  */
FIXTURE_TEST (nothing_is_below_address_0)
{
  begin (false);
  add_tag (DT_RELA, TABLE);
  add_tag (DT_RELASZ, 48);
  add_tag (DT_TEXTREL, 0);
  put_word (TABLE, 0);
  put_word (TABLE + 24, UINT64_MAX - 3);
  find_places (3, 8);
  assert_int_equal (f.places.n, 1);
}

/* Of an address in none of the segments no place is noted, whatever stands
   behind their table.  */
FIXTURE_TEST (what_is_in_no_segment_is_not_changed)
{
  enum
  {
    FURTHER = 0x100000
  };
  for (unsigned hidden = 0; hidden < 2; hidden++)
    {
      struct error err = { 0 };
      begin (false);
      add_tag (DT_RELA, TABLE);
      add_tag (DT_RELASZ, 24);
      put_word (TABLE, FURTHER);
      put_word (TABLE + 8, R_X86_64_RELATIVE);
      Elf64_Phdr *last = elf_builder_segment (&f.elf, PT_GNU_STACK);
      assert_ptr_equal (last, &f.elf.segments[f.elf.n_segments - 1]);
      *last = (Elf64_Phdr){ .p_type = PT_LOAD,
                            .p_flags = PF_R | PF_W,
                            .p_vaddr = FURTHER,
                            .p_memsz = 0x1000,
                            .p_align = 0x1000 };
      open_file ();
      f.image.n_segments -= hidden;
      assert_true (
          dynamic_places_find (&f.places, &f.image, FURTHER, 8, &err));
      assert_int_equal (f.places.n, hidden ? 0 : 1);
      f.image.n_segments += hidden;
    }
}

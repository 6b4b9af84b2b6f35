/* Which loads read jump tables, and where the targets are
   (analysis/jump_table.c and state_apply.c).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "state_fixture.h"

static struct insn
indexed (unsigned to, unsigned base, unsigned index, unsigned scale,
         unsigned width)
{
  struct insn insn = memory_insn (OP_LOAD, to, base, 0, width);
  insn.index = (uint8_t)index;
  insn.scale = (uint8_t)scale;
  return insn;
}

AARCH64_TEST (entries_are_read_from_tables)
{
  set (X1, 0x5000);
  bounded_index (X0, 6);
  apply (indexed (X2, X1, X0, 1, 1));
  expect (X2, VALUE_TABLE_ENTRY, 0);
  expect_table (0, 0x5000, 6, 1, false);
  assert_false (tables.tables[0].is_weak);
  struct insn words = indexed (X2, X1, X0, 4, 4);
  words.offset = 0x20;
  apply (words);
  expect (X2, VALUE_TABLE_ENTRY, 1);
  expect_table (1, 0x5020, 6, 4, true);
  /* The index is in bytes, and the base is the index register.  */
  with_immediate (OP_SCALE, X9, X0, 4);
  apply (indexed (X2, X9, X1, 1, 4));
  expect (X2, VALUE_TABLE_ENTRY, 2);
  expect_table (2, 0x5000, 6, 4, true);
  struct insn halves = indexed (X2, X1, X0, 2, 2);
  halves.sign_extended = true;
  apply (halves);
  expect_table (3, 0x5000, 6, 2, true);
  change (X0);
  apply (indexed (X2, X1, X0, 8, 8));
  expect_table (4, 0x5000, UINT64_MAX, 8, false);
  struct insn unbounded = indexed (X2, X1, X0, 1, 4);
  unbounded.offset = 0x100;
  apply (unbounded);
  expect_table (5, 0x5100, UINT64_MAX, 4, true);
  /* No table has another scale, no constant address, or that width.  */
  apply (indexed (X2, X1, X0, 8, 4));
  expect_kind (X2, VALUE_COMPUTED);
  apply (indexed (X2, X0, X0, 4, 4));
  expect_kind (X2, VALUE_COMPUTED);
  apply (indexed (X2, X0, X1, 4, 4));
  expect_kind (X2, VALUE_COMPUTED);
  apply (indexed (X2, X1, X0, 1, 16));
  expect_kind (X2, VALUE_COMPUTED);
  assert_int_equal (tables.n, 6);
  /* A load of one entry, whose index the compiler knows.  */
  struct insn known = memory_insn (OP_LOAD, X2, REG_NONE, 0x5040, 4);
  known.sign_extended = true;
  apply (known);
  expect (X2, VALUE_TABLE_ENTRY, 6);
  expect_table (6, 0x5040, 0, 4, true);
  known.sign_extended = false;
  apply (known);
  expect_kind (X2, VALUE_COMPUTED);
}

AMD64_TEST (tables_have_few_widths_on_x86_64)
{
  set (RCX, 0x5000);
  apply (indexed (RDX, RCX, RAX, 2, 2));
  expect_kind (RDX, VALUE_COMPUTED);
  apply (indexed (RDX, RCX, RAX, 4, 4));
  expect (RDX, VALUE_TABLE_ENTRY, 0);
}

AARCH64_TEST (entries_and_a_base_are_targets)
{
  set (X1, 0x5000);
  bounded_index (X0, 6);
  apply (indexed (X2, X1, X0, 4, 4));
  with_index (OP_SUM, X9, X2, X1, 8);
  expect (X9, VALUE_TABLE_TARGET, 0);
  assert_int_equal (tables.tables[0].base, 0x5000);
  assert_int_equal (tables.tables[0].scale, 1);
  with_index (OP_SUM, X9, X1, X2, 8);
  expect (X9, VALUE_TABLE_TARGET, 0);
  set (X1, 0x6000);
  with_index (OP_SUM, X9, X2, X1, 8); /* from another base */
  assert_int_not_equal (now.registers[X9].kind, VALUE_TABLE_TARGET);
  /* The instruction that adds the base also extends and multiplies the entry.
   */
  apply (indexed (X2, X1, X0, 1, 1));
  struct insn sum = insn_of (OP_SUM_SCALED, X9, X1);
  sum.index = X2;
  sum.scale = 4;
  sum.width = 1;
  sum.sign_extended = true;
  apply (sum);
  expect (X9, VALUE_TABLE_TARGET, 1);
  assert_int_equal (tables.tables[1].scale, 4);
  assert_true (tables.tables[1].is_signed_later);
  sum.scale = 2;
  apply (sum);
  expect_kind (X9, VALUE_COMPUTED);
  sum.scale = 4;
  sum.width = 2; /* than the entry has */
  apply (sum);
  expect_kind (X9, VALUE_COMPUTED);
  /* Extended without a sign.  */
  enter (&arch_aarch64);
  set (X1, 0x5000);
  bounded_index (X0, 6);
  apply (indexed (X2, X1, X0, 1, 1));
  sum.scale = 4;
  sum.width = 1;
  sum.sign_extended = false;
  apply (sum);
  expect (X9, VALUE_TABLE_TARGET, 0);
  assert_false (tables.tables[0].is_signed_later);
  /* An entry that is compared is no entry of a jump table.  */
  apply (indexed (X2, X1, X0, 4, 4));
  compare (X2, 3);
  expect_kind (X2, VALUE_COMPUTED);
}

AARCH64_TEST (a_table_has_the_weaker_bound)
{
  set (X1, 0x5000);
  static const struct
  {
    uint64_t max, result;
    bool is_weak;
  } steps[]
      = { { 6, 6, false }, { 6, 6, false }, { 4, 6, true }, { 9, 9, true } };
  for (size_t i = 0; i < 4; i++)
    {
      bounded_index (X0, steps[i].max);
      apply (indexed (X2, X1, X0, 4, 4));
      expect (X2, VALUE_TABLE_ENTRY, 0);
      expect_table (0, 0x5000, steps[i].result, 4, true);
      assert_int_equal (tables.tables[0].is_weak, steps[i].is_weak);
    }
  tables.tables[0].is_weak = false;
  struct jump_table weak = tables.tables[0];
  uint32_t number;
  weak.is_weak = true;
  assert_true (jump_tables_add (&tables, &weak, &number));
  assert_int_equal (number, 0);
  assert_true (tables.tables[0].is_weak);
  /* The same address, read in another way, is another table.  */
  weak.is_signed = false;
  assert_true (jump_tables_add (&tables, &weak, &number));
  assert_int_equal (number, 1);
  weak.width = 8;
  assert_true (jump_tables_add (&tables, &weak, &number));
  assert_int_equal (number, 2);
  weak.address += 4;
  assert_true (jump_tables_add (&tables, &weak, &number));
  assert_int_equal (number, 3);
  /* The table of four bytes is still known beside that of eight.  */
  weak.address -= 4;
  weak.width = 4;
  assert_true (jump_tables_add (&tables, &weak, &number));
  assert_int_equal (number, 1);
}

FIXTURE_TEST (there_are_a_million_tables_at_most)
{
  struct jump_table table = { .width = 4 };
  uint32_t number;
  jump_tables_reset (&tables);
  for (uint32_t i = 0; i < 1 << 20; i++)
    {
      table.address = 4 * (uint64_t)i;
      if (!jump_tables_add (&tables, &table, &number) || number != i)
        fail_msg ("%u", i);
    }
  assert_false (tables.failed);
  table.address = 4 << 20;
  assert_false (jump_tables_add (&tables, &table, &number));
  assert_true (tables.failed);
  jump_tables_reset (&tables);
  assert_false (tables.failed);
  /* The next table has number 0.  */
  assert_true (jump_tables_add (&tables, &table, &number));
  assert_int_equal (number, 0);
  assert_int_equal (tables.n, 1);
}

static uint8_t table_bytes[64];

static struct image_facts
facts_with_table (struct image *image, GElf_Phdr *segment)
{
  *segment = (GElf_Phdr){ .p_type = PT_LOAD,
                          .p_flags = PF_R,
                          .p_vaddr = 0x5000,
                          .p_filesz = sizeof table_bytes,
                          .p_memsz = sizeof table_bytes };
  *image = (struct image){ .bytes = table_bytes,
                           .size = sizeof table_bytes,
                           .segments = segment,
                           .n_segments = 1 };
  memset (table_bytes, 0, sizeof table_bytes);
  for (unsigned i = 0; i < 8; i++)
    table_bytes[4 * i] = (uint8_t)(0x10 * i);
  table_bytes[4] = 0xf0;
  table_bytes[5] = table_bytes[6] = table_bytes[7] = 0xff;
  return (struct image_facts){ .image = image };
}

static void
expect_target (const struct jump_table *table, const struct image_facts *facts,
               uint64_t index, uint64_t target)
{
  uint64_t found = 0;
  bool is_one = jump_table_target (table, facts, index, &found);
  assert_int_equal (is_one, target != 0);
  assert_true (!is_one || found == target);
}

FIXTURE_TEST (tables_end_by_bound_and_place)
{
  struct image image;
  GElf_Phdr segment;
  struct image_facts facts = facts_with_table (&image, &segment);
  struct jump_table table = { .address = 0x5000,
                              .base = 0x9000,
                              .end = 0x5010,
                              .max = 6,
                              .width = 4,
                              .scale = 1,
                              .is_signed = true };
  expect_target (&table, &facts, 1, 0x8ff0);
  expect_target (&table, &facts, 2, 0x9020);
  expect_target (&table, &facts, 6, 0x9060);
  expect_target (&table, &facts, 7, 0);
  table.is_weak = true;
  expect_target (&table, &facts, 3, 0x9030);
  expect_target (&table, &facts, 4, 0);
  table.is_weak = false;
  table.max = UINT64_MAX;
  expect_target (&table, &facts, 3, 0x9030);
  expect_target (&table, &facts, 4, 0);
  table.end = UINT64_MAX;
  expect_target (&table, &facts, 7, 0x9070);
  expect_target (&table, &facts, 16, 0); /* behind the file's bytes */
  table.is_signed = false;
  table.scale = 4;
  expect_target (&table, &facts, 1, 0x9000 + 4 * UINT64_C (0xfffffff0));
  table.is_signed_later = true;
  expect_target (&table, &facts, 1, 0x8fc0);
  segment.p_flags |= PF_W;
  expect_target (&table, &facts, 1, 0);
  table.is_in_data = true;
  expect_target (&table, &facts, 1, 0x8fc0);
  /* Entries of eight bytes are addresses and need no base.  */
  struct jump_table whole = { .address = 0x5000,
                              .base = 0x9000,
                              .end = UINT64_MAX,
                              .max = 6,
                              .width = 8,
                              .scale = 1 };
  segment.p_flags = PF_R;
  expect_target (&whole, &facts, 1, UINT64_C (0x3000000020));
  /* A label instead of a table.  */
  struct jump_table label = { .address = 0x5004 };
  expect_target (&label, &facts, 0, 0x5004);
  expect_target (&label, &facts, 1, 0);
}

FIXTURE_TEST (no_table_has_more_than_65536_entries)
{
  static uint8_t bytes[(1 << 16) + 8];
  struct image image;
  GElf_Phdr segment;
  struct image_facts facts = facts_with_table (&image, &segment);
  image.bytes = bytes;
  image.size = segment.p_filesz = segment.p_memsz = sizeof bytes;
  struct jump_table table = { .address = 0x5000,
                              .base = 0x9000,
                              .end = UINT64_MAX,
                              .max = UINT64_MAX,
                              .width = 1,
                              .scale = 4 };
  expect_target (&table, &facts, 65535, 0x9000);
  expect_target (&table, &facts, 65536, 0);
}

/* An entry that is extended stays an entry, and becomes a target only by the
   addition of a known base.  */
AARCH64_TEST (entries_are_told_from_what_looks_like_them)
{
  set (X1, 0x5000);
  bounded_index (X0, 6);
  apply (indexed (X2, X1, X0, 4, 4));
  move (X9, X2, 4);
  expect (X9, VALUE_TABLE_ENTRY, 0);
  with_index (OP_SUM, X9, X2, X19, 8);
  expect_kind (X9, VALUE_COMPUTED);
  assert_int_equal (tables.tables[0].base, 0);
  struct insn other = indexed (X9, X1, X0, 4, 4);
  other.offset = 0x100;
  apply (other);
  now.registers[X2] = value_of (VALUE_TABLE_ENTRIES, 3);
  with_index (OP_SUM, X9, X2, X1, 8);
  expect (X9, VALUE_TABLE_TARGETS, 3);
  assert_int_equal (tables.tables[0].base, 0x5000);
  assert_int_equal (tables.tables[1].base, 0x5000);
  /* A word at an offset from an unknown pointer is no entry.  */
  struct insn beside = memory_insn (OP_LOAD, X2, X19, 0x5040, 4);
  beside.sign_extended = true;
  apply (beside);
  expect_kind (X2, VALUE_COMPUTED);
  assert_int_equal (tables.n, 2);
}

FIXTURE_TEST (tables_are_forgotten_as_a_whole)
{
  struct jump_table table = { .address = 0x5000, .width = 4 };
  uint32_t number;
  jump_tables_reset (&tables);
  assert_true (jump_tables_add (&tables, &table, &number));
  table.address = 0x6000;
  assert_true (jump_tables_add (&tables, &table, &number));
  assert_int_equal (number, 1);
  jump_tables_reset (&tables);
  assert_true (jump_tables_add (&tables, &table, &number));
  assert_int_equal (number, 0);
  assert_int_equal (tables.n, 1);
}

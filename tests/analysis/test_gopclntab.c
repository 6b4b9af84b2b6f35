/* Unit tests of analysis/gopclntab.c: Go's table of stack depths, in all of
   its forms.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "base/bytes.h"
#include "analysis/gopclntab.h"
#include "tests/unit_test.h"

enum
{
  CODE = 0x1000,
  CODE_SIZE = 0x30,
  TABLE = 0x2000,
  TABLE_SIZE = 0x200,
  MODULE = TABLE + TABLE_SIZE, /* the runtime's data, behind the table */
  MODULE_SIZE = 24 * 8,
  DEPTHS = 0x80, /* where they are in the table */
  DATA = 0xa0,   /* of the two functions, from the functions' table on */
  FUNCTIONS = 0x100,
  OLD_FUNCTIONS = 0x10 /* of Go 1.2, which has no word for it */
};

/* What differs between the forms.  */
struct form
{
  uint32_t magic;
  int text_word, depths_word, functions_word;
  unsigned width, pcsp_at, flags_at;
};

static const struct form forms[] = {
  { 0xfffffffb, -1, -1, -1, 8, 20, 0 },
  { 0xfffffffa, -1, 5, 6, 8, 20, 41 },
  { 0xfffffff0, 2, 6, 7, 4, 16, 37 },
  { 0xfffffff1, 2, 6, 7, 4, 16, 41 },
};

/* Depth 0 for 4 bytes, 24 for 300, 0 for what is left.  */
static const uint8_t depths[] = { 2, 4, 48, 0xac, 2, 47, 0x80, 1, 0 };

struct file
{
  uint8_t bytes[CODE_SIZE * 16 + TABLE_SIZE + MODULE_SIZE];
  GElf_Phdr segments[3];
  struct image_section sections[2];
  struct image image;
  struct code_stretch code;
  struct image_facts facts;
  struct go_table table;
};

static uint8_t *
table_of (struct file *file)
{
  return file->bytes + CODE_SIZE * 16;
}

static void
put_word (uint8_t *at, unsigned width, uint64_t value)
{
  for (unsigned i = 0; i < width; i++)
    at[i] = (uint8_t)(value >> 8 * i);
}

/* Functions at 0, 0x150 and 0x2a0 of the code, the last one with FLAGS.  */
static void
build (struct file *file, const struct form *form, uint8_t flags)
{
  uint8_t *table = table_of (file);
  static const uint64_t entries[] = { 0, 0x150, 0x2a0, 0x300 };
  bool old = form->functions_word < 0;
  uint64_t functions = old ? OLD_FUNCTIONS : FUNCTIONS;
  uint64_t base = old ? 0 : FUNCTIONS;
  put_word (table, 4, form->magic);
  table[6] = 1;
  table[7] = 8;
  put_word (table + 8, 8, 3);
  if (form->text_word >= 0)
    put_word (table + 8 + 8 * form->text_word, 8, CODE);
  if (!old)
    {
      put_word (table + 8 + 8 * form->depths_word, 8, DEPTHS - 4);
      put_word (table + 8 + 8 * form->functions_word, 8, FUNCTIONS);
    }
  for (unsigned i = 0; i < 4; i++)
    {
      uint64_t entry = entries[i] + (form->text_word < 0 ? CODE : 0);
      uint8_t *at = table + functions + 2 * i * form->width;
      put_word (at, form->width, entry);
      if (i == 3)
        break;
      put_word (at + form->width, form->width, DATA + (i == 2 ? 48 : 0));
    }
  for (unsigned i = 0; i < 2; i++)
    {
      uint8_t *data = table + base + DATA + 48 * i;
      put_word (data + form->pcsp_at, 4, old ? DEPTHS : 4);
      if (form->flags_at && i == 1)
        data[form->flags_at] = flags;
    }
  memcpy (table + DEPTHS, depths, sizeof depths);
}

static void
read_table (struct file *file)
{
  file->segments[0] = (GElf_Phdr){ .p_type = PT_LOAD,
                                   .p_flags = PF_R | PF_X,
                                   .p_vaddr = CODE,
                                   .p_filesz = CODE_SIZE * 16 };
  file->segments[1] = (GElf_Phdr){ .p_type = PT_LOAD,
                                   .p_flags = PF_R,
                                   .p_offset = CODE_SIZE * 16,
                                   .p_vaddr = TABLE,
                                   .p_filesz = TABLE_SIZE + MODULE_SIZE };
  /* Segments of this type may have any offset: they have no bytes.  */
  file->segments[2] = (GElf_Phdr){ .p_type = PT_GNU_STACK,
                                   .p_flags = PF_R | PF_W,
                                   .p_offset = UINT64_MAX - 0xfff };
  file->sections[1] = (struct image_section){
    .header = { .sh_type = SHT_PROGBITS,
                .sh_addr = TABLE,
                .sh_offset = CODE_SIZE * 16,
                .sh_size = TABLE_SIZE },
    .name = ".gopclntab",
  };
  file->image = (struct image){ .bytes = file->bytes,
                                .size = sizeof file->bytes,
                                .segments = file->segments,
                                .n_segments = 3,
                                .sections = file->sections,
                                .n_sections = 2 };
  file->code = (struct code_stretch){ CODE, CODE_SIZE * 16, file->bytes };
  file->facts = (struct image_facts){ .image = &file->image,
                                      .stretches = &file->code,
                                      .n_stretches = 1 };
  assert_true (go_table_read (&file->table, &file->facts));
}

static void
check_depth (const struct file *file, uint64_t offset, int32_t depth)
{
  assert_int_equal (go_table_depth (&file->table, CODE + offset), depth);
}

TEST (depths_of_all_forms)
{
  FOR_EACH_ROW (given, forms)
    {
      struct file file = { 0 };
      build (&file, given, 0);
      read_table (&file);
      assert_int_equal (go_table_depth (&file.table, CODE - 1),
                        GO_DEPTH_UNKNOWN);
      for (uint64_t start = 0; start <= 0x150; start += 0x150)
        {
          assert_true (go_table_is_start (&file.table, CODE + start));
          assert_false (go_table_is_start (&file.table, CODE + start + 4));
          check_depth (&file, start, 0);
          check_depth (&file, start + 3, 0);
          check_depth (&file, start + 4, 24);
          check_depth (&file, start + 0x12f, 24);
          check_depth (&file, start + 0x130, 0);
          check_depth (&file, start + 0x14f, 0);
        }
      check_depth (&file, 0x2a4, 24);
      check_depth (&file, 0x300, GO_DEPTH_UNKNOWN);
      go_table_free (&file.table);
    }
}

/* Since Go 1.26 the table does not say where the text begins: the module data
   do, if the first and the last entry fit.  */
TEST (the_text_may_be_in_the_module_data)
{
  for (int damaged = -1; damaged < 24; damaged++)
    {
      struct file file = { 0 };
      uint8_t *module = table_of (&file) + TABLE_SIZE;
      bool counts = damaged == 0 || (damaged >= 20 && damaged < 23);
      build (&file, &forms[3], 0);
      put_word (table_of (&file) + 8 + 8 * forms[3].text_word, 8, 0);
      put_word (module, 8, TABLE);
      put_word (module + 20 * 8, 8, CODE);
      put_word (module + 21 * 8, 8, CODE + 0x300);
      put_word (module + 22 * 8, 8, CODE);
      if (damaged >= 0)
        module[8 * damaged] ^= 0x10;
      read_table (&file);
      check_depth (&file, 0x150 + 4, counts ? GO_DEPTH_UNKNOWN : 24);
      assert_int_equal (file.table.n == 0, counts);
      go_table_free (&file.table);
    }
}

/* One entry outside of the code, or out of order, and nothing is believed.  */
TEST (entries_are_those_of_the_code)
{
  static const uint64_t wrong[] = { 0, 0x2a0, 0x300 };
  FOR_EACH_ROW (given, wrong)
    {
      struct file file = { 0 };
      build (&file, &forms[3], 0);
      put_word (table_of (&file) + FUNCTIONS + 2 * 4, 4, *given);
      read_table (&file);
      assert_int_equal (file.table.n, 0);
      go_table_free (&file.table);
    }
}

/* Functions without a caller, and those that write to the stack pointer.  */
TEST (flagged_functions_are_unknown)
{
  FOR_EACH_ROW (given, forms)
    for (uint8_t flags = 1; flags <= 4; flags *= 2)
      {
        struct file file = { 0 };
        build (&file, given, flags);
        read_table (&file);
        bool flagged = given->flags_at && flags < 4;
        check_depth (&file, 0x2a4, flagged ? GO_DEPTH_UNKNOWN : 24);
        check_depth (&file, 4, 24);
        assert_true (go_table_is_start (&file.table, CODE + 0x2a0));
        go_table_free (&file.table);
      }
}

/* Any byte of the table can be anything: nothing is read outside of it (which
   the sanitizers see), and what is said stays in order and in the code.  */
TEST (damaged_tables_do_no_harm)
{
  static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
  FOR_EACH_ROW (given, forms)
    for (size_t k = 0; k < TABLE_SIZE * sizeof values; k++)
      {
        struct file file = { 0 };
        build (&file, given, 0);
        table_of (&file)[k / sizeof values] = values[k % sizeof values];
        read_table (&file);
        for (size_t s = 0; s < file.table.n; s++)
          {
            const struct go_step *step = &file.table.steps[s];
            assert_true (s == 0 || step->address >= step[-1].address);
            assert_in_range (step->address, CODE, CODE + CODE_SIZE * 16);
          }
        go_table_free (&file.table);
      }
}

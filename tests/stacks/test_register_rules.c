/* Unit tests of src/cfi/register_rules.c: what CFI says of all registers.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Of the C library libdw says it, too.  */

#include <config.h>

#include <dwarf.h>
#include <gelf.h>
#include <link.h>
#include <string.h>

#include <elfutils/libdw.h>

#include "cfi/register_rules.h"
#include "convert/detached.h"
#include "tests/unit/cfi_fixture.h"
#include "tests/unit_test.h"

enum
{
  RBX = 3,
  RSP = 7,
  R12 = 12,
  RIP = 16
};

#define CODE (SECTION_ADDRESS + 0x10000)

static enum frame_reason
any_fde (const void *context, const struct cfi_fde *fde)
{
  (void)context;
  (void)fde;
  return REASON_NONE;
}

/* The rules at OFFSET of a function of 0x20 bytes with PROGRAM.  */
static bool
rules_at (struct cfi_fixture *f, const char *program, size_t size,
          uint64_t offset, struct register_rules *rules)
{
  cfi_fixture_free (f);
  *f = cfi_fixture_new (false);
  size_t cie = put_amd64_cie (&f->bytes);
  put_fde (&f->bytes, cie, CODE, 0x20, program, size);
  cfi_fixture_read (f, &arch_amd64);
  const struct cfi_source source = { .cfi = f->section, .problem = any_fde };
  return register_rules_find (&source, CODE + offset, rules);
}

#define RULES_AT(f, program, offset, rules) \
  rules_at (f, program, sizeof (program) - 1, offset, rules)

CFI_TEST (rules_hold_from_their_location_on)
{
  static const char program[] = "\x41\x0e\x10\x83\x02" /* push %rbx */
                                "\x44\x0a"             /* remember_state */
                                "\x41\x0e\x08\xc3"     /* pop %rbx */
                                "\x41\x0b";            /* restore_state */
  static const struct
  {
    uint64_t offset, cfa;
    enum register_rule_kind rbx;
  } rows[] = { { 0, 8, REGISTER_NO_RULE }, { 1, 16, REGISTER_AT_CFA },
               { 5, 16, REGISTER_AT_CFA }, { 6, 8, REGISTER_NO_RULE },
               { 7, 16, REGISTER_AT_CFA }, { 0x1f, 16, REGISTER_AT_CFA } };
  struct register_rules rules;
  FOR_EACH_ROW (given, rows)
    {
      assert_true (RULES_AT (f, program, given->offset, &rules));
      assert_int_equal (rules.cfa.kind, REGISTER_SUM);
      assert_int_equal (rules.cfa.number, RSP);
      assert_int_equal (rules.cfa.offset, given->cfa);
      assert_int_equal (rules.registers[RBX].kind, given->rbx);
      assert_int_equal (rules.registers[RIP].kind, REGISTER_AT_CFA);
      assert_int_equal ((int64_t)rules.registers[RIP].offset, -8);
      assert_int_equal (rules.ra, RIP);
    }
  assert_int_equal ((int64_t)rules.registers[RBX].offset, -16);
  assert_false (RULES_AT (f, program, 0x20, &rules));
}

/* As OpenSSL's functions: *(rsp + 40) + 8.  */
CFI_TEST (expressions_are_kept)
{
  static const char program[] = "\x0f\x05\x77\x28\x06\x23\x08"
                                "\x16\x0c\x02\x77\x10\x10\x03\x01\x30";
  struct register_rules rules;
  assert_true (RULES_AT (f, program, 0, &rules));
  assert_int_equal (rules.cfa.kind, REGISTER_VALUE);
  assert_int_equal (rules.cfa.size, 5);
  assert_memory_equal (rules.cfa.expression, "\x77\x28\x06\x23\x08", 5);
  assert_int_equal (rules.registers[R12].kind, REGISTER_VALUE);
  assert_int_equal (rules.registers[RBX].kind, REGISTER_AT_EXPRESSION);
}

/* What is broken ends what is said from there on, and no more.  */
CFI_TEST (broken_programs_end_where_they_break)
{
  static const char *const broken[] = {
    "\x44\x0b", /* restore_state without remember_state */
    "\x44\x3f", /* no instruction */
    "\x44\x2d", /* of AArch64 */
  };
  struct register_rules rules;
  for (size_t i = 0; i < 3; i++)
    {
      assert_true (rules_at (f, broken[i], 2, 3, &rules));
      assert_false (rules_at (f, broken[i], 2, 4, &rules));
    }
  /* A part of a CFA that is an expression is redefined.  */
  assert_false (RULES_AT (f, "\x0f\x02\x77\x08\x0e\x10", 0, &rules));
}

/* A CIE has no location.  Where one advances, the rows of its FDEs are left
   out, too.  */
CFI_TEST (a_cie_does_not_advance)
{
  static const char *const initial[]
      = { "\x0c\x07\x08\x41", "\x0c\x07\x08\x02\x01" };
  struct register_rules rules;
  for (size_t i = 0; i < 2; i++)
    {
      cfi_fixture_free (f);
      *f = cfi_fixture_new (false);
      size_t cie = put_cie (&f->bytes, 1, "zR", "\x1b", 1, 1, 0x78, 16,
                            initial[i], strlen (initial[i]));
      put_fde (&f->bytes, cie, CODE, 0x20, "", 0);
      cfi_fixture_read (f, &arch_amd64);
      assert_int_equal (f->section.n_fdes, 1);
      const struct cfi_source source
          = { .cfi = f->section, .problem = any_fde };
      assert_false (register_rules_find (&source, CODE + 8, &rules));
    }
}

/* States that are remembered take a bounded amount of memory, and registers
   beyond all numbers no place.  */
CFI_TEST (hostile_programs)
{
  char program[512];
  struct register_rules rules;
  memset (program, 0x0a, sizeof program);
  assert_false (rules_at (f, program, sizeof program, 0, &rules));
  assert_true (RULES_AT (f, "\x05\xff\xff\xff\x0f\x02", 0, &rules));
  assert_true (RULES_AT (f, "\x06\xff\xff\xff\x0f", 0, &rules));
}

/* Where the C library of this program is.  */
static int
find_libc (struct dl_phdr_info *info, size_t size, void *path)
{
  (void)size;
  if (strstr (info->dlpi_name, "libc.so") != NULL)
    *(char **)path = strdup (info->dlpi_name);
  return 0;
}

/* Compare the rule of register NUMBER with libdw's.  */
static void
compare_register (const struct register_rule *rule, Dwarf_Frame *frame,
                  int number)
{
  Dwarf_Op room[3], *operations;
  size_t n;
  assert_int_equal (
      dwarf_frame_register (frame, number, room, &operations, &n), 0);
  bool at_cfa = n > 0 && operations[0].atom == DW_OP_call_frame_cfa
                && (n == 1 || operations[1].atom == DW_OP_plus_uconst);
  assert_int_equal (rule->kind == REGISTER_AT_CFA, at_cfa);
  if (at_cfa)
    assert_int_equal (rule->offset, n > 1 ? operations[1].number : 0);
  if (rule->kind == REGISTER_UNDEFINED)
    assert_true (n == 0 && operations == room);
  if (rule->kind == REGISTER_SAME)
    assert_true (n == 0 && operations == NULL);
}

static void
compare_rules (const struct register_rules *rules, Dwarf_Frame *frame)
{
  Dwarf_Op *operations;
  size_t n;
  bool signal;
  assert_int_equal (dwarf_frame_info (frame, NULL, NULL, &signal), rules->ra);
  assert_int_equal (signal, rules->signal);
  assert_int_equal (dwarf_frame_cfa (frame, &operations, &n), 0);
  bool sum = n == 1 && operations->atom == DW_OP_bregx;
  assert_int_equal (rules->cfa.kind == REGISTER_SUM, sum);
  if (sum)
    {
      assert_int_equal (operations->number, rules->cfa.number);
      assert_int_equal (operations->number2, rules->cfa.offset);
    }
  for (int i = 0; i <= (int)rules->ra; i++)
    compare_register (&rules->registers[i], frame, i);
}

TEST (of_libc_as_libdw_says)
{
  char *path = NULL;
  struct error err;
  struct image image;
  struct register_rules rules;
  elf_version (EV_CURRENT);
  dl_iterate_phdr (find_libc, &path);
  if (path == NULL || !image_open (&image, path, &err)
      || image.header.e_machine != EM_X86_64)
    skip ();
  struct rows_on_demand *rows = rows_on_demand_open (&image, &err);
  Elf *elf = elf_memory ((char *)(uintptr_t)image.bytes, image.size);
  Dwarf_CFI *cfi = dwarf_getcfi_elf (elf);
  assert_non_null (rows);
  assert_non_null (cfi);
  const struct cfi_source *source = rows_on_demand_source (rows);
  size_t compared = 0;
  for (size_t i = 0; i < source->cfi.n_fdes; i++)
    {
      const struct cfi_fde *fde = &source->cfi.fdes[i];
      const uint64_t offsets[] = { 0, 1, fde->size / 2, fde->size - 1 };
      FOR_EACH_ROW (given, offsets)
        {
          Dwarf_Frame *frame;
          uint64_t address = fde->address + *given;
          if (fde->size == 0 || *given >= fde->size
              || dwarf_cfi_addrframe (cfi, address, &frame) != 0)
            continue;
          assert_true (register_rules_find (source, address, &rules));
          compare_rules (&rules, frame);
          compared++;
          free (frame);
        }
    }
  assert_true (compared > 1000);
  dwarf_cfi_end (cfi);
  elf_end (elf);
  rows_on_demand_free (rows);
  image_close (&image);
  free (path);
}

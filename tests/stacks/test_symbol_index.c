/* Unit tests of stacks/symbol_index.c: which symbol an address is of.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The symbols are a table in the test instead of libdwfl's.  */

#include <elf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/failing_allocations.h"
#include "stacks/names.h"
#include "tests/unit_test.h"

enum
{
  TEXT = 1, /* the only section: from 0 to TEXT_END */
  TEXT_END = 0x100,
  SYMBOLS_MAX = 64
};

struct test_symbol
{
  const char *name;
  uint64_t value, size;
  unsigned char binding, type;
  uint16_t section;
};

static struct test_symbol symbols[SYMBOLS_MAX];
static int n_symbols;

/* Any address: nothing is read there.  */
static struct test_symbol elf_of_all;

/* In place of the libraries' functions.  */

int __wrap_dwfl_module_getsymtab (Dwfl_Module *module);
int
__wrap_dwfl_module_getsymtab (Dwfl_Module *module)
{
  (void)module;
  return n_symbols;
}

const char *__wrap_dwfl_module_getsym_info (Dwfl_Module *module, int number,
                                            GElf_Sym *symbol, GElf_Addr *value,
                                            GElf_Word *section, Elf **elf,
                                            Dwarf_Addr *bias);
const char *
__wrap_dwfl_module_getsym_info (Dwfl_Module *module, int number,
                                GElf_Sym *symbol, GElf_Addr *value,
                                GElf_Word *section, Elf **elf,
                                Dwarf_Addr *bias)
{
  const struct test_symbol *found = &symbols[number];
  (void)module;
  (void)bias;
  *symbol = (GElf_Sym){ .st_name = found->name[0] != '\0',
                        .st_info = ELF64_ST_INFO (found->binding, found->type),
                        .st_shndx = found->section,
                        .st_value = found->value,
                        .st_size = found->size };
  *value = found->value;
  if (section != NULL)
    *section = found->section;
  if (elf != NULL)
    *elf = (Elf *)&elf_of_all;
  return found->name;
}

Elf_Scn *__wrap_elf_getscn (Elf *elf, size_t number);
Elf_Scn *
__wrap_elf_getscn (Elf *elf, size_t number)
{
  (void)elf;
  return number == TEXT ? (Elf_Scn *)&elf_of_all : NULL;
}

GElf_Shdr *__wrap_gelf_getshdr (Elf_Scn *section, GElf_Shdr *header);
GElf_Shdr *
__wrap_gelf_getshdr (Elf_Scn *section, GElf_Shdr *header)
{
  (void)section;
  *header = (GElf_Shdr){ .sh_addr = 0, .sh_size = TEXT_END };
  return header;
}

/* Append a function.  Its number is returned.  The first symbol is none.  */
static int
add (const char *name, uint64_t value, uint64_t size, unsigned char binding)
{
  symbols[n_symbols]
      = (struct test_symbol){ name, value, size, binding, STT_FUNC, TEXT };
  return n_symbols++;
}

static int
start_again (void **state)
{
  (void)state;
  memset (symbols, 0, sizeof symbols);
  n_symbols = 1;
  return 0;
}

#define FIXTURE_TEST(name) TEST_BETWEEN (start_again, NULL, name)

static void
expect (const struct symbol_index *index, uint64_t address, const char *name)
{
  bool unsized;
  uint64_t value;
  const char *found = symbol_index_find (index, address, &value, &unsized);
  if (name == NULL)
    assert_null (found);
  else
    {
      assert_non_null (found);
      assert_string_equal (found, name);
      for (int i = 1; i < n_symbols; i++)
        if (symbols[i].name == found)
          assert_int_equal (unsized, symbols[i].size == 0);
    }
}

static struct symbol_index
read_all (void)
{
  struct symbol_index index;
  assert_true (symbol_index_read (&index, NULL));
  return index;
}

/* A function goes on behind one that lies in it.  */
FIXTURE_TEST (nested)
{
  add ("inner", 0x18, 8, STB_GLOBAL);
  add ("outer", 0x10, 0x20, STB_GLOBAL);
  struct symbol_index index = read_all ();
  expect (&index, 0xf, NULL);
  expect (&index, 0x10, "outer");
  expect (&index, 0x17, "outer");
  expect (&index, 0x18, "inner");
  expect (&index, 0x1f, "inner");
  expect (&index, 0x20, "outer");
  expect (&index, 0x2f, "outer");
  expect (&index, 0x30, NULL);
  symbol_index_free (&index);
}

FIXTURE_TEST (several_names)
{
  add ("weak", 0x10, 8, STB_WEAK);
  add ("global", 0x10, 8, STB_GLOBAL);
  add ("second", 0x10, 8, STB_GLOBAL);
  add ("longer", 0x10, 0x10, STB_GLOBAL);
  add ("local", 0x10, 4, STB_LOCAL);
  add ("near", 0x24, 4, STB_LOCAL);
  add ("far", 0x20, 0x10, STB_GLOBAL);
  struct symbol_index index = read_all ();
  expect (&index, 0x12, "global");
  expect (&index, 0x1a, "longer");
  /* The nearest one, whether or not it is global.  */
  expect (&index, 0x25, "near");
  expect (&index, 0x28, "far");
  symbol_index_free (&index);
}

FIXTURE_TEST (without_size)
{
  add ("label", 0x10, 0, STB_GLOBAL);
  add ("sized", 0x20, 8, STB_LOCAL);
  add ("inside", 0x24, 0, STB_GLOBAL);
  add ("last", 0x30, 0, STB_GLOBAL);
  add ("local label", 0x38, 0, STB_LOCAL);
  add ("same place", 0x30, 0, STB_GLOBAL);
  symbols[add ("absolute", 0x200, 0, STB_GLOBAL)].section = SHN_ABS;
  symbols[add ("elsewhere", 0x80, 0, STB_GLOBAL)].section = 2;
  struct symbol_index index = read_all ();
  expect (&index, 0x1f, "label");
  expect (&index, 0x20, "sized");
  expect (&index, 0x25, "sized");
  expect (&index, 0x28, NULL);
  expect (&index, 0x37, "same place");
  expect (&index, 0x3f, "local label");
  expect (&index, 0x90, "local label");
  expect (&index, TEXT_END - 1, "local label");
  expect (&index, TEXT_END, NULL);
  expect (&index, 0x200, "absolute");
  expect (&index, 0x201, NULL);
  symbol_index_free (&index);
}

FIXTURE_TEST (no_functions)
{
  add ("", 0x10, 8, STB_GLOBAL);
  symbols[add ("undefined", 0x10, 8, STB_GLOBAL)].section = SHN_UNDEF;
  symbols[add ("section", 0x10, 8, STB_GLOBAL)].type = STT_SECTION;
  symbols[add ("file", 0x10, 8, STB_GLOBAL)].type = STT_FILE;
  symbols[add ("thread", 0x10, 8, STB_GLOBAL)].type = STT_TLS;
  struct symbol_index index = read_all ();
  expect (&index, 0x10, NULL);
  symbol_index_free (&index);
}

/* A size that goes round the end of all addresses.  */
FIXTURE_TEST (hostile_size)
{
  add ("huge", 0x10, UINT64_MAX, STB_GLOBAL);
  add ("far", UINT64_MAX - 2, 2, STB_GLOBAL);
  struct symbol_index index = read_all ();
  expect (&index, 0x10, "huge");
  expect (&index, UINT64_MAX - 3, "huge");
  expect (&index, UINT64_MAX - 2, "far");
  symbol_index_free (&index);
}

/* The rules said without an index.  Of symbols with a size, and likewise of
   those without: whether A is a better name than B for an address that both
   have.  */
static bool
is_better (const struct test_symbol *a, const struct test_symbol *b)
{
  if (a->value != b->value)
    return a->value > b->value;
  if (a->binding != b->binding)
    return a->binding == STB_GLOBAL || b->binding == STB_LOCAL;
  return a->size != b->size ? a->size < b->size : (a < b) == (a->size != 0);
}

/* The best symbol at ADDRESS with a size, or that begins there or before.  */
static const struct test_symbol *
best_at (uint64_t address, bool sized)
{
  const struct test_symbol *best = NULL;
  for (int i = 1; i < n_symbols; i++)
    if (sized == (symbols[i].size != 0) && address >= symbols[i].value
        && (!sized || address - symbols[i].value < symbols[i].size)
        && (best == NULL || is_better (&symbols[i], best)))
      best = &symbols[i];
  return best;
}

static const char *
name_at (uint64_t address)
{
  const struct test_symbol *best = best_at (address, true);
  if (best != NULL)
    return best->name;
  best = best_at (address, false);
  if (best == NULL || address >= TEXT_END || best_at (best->value, true))
    return NULL;
  for (int i = 1; i < n_symbols; i++)
    if (symbols[i].value > best->value && symbols[i].value <= address)
      return NULL;
  return best->name;
}

FIXTURE_TEST (random_symbols)
{
  static char names[SYMBOLS_MAX][12];
  uint32_t seed = 1;
  for (int round = 0; round < 2000; round++)
    {
      start_again (NULL);
      seed = seed * 1103515245 + 12345;
      for (unsigned n = 1 + (seed >> 16) % (SYMBOLS_MAX - 1), i = 0; i < n;
           i++)
        {
          seed = seed * 1103515245 + 12345;
          snprintf (names[i], sizeof names[i], "s%u", i);
          add (names[i], seed >> 16 & 0x3f, seed >> 22 & 0x1f & round,
               (seed >> 28) % 3);
        }
      struct symbol_index index = read_all ();
      for (uint64_t address = 0; address <= TEXT_END; address++)
        expect (&index, address, name_at (address));
      symbol_index_free (&index);
    }
}

FIXTURE_TEST (no_memory)
{
  unsigned n = 0;
  bool read;
  add ("a", 0x10, 8, STB_GLOBAL);
  add ("b", 0x12, 2, STB_LOCAL);
  add ("c", 0x40, 0, STB_GLOBAL);
  do
    {
      struct symbol_index index;
      allocation_failed = false;
      allocations_granted = n++;
      read = symbol_index_read (&index, NULL);
      allocations_granted = UINT_MAX;
      assert_int_equal (read, !allocation_failed);
      symbol_index_free (&index);
    }
  while (!read);
  assert_true (n > 3);
}

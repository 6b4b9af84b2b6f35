/* Unit tests of stacks/inlines.c, on this program's own debug information.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stacks/code_files.h"
#include "stacks/names.h"
#include "tests/unit/failing_allocations.h"
#include "tests/unit_test.h"

static volatile uintptr_t inlined_at;

/* Functions that are inlined one into the other, more than a list has room for
   at first.  */
#define INLINED(name, inner) \
  static inline __attribute__ ((always_inline)) void name (void) { inner (); }

static inline __attribute__ ((always_inline)) void
innermost (void)
{
  inlined_at = 0;
place:
  inlined_at = (uintptr_t) && place;
}

#define INLINED_FOUR(name, inner) \
  INLINED (name##_4, inner)       \
  INLINED (name##_3, name##_4)    \
  INLINED (name##_2, name##_3)    \
  INLINED (name##_1, name##_2)

#define INLINED_SIXTEEN(name, inner) \
  INLINED_FOUR (name##d, inner)      \
  INLINED_FOUR (name##c, name##d_1)  \
  INLINED_FOUR (name##b, name##c_1)  \
  INLINED_FOUR (name##a, name##b_1)

INLINED_SIXTEEN (e, innermost)
INLINED_SIXTEEN (d, ea_1)
INLINED_SIXTEEN (c, da_1)
INLINED_SIXTEEN (b, ca_1)
INLINED_SIXTEEN (a, ba_1)

static __attribute__ ((noinline)) void
outermost (void)
{
  aa_1 ();
}

/* Names, each with a newline in front; room for more than there are.  */
struct names
{
  char text[4096];
};

static bool
add_name (void *context, const char *name)
{
  struct names *names = context;
  size_t used = strlen (names->text);
  snprintf (names->text + used, sizeof names->text - used, "\n%s", name);
  return true;
}

static struct names
names_at (struct inlines *inlines, Dwfl_Module *module, Dwarf_Addr address)
{
  struct names names = { "" };
  inlines_at (inlines, module, address, 0, add_name, &names);
  return names;
}

/* This program, and the address in all functions that are inlined.  */
static Dwfl_Module *
open_own (Dwfl **dwfl, Dwarf_Addr *address)
{
  static const Dwfl_Callbacks callbacks
      = { .find_elf = dwfl_linux_proc_find_elf,
          .find_debuginfo = code_symbols_find_debuginfo };
  *dwfl = dwfl_begin (&callbacks);
  outermost ();
  *address = inlined_at;
  assert_non_null (*dwfl);
  assert_int_equal (dwfl_linux_proc_report (*dwfl, getpid ()), 0);
  assert_int_equal (dwfl_report_end (*dwfl, NULL, NULL), 0);
  Dwfl_Module *module = dwfl_addrmodule (*dwfl, *address);
  assert_non_null (module);
  return module;
}

/* A query that memory ran out for left a part of the names behind, which later
   ones returned.  */
TEST (without_memory_there_are_all_names_or_none)
{
  Dwfl *dwfl;
  Dwarf_Addr address;
  Dwfl_Module *module = open_own (&dwfl, &address);
  size_t sum = 0;
  struct inlines inlines = { .sum = &sum };
  struct names all = names_at (&inlines, module, address);
  inlines_free (&inlines);
  /* Without debug information there is nothing to be asked.  */
  bool known = strstr (all.text, "\ninnermost_[i]") != NULL;
  allocation_failed = known;
  for (unsigned n = 0; allocation_failed; n++)
    {
      allocation_failed = false;
      allocations_granted = n;
      names_at (&inlines, module, address);
      allocations_granted = UINT_MAX;
      struct names later = names_at (&inlines, module, address);
      assert_true (later.text[0] != '\0' ? strcmp (later.text, all.text) == 0
                                         : allocation_failed);
      inlines_free (&inlines);
      assert_int_equal (sum, 0);
    }
  dwfl_end (dwfl);
  if (!known)
    skip ();
}

/* Each unit had the bound for itself, so that a thousand of them took 100
   gigabytes.  */
TEST (the_units_of_all_modules_have_one_bound)
{
  Dwfl *dwfl;
  Dwarf_Addr address;
  Dwfl_Module *module = open_own (&dwfl, &address);
  size_t sum = 0;
  struct inlines inlines = { .sum = &sum }, others = { .sum = &sum };
  struct names all = names_at (&inlines, module, address);
  size_t own = sum;
  bool known = all.text[0] != '\0';
  sum = INLINE_RANGES_MAX - own + 1;
  struct names none = names_at (&others, module, address);
  assert_string_equal (none.text, "");
  inlines_free (&others);
  sum = INLINE_RANGES_MAX - own;
  all = names_at (&others, module, address);
  assert_int_equal (all.text[0] != '\0', known);
  inlines_free (&others);
  sum = own;
  inlines_free (&inlines);
  assert_int_equal (sum, 0);
  dwfl_end (dwfl);
  if (!known)
    skip ();
}

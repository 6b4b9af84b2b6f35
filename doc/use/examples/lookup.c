/* Ask the SFrame data of this very process where a caller is.
   SPDX-License-Identifier: LGPL-2.1-or-later

   cc -o lookup lookup.c $(pkg-config --cflags --libs sframewalk)
   cfi2sframe lookup && ./lookup  */

#define _GNU_SOURCE
#include <link.h>
#include <sframewalk.h>
#include <stdio.h>

#ifndef PT_GNU_SFRAME
#  define PT_GNU_SFRAME 0x6474e554
#endif

/* Where the section of the module is that holds PC.  */
struct module
{
  uintptr_t pc;
  uintptr_t section;
  size_t size;
};

static int
find_module (struct dl_phdr_info *info, size_t info_size, void *data)
{
  (void)info_size;
  struct module *module = data;
  bool holds_pc = false;
  module->size = 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
      uintptr_t start = info->dlpi_addr + segment->p_vaddr;
      if (segment->p_type == PT_LOAD && module->pc >= start
          && module->pc - start < segment->p_memsz)
        holds_pc = true;
      if (segment->p_type == PT_GNU_SFRAME && module->size == 0)
        {
          module->section = start;
          module->size = segment->p_memsz;
        }
    }
  return holds_pc;
}

static void
print_rule (const char *name, const struct sfw_rule *rule)
{
  static const char *const forms[]
      = { [SFW_UNDEFINED] = "undefined", [SFW_SAME] = "same",
          [SFW_REG] = "r%u%+d",          [SFW_DEREF_REG] = "*(r%u%+d)",
          [SFW_CFA] = "CFA%+d",          [SFW_DEREF_CFA] = "*(CFA%+d)",
          [SFW_UNKNOWN] = "unknown" };
  printf (" %s = ", name);
  if (rule->kind == SFW_CFA || rule->kind == SFW_DEREF_CFA)
    printf (forms[rule->kind], rule->offset);
  else
    printf (forms[rule->kind], rule->reg, rule->offset);
}

int
main (void)
{
  struct module module = { .pc = (uintptr_t)&main };
  if (!dl_iterate_phdr (find_module, &module) || module.size == 0)
    {
      fputs ("this program has no SFrame data: run cfi2sframe on it\n",
             stderr);
      return 1;
    }
  const struct sfw_section section
      = { (const void *)module.section, module.size, module.section };
  struct sfw_row row;
  enum sfw_end end = sfw_lookup (&section, module.pc, &row);
  if (end != SFW_MORE)
    {
      fprintf (stderr, "%s\n", sfw_end_text (end));
      return 1;
    }
  fputs ("main:", stdout);
  print_rule ("CFA", &row.cfa);
  print_rule ("RA", &row.ra);
  print_rule ("FP", &row.fp);
  putchar ('\n');
  return 0;
}

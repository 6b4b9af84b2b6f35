/* Ask the SFrame data of this very process where a caller is.
   SPDX-License-Identifier: LGPL-2.1-or-later

   cc -o lookup lookup.c $(pkg-config --cflags --libs cfi2sframe)
   cfi2sframe lookup && ./lookup  */

#define _GNU_SOURCE
#include <cfi2sframe.h>
#include <link.h>
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
      if (segment->p_type == PT_GNU_SFRAME)
        {
          module->section = start;
          module->size = segment->p_memsz;
        }
    }
  return holds_pc;
}

static void
print_rule (const char *name, const struct cfi2sframe_rule *rule)
{
  static const char *const forms[] = { [CFI2SFRAME_UNDEFINED] = "undefined",
                                       [CFI2SFRAME_SAME] = "same",
                                       [CFI2SFRAME_REGISTER] = "r%u%+d",
                                       [CFI2SFRAME_AT_REGISTER] = "*(r%u%+d)",
                                       [CFI2SFRAME_CFA] = "CFA%+d",
                                       [CFI2SFRAME_AT_CFA] = "*(CFA%+d)" };
  printf (" %s = ", name);
  if (rule->kind == CFI2SFRAME_CFA || rule->kind == CFI2SFRAME_AT_CFA)
    printf (forms[rule->kind], rule->offset);
  else
    printf (forms[rule->kind], rule->register_number, rule->offset);
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
  struct cfi2sframe_row row;
  struct cfi2sframe_error err;
  cfi2sframe_row_init (&row);
  if (!cfi2sframe_lookup ((const void *)module.section, module.size,
                          module.section, module.pc, &row, &err))
    {
      fprintf (stderr, "%s\n", err.reason);
      return 1;
    }
  printf ("main, %u bytes:", row.function_size);
  print_rule ("CFA", &row.cfa);
  print_rule ("RA", &row.return_address);
  print_rule ("FP", &row.frame_pointer);
  putchar ('\n');
  return 0;
}

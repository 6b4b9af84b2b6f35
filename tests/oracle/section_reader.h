/* Between the project's tests and the kernel's reader.
   SPDX-License-Identifier: LGPL-2.1-or-later

   kernel_reader.c is compiled together with the kernel's sources, whose names
   clash with the project's; nothing else is shared.  */

#ifndef ORACLE_KERNEL_READER_H
#define ORACLE_KERNEL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_rule
{
  bool from_register; /* otherwise from the CFA */
  bool load;          /* the value is in memory there */
  bool retained;      /* the register still has it; the rest says nothing */
  uint32_t reg;       /* DWARF number */
  int32_t offset;
};

struct kernel_rules
{
  bool outermost;
  struct kernel_rule cfa, ra, fp;
};

struct kernel_section; /* opaque */

/* What the shared object exports, as `kernel_reader'.  All addresses are
   those of memory: the section is read where it is.  */
struct kernel_reader
{
  /* NULL when the kernel refuses the section: header, or validation.  */
  struct kernel_section *(*open) (const void *bytes, size_t size,
                                  uint64_t code_start, uint64_t code_end);
  void (*close) (struct kernel_section *section);
  /* 1 found, 0 no row, -1 broken.  */
  int (*find) (struct kernel_section *section, uint64_t pc,
               struct kernel_rules *rules);
};

#endif /* ORACLE_KERNEL_READER_H */

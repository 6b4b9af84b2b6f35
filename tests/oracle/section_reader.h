/* Between the project's tests and readers compiled from their source.
   SPDX-License-Identifier: LGPL-2.1-or-later

   kernel_reader.c and glibc_reader.c are compiled together with the sources of
   the kernel and of glibc, whose names clash with the project's; nothing else
   is shared.  */

#ifndef ORACLE_SECTION_READER_H
#define ORACLE_SECTION_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct read_rule
{
  bool from_register; /* otherwise from the CFA */
  bool load;          /* the value is in memory there */
  bool retained;      /* the register still has it; the rest says nothing */
  uint32_t reg;       /* DWARF number */
  int32_t offset;
};

struct read_rules
{
  bool outermost;
  struct read_rule cfa, ra, fp;
};

struct read_section; /* opaque */

/* What the shared object exports, as `section_reader'.  All addresses are
   those of memory: the section is read where it is.  */
struct section_reader
{
  /* NULL when the reader refuses the section: header, or validation.  */
  struct read_section *(*open) (const void *bytes, size_t size,
                                uint64_t code_start, uint64_t code_end);
  void (*close) (struct read_section *section);
  /* 1 found, 0 no row, -1 broken.  */
  int (*find) (struct read_section *section, uint64_t pc,
               struct read_rules *rules);
};

#endif /* ORACLE_SECTION_READER_H */

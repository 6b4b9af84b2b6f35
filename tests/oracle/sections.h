/* The sections of a file that hold CFI, as libdw reads them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ORACLE_SECTIONS_H
#define ORACLE_SECTIONS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi_source_section
{
  bool eh; /* .eh_frame; otherwise .debug_frame */
  Elf_Data *data;
  uint64_t address; /* of .eh_frame */
  Dwarf_CFI *cfi;
  Dwarf *dwarf; /* owns the CFI of .debug_frame */
};

enum
{
  SECTIONS_MAX = 3
};

/* Find .eh_frame and .debug_frame of ELF, and .debug_frame of DEBUG, its debug
   file, unless that is NULL; .eh_frame comes first.  Compressed sections of
   both files are decompressed.  Returns how many there are; -1 when libdw
   reads one of them not at all.  */
int sections_find (struct cfi_source_section *sections, Elf *elf, Elf *debug);

void sections_free (struct cfi_source_section *sections, size_t n);

#endif /* ORACLE_SECTIONS_H */

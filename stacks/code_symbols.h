/* What the code of a file is called, and where it begins.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_CODE_SYMBOLS_H
#define STACKS_CODE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "stacks/code_files.h"

/* Whether OFFSET of FILE is in the code where the kernel has a program, or the
   dynamic linker, begin, if no CFI describes that: it ends where CFI or
   another function begins, and after 64 bytes.  */
bool code_file_is_entry (struct code_file *file, uint64_t offset);

/* What the code at OFFSET of FILE is called: by its symbol or, where there is
   none, by FILE and the address where its rows begin, as functions do; code in
   no file, by its compiler.  WANTED: symbol_index.h.  */
void code_file_symbol (struct code_file *file, uint64_t offset,
                       unsigned wanted, struct code_name *symbol);

/* The same of what is inlined there, as inlines_at has it.  */
bool code_file_inlines (struct code_file *file, uint64_t offset,
                        unsigned wanted,
                        bool (*take) (void *context, const char *name),
                        void *context);

/* For libdwfl: as dwfl_standard_find_debuginfo, but with no result where the
   debug file that FILE names is a fifo: the standard function would open the
   fifo and wait for ever.  */
int code_symbols_find_debuginfo (Dwfl_Module *module, void **user,
                                 const char *name, Dwarf_Addr base,
                                 const char *file, const char *link,
                                 GElf_Word crc, char **found);

#endif /* STACKS_CODE_SYMBOLS_H */

/* The files of code of several processes, each once: SFrame data and symbols.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_CODE_FILES_H
#define STACKS_CODE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "stacks/process.h"
#include "stacks/symbols.h"

struct code_file; /* opaque */

struct code_files
{
  struct code_file *files; /* owned */
  uint32_t n;
  size_t capacity;
};

/* The number of MODULE's file; it is added if it is new.  False when memory
   ran out.  */
bool code_files_find (struct code_files *files, const struct module *module,
                      uint32_t *number);

/* Give MODULE of the living PROCESS the section of its file, which is found
   for the first process that asks (live_load_section).  The section stays
   FILES'.  */
void code_files_load (struct code_files *files, struct process *process,
                      struct module *module);

/* Set *START to where the rows begin that hold at OFFSET in file NUMBER, as an
   offset in the file, too.  False when there are no such rows, or the section
   is not known.  */
bool code_files_rows (const struct code_files *files, uint32_t number,
                      uint64_t offset, uint64_t *start);

/* The symbol at OFFSET bytes from the start of file NUMBER.  WANTED:
   symbols.h.  */
void code_files_symbol (struct code_files *files, uint32_t number,
                        uint64_t offset, unsigned wanted,
                        struct code_name *symbol);

/* What is inlined there, as inlines_at has it.  */
char *code_files_inlines (struct code_files *files, uint32_t number,
                          uint64_t offset, unsigned wanted);

const char *code_files_path (const struct code_files *files, uint32_t number);

void code_files_free (struct code_files *files);

#endif /* STACKS_CODE_FILES_H */

/* The names of files in a core.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_CORE_NAMES_H
#define STACKS_CORE_NAMES_H

#include <libelf.h>
#include <stdbool.h>

#include "base/error.h"
#include "stacks/process.h"

/* Whether none of the files that the core ELF names is a fifo by now; libdwfl
   would open a fifo and wait for a writer.  Names are in the note NT_FILE and
   in the dynamic linker's list of libraries, which is read from the memory of
   PROCESS.  *ENTRY becomes the address where the program begins, or 0.  */
bool core_names_check (Elf *elf, struct process *process, uint64_t *entry,
                       struct error *err);

#endif /* STACKS_CORE_NAMES_H */

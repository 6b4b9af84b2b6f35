/* The names of files in a core.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_CORE_NAMES_H
#define STACKS_CORE_NAMES_H

#include <libelf.h>
#include <stdbool.h>

#include "base/error.h"
#include "stacks/process.h"

/* Whether none of the files that the core ELF names, with the memory of
   PROCESS in it, is a fifo by now.  libdwfl opens them by the names that the
   note NT_FILE and the dynamic linker's list of libraries have for them, and
   would wait for a writer.  */
bool core_names_check (Elf *elf, struct process *process, struct error *err);

#endif /* STACKS_CORE_NAMES_H */

/* A traced process: its registers, memory and modules.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Everything is read from the process itself; the files it came from are not
   opened, just as a kernel would not.  */

#ifndef LIVING_PROCESS_H
#define LIVING_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target.h"

enum
{
  CACHE_PAGES = 16
};

struct process
{
  struct target target; /* first: its functions get the process back */
  bool with_foreign;    /* the library is loaded and reads all sections */
  struct module *modules;
  size_t n_modules;
  /* Pages read since the last process_forget.  */
  struct
  {
    uint64_t address;
    bool valid;
    uint8_t bytes[4096];
  } cache[CACHE_PAGES];
};

/* Prepare for process PID (of the thread group), without modules yet.  */
void process_init (struct process *process, pid_t pid);

/* Bring the modules up to date.  False when the process is gone.  */
bool process_refresh (struct process *process);

/* Forget all modules: the process executes another program.  */
void process_reset (struct process *process);

/* The module at PC, or NULL.  */
const struct module *process_module_at (const struct process *process,
                                        uint64_t pc);

/* The process has run: what was read is stale.  */
void process_forget (struct process *process);

bool process_read (struct process *process, uint64_t address, void *to,
                   size_t size);

/* The registers of the stopped thread TID, by DWARF number.  */
bool process_registers (pid_t tid, uint64_t registers[REGISTERS]);

void process_free (struct process *process);

#endif /* LIVING_PROCESS_H */

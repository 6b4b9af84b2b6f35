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

#include "../oracle/libsframe.h"
#include "sframe/decode.h"

enum
{
  REGISTERS = 17, /* x86-64, DWARF numbers: rax ... r15, return address */
  REG_FP = 6,
  REG_SP = 7,
  REG_PC = 16,
  CACHE_PAGES = 16
};

struct module
{
  uint64_t start, end; /* of all its mappings */
  bool vdso;
  bool has_sframe;
  struct sframe_decoder decoder;     /* valid if has_sframe */
  uint8_t *bytes;                    /* owned: the section */
  struct libsframe_section *foreign; /* owned: read by libsframe, if wanted */
  char path[256];
};

struct process
{
  bool with_libsframe; /* the library is loaded and reads all sections */
  pid_t pid;           /* of the thread group */
  struct module *modules;
  size_t n_modules;
  unsigned generation; /* changes with the modules */
  /* Pages read since the last process_forget.  */
  struct
  {
    uint64_t address;
    bool valid;
    uint8_t bytes[4096];
  } cache[CACHE_PAGES];
};

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
bool process_read_word (struct process *process, uint64_t address,
                        uint64_t *word);

/* The registers of the stopped thread TID.  */
bool process_registers (pid_t tid, uint64_t registers[REGISTERS]);

void process_free (struct process *process);

#endif /* LIVING_PROCESS_H */

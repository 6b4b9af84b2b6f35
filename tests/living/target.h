/* What a stack walker needs to know of a stopped program, wherever it runs.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LIVING_TARGET_H
#define LIVING_TARGET_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../oracle/abi.h"
#include "../oracle/foreign.h"
#include "sframe/decode.h"

enum
{
  /* Values of a stopped thread, by DWARF number; the PC has a place of its
     own behind them.  */
  REGISTER_PC = 33,
  REGISTERS = 34
};

struct module
{
  uint64_t start, end; /* of all its mappings */
  bool vdso;
  bool has_sframe;
  struct sframe_decoder decoder; /* valid if has_sframe */
  uint8_t *bytes;                /* owned: the section */
  struct foreign_section
      *foreign; /* owned: read by another reader, if wanted */
  char path[256];
};

struct target
{
  const struct referee_abi *abi;
  unsigned n_registers; /* that libdwfl is told, from DWARF number 0 on */
  pid_t pid;
  unsigned generation; /* changes with the modules */
  /* Rows are looked up as the kernel and glibc do: at the return address, not
     at the call before it.  */
  bool looks_up_return_addresses;
  bool (*read_word) (struct target *target, uint64_t address, uint64_t *word);
  const struct module *(*module_at) (struct target *target, uint64_t pc);
  /* Report the modules to libdwfl.  */
  bool (*report) (struct target *target, Dwfl *dwfl);
};

#endif /* LIVING_TARGET_H */

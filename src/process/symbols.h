/* What an address is called.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROCESS_SYMBOLS_H
#define PROCESS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "process/process.h"

struct symbol
{
  char name[256];   /* cut off if it is longer; "" if there is none */
  uint64_t offset;  /* of the address in it */
  const char *file; /* of its source, or NULL; it is libdwfl's */
  int line;         /* 0 if not known */
};

/* Look up PC, which is a return address unless INTERRUPTED; its line of source
   only WITH_SOURCE.  */
void symbol_find (const struct process *process, uint64_t pc, bool interrupted,
                  bool with_source, struct symbol *symbol);

#endif /* PROCESS_SYMBOLS_H */

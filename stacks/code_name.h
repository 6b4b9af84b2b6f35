/* What code is called.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_CODE_NAME_H
#define STACKS_CODE_NAME_H

#include <stdbool.h>
#include <stdint.h>

struct code_name
{
  char name[1024];  /* cut off if it is longer; "" if there is none */
  uint64_t offset;  /* of the address in the symbol */
  bool unsized;     /* the symbol has no size */
  bool of_rows;     /* there is none: the name says where rows begin */
  const char *file; /* of its source, or NULL; it is libdwfl's */
  int line;         /* 0 if not known */
};

/* What is wanted of a symbol.  */
enum
{
  SYMBOL_SOURCE = 1,  /* its line of source */
  SYMBOL_MANGLED = 2, /* its name as the symbol table has it */
  SYMBOL_INLINES = 4  /* of profiles: what is inlined at the address, too */
};

/* Set SYMBOL's name from NAME, as the symbol table has it.  */
void code_name_set (struct code_name *symbol, const char *name,
                    unsigned wanted);

#endif /* STACKS_CODE_NAME_H */

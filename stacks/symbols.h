/* What the addresses of a process are called, by the symbols of its modules
   (symbol_index) and by debug information.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_SYMBOLS_H
#define STACKS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

struct module_symbols; /* opaque */

/* The symbols of the modules of DWFL, of each module read once.  The caller
   sets DWFL, which stays the caller's, and whose modules must stay; the other
   members are 0 at first.  */
struct symbols
{
  Dwfl *dwfl;                     /* or NULL: no address has a name */
  struct module_symbols *modules; /* owned */
  size_t n, capacity;
};

struct code_name
{
  char name[1024];  /* cut off if it is longer; "" if there is none */
  uint64_t offset;  /* of the address in the symbol */
  bool unsized;     /* the symbol has no size */
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

/* Look up ADDRESS.  If memory runs out, its module has no symbols.  */
void symbols_find (struct symbols *symbols, uint64_t address, unsigned wanted,
                   struct code_name *symbol);

/* Release what SYMBOLS owns.  */
void symbols_free (struct symbols *symbols);

#endif /* STACKS_SYMBOLS_H */

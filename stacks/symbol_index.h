/* The symbols of a file, by address, and what code is called.
   SPDX-License-Identifier: LGPL-2.1-or-later

   dwfl_module_addrinfo goes through all symbols for one address; the index
   goes through them once.  It takes the tables from libdwfl, which puts those
   of the file, of its debug file and of .gnu_debugdata together.  */

#ifndef STACKS_SYMBOL_INDEX_H
#define STACKS_SYMBOL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

#include "stacks/interval_map.h"

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

/* ---- The index.  */

struct symbol_index
{
  Dwfl_Module *module; /* not owned */
  struct interval_map by_address;
  uint32_t *numbers; /* owned: libdwfl's, of the symbols in BY_ADDRESS */
};

/* Read the symbols of MODULE, which must outlive INDEX.  False when memory ran
   out.  INDEX is to be freed in any case.  */
bool symbol_index_read (struct symbol_index *index, Dwfl_Module *module);
void symbol_index_free (struct symbol_index *index);

/* The name of the symbol at ADDRESS, as the table has it (libdwfl's), or NULL.
   Of symbols that reach there it is the one that begins nearest, of those the
   one of stronger binding, then the shorter one, then as libdwfl has it.
   One without a size ends where another symbol begins or its section ends, and
   names nothing in one with a size.  *VALUE: where the symbol begins;
   *UNSIZED: it has no size.  */
const char *symbol_index_find (const struct symbol_index *index,
                               uint64_t address, uint64_t *value,
                               bool *unsized);

#endif /* STACKS_SYMBOL_INDEX_H */

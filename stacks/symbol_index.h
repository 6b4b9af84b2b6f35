/* The symbols of a file, by address.
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

/* Addresses that are of one symbol.  */
struct symbol_span
{
  uint64_t start, end;
  uint32_t number; /* of the symbol, libdwfl's */
};

struct symbol_layer
{
  struct symbol_span *spans; /* owned; ascending, disjoint */
  size_t n, capacity;
};

enum
{
  /* In the order in which an address is looked up.  */
  SYMBOLS_GLOBAL,
  SYMBOLS_LOCAL,
  SYMBOLS_UNSIZED,
  SYMBOL_LAYERS
};

struct symbol_index
{
  Dwfl_Module *module; /* not owned */
  struct symbol_layer layers[SYMBOL_LAYERS];
};

/* Read the symbols of MODULE, which must outlive INDEX.  False when memory ran
   out.  INDEX is to be freed in any case.  */
bool symbol_index_read (struct symbol_index *index, Dwfl_Module *module);
void symbol_index_free (struct symbol_index *index);

/* The name of the symbol at ADDRESS, as the table has it (libdwfl's), or NULL:
   that of a global symbol that has a size and reaches there, else of a
   local one, else of one without a size, as libdwfl has it.  Of several
   the one that begins nearest, else the one of stronger binding, else the
   shorter one.  A symbol without a size ends where one with a size begins, or
   another one of its kind, or where its section ends.  *VALUE: where the
   symbol begins; *UNSIZED: it has no size.  */
const char *symbol_index_find (const struct symbol_index *index,
                               uint64_t address, uint64_t *value,
                               bool *unsized);

#endif /* STACKS_SYMBOL_INDEX_H */

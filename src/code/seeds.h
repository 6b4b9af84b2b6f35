/* Where functions may start.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODE_SEEDS_H
#define CODE_SEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/places.h"

/* Call FOUND for the addresses of functions by symbols: those of .dynsym and,
   if ALL, .symtab.  Parts of functions (NAME.cold) are none.  Stops and
   returns false when FOUND does.  */
bool seeds_from_symbols (const struct image *image, bool all,
                         bool (*found) (void *argument, uint64_t address),
                         void *argument);

/* The same for what is called when the image is loaded and unloaded: DT_INIT,
   DT_INIT_ARRAY and their kind (System V ABI, "Initialization and Termination
   Functions").  */
bool seeds_from_initialisers (const struct places *places,
                              bool (*found) (void *argument, uint64_t address),
                              void *argument);

/* The same for what relocations put into memory, and for the addresses that
   code computes.  They may be anything.  */
bool seeds_from_pointers (const struct places *places,
                          bool (*found) (void *argument, uint64_t address),
                          void *argument);

/* The same for words of data that can be addresses of code: where nothing is
   relocated, nothing tells them apart from numbers.  */
bool seeds_from_words (const struct places *places,
                       bool (*found) (void *argument, uint64_t address),
                       void *argument);

/* Where the program begins, without the frame of a call; 0 for libraries.  */
uint64_t seeds_program_entry (const struct image *image);

/* The names of function symbols, in the image's bytes.  */
struct symbol_name
{
  uint64_t address;
  const char *name;
  size_t order; /* in the file: the first of several names counts */
};

struct symbol_names
{
  struct symbol_name *list; /* owned; ascending */
  size_t n, capacity;
};

/* NAMES is to be freed also when memory ran out: false.  */
bool symbol_names_read (struct symbol_names *names, const struct image *image);
void symbol_names_free (struct symbol_names *names);

/* The name of a function at ADDRESS, or NULL.  */
const char *symbol_names_at (const struct symbol_names *names,
                             uint64_t address);

#endif /* CODE_SEEDS_H */

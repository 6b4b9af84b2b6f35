/* The symbol table of a new object.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The relocations of .sframe need a section symbol for each section of code,
   which the old table may not have.  New symbols are local, so they go behind
   the local ones.  The indexes of the global symbols change by that, and so do
   all sections with indexes into the table.  */

#ifndef RELOCATABLE_OBJECT_SYMBOLS_H
#define RELOCATABLE_OBJECT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/image.h"
#include "elf/symbols.h"
#include "relocatable/object_section.h"

/* LLVM's sections with symbol indexes (llvm/BinaryFormat/ELF.h).  This one has
   entries of two 32-bit indexes and a 64-bit weight.  */
#define SHT_LLVM_CALL_GRAPH_PROFILE_RAW 0x6fff4c02
/* Indexes in ULEB128.  */
#define SHT_LLVM_ADDRSIG 0x6fff4c03
/* Weights alone; relocations of this section have the indexes.  */
#define SHT_LLVM_CALL_GRAPH_PROFILE 0x6fff4c09

enum
{
  LLVM_CALL_WEIGHT = 8, /* offset of the weight */
  LLVM_CALL_SIZE = 16
};

struct object_symbols
{
  const struct image *image; /* the old object */
  struct symbols old;
  uint32_t *section_symbols; /* by section: index of its section symbol; 0:
                                none known */
  size_t *added; /* sections that get a new symbol, in the order of those */
  size_t n_added;
  struct buffer *copies;       /* by section: changed contents; empty: as in
                                  the file */
  struct buffer index_section; /* contents of SHT_SYMTAB_SHNDX; empty: as in
                                  the file */
};

/* Begin with the symbols of IMAGE, a relocatable object.  False also if it has
   no symbol table.  The caller frees TABLE also after failure.  */
bool object_symbols_open (struct object_symbols *table,
                          const struct image *image, struct error *err);
void object_symbols_free (struct object_symbols *table);

/* Add a symbol for each section to which MADE refers, where there is none, and
   change the indexes in all sections but RELA (0: none), which is made anew.
   False with CFI2SFRAME_UNSUPPORTED for unknown forms of indexes.  */
bool object_symbols_add (struct object_symbols *table,
                         const struct object_section *made, size_t rela,
                         struct error *err);

/* Return the new index of the old symbol INDEX.  */
uint64_t object_symbols_moved (const struct object_symbols *table,
                               uint64_t index);

#endif /* RELOCATABLE_OBJECT_SYMBOLS_H */

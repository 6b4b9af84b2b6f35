/* The symbol table of a new object: section symbols for the relocations of
   .sframe, and all that holds indexes into the table.
   SPDX-License-Identifier: LGPL-2.1-or-later

   New symbols are local, so they go behind the local ones, and the indexes of
   the others change.  */

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

/* LLVM's sections of symbol indexes (llvm/BinaryFormat/ELF.h).  The first has
   entries of two 32-bit indexes and a 64-bit weight.  */
#define SHT_LLVM_CALL_GRAPH_PROFILE_RAW 0x6fff4c02
/* ULEB128 indexes one after another.  */
#define SHT_LLVM_ADDRSIG 0x6fff4c03
/* Weights; the indexes are those of relocations.  */
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
  /* Section symbols by section, 0 where none is needed or known yet.  */
  uint32_t *section_symbols;
  size_t *added; /* sections that get a symbol, in order of appearance */
  size_t n_added;
  struct buffer *copies;       /* changed contents by section; empty: as in the
                                  file */
  struct buffer index_section; /* section indexes that do not fit the symbols;
                                  empty: as in the file */
};

/* Begin with the symbols of IMAGE, a relocatable object.  False, too, if it
   has no symbol table.  Free also after failure.  */
bool object_symbols_open (struct object_symbols *table,
                          const struct image *image, struct error *err);
void object_symbols_free (struct object_symbols *table);

/* Have a symbol for each section that MADE refers to, and change what refers
   to symbols, but for section RELA (0: none), which is made anew.  False with
   CFI2SFRAME_UNSUPPORTED if a section refers to symbols in an unknown way.  */
bool object_symbols_add (struct object_symbols *table,
                         const struct object_section *made, size_t rela,
                         struct error *err);

/* What symbol INDEX has become.  */
uint64_t object_symbols_moved (const struct object_symbols *table,
                               uint64_t index);

#endif /* RELOCATABLE_OBJECT_SYMBOLS_H */

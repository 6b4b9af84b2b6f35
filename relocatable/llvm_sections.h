/* LLVM's sections of symbol indexes (llvm/BinaryFormat/ELF.h).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef RELOCATABLE_LLVM_SECTIONS_H
#define RELOCATABLE_LLVM_SECTIONS_H

/* Entries of two 32-bit indexes and a 64-bit weight.  */
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

#endif /* RELOCATABLE_LLVM_SECTIONS_H */

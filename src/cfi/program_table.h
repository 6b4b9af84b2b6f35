/* Which FDEs have the same program: their CIE and instructions are equal.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Two thirds of the functions of a C++ library have call-frame instructions
   that another one had before, byte for byte, with the same CIE.  Here every
   program gets a number, from 0 in the order of appearance.  */

#ifndef CFI_PROGRAM_TABLE_H
#define CFI_PROGRAM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/eh_frame.h"

struct program_table; /* opaque */

/* A table for FDEs of SECTION, which must outlive it; N_EXPECTED of them are a
   hint.  NULL when memory ran out.  */
struct program_table *program_table_new (const struct cfi_section *section,
                                         size_t n_expected);
void program_table_free (struct program_table *table);

/* The hash of FDE's program, for the two functions below.  */
uint32_t program_table_hash (const struct program_table *table,
                             const struct cfi_fde *fde);

/* Whether FDE's program, whose hash is HASH, is known: then *NUMBER is its
   number.  */
bool program_table_find (const struct program_table *table,
                         const struct cfi_fde *fde, uint32_t hash,
                         uint32_t *number);

/* Give the program, which is not known, the next number.  The table may
   decline to know it, when memory is short: an equal one will get a number of
   its own then.  */
uint32_t program_table_add (struct program_table *table,
                            const struct cfi_fde *fde, uint32_t hash);

/* How many numbers were given.  */
size_t program_table_size (const struct program_table *table);

#endif /* CFI_PROGRAM_TABLE_H */

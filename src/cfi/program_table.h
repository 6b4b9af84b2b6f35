/* Which FDEs have the same program: their CIE and instructions are equal.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Two thirds of the functions of a C++ library have call-frame instructions
   that another one had before, byte for byte, with the same CIE.  What became
   of a program when it was executed first is kept here.  */

#ifndef CFI_PROGRAM_TABLE_H
#define CFI_PROGRAM_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "cfi/cfi_section.h"

struct program_table; /* opaque */

/* What became of a program.  */
struct program_result
{
  /* For functions larger than so many bytes it is the same (see
     cfa_machine_reach).  */
  uint64_t reach;
  size_t kept; /* what return_sites_keep returned */
  /* 1 more than the number by which the one who takes the rows knows them; 0:
     it does not.  */
  size_t taken;
};

/* A table for FDEs of SECTION, which must outlive it.  NULL when memory ran
   out.  */
struct program_table *program_table_new (const struct cfi_section *section);
void program_table_free (struct program_table *table);

/* What is known of FDE's program, or NULL.  The result is valid until the next
   program is added.  *HASH is for program_table_add.  */
struct program_result *program_table_find (const struct program_table *table,
                                           const struct cfi_fde *fde,
                                           uint32_t *hash);

/* Add FDE's program, which is not known, with REACH.  NULL when memory is
   short.  */
struct program_result *program_table_add (struct program_table *table,
                                          const struct cfi_fde *fde,
                                          uint32_t hash, uint64_t reach);

#endif /* CFI_PROGRAM_TABLE_H */

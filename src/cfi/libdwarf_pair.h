/* libdwarf, kept behind one small interface.
   SPDX-License-Identifier: LGPL-2.1-or-later

   libdwarf is asked about one FDE at a time, behind the CIE that it uses;
   libdwarf takes both for a whole section.  What differs between libdwarf
   20210528, 0.11 and 2.x is in libdwarf_pair.c.  */

#ifndef CFI_LIBDWARF_PAIR_H
#define CFI_LIBDWARF_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/cfi_section.h"

/* A CIE as libdwarf sees it.  Pointers are into the bytes shown, here and
   below.  */
struct libdwarf_cie
{
  const uint8_t *instructions;
  uint64_t instructions_size;
  uint64_t code_alignment;
  int64_t data_alignment;
  uint16_t ra_column;
};

struct libdwarf_fde
{
  uint64_t entry_size; /* bytes, with the length field */
  uint64_t address, size;
  const uint8_t *instructions;
  uint64_t instructions_size;
};

/* Fill in what libdwarf says of SHOWN, which is a CIE and an FDE.
   ADDRESS_SIZE is 8, or 4 to spare libdwarf a costly message for every entry
   with a size that is not a multiple of 8 (then the CIE must not use absptr).
   False when libdwarf refuses the entries, or sees others; TEXT (of TEXT_SIZE
   bytes) says why.  Then errno is ENOMEM if memory ran out: libdwarf has many
   words for that and for damage, but malloc has set errno.  */
bool libdwarf_pair_read (const struct cfi_input *shown, bool big_endian,
                         unsigned address_size, struct libdwarf_cie *cie,
                         struct libdwarf_fde *fde, char *text,
                         size_t text_size);

#endif /* CFI_LIBDWARF_PAIR_H */

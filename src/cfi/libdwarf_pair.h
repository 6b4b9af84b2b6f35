/* Reading one CIE and one FDE by libdwarf.
   SPDX-License-Identifier: LGPL-2.1-or-later

   libdwarf is given a CIE and an FDE behind it, as a whole section (fde.c says
   why).  The differences between libdwarf 20210528, 0.11 and 2.x stay in
   libdwarf_pair.c: the results below are free of libdwarf's types.  */

#ifndef CFI_LIBDWARF_PAIR_H
#define CFI_LIBDWARF_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/cfi_section.h"

/* The CIE as libdwarf has read it.  Pointers are into the input's bytes.  */
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

/* Have libdwarf read PAIR, a CIE and an FDE, into CIE and FDE.  ADDRESS_SIZE
   is 8, or 4 if the CIE has no pointer with DW_EH_PE_absptr: with 4 libdwarf
   formats fewer messages, which take long.  False when libdwarf refuses the
   entries, or finds others; then TEXT (of TEXT_SIZE bytes) has the reason, and
   errno is ENOMEM if memory ran out.  libdwarf has many messages for lack of
   memory and for damage, but malloc sets errno.  */
bool libdwarf_pair_read (const struct cfi_input *pair, bool big_endian,
                         unsigned address_size, struct libdwarf_cie *cie,
                         struct libdwarf_fde *fde, char *text,
                         size_t text_size);

#endif /* CFI_LIBDWARF_PAIR_H */

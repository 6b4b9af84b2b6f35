/* libdwarf, kept behind one small interface.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A list is what libdwarf says of some bytes with CIEs and FDEs, which
   libdwarf takes for a whole section.  What differs between libdwarf 20210528,
   0.11 and 2.x is in libdwarf_list.c.  */

#ifndef CFI_LIBDWARF_LIST_H
#define CFI_LIBDWARF_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/cfi_section.h"

struct libdwarf_list; /* opaque */

/* A CIE as libdwarf sees it.  Pointers are into the list's bytes.  */
struct libdwarf_list_cie
{
  uint64_t offset; /* in the bytes */
  const uint8_t *instructions;
  uint64_t instructions_size;
  uint64_t code_alignment;
  int64_t data_alignment;
  uint16_t ra_column;
};

struct libdwarf_list_fde
{
  uint64_t offset;     /* in the bytes */
  uint64_t entry_size; /* bytes, with the length field */
  uint64_t address, size;
  const uint8_t *instructions;
  uint64_t instructions_size;
};

/* Let libdwarf list the entries of INPUT, whose bytes must outlive the list.
   ADDRESS_SIZE is 8, or 4 to spare libdwarf a costly message for every entry
   whose size is not a multiple of 8 (then no CIE may use absptr).  NULL when
   libdwarf refuses the entries; TEXT (of TEXT_SIZE bytes) says why.  */
struct libdwarf_list *libdwarf_list_open (const struct cfi_input *input,
                                          bool big_endian,
                                          unsigned address_size, char *text,
                                          size_t text_size);
void libdwarf_list_close (struct libdwarf_list *list);

size_t libdwarf_list_n_cies (const struct libdwarf_list *list);
size_t libdwarf_list_n_fdes (const struct libdwarf_list *list);

/* Entry INDEX.  False when libdwarf cannot tell.  */
bool libdwarf_list_cie (struct libdwarf_list *list, size_t index,
                        struct libdwarf_list_cie *cie);
bool libdwarf_list_fde (struct libdwarf_list *list, size_t index,
                        struct libdwarf_list_fde *fde);

#endif /* CFI_LIBDWARF_LIST_H */

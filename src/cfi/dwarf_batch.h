/* libdwarf, kept behind one small interface.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A batch is a piece of .eh_frame that libdwarf can read as if it were a
   whole section.  Everything that differs between libdwarf 20210528, 0.11 and
   2.x is in dwarf_batch.c.  */

#ifndef CFI_DWARF_BATCH_H
#define CFI_DWARF_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dwarf_batch; /* opaque */

/* A CIE as libdwarf sees it.  Pointers are into the batch's bytes.  */
struct dwarf_batch_cie
{
  uint64_t offset; /* in the batch */
  const uint8_t *augmentation_data;
  uint64_t augmentation_data_size;
  const char *augmentation; /* libdwarf's, valid until the batch is closed */
  const uint8_t *instructions;
  uint64_t instructions_size;
  uint64_t code_alignment;
  int64_t data_alignment;
  uint16_t ra_column;
};

struct dwarf_batch_fde
{
  uint64_t offset;     /* in the batch */
  uint64_t entry_size; /* bytes, with the length field */
  size_t cie;          /* index in the batch */
  uint64_t address, size;
  const uint8_t *instructions;
  uint64_t instructions_size;
};

/* Let libdwarf list the entries of the SIZE BYTES, as if loaded at ADDRESS.
   ADDRESS_SIZE is 8, or 4 to spare libdwarf a costly message for every entry
   whose size is not a multiple of 8 (then no CIE may use absptr).  NULL when
   it refuses them; TEXT (of TEXT_SIZE bytes) says why.  */
struct dwarf_batch *dwarf_batch_open (const uint8_t *bytes, uint64_t size,
                                      uint64_t address, bool big_endian,
                                      unsigned address_size, char *text,
                                      size_t text_size);
void dwarf_batch_close (struct dwarf_batch *batch);

size_t dwarf_batch_n_cies (const struct dwarf_batch *batch);
size_t dwarf_batch_n_fdes (const struct dwarf_batch *batch);

/* Entry INDEX.  False when libdwarf cannot tell.  */
bool dwarf_batch_cie (struct dwarf_batch *batch, size_t index,
                      struct dwarf_batch_cie *cie);
bool dwarf_batch_fde (struct dwarf_batch *batch, size_t index,
                      struct dwarf_batch_fde *fde);

#endif /* CFI_DWARF_BATCH_H */

/* Detached: SFrame data that are not put into the file they describe, because
   it is loaded already or must stay as it is.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A walk meets some hundred of the hundred thousand functions of a large
   file.  So rows are made on demand, too.  The file's CFI is read at first, as
   far as it says where its FDEs are, in a twentieth of a conversion's time.
   Rows are made for a portion of the code at a time: that of some FDEs that
   follow each other, with the PLT stubs among them.  A portion begins where no
   FDE overlaps another, so that its rows are those that detached_build makes
   of the whole file, whatever the CFI is: this is not a second reader.  */

#ifndef CONVERT_DETACHED_H
#define CONVERT_DETACHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/source.h"
#include "elf/image.h"
#include "sframewalk.h"

/* The address behind all that IMAGE loads.  */
uint64_t detached_address (const struct image *image);

/* Make SFrame data of version 3 from the SIZE bytes of a linked ELF file,
   which may have no section headers.  *SECTION is to be freed by the caller,
   *ADDRESS is what it counts its addresses from.  */
bool detached_build (const void *elf, size_t size, bool analyze,
                     void **section, size_t *section_size, uint64_t *address,
                     struct error *err);

struct rows_on_demand; /* opaque */

/* Read what describes the code of IMAGE, a linked file, which must outlive the
   rows.  NULL with the reason why there are no rows.  */
struct rows_on_demand *rows_on_demand_open (const struct image *image,
                                            struct error *err);
void rows_on_demand_free (struct rows_on_demand *rows);

/* The SFrame data of version 3 of the code around ADDRESS, which stay ROWS'.
   Their size is 0 if there are none; if they could not be made, ERR, which the
   caller clears, says why.  */
struct sfw_section rows_on_demand_at (struct rows_on_demand *rows,
                                      uint64_t address, struct error *err);

/* What was read of the CFI.  */
const struct cfi_source *
rows_on_demand_source (const struct rows_on_demand *rows);

/* The bytes of SFrame data that were made.  */
uint64_t rows_on_demand_size (const struct rows_on_demand *rows);

#endif /* CONVERT_DETACHED_H */

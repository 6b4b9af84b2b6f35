/* Detached SFrame data: not inserted into the file that they describe, because
   that file is loaded already or must not change.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A stack walk meets some hundred of the hundred thousand functions of a large
   file.  So there are rows on demand, too: opening the file reads where its
   FDEs are, in a twentieth of the time of a conversion, and rows are made for
   one portion of the code at a time.  A portion is some FDEs that follow each
   other, with the PLT stubs among them.  It begins where no FDE overlaps
   another, so its rows are those that detached_build makes of the whole
   file.  */

#ifndef CONVERT_DETACHED_H
#define CONVERT_DETACHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/source.h"
#include "elf/image.h"
#include "sframewalk.h"

/* Return the first address, a multiple of 8, after all segments of IMAGE.  */
uint64_t detached_address (const struct image *image);

/* Make SFrame data of version 3 from the SIZE bytes of a linked ELF file,
   which may have no section headers.  The caller frees *SECTION.  Its
   addresses count from *ADDRESS.  */
bool detached_build (const void *elf, size_t size, bool analyze,
                     void **section, size_t *section_size, uint64_t *address,
                     struct error *err);

struct rows_on_demand; /* opaque */

/* Read where the CFI of IMAGE, a linked file that must outlive the result, has
   its FDEs.  NULL with the reason why there are no rows.  */
struct rows_on_demand *rows_on_demand_open (const struct image *image,
                                            struct error *err);
void rows_on_demand_free (struct rows_on_demand *rows);

/* Return the SFrame data of version 3 for the code around ADDRESS.  They
   belong to ROWS.  Their size is 0 if there are no rows; if making them
   failed, ERR, which the caller clears, says why.  */
struct sfw_section rows_on_demand_at (struct rows_on_demand *rows,
                                      uint64_t address, struct error *err);

/* The CFI that rows_on_demand_open has read.  */
const struct cfi_source *
rows_on_demand_source (const struct rows_on_demand *rows);

/* The size of all SFrame data made so far, in bytes.  */
uint64_t rows_on_demand_size (const struct rows_on_demand *rows);

#endif /* CONVERT_DETACHED_H */

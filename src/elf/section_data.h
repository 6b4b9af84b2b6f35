/* The contents of a section that is not loaded, decompressed.
   SPDX-License-Identifier: LGPL-2.1-or-later

   System V gABI, "Section Compression"; the older form of GNU tools, sections
   called .zdebug_*, is known to libelf, too.  */

#ifndef ELF_SECTION_DATA_H
#define ELF_SECTION_DATA_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/image.h"

struct section_data
{
  const uint8_t *bytes; /* NULL when there are none */
  uint64_t size;
  /* Behind bytes that had to be decompressed: libelf, which owns them, and the
     copy of the file it works on.  */
  Elf *elf;
  void *copy;
  size_t copy_size;
};

/* Read SECTION of IMAGE, which must outlive DATA.  Status
   CFI2SFRAME_UNSUPPORTED for a compression that libelf does not know,
   CFI2SFRAME_MALFORMED for damaged contents.  Nothing is to be freed then.  */
bool section_data_read (struct section_data *data, const struct image *image,
                        const struct image_section *section,
                        struct error *err);

/* Free DATA, which may be all zero.  */
void section_data_free (struct section_data *data);

#endif /* ELF_SECTION_DATA_H */

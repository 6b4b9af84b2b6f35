/* Detached sections: a program's SFrame section in a file of its own.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The file is FOLDER/XX/YYYY.sframe, where XXYYYY is the build-id of the
   program, by analogy with debug files (GDB's manual, "Separate Debug Files").
   It is an ELF file for the same machine.  It contains .note.gnu.build-id,
   .sframe, whose sh_addr is an address in the program, and a program header
   without contents for each executable segment of the program.  */

#ifndef ELF_DETACHED_FILE_H
#define ELF_DETACHED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/image.h"

/* Return the path of PROGRAM's detached section below FOLDER; the caller frees
   it.  NULL with CFI2SFRAME_UNSUPPORTED when PROGRAM has no build-id.  */
char *detached_file_path (const struct image *program, const char *folder,
                          struct error *err);

/* Compose PROGRAM's detached file in FILE, which is empty.  Offsets in SECTION
   count from ADDRESS.  Returns false when memory ran out.  */
bool detached_file_compose (const struct image *program,
                            const struct buffer *section, uint64_t address,
                            struct buffer *file, struct error *err);

/* A detached section that was found.  */
struct detached_file
{
  struct image image;
  const uint8_t *section; /* in the image's bytes */
  uint64_t size, address;
};

/* Open the file FD if it has PROGRAM's detached section: its build-id, machine
   and code addresses must be those of PROGRAM.  On success FD belongs to
   detached->image, which the caller closes; otherwise FD is closed.  */
bool detached_file_open (struct detached_file *detached, int fd,
                         const struct image *program);

/* Look for PROGRAM's detached section in the folders FOLDERS, separated by
   colons, and open it.  On success the caller closes detached->image.  */
bool detached_file_find (const struct image *program, const char *folders,
                         struct detached_file *detached);

#endif /* ELF_DETACHED_FILE_H */

/* Detached sections: the SFrame data of a file that stays as it is, in a file
   of its own.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Such a file is FOLDER/XX/YYYY.sframe, where XXYYYY is the build-id of the
   file it is for, as debug files are found (GDB's manual, "Separate Debug
   Files").  It is an ELF file of the same machine, with .note.gnu.build-id,
   .sframe with an address of the program's own for sh_addr, and a program
   header without contents for each executable segment of the program.  */

#ifndef ELF_DETACHED_FILE_H
#define ELF_DETACHED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/image.h"

/* The path below FOLDER of PROGRAM's detached section; to be freed.  NULL with
   CFI2SFRAME_UNSUPPORTED when it has no build-id.  */
char *detached_file_path (const struct image *program, const char *folder,
                          struct error *err);

/* Compose PROGRAM's detached file in FILE, which is empty.  SECTION counts
   from ADDRESS.  False when memory ran out.  */
bool detached_file_compose (const struct image *program,
                            const struct buffer *section, uint64_t address,
                            struct buffer *file, struct error *err);

/* A detached section that was found.  */
struct detached_file
{
  struct image image;
  const uint8_t *section; /* in the image */
  uint64_t size, address;
};

/* Open the file FD, if it has PROGRAM's section: what is for a file with other
   code, or not for this machine, has not.  FD is closed, or belongs to
   detached->image, which the caller closes.  */
bool detached_file_open (struct detached_file *detached, int fd,
                         const struct image *program);

/* Look for PROGRAM's detached section in the folders FOLDERS, separated by
   colons, as detached_file_open does.  If true, the caller closes
   detached->image.  */
bool detached_file_find (const struct image *program, const char *folders,
                         struct detached_file *detached);

#endif /* ELF_DETACHED_FILE_H */

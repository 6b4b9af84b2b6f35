/* Finding separate debug files, and decompressing sections.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Sources for the places of separate debug files: GDB's manual, section
   "Debugging Information in Separate Files", and debuginfod(8).  Nothing is
   fetched from a network.

   A debug file belongs to a file if it has the same build-id or, without a
   build-id, the CRC in the file's .gnu_debuglink.  Its code must also have the
   same addresses, because tools that move code (prelink) keep the build-id.

   cfi/source.c reads .debug_frame, which may be compressed, in a debug file or
   in the program; section_data is for that alone.  */

#ifndef ELF_DEBUG_FILE_H
#define ELF_DEBUG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/image.h"

struct debug_file
{
  struct image image; /* open if image.elf is not NULL */
  char path[4096];    /* of the file, or "" */
  size_t beside; /* If the debug file is in the directory of the other file or
                    below, the length of that directory in PATH, with its
                    slash; otherwise 0 */
};

/* The directories in which debug files are looked for, besides the other
   file's own directory.  */
struct debug_places
{
  const char *global; /* such as "/usr/lib/debug" */
  char cache[4096];   /* that of debuginfod, or "" */
  /* The debug file is to be changed.  So it must have no code
     (debug_file_check_split), and links are followed only below GLOBAL.  */
  bool to_change;
};

/* Return the usual places, by the environment.  */
struct debug_places debug_places_usual (void);

/* Open PATH as the debug file of IMAGE.  Returns false if that fails, with
   status CFI2SFRAME_REFUSED if PATH does not belong to IMAGE.  */
bool debug_file_open (struct debug_file *file, const char *path,
                      const struct image *image, struct error *err);

/* Return whether FILE is a separate debug file: one without the code that its
   section headers describe.  Other files with the same build-id, such as a
   copy from before stripping, can be run or linked with.  */
bool debug_file_check_split (const struct image *file, struct error *err);

/* Look for the debug file of IMAGE in PLACES and open it.  If no usable file
   was found, FILE is not open, and ERR says why the first file that was found
   is not usable, or is clear if none was found.  */
void debug_file_find (struct debug_file *file, const struct image *image,
                      const struct debug_places *places, struct error *err);

/* Insert the path of a debug file before the reason in ERR, so that the reason
   is not read as one about the other file.  Returns false.  */
bool debug_file_blame (struct error *err, const char *path);

/* Close FILE, which may be closed already, or never have been open.  */
void debug_file_close (struct debug_file *file);

/* The contents of a section that is not loaded, decompressed if necessary.
   See System V gABI, "Section Compression"; libelf also reads the older form
   of GNU tools, in sections called .zdebug_*.  */
struct section_data
{
  const uint8_t *bytes; /* NULL: the section has no bytes */
  uint64_t size;
  /* If the bytes were decompressed: libelf, which owns them, and the private
     copy of the file that it works on.  */
  Elf *elf;
  void *copy;
  size_t copy_size;
};

/* Read SECTION of IMAGE, which must outlive DATA.  On failure, the status is
   CFI2SFRAME_UNSUPPORTED for a compression that libelf does not support and
   CFI2SFRAME_MALFORMED for damaged contents, and DATA needs no freeing.  */
bool section_data_read (struct section_data *data, const struct image *image,
                        const struct image_section *section,
                        struct error *err);

/* Free DATA, which may be zeroed.  */
void section_data_free (struct section_data *data);

#endif /* ELF_DEBUG_FILE_H */

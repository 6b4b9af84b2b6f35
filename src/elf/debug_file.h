/* Debugging information: separate files, and compressed sections.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A debug file's sections, and some of other files, are compressed
   (section_data); cfi/source.c, which reads .debug_frame, alone asks for them.

   Where separate debug files are: GDB's manual, section "Debugging Information
   in Separate Files", and debuginfod(8).  Nothing is fetched from a network.

   A debug file is used only if its build-id, or else the CRC in the other
   file's .gnu_debuglink, says that both were one, and if the code is at the
   same addresses in both: tools that move it (prelink) leave the build-id.  */

#ifndef ELF_DEBUG_FILE_H
#define ELF_DEBUG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/image.h"

struct debug_file
{
  struct image image; /* open if its elf is not NULL */
  char path[4096];    /* where the file was found, or "" */
  size_t beside; /* bytes of PATH that are the other file's own directory, with
                    its slash, if the file was found below that; or 0 */
};

/* Where debug files are looked for besides the file's own directory.  */
struct debug_places
{
  const char *global; /* "/usr/lib/debug" */
  char cache[4096];   /* debuginfod's, or "" */
  /* The file is to be changed: it must be a split one (below), and only below
     GLOBAL may it be reached by a symbolic link.  */
  bool to_change;
};

/* The places that the environment names.  */
struct debug_places debug_places_usual (void);

/* Open PATH as the debug file of IMAGE.  False when that cannot be: status
   CFI2SFRAME_REFUSED when it is another file's.  */
bool debug_file_open (struct debug_file *file, const char *path,
                      const struct image *image, struct error *err);

/* Whether the debug file FILE was split off: the file has none of the code
   that its section headers describe.  Other files with the same build-id, a
   copy from before stripping for one, can be run or linked with.  */
bool debug_file_check_split (const struct image *file, struct error *err);

/* Look for the debug file of IMAGE in PLACES and open it.  When none is there
   or can be used, FILE is not open, and ERR says why the first one that was
   there could not be used, or is clear.  */
void debug_file_find (struct debug_file *file, const struct image *image,
                      const struct debug_places *places, struct error *err);

/* Put PATH, a debug file's, in front of the reason in ERR, so that the reason
   is not taken for one about the file that the debug file belongs to.  Returns
   false.  */
bool debug_file_blame (struct error *err, const char *path);

/* Close FILE, which may be closed already or never have been open.  */
void debug_file_close (struct debug_file *file);

/* The contents of a section that is not loaded, decompressed.  System V gABI,
   "Section Compression"; the older form of GNU tools, sections called
   .zdebug_*, is known to libelf, too.  */
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

#endif /* ELF_DEBUG_FILE_H */

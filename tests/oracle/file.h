/* Opening the files of an oracle run.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ORACLE_FILE_H
#define ORACLE_FILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct oracle_file
{
  int fd;
  Elf *elf;
};

bool oracle_file_open (struct oracle_file *file, const char *path);
void oracle_file_close (struct oracle_file *file);

/* A section of a file with the machine E_MACHINE, and where the file's code
   is.  */
struct oracle_section
{
  const uint8_t *bytes;
  uint64_t size, address;
  unsigned e_machine;
  uint64_t code_start, code_end;
};

/* The SFrame section of ELF: by section header, else by PT_GNU_SFRAME.
 *SEGMENT_DIFFERS: the latter is absent or elsewhere.  */
bool oracle_find_sframe (Elf *elf, struct oracle_section *section,
                         bool *segment_differs);

#endif /* ORACLE_FILE_H */

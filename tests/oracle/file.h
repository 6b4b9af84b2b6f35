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

struct oracle_section
{
  const uint8_t *bytes;
  uint64_t size, address;
  bool segment_differs; /* PT_GNU_SFRAME is absent or elsewhere */
};

/* The SFrame section of ELF: by section header, else by PT_GNU_SFRAME.  */
bool oracle_find_sframe (Elf *elf, struct oracle_section *section);

#endif /* ORACLE_FILE_H */

/* Make SFrame data from an ELF file in memory; nothing is written.
   SPDX-License-Identifier: LGPL-2.1-or-later

   cc -o from_memory from_memory.c $(pkg-config --cflags --libs cfi2sframe)
   ./from_memory /bin/true  */

#include <cfi2sframe.h>
#include <stdio.h>
#include <stdlib.h>

/* The whole file, or NULL.  */
static void *
read_file (const char *name, size_t *size)
{
  FILE *file = fopen (name, "rb");
  if (file == NULL)
    return NULL;
  char *bytes = NULL;
  size_t room = 0, got;
  *size = 0;
  do
    {
      room += 1 << 20;
      char *grown = realloc (bytes, room);
      if (grown == NULL)
        break;
      bytes = grown;
      got = fread (bytes + *size, 1, room - *size, file);
      *size += got;
    }
  while (*size == room);
  fclose (file);
  return bytes;
}

int
main (int argc, char **argv)
{
  if (argc != 2)
    return 2;
  size_t size;
  void *elf = read_file (argv[1], &size);
  if (elf == NULL)
    {
      perror (argv[1]);
      return 1;
    }

  struct cfi2sframe_options options;
  struct cfi2sframe_report report;
  struct cfi2sframe_error err;
  void *section;
  size_t section_size;
  uint64_t address;
  cfi2sframe_options_init (&options);
  cfi2sframe_report_init (&report);
  options.format = CFI2SFRAME_V3;
  bool made = cfi2sframe_build_section (
      elf, size, &options, &section, &section_size, &address, &report, &err);
  if (!made)
    fprintf (stderr, "%s: %s\n", argv[1], err.reason);
  else
    {
      printf ("%zu bytes for address 0x%llx: %llu functions, %llu rows\n",
              section_size, (unsigned long long)address,
              (unsigned long long)report.sframe_fdes,
              (unsigned long long)report.sframe_fres);
      free (section);
    }
  free (elf);
  return made ? 0 : 1;
}

/* Checks the program's own .sframe, found as a stack tracer finds it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CHECK_SFRAME_H
#define CHECK_SFRAME_H

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PT_GNU_SFRAME
#  define PT_GNU_SFRAME 0x6474e554
#endif

struct sframe_seen
{
  const char *object; /* last part of the object's name; "" is the program */
  int found;          /* PT_GNU_SFRAME entries */
  uintptr_t address;
  size_t size;
};

static int
sframe_visit (struct dl_phdr_info *info, size_t size, void *data)
{
  struct sframe_seen *seen = (struct sframe_seen *)data;
  const char *slash = strrchr (info->dlpi_name, '/');
  const char *name = slash ? slash + 1 : info->dlpi_name;
  (void)size;
  /* musl names the program by its path: take the first object then.  */
  if (strcmp (name, seen->object) != 0
      && !(seen->object[0] == '\0' && seen->found < 0))
    return 0;
  if (seen->found < 0)
    seen->found = 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_GNU_SFRAME)
      {
        seen->found++;
        seen->address = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        seen->size = info->dlpi_phdr[i].p_memsz;
      }
  return 1;
}

/* Permissions of the mapping that holds [ADDRESS, + SIZE), "----" if none.  */
static void
sframe_permissions (uintptr_t address, size_t size, char perms[5])
{
  char line[512];
  FILE *maps = fopen ("/proc/self/maps", "r");
  strcpy (perms, "----");
  while (maps != NULL && fgets (line, sizeof line, maps) != NULL)
    {
      unsigned long begin, end;
      char found[8];
      if (sscanf (line, "%lx-%lx %7s", &begin, &end, found) == 3
          && address >= begin && address + size <= end)
        memcpy (perms, found, 4);
    }
  if (maps != NULL)
    fclose (maps);
}

/* Print one line about .sframe of OBJECT.  Returns 0 if there is one (or none,
   when EXPECTED is 0) and it is mapped as it should.  */
static int
sframe_check (const char *object, int expected)
{
  struct sframe_seen seen = { object, -1, 0, 0 };
  char perms[5];
  uint32_t hash = 2166136261u;
  dl_iterate_phdr (sframe_visit, &seen);
  if (seen.found <= 0)
    {
      printf ("sframe none\n");
      return expected ? 1 : 0;
    }
  const unsigned char *bytes = (const unsigned char *)seen.address;
  sframe_permissions (seen.address, seen.size, perms);
  /* Strategy grow-data has nothing else.  */
  if (perms[1] == 'w' && getenv ("SFRAME_MAY_BE_WRITABLE") != NULL)
    perms[1] = '-';
  if (seen.found != 1 || perms[0] != 'r' || perms[1] != '-')
    {
      printf ("sframe bad: %d headers, mapped %s\n", seen.found, perms);
      return 1;
    }
  for (size_t i = 0; i < seen.size; i++)
    hash = (hash ^ bytes[i]) * 16777619u;
  uint16_t magic;
  memcpy (&magic, bytes, 2);
  printf ("sframe size %zu hash %08x\n", seen.size, (unsigned)hash);
  return magic == 0xdee2 ? 0 : 1;
}

#endif /* CHECK_SFRAME_H */

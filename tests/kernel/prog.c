/* The matrix program, and what the kernel tells it about itself: AT_PHDR,
   AT_PHNUM, and the interpreter at AT_BASE.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: prog none|sframe [none|sframe]
   The first argument is about the program's own .sframe, the second about
   that of its interpreter.

   Kernels before 5.18 (with stable updates: 5.10.113) compute AT_PHDR as the
   load address plus e_phoff, newer ones from the segment that holds e_phoff;
   static glibc and ld.so believe it.  Both must come out the same, which any
   kernel can tell.  */

#define main matrix_main
#include "../matrix/prog.c"
#undef main

#include <fcntl.h>
#include <sys/auxv.h>

static int failures;

static void
expect (int good, const char *what)
{
  if (!good)
    printf ("auxv: %s\n", what);
  failures += !good;
}

static int
first_object (struct dl_phdr_info *info, size_t size, void *data)
{
  (void)size;
  *(struct dl_phdr_info *)data = *info;
  return 1;
}

static void
check_own_table (void)
{
  const ElfW (Phdr) *table = (const void *)getauxval (AT_PHDR);
  size_t count = getauxval (AT_PHNUM);
  struct dl_phdr_info info = { 0 };
  dl_iterate_phdr (first_object, &info);
  expect (info.dlpi_phdr == table, "AT_PHDR is not what dl_iterate_phdr says");
  expect (info.dlpi_phnum == count, "AT_PHNUM is not");
  for (size_t i = 0; i < count; i++)
    if (table[i].p_type == PT_PHDR)
      expect (info.dlpi_addr + table[i].p_vaddr == (uintptr_t)table,
              "AT_PHDR is not where PT_PHDR says");
}

/* As load_elf_binary computes it in those kernels.  */
static void
check_as_computed_before (const ElfW (Ehdr) * header)
{
  struct dl_phdr_info info = { 0 };
  dl_iterate_phdr (first_object, &info);
  for (int i = 0; i < info.dlpi_phnum; i++)
    if (info.dlpi_phdr[i].p_type == PT_LOAD)
      {
        uintptr_t load_address = info.dlpi_addr + info.dlpi_phdr[i].p_vaddr
                                 - info.dlpi_phdr[i].p_offset;
        expect (load_address + header->e_phoff == getauxval (AT_PHDR),
                "AT_PHDR would be another before 5.18");
        return;
      }
}

/* What is at AT_PHDR must be the table that the file has.  */
static void
check_against_file (void)
{
  static ElfW (Phdr) in_file[64];
  const void *table = (const void *)getauxval (AT_PHDR);
  size_t count = getauxval (AT_PHNUM);
  ElfW (Ehdr) header;
  int fd = open ("/proc/self/exe", O_RDONLY);
  ssize_t size = (ssize_t)(count * sizeof in_file[0]);
  expect (fd >= 0 && read (fd, &header, sizeof header) == sizeof header,
          "/proc/self/exe cannot be read");
  expect (header.e_phnum == count && count <= 64, "e_phnum is not AT_PHNUM");
  if (failures == 0)
    expect (pread (fd, in_file, size, (off_t)header.e_phoff) == size
                && memcmp (in_file, table, (size_t)size) == 0,
            "the bytes at AT_PHDR are not the file's table");
  if (failures == 0)
    check_as_computed_before (&header);
  if (fd >= 0)
    close (fd);
}

/* The interpreter's own .sframe must be mapped, once.  (Its BSS is used
   before this program runs.)  */
static void
check_interpreter (int expected)
{
  uintptr_t base = getauxval (AT_BASE);
  const ElfW (Ehdr) *header = (const void *)base;
  int found = 0;
  if (base == 0)
    return;
  const ElfW (Phdr) *table = (const void *)(base + header->e_phoff);
  for (size_t i = 0; i < header->e_phnum; i++)
    if (table[i].p_type == PT_GNU_SFRAME)
      {
        char perms[5];
        sframe_permissions (base + table[i].p_vaddr, table[i].p_memsz, perms);
        found++;
        expect (strncmp (perms, "r-", 2) == 0,
                "the interpreter's .sframe is not mapped read-only");
        if (perms[0] == 'r')
          expect (*(const uint16_t *)(base + table[i].p_vaddr) == 0xdee2,
                  "the interpreter's .sframe is not there");
      }
  expect (found == expected, "PT_GNU_SFRAME of the interpreter");
}

int
main (int argc, char **argv)
{
  int bad = matrix_main (argc, argv);
  check_own_table ();
  check_against_file ();
  check_interpreter (argc > 2 && strcmp (argv[2], "sframe") == 0);
  puts (bad || failures ? "all BAD" : "all good");
  return bad || failures;
}

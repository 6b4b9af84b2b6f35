/* Makes a file that old kernels cannot start, to show that
   tools/maintainer/old-kernel.sh would notice.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: spoil FILE  (changed in place; x86-64)
   A dynamic loader gets a read-only segment behind its BSS, which
   choose_strategy.c avoids.  */

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  PAGE = 4096,
  SIZE = 100,
  HEADERS_MAX = 64
};

struct file
{
  int fd;
  Elf64_Off end; /* rounded up to a page */
  Elf64_Ehdr header;
  Elf64_Phdr table[HEADERS_MAX];
};

static bool
file_read (struct file *file, const char *path)
{
  struct stat status;
  file->fd = open (path, O_RDWR);
  if (file->fd < 0 || fstat (file->fd, &status) != 0
      || pread (file->fd, &file->header, sizeof file->header, 0)
             != sizeof file->header
      || file->header.e_phnum > HEADERS_MAX)
    return false;
  file->end = ((Elf64_Off)status.st_size + PAGE - 1) & -(Elf64_Off)PAGE;
  size_t size = file->header.e_phnum * sizeof file->table[0];
  return pread (file->fd, file->table, size, (off_t)file->header.e_phoff)
         == (ssize_t)size;
}

static bool
file_write (const struct file *file)
{
  size_t size = file->header.e_phnum * sizeof file->table[0];
  return pwrite (file->fd, file->table, size, (off_t)file->header.e_phoff)
             == (ssize_t)size
         && pwrite (file->fd, &file->header, sizeof file->header, 0)
                == sizeof file->header;
}

/* A PT_NOTE becomes the new segment and moves behind the last PT_LOAD.  */
static bool
add_trailing (struct file *file)
{
  Elf64_Phdr *table = file->table;
  int victim = -1, last = -1;
  for (int i = 0; i < file->header.e_phnum; i++)
    if (table[i].p_type == PT_NOTE)
      victim = i;
    else if (table[i].p_type == PT_LOAD)
      last = i;
  if (victim < last || last < 0)
    return false;
  memmove (table + last + 2, table + last + 1,
           (size_t)(victim - last - 1) * sizeof table[0]);
  Elf64_Addr end = table[last].p_vaddr + table[last].p_memsz;
  end = (end + PAGE - 1) & -(Elf64_Addr)PAGE;
  table[last + 1] = (Elf64_Phdr){ .p_type = PT_LOAD,
                                  .p_flags = PF_R,
                                  .p_offset = file->end,
                                  .p_vaddr = end,
                                  .p_paddr = end,
                                  .p_filesz = SIZE,
                                  .p_memsz = SIZE,
                                  .p_align = PAGE };
  return ftruncate (file->fd, (off_t)file->end + SIZE) == 0;
}

int
main (int argc, char **argv)
{
  struct file file;
  if (argc != 2 || !file_read (&file, argv[1]))
    return 1;
  return add_trailing (&file) && file_write (&file) ? 0 : 1;
}

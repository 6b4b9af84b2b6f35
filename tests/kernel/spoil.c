/* Makes a file that some kernels cannot start or load, to show that
   tools/maintainer/old-kernel.sh and large-pages.sh would notice.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: spoil FILE [code]  (changed in place; little-endian, 64 bits)
   A dynamic loader gets a read-only segment behind its BSS, which
   choose_strategy.c avoids.  With "code" the segment of .sframe loses the
   right to execute, which it has because the code's segment can be in the same
   page.  */

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef PT_GNU_SFRAME
#  define PT_GNU_SFRAME 0x6474e554
#endif

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

static bool
take_code_right (struct file *file)
{
  const Elf64_Phdr *sframe = NULL;
  for (int i = 0; i < file->header.e_phnum; i++)
    if (file->table[i].p_type == PT_GNU_SFRAME)
      sframe = &file->table[i];
  for (int i = 0; sframe != NULL && i < file->header.e_phnum; i++)
    {
      Elf64_Phdr *load = &file->table[i];
      if (load->p_type == PT_LOAD && load->p_vaddr == sframe->p_vaddr
          && (load->p_flags & PF_X))
        {
          load->p_flags = PF_R;
          return true;
        }
    }
  return false;
}

int
main (int argc, char **argv)
{
  struct file file;
  if (argc < 2 || !file_read (&file, argv[1]))
    return 1;
  bool spoilt = argc > 2 ? take_code_right (&file) : add_trailing (&file);
  return spoilt && file_write (&file) ? 0 : 1;
}

/* Rows in memory for modules that have none, from the CFI of their files.
   SPDX-License-Identifier: LGPL-2.1-or-later

   cc -o walk_made_rows walk_made_rows.c \
     $(pkg-config --cflags --libs sframewalk cfi2sframe)
   ./walk_made_rows  */

#define _GNU_SOURCE
#include <cfi2sframe.h>
#include <fcntl.h>
#include <link.h>
#include <sframewalk.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int
add_module (struct dl_phdr_info *info, size_t unused, void *modules)
{
  int fd
      = open (*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", O_RDONLY);
  struct stat status;
  struct cfi2sframe_options options;
  struct cfi2sframe_report report;
  struct cfi2sframe_error err;
  struct sfw_section section;
  void *made;
  (void)unused;
  if (fd < 0) /* the vdso has no file */
    return 0;
  void *elf = fstat (fd, &status) != 0
                  ? MAP_FAILED
                  : mmap (NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close (fd);
  if (elf == MAP_FAILED)
    return 0;
  cfi2sframe_options_init (&options);
  cfi2sframe_report_init (&report);
  bool done = cfi2sframe_build_section (elf, status.st_size, &options, &made,
                                        &section.size, &section.address,
                                        &report, &err);
  munmap (elf, status.st_size);
  if (!done)
    return 0;
  section.bytes = made;
  section.address += info->dlpi_addr;
  for (const ElfW (Phdr) *load = info->dlpi_phdr;
       load < info->dlpi_phdr + info->dlpi_phnum; load++)
    if (load->p_type == PT_LOAD && load->p_flags & PF_X)
      sfw_modules_add (modules, info->dlpi_addr + load->p_vaddr,
                       info->dlpi_addr + load->p_vaddr + load->p_memsz,
                       &section); /* which is copied */
  free (made);
  return 0;
}

int
main (void)
{
  struct sfw_modules *modules = sfw_modules_new ();
  uint64_t addresses[64];
  enum sfw_end end;
  dl_iterate_phdr (add_module, modules);
  size_t n = sfw_here (sfw_walker_new (modules), addresses, NULL, 64, &end);
  printf ("%zu frame%s: %s\n", n, n == 1 ? "" : "s", sfw_end_text (end));
  return end != SFW_OUTERMOST;
}

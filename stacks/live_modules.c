/* The mappings of a living process, and the files that it has there.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The file must be the one that was mapped: it may have been replaced or
   deleted, or lie in another mount namespace.  Then the kernel is asked for it
   by the process's root directory, by its program, or by the mapping.  What it
   does not hand out is copied from the process's memory, as far as it is
   mapped there.  Of a process that has ended, whose samples are still to be
   walked, only files are left.  */

#include <config.h>

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stacks/live_modules.h"

#include "base/io.h"
#include "stacks/lines.h"

enum
{
  NAME_MAX_SIZE = 4200,
  COPY_MAX = 1 << 30 /* bytes of a file that are copied from memory */
};

/* The list.  */

/* Add the mapping of LINE to CONTEXT, a process.  False when memory ran out.
 */
static bool
add_mapping (void *context, char *line)
{
  struct walk_mapping mapping;
  if (!walk_maps_line (line, &mapping))
    return true;
  if (!mapping_is_of_file (mapping.path, mapping.inode))
    mapping.path = NULL;
  return process_map (context, &mapping);
}

bool
live_list_mappings (struct process *process, pid_t pid, struct error *err)
{
  char name[64];
  snprintf (name, sizeof name, "/proc/%d/maps", (int)pid);
  FILE *maps = fopen (name, "re");
  if (maps == NULL)
    return error_set_errno (err, name);
  return lines_take (maps, add_mapping, process) || error_set_no_memory (err);
}

/* Files.  */

/* Open the file at NAME, if it is FILE; or -1.  */
static int
open_same (const char *name, const struct code_file *file)
{
  struct stat status;
  int fd = io_open_regular (name);
  if (fd >= 0
      && (fstat (fd, &status) != 0 || status.st_dev != file->device
          || status.st_ino != file->inode))
    {
      close (fd);
      return -1;
    }
  return fd;
}

/* Open the file of MAPPING by one of its names.  */
static int
open_by_name (const struct process *process, const struct mapping *mapping)
{
  const struct code_file *file = mapping->file;
  char name[NAME_MAX_SIZE];
  int fd = open_same (file->path, file), pid = (int)process->pid;
  if (fd >= 0 || process->memory.fetch == NULL)
    return fd;
  snprintf (name, sizeof name, "/proc/%d/root%s", pid, file->path);
  if ((fd = open_same (name, file)) >= 0)
    return fd;
  snprintf (name, sizeof name, "/proc/%d/exe", pid);
  if ((fd = open_same (name, file)) >= 0)
    return fd;
  snprintf (name, sizeof name, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
            mapping->start, mapping->end);
  return open_same (name, file);
}

/* A file with SIZE bytes, which are at *BYTES; or -1.  */
static int
make_file (size_t size, void **bytes)
{
  int fd = memfd_create ("copy", MFD_CLOEXEC);
  if (fd < 0)
    return -1;
  *bytes = MAP_FAILED;
  if (ftruncate (fd, (off_t)size) == 0)
    *bytes = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (*bytes != MAP_FAILED)
    return fd;
  close (fd);
  return -1;
}

/* A copy of this process's vdso.  All processes have the same vdso, the
   kernel's.  */
static int
copy_vdso (void)
{
  uint64_t address = getauxval (AT_SYSINFO_EHDR);
  void *bytes;
  if (address == 0)
    return -1;
  /* NOLINTNEXTLINE(performance-no-int-to-ptr): it has no other name */
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)(uintptr_t)address;
  size_t size
      = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
  int fd = make_file (size, &bytes);
  if (fd >= 0)
    {
      memcpy (bytes, header, size);
      munmap (bytes, size);
    }
  return fd;
}

/* Copy to the SIZE BYTES what PROCESS has of FILE in memory.  Returns whether
   there is anything.  */
static bool
copy_mappings (struct process *process, const struct code_file *file,
               uint8_t *bytes, size_t size)
{
  const struct memory *memory = &process->memory;
  size_t copied = 0;
  for (size_t i = 0; i < process->n_mappings; i++)
    {
      const struct mapping *mapping = &process->mappings[i];
      if (mapping->file != file || mapping->offset >= size)
        continue;
      uint64_t length = mapping->end - mapping->start;
      uint64_t left = size - mapping->offset;
      copied += memory->fetch (memory->source, mapping->start,
                               bytes + mapping->offset,
                               length < left ? length : left);
    }
  return copied > 0;
}

/* How many bytes from its start on FILE has in PROCESS.  */
static size_t
mapped_size (const struct process *process, const struct code_file *file)
{
  uint64_t size = 0;
  for (size_t i = 0; i < process->n_mappings; i++)
    {
      const struct mapping *mapping = &process->mappings[i];
      uint64_t length = mapping->end - mapping->start;
      if (mapping->file == file && mapping->offset < COPY_MAX
          && length < COPY_MAX && mapping->offset + length > size)
        size = mapping->offset + length;
    }
  return size;
}

/* A file with what PROCESS has of FILE in memory, without section headers:
   these are not mapped.  */
static int
copy_memory (struct process *process, const struct code_file *file)
{
  size_t size = mapped_size (process, file);
  void *bytes;
  int fd = process->memory.fetch != NULL && size >= sizeof (Elf64_Ehdr)
               ? make_file (size, &bytes)
               : -1;
  if (fd < 0)
    return -1;
  bool copied = copy_mappings (process, file, bytes, size);
  Elf64_Ehdr *header = bytes;
  header->e_shoff = 0;
  header->e_shnum = header->e_shstrndx = 0;
  munmap (bytes, size);
  if (copied)
    return fd;
  close (fd);
  return -1;
}

int
live_open_file (struct process *process, const struct mapping *mapping)
{
  const struct code_file *file = mapping->file;
  if (file->inode == 0)
    return strcmp (file->path, "[vdso]") == 0 ? copy_vdso () : -1;
  int fd = open_by_name (process, mapping);
  return fd >= 0 ? fd : copy_memory (process, file);
}

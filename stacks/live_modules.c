/* The modules of a living process, and their SFrame data.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A module's own SFrame section is read from the process's memory, as a kernel
   would do.  For a module without one, a section is made from its file, which
   may have more call-frame information than what is loaded (.debug_frame).
   The file must be the one that was mapped: it may have been replaced or
   deleted, or lie in another mount namespace.  Then the section is made from
   the module in memory; its rows are the same, but for .debug_frame.  Of a
   process that has ended, whose samples are still to be walked, only files are
   left.  */

#include <config.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "stacks/live_modules.h"

#include "base/elf_sframe.h"
#include "base/io.h"
#include "stacks/lines.h"

enum
{
  SEGMENTS_MAX = 64,
  IMAGE_MAX = 1 << 30 /* largest module or section, in bytes */
};

/* The list.  */

/* START-END PERMISSIONS OFFSET DEVICE INODE [PATH] (proc(5)), cut behind the
   path.  */
static bool
parse_mapping (char *line, struct mapping *mapping)
{
  char *at;
  line[strcspn (line, "\n")] = '\0';
  mapping->start = strtoull (line, &at, 16);
  if (*at != '-')
    return false;
  mapping->end = strtoull (at + 1, &at, 16);
  at += strspn (at, " ");
  at += strcspn (at, " ");
  mapping->offset = strtoull (at, &at, 16);
  unsigned long high = strtoul (at, &at, 16);
  unsigned long low = *at == ':' ? strtoul (at + 1, &at, 16) : 0;
  mapping->device = makedev (high, low);
  mapping->inode = strtoull (at, &at, 10);
  mapping->path = at + strspn (at, " ");
  return mapping->end > mapping->start;
}

/* Whether the mapping of LINE may be executed: "r-xp".  */
static bool
may_run (const char *line)
{
  const char *permissions = strchr (line, ' ');
  return permissions != NULL && strlen (permissions) > 4
         && permissions[3] == 'x';
}

/* Add the mapping of LINE to CONTEXT, a process.  False when memory ran out.
 */
static bool
add_mapping (void *context, char *line)
{
  struct process *process = context;
  bool runs = may_run (line);
  struct mapping mapping;
  if (!parse_mapping (line, &mapping))
    return true;
  if (!process_add_mapping (process, mapping.start, mapping.end))
    return false;
  process->mappings[process->n_mappings - 1].runs = runs;
  return process_map (process, &mapping);
}

bool
live_list_modules (struct process *process, pid_t pid, struct error *err)
{
  char name[64];
  snprintf (name, sizeof name, "/proc/%d/maps", (int)pid);
  FILE *maps = fopen (name, "re");
  if (maps == NULL)
    return error_set_errno (err, name);
  return lines_take (maps, add_mapping, process) || error_set_no_memory (err);
}

/* Sections.  */

struct head
{
  Elf64_Ehdr header;
  Elf64_Phdr segments[SEGMENTS_MAX];
  uint64_t bias; /* addresses in the process minus those in the file */
};

/* Where the bytes of a module are read.  */
struct source
{
  const struct memory *memory;
  int fd; /* of the file, when there is no memory any more; or -1 */
};

static size_t
read_bytes (const struct source *source, uint64_t address, uint64_t offset,
            void *to, size_t size)
{
  if (source->fd < 0)
    return source->memory->fetch (source->memory->source, address, to, size);
  ssize_t n = pread (source->fd, to, size, (off_t)offset);
  return n > 0 ? (size_t)n : 0;
}

static bool
has_memory (const struct source *source, const struct module *module)
{
  uint8_t byte;
  return read_bytes (source, module->start, 0, &byte, 1) == 1;
}

/* A file with a copy of this process's vdso.  All processes have the same
   vdso, the kernel's.  */
static int
open_vdso (void)
{
  uint64_t address = getauxval (AT_SYSINFO_EHDR);
  int fd = address != 0 ? memfd_create ("vdso", MFD_CLOEXEC) : -1;
  if (fd < 0)
    return -1;
  /* NOLINTNEXTLINE(performance-no-int-to-ptr): it has no other name */
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)(uintptr_t)address;
  size_t size
      = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
  if (write (fd, header, size) == (ssize_t)size)
    return fd;
  close (fd);
  return -1;
}

int
live_open_file (const char *path, dev_t device, ino_t inode)
{
  struct stat status;
  if (inode == 0)
    return strcmp (path, "[vdso]") == 0 ? open_vdso () : -1;
  int fd = io_open_regular (path);
  if (fd >= 0
      && (fstat (fd, &status) != 0 || status.st_dev != device
          || status.st_ino != inode))
    {
      close (fd);
      return -1;
    }
  return fd;
}

/* Read the ELF header at the start of MODULE, and its program headers.  */
static bool
read_head (const struct source *source, const struct module *module,
           struct head *head)
{
  Elf64_Ehdr *header = &head->header;
  const int native
      = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
  if (read_bytes (source, module->start, 0, header, sizeof *header)
          != sizeof *header
      || memcmp (header->e_ident, ELFMAG, SELFMAG) != 0
      || header->e_ident[EI_CLASS] != ELFCLASS64
      || header->e_ident[EI_DATA] != native
      || header->e_phentsize != sizeof *head->segments
      || header->e_phnum > SEGMENTS_MAX)
    return false;
  size_t size = header->e_phnum * sizeof *head->segments;
  if (read_bytes (source, module->start + header->e_phoff, header->e_phoff,
                  head->segments, size)
      != size)
    return false;
  /* The file's start is the start of the first mapping.  */
  for (unsigned i = 0; i < header->e_phnum; i++)
    if (head->segments[i].p_type == PT_LOAD)
      {
        const Elf64_Phdr *first = &head->segments[i];
        head->bias = module->start - (first->p_vaddr - first->p_offset);
        return true;
      }
  return false;
}

static const Elf64_Phdr *
find_segment (const struct head *head, uint32_t type)
{
  for (unsigned i = 0; i < head->header.e_phnum; i++)
    if (head->segments[i].p_type == type)
      return &head->segments[i];
  return NULL;
}

/* Read the section of MODULE that SEGMENT describes.  */
static void
load_own (const struct source *source, struct module *module, uint64_t address,
          const Elf64_Phdr *segment)
{
  size_t size = segment->p_memsz <= IMAGE_MAX ? segment->p_memsz : 0;
  module->bytes = size > 0 ? malloc (size) : NULL;
  if (module->bytes == NULL
      || read_bytes (source, address, segment->p_offset, module->bytes, size)
             != size)
    {
      module_set_no_section (module, "its .sframe cannot be read");
      return;
    }
  module->section
      = (struct cfi2sframe_section){ module->bytes, size, address };
  module->origin = SECTION_OWN;
}

/* The size of a file that has all that HEAD's segments load; 0 if a segment is
   out of bounds.  */
static size_t
image_size (const struct head *head)
{
  uint64_t size = sizeof head->header;
  for (unsigned i = 0; i < head->header.e_phnum; i++)
    {
      const Elf64_Phdr *segment = &head->segments[i];
      if (segment->p_type != PT_LOAD)
        continue;
      if (segment->p_offset > IMAGE_MAX || segment->p_filesz > IMAGE_MAX)
        return 0;
      if (segment->p_offset + segment->p_filesz > size)
        size = segment->p_offset + segment->p_filesz;
    }
  return size;
}

/* A copy of SIZE bytes of the file as far as it is loaded; the caller frees
   it.  */
static uint8_t *
read_image (const struct source *source, const struct head *head, size_t size)
{
  uint8_t *image = size > 0 ? calloc (1, size) : NULL;
  if (image == NULL)
    return NULL;
  for (unsigned i = 0; i < head->header.e_phnum; i++)
    {
      const Elf64_Phdr *segment = &head->segments[i];
      if (segment->p_type == PT_LOAD && segment->p_filesz > 0)
        read_bytes (source, head->bias + segment->p_vaddr, segment->p_offset,
                    image + segment->p_offset, segment->p_filesz);
    }
  Elf64_Ehdr header = head->header;
  header.e_shoff = 0;
  header.e_shnum = header.e_shstrndx = 0;
  memcpy (image, &header, sizeof header);
  return image;
}

/* A copy of the whole file FD; the caller frees it.  */
static uint8_t *
read_file (int fd, size_t *size)
{
  struct stat status;
  if (fd < 0 || fstat (fd, &status) != 0 || status.st_size <= 0
      || status.st_size > IMAGE_MAX)
    return NULL;
  *size = (size_t)status.st_size;
  uint8_t *bytes = malloc (*size);
  size_t got = 0;
  while (bytes != NULL && got < *size)
    {
      ssize_t n = pread (fd, bytes + got, *size - got, (off_t)got);
      if (n <= 0)
        {
          free (bytes);
          return NULL;
        }
      got += (size_t)n;
    }
  return bytes;
}

/* Find or make MODULE's section, from its file FD (or -1) or from memory.  */
static void
supply (struct process *process, const struct source *source,
        struct module *module, const struct head *head, int fd)
{
  size_t size = 0;
  uint8_t *image = read_file (fd, &size);
  if (image == NULL)
    {
      size = image_size (head);
      image = read_image (source, head, size);
    }
  if (image == NULL)
    module_set_no_section (module, "it is too large");
  else
    module_supply (process, module, image, size, head->bias);
  free (image);
}

void
live_load_section (struct process *process, struct module *module)
{
  struct head head;
  struct source source = { &process->memory, -1 };
  int fd = live_open_file (module->path, module->device, module->inode);
  if (!has_memory (&source, module))
    source.fd = fd;
  const Elf64_Phdr *segment = NULL;
  bool is_elf = read_head (&source, module, &head);
  if (is_elf)
    segment = find_segment (&head, PT_GNU_SFRAME);
  if (!is_elf)
    module_set_no_section (module, "not an ELF file of this machine");
  else if (segment != NULL && segment->p_memsz > 0)
    load_own (&source, module, head.bias + segment->p_vaddr, segment);
  else
    supply (process, &source, module, &head, fd);
  if (fd >= 0)
    close (fd);
}

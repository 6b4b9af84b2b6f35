/* Listing the modules of another process, from its /proc/PID/maps, and of this
   process, from the dynamic linker.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For another process, the section is read from the file of each mapping with
   code.  The mapping and the program headers of the file say where the section
   is in the process (proc(5), elf(5)).  The file is opened below the process's
   root directory.  Files of another class or byte order than this machine's
   are not read, so that their modules have no section.  */

#include <config.h>

#include "walk/module_list.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/elf_sframe.h"
#include "base/lines.h"
#include "walk/module_table.h"

enum
{
  SEGMENTS_MAX = 128,
  /* Bytes of all sections of a list, where a section counts each time that it
     is read.  A process may have mapped many files, and files with holes cost
     their owner nothing.  */
  SECTIONS_MAX = 1 << 30
};

/* Return the program header of the SFrame section among the N HEADERS of a
   file, or NULL.  If there are several, the kernel and the C library choose
   differently.  This function and the converter choose the first one that is
   not empty.  */
static const ElfW (Phdr)
    * find_section_header (const ElfW (Phdr) * headers, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    if (headers[i].p_type == PT_GNU_SFRAME && headers[i].p_filesz > 0)
      return &headers[i];
  return NULL;
}

/* ---- Another process */

/* A list of another process's modules while it is made.  */
struct listing
{
  struct sfw_modules *modules;
  struct walk_table *edited;
  int pid;
  uint64_t left;  /* bytes of sections that may still be read */
  bool no_memory; /* memory for a section ran out */
};

static bool
read_all (int fd, void *to, size_t size, uint64_t offset)
{
  return offset <= INT64_MAX
         && pread (fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Read the program headers of the file FD.  Return their number; 0 if they are
   more than SEGMENTS_MAX or not of this machine's class and byte order.  */
static unsigned
read_segments (int fd, ElfW (Phdr) * segments)
{
  ElfW (Ehdr) header;
  const unsigned char data
      = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
  if (!read_all (fd, &header, sizeof header, 0)
      || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0
      || header.e_ident[EI_CLASS] != ELFCLASS64
      || header.e_ident[EI_DATA] != data
      || header.e_phentsize != sizeof *segments
      || header.e_phnum > SEGMENTS_MAX
      || !read_all (fd, segments, header.e_phnum * sizeof *segments,
                    header.e_phoff))
    return 0;
  return header.e_phnum;
}

/* Set SECTION to the section that program header SEGMENT describes.  The
   caller frees its bytes.  */
static bool
read_section (struct listing *listing, int fd, const ElfW (Phdr) * segment,
              uint64_t bias, struct sfw_section *section)
{
  struct stat status;
  if (segment->p_filesz > listing->left || fstat (fd, &status) != 0
      || segment->p_offset > (uint64_t)status.st_size
      || segment->p_filesz > (uint64_t)status.st_size - segment->p_offset)
    return false;
  void *bytes = malloc (segment->p_filesz);
  listing->no_memory = bytes == NULL;
  if (bytes == NULL)
    return false;
  listing->left -= segment->p_filesz;
  *section = (struct sfw_section){ bytes, segment->p_filesz,
                                   bias + segment->p_vaddr };
  struct unwind_section opened;
  if (read_all (fd, bytes, segment->p_filesz, segment->p_offset)
      && unwind_section_open (&opened, bytes, section->size, section->address))
    return true;
  free (bytes);
  section->bytes = NULL;
  return false;
}

/* The dynamic linker maps whole pages.  If the kernel's pages are larger than
   the alignment of a segment in the file, the mapping begins before the
   segment, in a page that may contain other segments, too.  */
bool
walk_mapping_bias (const struct walk_mapping *mapping,
                   const ElfW (Phdr) * segments, unsigned n, uint64_t page,
                   uint64_t *bias)
{
  bool found = false;
  for (unsigned i = 0; i < n; i++)
    {
      const ElfW (Phdr) *segment = &segments[i];
      uint64_t before = segment->p_offset & (page - 1);
      uint64_t at = mapping->offset - (segment->p_offset - before);
      uint64_t own = mapping->start - mapping->offset + segment->p_offset
                     - segment->p_vaddr;
      if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)
          || segment->p_filesz == 0
          || at / page > (before + segment->p_filesz - 1) / page)
        continue;
      if (found && own != *bias)
        return false;
      *bias = own;
      found = true;
    }
  return found;
}

/* Set SECTION to the section of the file FD, which is mapped by MAPPING, as
   read_section does.  */
static bool
mapping_section (struct listing *listing, int fd,
                 const struct walk_mapping *mapping,
                 struct sfw_section *section)
{
  ElfW (Phdr) segments[SEGMENTS_MAX];
  unsigned n = read_segments (fd, segments);
  const ElfW (Phdr) *sframe = find_section_header (segments, n);
  uint64_t bias, page = (uint64_t)sysconf (_SC_PAGESIZE);
  return sframe != NULL
         && walk_mapping_bias (mapping, segments, n, page, &bias)
         && read_section (listing, fd, sframe, bias, section);
}

/* Open the file of MAPPING; -1 if that fails.  Another file may have the name
   by now, so the inode is compared.  The device is not: on btrfs and
   overlayfs, stat (2) reports another one than the kernel's list.  */
static int
open_mapped (int pid, const struct walk_mapping *mapping)
{
  char name[4200];
  struct stat status;
  int length
      = snprintf (name, sizeof name, "/proc/%d/root%s", pid, mapping->path);
  if (length < 0 || (size_t)length >= sizeof name)
    return -1;
  /* Opening must neither wait for a pipe nor act on a device.  */
  int fd = open (name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0
      && (fstat (fd, &status) != 0 || !S_ISREG (status.st_mode)
          || status.st_ino != mapping->inode))
    {
      close (fd);
      return -1;
    }
  return fd;
}

/* Add the module of MAPPING to CONTEXT, a listing.  False with errno ENOMEM
   when memory ran out.  If the section cannot be read for another reason, the
   module is added without it.  */
static bool
add_mapping (void *context, const struct walk_mapping *mapping)
{
  struct listing *listing = context;
  struct sfw_section section = { 0 };
  struct walk_module module = { .start = mapping->start,
                                .end = mapping->end,
                                .origin = WALK_LISTED };
  if (!mapping->executable)
    return true;
  int fd = mapping->path[0] == '/' ? open_mapped (listing->pid, mapping) : -1;
  bool found = fd >= 0 && mapping_section (listing, fd, mapping, &section);
  if (fd >= 0)
    close (fd);
  if (listing->no_memory)
    {
      errno = ENOMEM;
      return false;
    }
  bool added = walk_edit_add (listing->modules, &listing->edited, module,
                              found ? &section : NULL)
               || errno != ENOMEM;
  free ((void *)section.bytes);
  return added;
}

bool
walk_maps_line (char *line, struct walk_mapping *mapping)
{
  char *at;
  line[strcspn (line, "\n")] = '\0';
  mapping->start = strtoull (line, &at, 16);
  if (*at != '-')
    return false;
  mapping->end = strtoull (at + 1, &at, 16);
  at += strspn (at, " ");
  mapping->executable = strlen (at) > 4 && at[2] == 'x';
  at += strcspn (at, " ");
  mapping->offset = strtoull (at, &at, 16);
  unsigned long high = strtoul (at, &at, 16);
  unsigned long low = *at == ':' ? strtoul (at + 1, &at, 16) : 0;
  mapping->device = makedev (high, low);
  mapping->inode = strtoull (at, &at, 10);
  mapping->path = at + strspn (at, " ");
  return true;
}

/* The function that gets the mappings of a list.  */
struct taker
{
  bool (*take) (void *context, const struct walk_mapping *mapping);
  void *context;
};

static bool
take_line (void *context, char *line)
{
  const struct taker *taker = context;
  struct walk_mapping mapping;
  return !walk_maps_line (line, &mapping)
         || taker->take (taker->context, &mapping);
}

bool
walk_maps_read (int pid,
                bool (*take) (void *context,
                              const struct walk_mapping *mapping),
                void *context)
{
  char name[40];
  struct taker taker = { take, context };
  snprintf (name, sizeof name, "/proc/%d/maps", pid);
  FILE *maps = fopen (name, "re");
  return maps != NULL && lines_take (maps, '\n', take_line, &taker);
}

bool
sfw_modules_read_maps (struct sfw_modules *modules, int pid)
{
  struct listing listing
      = { .modules = modules, .pid = pid, .left = SECTIONS_MAX };
  listing.edited = walk_edit_begin (modules, true);
  if (listing.edited == NULL)
    return false;
  bool done = walk_maps_read (pid, add_mapping, &listing);
  /* The table no longer has the dynamic linker's list.  */
  if (done)
    *walk_modules_counters (modules) = (struct walk_counters){ 0 };
  walk_edit_end (modules, listing.edited, done);
  return done;
}

/* ---- This process */

/* A list of this process's modules while it is made.  */
struct own_listing
{
  struct sfw_modules *modules;
  struct walk_table *edited;
  struct walk_counters counters;
  bool unchanged, failed;
};

/* Add each executable segment as a range of its own, because another module
   may lie between two segments of one module.  */
static bool
list_segments (struct own_listing *listing, const struct dl_phdr_info *info,
               const struct sfw_section *section)
{
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
      if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)
          || segment->p_memsz == 0)
        continue;
      struct walk_module module
          = { .start = info->dlpi_addr + segment->p_vaddr,
              .origin = WALK_LISTED };
      module.end = module.start + segment->p_memsz;
      bool added = walk_edit_add (listing->modules, &listing->edited, module,
                                  section);
      if (!added && errno == ENOMEM)
        return false;
      listing->counters.covered |= !added && errno == EEXIST;
    }
  return true;
}

/* Whether module INFO has loaded the memory of program header SECTION.  */
static bool
is_loaded (const struct dl_phdr_info *info, const ElfW (Phdr) * section)
{
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
      uint64_t at = section->p_vaddr - segment->p_vaddr;
      if (segment->p_type == PT_LOAD && segment->p_flags & PF_R
          && at <= segment->p_memsz
          && section->p_memsz <= segment->p_memsz - at)
        return true;
    }
  return false;
}

bool
walk_listed_section (const struct dl_phdr_info *info,
                     struct sfw_section *section)
{
  const ElfW (Phdr) *header
      = find_section_header (info->dlpi_phdr, info->dlpi_phnum);
  if (header == NULL || !is_loaded (info, header))
    return false;
  section->address = info->dlpi_addr + header->p_vaddr;
  section->bytes = unwind_memory_at (section->address);
  section->size = header->p_memsz;
  struct unwind_section opened;
  return unwind_section_open (&opened, section->bytes, section->size,
                              section->address);
}

static int
list_module (struct dl_phdr_info *info, size_t size, void *data)
{
  (void)size;
  struct own_listing *listing = data;
  struct sfw_section section;
  if (listing->edited == NULL)
    {
      /* The lock of MODULES is taken inside the dynamic linker's lock, which
         dl_iterate_phdr holds.  Functions that dl_iterate_phdr calls and that
         change MODULES take the two locks in the same order.  */
      listing->edited = walk_edit_begin (listing->modules, true);
      if (listing->edited == NULL)
        return 1;
      listing->counters = *walk_modules_counters (listing->modules);
      listing->unchanged = listing->counters.adds > 0;
      listing->counters.covered = false;
    }
  if (listing->unchanged && info->dlpi_adds == listing->counters.adds
      && info->dlpi_subs == listing->counters.subs)
    return 1;
  listing->unchanged = false;
  listing->counters.adds = info->dlpi_adds;
  listing->counters.subs = info->dlpi_subs;
  bool usable = walk_listed_section (info, &section);
  listing->failed = !list_segments (listing, info, usable ? &section : NULL);
  return listing->failed;
}

bool
sfw_modules_update (struct sfw_modules *modules)
{
  struct own_listing listing = { .modules = modules };
  dl_iterate_phdr (list_module, &listing);
  if (listing.edited == NULL)
    return false;
  bool changed = !listing.failed && !listing.unchanged;
  if (changed)
    *walk_modules_counters (modules) = listing.counters;
  walk_edit_end (modules, listing.edited, changed);
  return !listing.failed;
}

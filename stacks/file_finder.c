/* Finding the file that a process has mapped.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The file may have been replaced or deleted since, or be in another mount
   namespace.  So each file that may be the mapped one is checked: by its
   build-id or, if that is unknown, by its inode and device or by the bytes of
   its first page.  If no file is found, it is copied from the process's
   memory, as far as it is there.  The memory of a recorded process is gone, so
   only files are left.  */

#include <config.h>

#include "stacks/process.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/prefix.h"
#include "elf/notes.h"
#include "stacks/rows.h"
#include "stacks/shortage.h"

enum
{
  NAME_MAX_SIZE = 4200,
  COPY_MAX = 1 << 30,   /* bytes that are copied of a mapping */
  NOTES_MAX = 64 << 10, /* bytes that are copied to find the notes, which are
                           usually near the beginning */
  READ_MAX = 4096,      /* bytes of two files that are compared */
  /* How many mappings on each side of one may be of the same file.  A file has
     four to six adjacent mappings, and a few more if the program has changed
     the protection of a part.  */
  NEAR = 64
};

/* Size of a copied file.  Parts that are not there take no memory.  */
#define FILE_MAX (UINT64_C (1) << 36)

/* ---- What was mapped */

/* Return the next mapping of PROCESS behind LAST that is of the same file as
   MAPPING and near it, or NULL.  LAST is NULL for the first one.  */
static const struct mapping *
next_mapping (const struct process *process, const struct mapping *mapping,
              const struct mapping *last)
{
  const struct mappings *all = &process->mappings;
  size_t number = (size_t)(mapping - all->list);
  size_t at = number < NEAR ? 0 : number - NEAR;
  if (last != NULL)
    at = (size_t)(last - all->list) + 1;
  for (; at < all->n && at <= number + NEAR; at++)
    if (all->list[at].file == mapping->file)
      return &all->list[at];
  return NULL;
}

static const struct mapping *
find_begin (const struct process *process, const struct mapping *mapping)
{
  const struct mapping *at = NULL;
  while ((at = next_mapping (process, mapping, at)) != NULL && at->offset != 0)
    continue;
  return at;
}

/* ---- Copies */

/* Create a file of SIZE bytes, mapped at *BYTES.  Return its descriptor, or
   -1.  */
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

/* Return the descriptor of a copy of this process's vdso, or -1.  The kernel
   gives all processes the same vdso.  */
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

/* Return how many bytes of MAPPING to copy, at most MOST; 0 if too many.  */
static uint64_t
copied_part (const struct mapping *mapping, uint64_t most)
{
  uint64_t length = mapping->end - mapping->start;
  uint64_t copied = length < most ? length : most;
  return mapping->offset < FILE_MAX && length < FILE_MAX && copied < COPY_MAX
             ? copied
             : 0;
}

/* Return the size of the file of MAPPING, as far as PROCESS has it in memory.
   0 if that is more than permitted, with MOST bytes of each mapping.  */
static size_t
mapped_size (const struct process *process, const struct mapping *mapping,
             uint64_t most)
{
  uint64_t size = 0, all = process->files->copied;
  const struct mapping *at = NULL;
  while ((at = next_mapping (process, mapping, at)) != NULL)
    {
      uint64_t part = copied_part (at, most);
      uint64_t end = at->offset + (at->end - at->start);
      all += part;
      if (part > 0 && end > size)
        size = end;
    }
  return all <= FILES_COPIED_MAX ? size : 0;
}

/* Return the descriptor of a copy of the file of MAPPING, as far as PROCESS
   has it in memory: at most MOST bytes of each mapping.  -1 if MAPPING itself
   is not there.  Section headers are not mapped, so the copy has none.  */
static int
copy_memory (struct process *process, const struct mapping *mapping,
             uint64_t most)
{
  size_t size = mapped_size (process, mapping, most);
  uint8_t byte;
  void *bytes;
  if (size < sizeof (Elf64_Ehdr)
      || memory_read_now (&process->memory, mapping->start, &byte, 1) == 0)
    return -1;
  int fd = make_file (size, &bytes);
  if (fd < 0)
    return -1;
  for (const struct mapping *at = NULL;
       (at = next_mapping (process, mapping, at)) != NULL;)
    if (at->offset < size)
      {
        uint64_t part = copied_part (at, most), left = size - at->offset;
        process->files->copied += memory_read_now (
            &process->memory, at->start, (uint8_t *)bytes + at->offset,
            part < left ? part : left);
      }
  Elf64_Ehdr *header = bytes;
  header->e_shoff = 0;
  header->e_shnum = header->e_shstrndx = 0;
  munmap (bytes, size);
  return fd;
}

/* ---- Whether a file is the one that was mapped */

/* Open IMAGE from the file FD, which is closed with IMAGE.  False if FD is -1
   or not an ELF file.  */
static bool
open_image (struct image *image, int fd)
{
  struct error err;
  if (fd < 0 || image_open_fd (image, fd, &err))
    return fd >= 0;
  shortage_note_error (&err);
  close (fd);
  return false;
}

static void
find_build_id (struct process *process, const struct mapping *mapping)
{
  struct mapped_identity *recorded = &mapping->file->recorded;
  const struct mapping *begin = find_begin (process, mapping);
  struct image image;
  if (begin == NULL
      || !open_image (&image, copy_memory (process, begin, NOTES_MAX)))
    return;
  const struct build_id id = build_id_find (&image);
  if (id.size > 0)
    memcpy (recorded->build_id, id.bytes, id.size);
  recorded->build_id_size = id.size;
  image_close (&image);
}

/* Whether FD has the build-id of FILE.  Tables of older versions of perf have
   20 bytes for any build-id, with zeros at the end.  */
static bool
has_build_id (const struct code_file *file, int fd)
{
  const struct mapped_identity *recorded = &file->recorded;
  struct image image;
  if (!open_image (&image, dup (fd)))
    return false;
  const struct build_id id = build_id_find (&image);
  size_t size = recorded->build_id_size, n = id.size < size ? id.size : size;
  bool same = n > 0 && memcmp (id.bytes, recorded->build_id, n) == 0
              && bytes_are_zero (recorded->build_id + n, size - n);
  image_close (&image);
  return same;
}

/* Whether FD, whose status is STATUS, begins with the same bytes as the file
   of MAPPING in the memory of PROCESS.  If a core lacks that memory, a file
   with the right name is accepted unless it has changed since.  */
static bool
begins_equally (struct process *process, const struct mapping *mapping, int fd,
                const struct stat *status)
{
  uint8_t mapped[READ_MAX], in_file[READ_MAX];
  const struct mapping *begin = find_begin (process, mapping);
  size_t n = status->st_size < READ_MAX ? (size_t)status->st_size : READ_MAX;
  /* An empty file cannot be mapped, but would compare equal to any other.  */
  if (n == 0)
    return false;
  if (begin != NULL
      && memory_read_now (&process->memory, begin->start, mapped, n) == n)
    return pread (fd, in_file, n, 0) == (ssize_t)n
           && memcmp (in_file, mapped, n) == 0;
  return mapping->file == process->program_file
         || status->st_ctime < process->dumped;
}

static bool
is_mapped (struct process *process, const struct mapping *mapping, int fd)
{
  const struct mapped_identity *recorded = &mapping->file->recorded;
  struct stat status;
  if (fstat (fd, &status) != 0)
    return false;
  if (recorded->build_id_size > 0)
    return has_build_id (mapping->file, fd);
  if (recorded->inode != 0 && status.st_ino != recorded->inode)
    return false;
  /* A device may have another number now than in a recording.  On btrfs, stat
     reports another device than the kernel's list of mappings.  */
  return (recorded->inode != 0
          && (recorded->device == 0 || status.st_dev == recorded->device))
         || begins_equally (process, mapping, fd, &status);
}

/* ---- Names */

/* Return FD if it is the file of MAPPING; otherwise close FD, return -1.  */
static int
take_same (struct process *process, const struct mapping *mapping, int fd)
{
  if (fd >= 0 && !is_mapped (process, mapping, fd))
    {
      close (fd);
      return -1;
    }
  return fd;
}

/* Open the file NAME if it is the file of MAPPING; otherwise return -1.  */
static int
open_same (struct process *process, const struct mapping *mapping,
           const char *name)
{
  return take_same (process, mapping, io_open_regular (name));
}

/* Open the file of MAPPING under its old name, if it was deleted or replaced
   while it was mapped: it may have been restored.  Usually another build has
   that name now, which may begin with the same bytes, so equal beginnings are
   no proof here.  */
static int
open_again (struct process *process, const struct mapping *mapping)
{
  static const char mark[] = " (deleted)";
  const struct code_file *file = mapping->file;
  size_t length = strlen (file->path), marked = sizeof mark - 1;
  char name[NAME_MAX_SIZE];
  if (!has_suffix (file->path, mark)
      || (file->recorded.build_id_size == 0 && file->recorded.inode == 0))
    return -1;
  snprintf (name, sizeof name, "%.*s", (int)(length - marked), file->path);
  return open_same (process, mapping, name);
}

/* Open the file of MAPPING by its names in /proc, while PROCESS lives.  */
static int
open_living (struct process *process, const struct mapping *mapping)
{
  char name[NAME_MAX_SIZE];
  int fd, pid = (int)process->pid;
  snprintf (name, sizeof name, "/proc/%d/root%s", pid, mapping->file->path);
  if ((fd = open_same (process, mapping, name)) >= 0)
    return fd;
  snprintf (name, sizeof name, "/proc/%d/exe", pid);
  if ((fd = open_same (process, mapping, name)) >= 0)
    return fd;
  snprintf (name, sizeof name, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
            mapping->start, mapping->end);
  return open_same (process, mapping, name);
}

/* Open the file of MAPPING by its build-id, if that is known: by the link that
   distributions install, or from a server.  */
static int
open_by_build_id (struct process *process, const struct mapping *mapping)
{
  const struct mapped_identity *recorded = &mapping->file->recorded;
  char digits[BUILD_ID_DIGITS_SIZE], name[NAME_MAX_SIZE];
  const struct build_id id = { recorded->build_id, recorded->build_id_size };
  if (id.size < 2)
    return -1;
  build_id_digits (&id, digits);
  snprintf (name, sizeof name, "/usr/lib/debug/.build-id/%.2s/%s", digits,
            digits + 2);
  int fd = open_same (process, mapping, name);
  return fd >= 0 ? fd
                 : take_same (process, mapping, debuginfod_find_program (&id));
}

int
file_finder_open (struct process *process, const struct mapping *mapping)
{
  struct code_file *file = mapping->file;
  bool lives = process->memory.fetch != NULL && !process->recorded;
  int fd = -1;
  if (strcmp (file->path, "[vdso]") == 0 && process->memory.fetch != NULL)
    return copy_vdso ();
  /* The memory of a recorded process is not known.  */
  if (!process->recorded && file->recorded.inode == 0
      && file->recorded.build_id_size == 0)
    find_build_id (process, mapping);
  if (process->program != NULL && file == process->program_file)
    fd = open_same (process, mapping, process->program);
  if (fd < 0 && file->path[0] == '/')
    fd = open_same (process, mapping, file->path);
  if (fd < 0 && file->path[0] == '/')
    fd = open_again (process, mapping);
  if (fd < 0 && lives)
    fd = open_living (process, mapping);
  if (fd < 0)
    fd = open_by_build_id (process, mapping);
  return fd >= 0 || process->recorded
             ? fd
             : copy_memory (process, mapping, COPY_MAX);
}

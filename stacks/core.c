/* Reading a core file.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The core has the stacks.  It usually lacks code and SFrame data, because the
   kernel leaves out memory that can be read from files (core(5),
   coredump_filter).  The note NT_FILE says which files were mapped (Linux,
   fs/binfmt_elf.c); file_finder.c opens them.

   A hostile core could keep its readers busy for ever.  So segments are sorted
   and processed once, and notes that several headers refer to are read once.

   A core is read in random order, so a compressed one is decompressed
   completely, by another process.  If a damaged file makes a decompressor
   misbehave, this process is not affected.  */

#include <config.h>

#include "stacks/process.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/io.h"
#include "base/mapped_file.h"
#include "base/radix.h"
#include "elf/notes.h"

enum
{
  WORD = sizeof (uint64_t),
  /* Offsets in struct elf_prstatus and elf_prpsinfo (Linux,
     include/linux/elfcore.h), on all 64-bit machines.  */
  PRSTATUS_PID = 32,
  PRSTATUS_REGISTERS = 112,
  PRPSINFO_PID = 24
};

/* A range of the process's memory, with or without contents in the core.  */
struct segment
{
  uint64_t start, end;
  uint64_t offset, size; /* of the contents in the core */
  bool executable;
};

struct core
{
  int fd;
  const uint8_t *bytes; /* the whole file, mapped */
  size_t size;
  uint64_t missing;         /* bytes of segments beyond the end of the file */
  uint64_t notes_left;      /* bytes of notes that may still be read */
  struct segment *segments; /* owned; sorted when it is complete */
  size_t n_segments, segments_capacity;
  struct note files;    /* the note NT_FILE; without contents: none */
  uint64_t entry, vdso; /* addresses of entry point and vdso; 0: unknown */
};

/* ---- Compressed cores, as systemd-coredump keeps them */

enum
{
  MAGIC_MAX = 6,
  NOT_THERE = 127 /* exit status for a missing program, as of a shell */
};

struct compressor
{
  uint8_t magic[MAGIC_MAX];
  uint8_t size;
  const char *program;
};

/* RFC 8878, the .xz file format 1.2.1, the LZ4 frame format 1.6.4, RFC 1952.
 */
static const struct compressor compressors[] = {
  { { 0x28, 0xb5, 0x2f, 0xfd }, 4, "zstd" },
  { { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, "xz" },
  { { 0x04, 0x22, 0x4d, 0x18 }, 4, "lz4" },
  { { 0x1f, 0x8b }, 2, "gzip" },
};

static const char *
compressor_of (int fd)
{
  uint8_t magic[MAGIC_MAX];
  if (pread (fd, magic, sizeof magic, 0) != (ssize_t)sizeof magic)
    return NULL;
  for (size_t i = 0; i < sizeof compressors / sizeof *compressors; i++)
    if (memcmp (magic, compressors[i].magic, compressors[i].size) == 0)
      return compressors[i].program;
  return NULL;
}

/* Open a temporary file without a name, and set *LIMIT to the size that it may
   reach: half of the free space, or less if the user's own hard limit is
   lower, which only root may exceed.  -1 on failure.  */
static int
open_temporary (struct rlimit *limit)
{
  const char *folder = getenv ("TMPDIR");
  struct statvfs space;
  if (folder == NULL || folder[0] != '/')
    folder = "/var/tmp";
  int fd = open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0)
    return -1;
  if (fstatvfs (fd, &space) != 0 || getrlimit (RLIMIT_FSIZE, limit) != 0)
    {
      close (fd);
      return -1;
    }
  rlim_t half = (rlim_t)space.f_bavail / 2 * space.f_frsize;
  if (half < limit->rlim_max)
    limit->rlim_max = half;
  limit->rlim_cur = limit->rlim_max;
  return fd;
}

/* In the child: execute PROGRAM to decompress the file FROM to TO.  */
_Noreturn static void
run_decompressor (const char *program, int from, int to,
                  const struct rlimit *limit)
{
  /* Its output is useless if the parent has ended.  */
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  /* A write beyond the limit fails, and the program reports an error.  */
  signal (SIGXFSZ, SIG_IGN);
  if (lseek (from, 0, SEEK_SET) == 0 && setrlimit (RLIMIT_FSIZE, limit) == 0
      && dup2 (from, STDIN_FILENO) >= 0 && dup2 (to, STDOUT_FILENO) >= 0)
    execlp (program, program, "-dcq", (char *)NULL);
  _exit (errno == ENOENT ? NOT_THERE : 1);
}

/* If the file *FD is compressed by zstd, xz, lz4 or gzip, decompress it: run
   that program, which has to be installed, with a file without a name in
   $TMPDIR (or /var/tmp) as its output.  Close *FD and replace it by the
   descriptor of that file, which uses at most half of the free space.  */
static bool
decompress_file (int *fd, struct error *err)
{
  const char *program = compressor_of (*fd);
  struct rlimit limit;
  int status = 1;
  if (program == NULL)
    return true;
  int to = open_temporary (&limit);
  if (to < 0)
    return error_set_errno (err, "a temporary file");
  pid_t child = fork ();
  if (child == 0)
    run_decompressor (program, *fd, to, &limit);
  pid_t ended;
  do
    ended = child > 0 ? waitpid (child, &status, 0) : child;
  while (ended < 0 && child > 0 && errno == EINTR);
  if (child > 0 && status == 0)
    {
      close (*fd);
      *fd = to;
      return true;
    }
  close (to);
  if (child > 0 && WIFEXITED (status) && WEXITSTATUS (status) == NOT_THERE)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "it is compressed, and %s is not installed", program);
  return error_set (err, CFI2SFRAME_MALFORMED,
                    "%s cannot decompress it, or there is no space", program);
}

/* ---- The file */

static bool
map_file (struct core *core, const char *path, struct error *err)
{
  struct stat status;
  core->fd = io_open_regular (path);
  if (core->fd < 0 && errno == EINVAL)
    return error_set (err, CFI2SFRAME_NOT_ELF, "not a core file");
  if (core->fd < 0)
    return error_set_errno (err, "cannot open");
  if (!decompress_file (&core->fd, err))
    return false;
  if (fstat (core->fd, &status) == 0 && status.st_size == 0)
    return error_set (err, CFI2SFRAME_NOT_ELF, "not a core file");
  core->bytes = mapped_file_open (core->fd, &core->size, err);
  return core->bytes != NULL;
}

/* ---- Notes */

static uint64_t
word (const struct process *process, const uint8_t *bytes, uint64_t index)
{
  return load_u64 (bytes + index * WORD, process->arch->big_endian);
}

static bool
add_thread (struct process *process, const struct note *note)
{
  const struct arch *arch = process->arch;
  if (note->size
      < PRSTATUS_REGISTERS + registers_words (arch, ORDER_THREAD) * WORD)
    return true;
  pid_t tid
      = (pid_t)load_u32 (note->contents + PRSTATUS_PID, arch->big_endian);
  struct thread *thread = process_add_thread (process, tid);
  if (thread == NULL)
    return false;
  registers_decode (arch, ORDER_THREAD, note->contents + PRSTATUS_REGISTERS,
                    UINT64_MAX, &thread->registers);
  thread->known = true;
  return true;
}

static void
read_auxv (struct core *core, const struct process *process,
           const struct note *note)
{
  for (uint64_t i = 0; i + 1 < note->size / WORD; i += 2)
    {
      uint64_t type = word (process, note->contents, i);
      if (type == AT_ENTRY)
        core->entry = word (process, note->contents, i + 1);
      else if (type == AT_SYSINFO_EHDR)
        core->vdso = word (process, note->contents, i + 1);
    }
}

static bool
read_note (struct core *core, struct process *process, const struct note *note)
{
  static const char owner[] = "CORE";
  if (note->name_size != sizeof owner
      || memcmp (note->name, owner, sizeof owner) != 0)
    return true;
  switch (note->type)
    {
    case NT_PRSTATUS:
      return add_thread (process, note);
    case NT_FILE:
      core->files = core->files.contents == NULL ? *note : core->files;
      return true;
    case NT_AUXV:
      read_auxv (core, process, note);
      return true;
    case NT_PRPSINFO:
      if (note->size >= PRPSINFO_PID + sizeof (uint32_t))
        process->pid = (pid_t)load_u32 (note->contents + PRPSINFO_PID,
                                        process->arch->big_endian);
      return true;
    default:
      return true;
    }
}

/* Process the notes in SIZE bytes at OFFSET, which lie in the core.  */
static bool
read_notes (struct core *core, struct process *process, uint64_t offset,
            uint64_t size)
{
  struct note_walk walk = { .bytes = core->bytes + offset,
                            .size = size,
                            .align = 4,
                            .big_endian = process->arch->big_endian };
  struct note note;
  if (size > core->notes_left)
    return true;
  core->notes_left -= size;
  while (note_next (&walk, &note))
    if (!read_note (core, process, &note))
      return false;
  return true;
}

/* ---- Segments */

/* Process the segment of HEADER, of which the core may have only a part.  */
static bool
read_segment (struct core *core, struct process *process,
              const GElf_Phdr *header)
{
  uint64_t left
      = header->p_offset < core->size ? core->size - header->p_offset : 0;
  uint64_t size = header->p_filesz < left ? header->p_filesz : left;
  core->missing += header->p_filesz - size;
  if (header->p_type == PT_NOTE)
    return read_notes (core, process, size > 0 ? header->p_offset : 0, size);
  if (header->p_type != PT_LOAD)
    return true;
  uint64_t start = header->p_vaddr, length = header->p_memsz;
  if (!ARRAY_ROOM (core->segments, core->n_segments + 1,
                   &core->segments_capacity))
    return false;
  core->segments[core->n_segments++]
      = (struct segment){ .start = start,
                          .end = length <= UINT64_MAX - start ? start + length
                                                              : start,
                          .offset = header->p_offset,
                          .size = size,
                          .executable = header->p_flags & PF_X };
  return true;
}

static bool
read_segments (struct core *core, struct process *process, Elf *elf,
               unsigned headers, struct error *err)
{
  size_t n, taken = 0;
  GElf_Phdr header;
  if (elf_getphdrnum (elf, &n) != 0)
    n = 0;
  for (size_t i = 0; i < n; i++)
    if (gelf_getphdr (elf, (int)i, &header) != NULL)
      {
        taken++;
        if (!read_segment (core, process, &header))
          return error_set_no_memory (err);
      }
  if (headers != PN_XNUM)
    n = headers;
  core->missing += (n - taken) * sizeof (Elf64_Phdr);
  _Static_assert(offsetof (struct segment, start) == 0, "RADIX_SORT");
  if (!RADIX_SORT (core->segments, core->n_segments))
    return error_set_no_memory (err);
  for (size_t i = 0; i < core->n_segments; i++)
    if (core->segments[i].size > 0)
      memory_add (&process->memory, core->segments[i].start,
                  core->bytes + core->segments[i].offset,
                  core->segments[i].size);
  return true;
}

static bool
read_elf (struct core *core, struct process *process, Elf *elf,
          struct error *err)
{
  GElf_Ehdr header;
  if (elf == NULL || gelf_getehdr (elf, &header) == NULL
      || header.e_type != ET_CORE)
    return error_set (err, CFI2SFRAME_NOT_ELF, "not a core file");
  process->arch = arch_of_machine (header.e_machine,
                                   header.e_ident[EI_DATA] == ELFDATA2MSB);
  if (process->arch == NULL || header.e_ident[EI_CLASS] != ELFCLASS64)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "the core of a machine that has no SFrame");
  return read_segments (core, process, elf, header.e_phnum, err);
}

/* ---- Files */

/* Map the segments from number *NEXT on that begin before END.  *MAPPED is the
   end of all previous mappings; map only parts beyond it, so that no mapping
   is put inside another.  */
static bool
map_segments (const struct core *core, struct process *process, size_t *next,
              uint64_t *mapped, uint64_t end)
{
  bool done = true;
  for (; done && *next < core->n_segments && core->segments[*next].start < end;
       ++*next)
    {
      const struct segment *segment = &core->segments[*next];
      const struct walk_mapping report
          = { .start = segment->start > *mapped ? segment->start : *mapped,
              .end = segment->end,
              .executable = segment->executable };
      done = process_map (process, &report);
      *mapped = segment->end > *mapped ? segment->end : *mapped;
    }
  return done;
}

/* Map the segments of the process, and over them the ranges of files from the
   note NT_FILE: the number of ranges, the size of a page, three words for each
   range, and the names.  The ranges ascend; if one does not, it and the
   following are ignored.  Debuggers omit segments that were not changed, so a
   range without a segment may have been code.  */
static bool
map_ranges (const struct core *core, struct process *process)
{
  const uint8_t *words = core->files.contents;
  uint64_t words_max = core->files.size / WORD, at = 0, mapped = 0;
  uint64_t n = words_max < 2 ? 0 : word (process, words, 0);
  uint64_t page = words_max < 2 ? 0 : word (process, words, 1);
  if (n > 0 && n > (words_max - 2) / 3)
    n = 0;
  size_t next = 0, names = (2 + 3 * n) * WORD;
  bool done = true;
  for (uint64_t i = 0; done && i < n; i++)
    {
      const char *name = (const char *)words + names;
      struct walk_mapping range
          = { .start = word (process, words, 2 + 3 * i),
              .end = word (process, words, 3 + 3 * i),
              .offset = word (process, words, 4 + 3 * i) * page };
      size_t length = strnlen (name, core->files.size - names);
      if (length == core->files.size - names || range.start < at
          || range.start >= range.end)
        break;
      done = map_segments (core, process, &next, &mapped, range.start + 1);
      const struct mapping *segment
          = mappings_at (&process->mappings, range.start);
      range.executable = segment == NULL || segment->executable;
      range.path = mapping_is_of_file (name, true) ? name : NULL;
      done = done && process_map (process, &range);
      names += length + 1;
      at = range.end;
      mapped = at > mapped ? at : mapped;
    }
  return done && map_segments (core, process, &next, &mapped, UINT64_MAX);
}

static bool
map_vdso (const struct core *core, struct process *process)
{
  const struct mapping *mapping = mappings_at (&process->mappings, core->vdso);
  if (mapping == NULL || mapping->file != NULL || mapping->start != core->vdso)
    return true;
  const struct walk_mapping vdso = { .start = mapping->start,
                                     .end = mapping->end,
                                     .path = "[vdso]",
                                     .executable = true };
  return process_map (process, &vdso);
}

/* Map the program that the user has named, so that its entry point is where
   the core says.  Emulators do not say which files were mapped.  */
static bool
map_program (const struct core *core, struct process *process)
{
  struct error ignored;
  struct image image;
  if (!image_open (&image, process->program, &ignored))
    return true;
  uint64_t bias = core->entry - image.header.e_entry;
  bool fits = image.arch == process->arch
              && bias % process->arch->max_page_size == 0;
  bool mapped = true;
  if (fits)
    FOR_EACH_LOAD (load, &image)
      {
        const struct walk_mapping report
            = { .start = bias + load->p_vaddr,
                .end = bias + load->p_vaddr + load->p_filesz,
                .offset = load->p_offset,
                .path = process->program,
                .executable = load->p_flags & PF_X };
        mapped = mapped && process_map (process, &report);
      }
  image_close (&image);
  return mapped;
}

static bool
find_program (const struct core *core, struct process *process)
{
  if (process->program == NULL || core->entry == 0)
    return true;
  if (!process_is_file_at (process, core->entry)
      && !map_program (core, process))
    return false;
  const struct mapping *mapping
      = mappings_at (&process->mappings, core->entry);
  process->program_file = mapping != NULL ? mapping->file : NULL;
  return true;
}

/* Check that PROGRAM can be read, if the user has named one.  */
static bool
check_program (const char *program, struct error *err)
{
  struct error own;
  struct image image;
  if (program == NULL)
    return true;
  error_clear (&own);
  if (!image_open (&image, program, &own))
    return error_set (err, own.status, "%s: %s", program, own.reason);
  image_close (&image);
  return true;
}

static bool
open_core (struct core *core, struct process *process, const char *path,
           struct error *err)
{
  struct stat status;
  if (!check_program (process->program, err) || !map_file (core, path, err))
    return false;
  process->dumped = fstat (core->fd, &status) == 0 ? status.st_mtime : 0;
  core->notes_left = core->size;
  image_start_libelf ();
  Elf *elf = elf_memory ((char *)core->bytes, core->size);
  bool read = read_elf (core, process, elf, err);
  if (elf != NULL)
    elf_end (elf);
  if (!read)
    return false;
  if (!map_ranges (core, process) || !map_vdso (core, process)
      || !find_program (core, process))
    return error_set_no_memory (err);
  if (process->n_threads == 0)
    return error_set (
        err, core->missing > 0 ? CFI2SFRAME_MALFORMED : CFI2SFRAME_NOTHING,
        core->missing > 0 ? "it was cut off, and no threads are left in it"
                          : "no threads in it");
  if (process->pid == 0)
    process->pid = process->threads[0].tid;
  return true;
}

struct core *
core_open (struct process *process, const char *path, const char *executable,
           struct error *err)
{
  struct core *core = calloc (1, sizeof *core);
  if (core == NULL)
    {
      error_set_no_memory (err);
      return NULL;
    }
  core->fd = -1;
  process->program = executable;
  process->open_file = file_finder_open;
  if (open_core (core, process, path, err))
    return core;
  core_close (core, process);
  return NULL;
}

uint64_t
core_missing (const struct core *core)
{
  return core->missing;
}

void
core_close (struct core *core, struct process *process)
{
  process_free (process);
  if (core == NULL)
    return;
  free (core->segments);
  if (core->bytes != NULL)
    mapped_file_close (core->bytes, core->size);
  if (core->fd >= 0)
    close (core->fd);
  free (core);
}

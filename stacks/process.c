/* A program, to walk its stacks: its mappings and threads.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/process.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/radix.h"
#include "base/search.h"
#include "walk/section_step.h"
#include "stacks/shortage.h"

/* The number of mappings that end at or before ADDRESS.  */
static size_t
mappings_before (const struct process *process, uint64_t address)
{
  return SEARCH_FIRST (process->mappings.n, i,
                       process->mappings.list[i].end > address);
}

const struct mapping *
process_mapping_at (const struct process *process, uint64_t address)
{
  size_t at = mappings_before (process, address);
  return at < process->mappings.n
                 && process->mappings.list[at].start <= address
             ? &process->mappings.list[at]
             : NULL;
}

struct code_file *
process_file_at (const struct process *process, uint64_t address,
                 uint64_t *offset)
{
  const struct mapping *mapping = process_mapping_at (process, address);
  if (mapping == NULL || mapping->file == NULL)
    return NULL;
  if (!mapping->file->opened)
    code_file_take (mapping->file,
                    process->open_file ((struct process *)process, mapping));
  *offset = mapping->offset + (address - mapping->start);
  return code_file_is_memory (mapping->file) ? NULL : mapping->file;
}

/* A mapping of a file.  */
struct file_mapping
{
  uint64_t file; /* its address */
  size_t number; /* of the mapping */
};

static void
forget_by_file (struct process *process)
{
  free (process->by_file);
  process->by_file = NULL;
}

bool
process_list_by_file (struct process *process)
{
  size_t n = process->mappings.n;
  if (process->by_file != NULL)
    return true;
  void *items = calloc (n + 1, sizeof *process->by_file);
  struct file_mapping *list = items;
  for (size_t i = 0; items != NULL && i < n; i++)
    list[i] = (struct file_mapping){ (uintptr_t)process->mappings.list[i].file,
                                     i };
  if (items == NULL || !radix_sort (&items, n, sizeof *list))
    {
      free (items);
      return shortage_note ();
    }
  process->by_file = items;
  return true;
}

const struct mapping *
process_next_mapping (const struct process *process,
                      const struct code_file *file, size_t *at)
{
  size_t n = process->mappings.n;
  const struct file_mapping *list = process->by_file;
  if (*at == 0)
    *at = SEARCH_FIRST (n, i, list[i].file >= (uintptr_t)file);
  return *at < n && list[*at].file == (uintptr_t)file
             ? &process->mappings.list[list[(*at)++].number]
             : NULL;
}

/* The file that a just-in-time compiler of PROCESS has mapped to say where its
   dump is, opened; or -1.  */
static int
open_dump (struct process *process)
{
  for (size_t i = 0; i < process->mappings.n; i++)
    {
      const struct mapping *mapping = &process->mappings.list[i];
      if (mapping->runs && mapping->file != NULL
          && jit_names_is_dump (mapping->file->path))
        return process->open_file (process, mapping);
    }
  return -1;
}

struct code_file *
process_code_at (struct process *process, uint64_t address, uint64_t *offset)
{
  struct code_file *file = process_file_at (process, address, offset);
  if (file != NULL || process->memory.fetch == NULL
      || !process_runs_at (process, address))
    return file;
  *offset = address;
  if (process->jit == NULL)
    process->jit = code_files_add_jit (process->files, process->pid,
                                       process->recorded, open_dump (process));
  return process->jit;
}

bool
process_is_file_at (const struct process *process, uint64_t address)
{
  const struct mapping *mapping = process_mapping_at (process, address);
  return mapping != NULL && mapping->file != NULL;
}

/* Read SIZE bytes of the file that is mapped at ADDRESS.  */
static bool
read_file (const struct process *process, uint64_t address, void *to,
           size_t size)
{
  uint64_t offset;
  const struct code_file *file = process_file_at (process, address, &offset);
  if (file == NULL || file->image.bytes == NULL || offset > file->image.size
      || size > file->image.size - offset)
    return false;
  memcpy (to, file->image.bytes + offset, size);
  return true;
}

bool
process_read_code (void *reader, uint64_t address, void *to, size_t size)
{
  struct process *process = reader;
  struct memory *memory = &process->memory;
  if (read_file (process, address, to, size))
    return true;
  return memory->fetch != NULL
             ? memory->fetch (memory->source, address, to, size) == size
             : memory_read (memory, address, to, size);
}

bool
process_runs_at (const struct process *process, uint64_t address)
{
  const struct mapping *mapping = process_mapping_at (process, address);
  return mapping != NULL && mapping->runs;
}

bool
process_is_code (struct process *process, uint64_t pc)
{
  const struct mapping *mapping = process_mapping_at (process, pc);
  uint8_t byte;
  return mapping != NULL ? mapping->runs
                         : process_read_code (process, pc, &byte, sizeof byte);
}

bool
process_may_return_to (struct process *process, uint64_t pc)
{
  const struct unwind_source source
      = { .read = process_read_code, .reader = process };
  return process_is_code (process, pc)
         && unwind_may_end_call (&source, process->arch, pc, false);
}

bool
mapping_is_of_file (const char *path, bool is_known)
{
  /* Linux, mm/shmem.c, ipc/shm.c and mm/mmap.c.  */
  static const char *const shared[]
      = { "/dev/zero", "/SYSV", "/anon_hugepage" };
  if (path[0] != '/')
    return strcmp (path, "[vdso]") == 0;
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
    if (strncmp (path, shared[i], strlen (shared[i])) == 0
        && strstr (path, " (deleted)") != NULL)
      return false;
  return is_known;
}

enum
{
  /* Mappings that one more moves: a recording may have as many as it has room
     for, in any order.  The kernel lets a process have as many unless it is
     told otherwise (vm.max_map_count).  */
  MOVED_MAX = 1 << 16
};

/* Let no other process have the list of PROCESS, and let there be room for two
   mappings more at both of its ends.  False when memory ran out, all lists
   together would be too long, or the list is too long to be copied for each
   process.  */
static bool
make_room (struct process *process)
{
  enum
  {
    MORE = 2 /* one that is put into another cuts that in two */
  };
  const struct mappings *all = &process->mappings;
  bool shared = all->owners != NULL && *all->owners > 1;
  if (!shared && all->front >= MORE
      && all->capacity - all->front - all->n >= MORE)
    return true;
  struct mappings own = { .n = all->n, .has_files = all->has_files };
  own.capacity = 2 * (all->n + 4 * MORE);
  if (own.capacity > MAPPINGS_MAX - process->files->mappings
      || (shared && own.n > 2 * MOVED_MAX))
    return shortage_note ();
  own.list = reallocarray (NULL, own.capacity, sizeof *own.list);
  if (own.list == NULL)
    return shortage_note ();
  own.front = (own.capacity - own.n) / 2;
  own.list += own.front;
  if (own.n > 0)
    memcpy (own.list, all->list, own.n * sizeof *own.list);
  process_forget_mappings (process);
  process->mappings = own;
  process->files->mappings += own.capacity;
  return true;
}

/* Make room for N mappings in the place of those from FIRST up to LAST.  What
   moves is the smaller part: most processes map from high addresses down.
   False as for make_room, or when too many would move.  */
static bool
replace_mappings (struct process *process, size_t first, size_t last, size_t n)
{
  struct mappings *all = &process->mappings;
  size_t behind = all->n - last;
  if (!make_room (process))
    return false;
  struct mapping *list = all->list;
  if (n == last - first)
    return true;
  if (first > MOVED_MAX && behind > MOVED_MAX)
    return shortage_note ();
  if (first < behind)
    {
      all->list = list + last - first - n;
      all->front = all->front + last - first - n;
      memmove (all->list, list, first * sizeof *list);
    }
  else
    memmove (list + first + n, list + last, behind * sizeof *list);
  all->n = first + n + behind;
  return true;
}

/* Put MAPPING in its place, and cut what reaches into it.  */
static bool
insert_mapping (struct process *process, const struct mapping *mapping)
{
  struct mapping parts[3];
  size_t n = 0, first = mappings_before (process, mapping->start);
  size_t last = SEARCH_FIRST (process->mappings.n, i,
                              process->mappings.list[i].start >= mapping->end);
  const struct mapping *old = process->mappings.list;
  if (first < last && old[first].start < mapping->start)
    {
      parts[n] = old[first];
      parts[n++].end = mapping->start;
    }
  parts[n++] = *mapping;
  if (first < last && old[last - 1].end > mapping->end)
    {
      parts[n] = old[last - 1];
      parts[n].offset += mapping->end - parts[n].start;
      parts[n++].start = mapping->end;
    }
  if (!replace_mappings (process, first, last, n))
    return false;
  forget_by_file (process);
  memcpy (process->mappings.list + first, parts, n * sizeof *parts);
  return true;
}

bool
process_map_file (struct process *process, const struct mapping *mapping)
{
  process->mappings.has_files |= mapping->file != NULL;
  return mapping->start >= mapping->end || insert_mapping (process, mapping);
}

bool
process_map (struct process *process, const struct walk_mapping *report)
{
  const struct mapped_identity identity
      = { .device = report->device, .inode = report->inode };
  struct mapping mapping = { .start = report->start,
                             .end = report->end,
                             .offset = report->offset,
                             .runs = report->runs };
  if (report->path != NULL && report->start < report->end)
    {
      mapping.file = code_files_get (process->files, report->path, &identity);
      if (mapping.file == NULL)
        return false;
    }
  return process_map_file (process, &mapping);
}

bool
process_share_mappings (struct process *to, struct process *from)
{
  struct mappings *shared = &from->mappings;
  if (shared->owners == NULL)
    {
      shared->owners = malloc (sizeof *shared->owners);
      if (shared->owners == NULL)
        return shortage_note ();
      *shared->owners = 1;
    }
  ++*shared->owners;
  to->mappings = *shared;
  return true;
}

void
process_move_mappings (struct process *to, struct process *from)
{
  process_forget_mappings (to);
  forget_by_file (from);
  to->mappings = from->mappings;
  from->mappings = (struct mappings){ 0 };
}

struct thread *
process_add_thread (struct process *process, pid_t tid)
{
  if (!ARRAY_ROOM (process->threads, process->n_threads + 1,
                   &process->threads_capacity))
    return NULL;
  struct thread *thread = &process->threads[process->n_threads++];
  *thread = (struct thread){ .tid = tid };
  return thread;
}

bool
process_analyze (struct process *process, uint64_t address)
{
  uint64_t offset;
  struct code_file *file = process_file_at (process, address, &offset);
  return file != NULL
         && row_source_analyze (&file->rows, &file->image, &process->policy);
}

bool
process_find_section (const struct process *process, uint64_t pc,
                      struct sfw_section *section)
{
  uint64_t offset, address;
  struct code_file *file = process_file_at (process, pc, &offset);
  if (file == NULL
      || !code_file_section (file, &process->policy, offset, section,
                             &address))
    return false;
  section->address += pc - address;
  return true;
}

enum sfw_end
process_find_rules (const void *finder, uint64_t address,
                    struct unwind_rules *rules)
{
  const struct process *process = finder;
  struct sfw_section section;
  if (!process_find_section (process, address, &section))
    return SFW_NO_SECTION;
  rules->arch = process->arch;
  return section.size > 0 ? walk_section_rules (&section, address, rules)
                          : SFW_NO_ROW;
}

void
process_forget_mappings (struct process *process)
{
  struct mappings *mappings = &process->mappings;
  if (mappings->owners == NULL || --*mappings->owners == 0)
    {
      free (mappings->list - mappings->front);
      free (mappings->owners);
      if (mappings->capacity > 0)
        process->files->mappings -= mappings->capacity;
    }
  *mappings = (struct mappings){ 0 };
  forget_by_file (process);
}

void
process_forget_threads (struct process *process)
{
  free (process->threads);
  process->threads = NULL;
  process->n_threads = process->threads_capacity = 0;
}

void
process_free (struct process *process)
{
  process_forget_mappings (process);
  process_forget_threads (process);
  memory_free (&process->memory);
}

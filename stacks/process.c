/* A process whose stacks are walked: which file and which code is at an
   address, and its threads.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/process.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "walk/lookup.h"

enum
{
  SEGMENTS_MAX = 64 /* segments of a file whose copy is searched for */
};

/* Return the file of MAPPING.  Open it, unless that was tried before.  */
static struct code_file *
open_file (const struct process *process, const struct mapping *mapping)
{
  if (!mapping->file->opened)
    code_file_open (mapping->file,
                    process->open_file ((struct process *)process, mapping));
  return mapping->file;
}

/* Whether PROCESS has the bytes at ADDRESS that IMAGE has at OFFSET.  */
static bool
has_code_of (const struct process *process, uint64_t address,
             const struct image *image, uint64_t offset)
{
  uint8_t bytes[64];
  uint64_t before = address % sizeof bytes;
  return offset >= before && image->size >= sizeof bytes
         && offset - before <= image->size - sizeof bytes
         && memory_read_now ((struct memory *)&process->memory,
                             address - before, bytes, sizeof bytes)
                == sizeof bytes
         && memcmp (bytes, image->bytes + offset - before, sizeof bytes) == 0;
}

/* MAPPING contains ADDRESS.  If FILE has the same code at its own address OWN,
   and no code beyond MAPPING's ends, make MAPPING one of FILE.  */
static void
match_code (const struct process *process, struct mapping *mapping,
            struct code_file *file, uint64_t own, uint64_t address)
{
  const uint64_t page = process->arch->max_page_size;
  for (size_t i = 0; i < file->image.n_segments && i < SEGMENTS_MAX; i++)
    {
      const GElf_Phdr *segment = &file->image.segments[i];
      uint64_t at = own - segment->p_vaddr, offset = segment->p_offset + at;
      if (segment->p_type == PT_LOAD && segment->p_flags & PF_X
          && at < segment->p_filesz && address - mapping->start < at + page
          && mapping->end - address < segment->p_filesz - at + page
          && has_code_of (process, address, &file->image, offset))
        {
          mapping->file = file;
          mapping->offset = offset - (address - mapping->start);
        }
    }
}

/* Try whether MAPPING has code of the file of NEIGHBOUR.  A page with parts of
   two segments is mapped twice, so NEIGHBOUR may belong to either.  */
static void
match_neighbour (const struct process *process, struct mapping *mapping,
                 const struct mapping *neighbour, uint64_t address)
{
  if (neighbour->file == NULL)
    return;
  struct code_file *file = open_file (process, neighbour);
  const uint64_t page = process->arch->max_page_size;
  for (size_t i = 0; i < file->image.n_segments && i < SEGMENTS_MAX; i++)
    {
      const GElf_Phdr *segment = &file->image.segments[i];
      uint64_t before = segment->p_offset & (page - 1);
      uint64_t at = neighbour->offset - segment->p_offset;
      if (mapping->file == NULL && segment->p_type == PT_LOAD
          && at + before < segment->p_filesz + before)
        match_code (process, mapping, file,
                    segment->p_vaddr + at + address - neighbour->start,
                    address);
    }
}

/* Find the file whose code was copied to MAPPING, which contains ADDRESS and
   has no file.  Programs copy their code to large pages at the same addresses
   (node --use-largepages, BOLT's --hugify).  */
static void
find_copied_file (const struct process *process, struct mapping *mapping,
                  uint64_t address)
{
  const struct mappings *all = &process->mappings;
  mapping->compared = true;
  if (mapping > all->list && mapping[-1].end == mapping->start)
    match_neighbour (process, mapping, mapping - 1, address);
  if (mapping->file == NULL && mapping + 1 < all->list + all->n
      && mapping[1].start == mapping->end)
    match_neighbour (process, mapping, mapping + 1, address);
}

/* Return the offset of ADDRESS, which is in MAPPING, in FILE, which is open.
   A conversion since then, or its undoing, may have moved code in the file
   (strategy grow-down).  It moves code of programs at a fixed address only,
   and not in memory, so ADDRESS is the file's own.  */
static uint64_t
offset_in_file (const struct code_file *file, const struct mapping *mapping,
                uint64_t address)
{
  if (mapping->executable && file->image.header.e_type == ET_EXEC)
    FOR_EACH_LOAD (segment, &file->image)
      if (segment->p_flags & PF_X && address >= segment->p_vaddr
          && address - segment->p_vaddr < segment->p_filesz)
        return segment->p_offset + (address - segment->p_vaddr);
  return mapping->offset + (address - mapping->start);
}

struct code_file *
process_file_at (const struct process *process, uint64_t address,
                 uint64_t *offset)
{
  const struct mapping *mapping = mappings_at (&process->mappings, address);
  if (mapping != NULL && mapping->file == NULL && mapping->executable
      && !mapping->compared)
    find_copied_file (process, (struct mapping *)mapping, address);
  if (mapping == NULL || mapping->file == NULL)
    return NULL;
  struct code_file *file = open_file (process, mapping);
  *offset = offset_in_file (file, mapping, address);
  return code_file_is_memory (file) ? NULL : file;
}

/* Open the dump of a just-in-time compiler in PROCESS, which has mapped the
   dump so that it can be found.  Return the descriptor or -1.  */
static int
open_dump (struct process *process)
{
  for (size_t i = 0; i < process->mappings.n; i++)
    {
      const struct mapping *mapping = &process->mappings.list[i];
      if (mapping->executable && mapping->file != NULL
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
      || !process_is_executable (process, address))
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
  const struct mapping *mapping = mappings_at (&process->mappings, address);
  return mapping != NULL && mapping->file != NULL;
}

bool
process_read_code (void *reader, uint64_t address, void *to, size_t size)
{
  struct process *process = reader;
  uint64_t offset;
  const struct code_file *file = process_file_at (process, address, &offset);
  if (file == NULL || file->image.bytes == NULL || offset > file->image.size
      || size > file->image.size - offset)
    return memory_read_now (&process->memory, address, to, size) == size;
  memcpy (to, file->image.bytes + offset, size);
  return true;
}

bool
process_is_executable (const struct process *process, uint64_t address)
{
  const struct mapping *mapping = mappings_at (&process->mappings, address);
  return mapping != NULL && mapping->executable;
}

bool
process_is_code (struct process *process, uint64_t pc)
{
  const struct mapping *mapping = mappings_at (&process->mappings, pc);
  uint8_t byte;
  return mapping != NULL ? mapping->executable
                         : process_read_code (process, pc, &byte, sizeof byte);
}

bool
process_may_return_to (struct process *process, uint64_t pc)
{
  const struct unwind_source source
      = { .read = process_read_code, .reader = process };
  uint64_t offset;
  uint8_t byte;
  if (!process_is_code (process, pc))
    return false;
  const struct code_file *file = process_file_at (process, pc, &offset);
  if (file != NULL && file->image.bytes == NULL
      && !process_read_code (process, pc - 1, &byte, sizeof byte))
    process->missing = file;
  return unwind_may_end_call (&source, process->arch, pc, false);
}

bool
process_map (struct process *process, const struct walk_mapping *report)
{
  const struct mapped_identity identity
      = { .device = report->device, .inode = report->inode };
  struct mapping mapping = { .start = report->start,
                             .end = report->end,
                             .offset = report->offset,
                             .executable = report->executable };
  if (report->path != NULL && report->start < report->end)
    {
      mapping.file = code_files_get (process->files, report->path, &identity);
      if (mapping.file == NULL)
        return false;
    }
  return mappings_put (&process->mappings, &process->files->mappings,
                       &mapping);
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
  return section.size > 0 ? unwind_find_rules (&section, address, rules)
                          : SFW_NO_ROW;
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
  if (process->files != NULL)
    mappings_forget (&process->mappings, &process->files->mappings);
  process_forget_threads (process);
  memory_free (&process->memory);
}

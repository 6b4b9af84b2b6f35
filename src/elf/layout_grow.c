/* Strategies grow-down and move-table: for files whose program header table
   has no room.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/layout_job.h"

#include <string.h>

#include "base/bytes.h"

enum
{
  ADDRESS_MIN = 0x10000, /* vm.mmap_min_addr as distributions set it */
  HEADERS_END = 8        /* bytes of the section that keeps patchelf out */
};

/* Where .sframe begins in front of a program that grew downwards.  One slot
   for a header is left free, as after eviction.  */
static uint64_t
grow_sframe_offset (const struct layout_job *job)
{
  return sizeof (Elf64_Ehdr)
         + (job->image->n_segments + 2) * sizeof (Elf64_Phdr) + HEADERS_END;
}

static uint64_t
largest_align (const struct layout_job *job)
{
  uint64_t align = job->page;
  for (size_t i = 0; i < job->image->n_segments; i++)
    if (job->image->segments[i].p_type == PT_LOAD
        && job->image->segments[i].p_align > align)
      align = job->image->segments[i].p_align;
  return align;
}

static const GElf_Phdr *
first_load (const struct layout_job *job)
{
  return image_find_segment (job->image, PT_LOAD);
}

static bool
grow_fits (const struct layout_job *job, uint64_t needed, uint64_t align,
           uint64_t *distance)
{
  uint64_t base = first_load (job)->p_vaddr;
  return round_up (needed, align, distance) && *distance <= base
         && *distance - needed <= GROWTH_MAX && base - *distance >= ADDRESS_MIN
         && job->image->size + *distance > job->image->size;
}

/* How far everything moves: by whole pages, so that addresses and offsets
   still agree.  A program linked for huge pages may lie too low for that many
   bytes; it then gives up their alignment in the file, which only libraries
   are held to.  */
static int
grow_distance (struct layout_job *job, uint64_t *distance)
{
  const GElf_Phdr *load = first_load (job);
  if (job->image->header.e_type != ET_EXEC)
    return job_not (job, "only a program at a fixed address can grow "
                         "downwards");
  if (load->p_offset != 0 || (load->p_flags & PF_W)
      || job->image->header.e_phoff != sizeof (Elf64_Ehdr)
      || owner_of_table (job->image) != load)
    return job_not (job, "the headers are not at the start of a read-only "
                         "segment");
  uint64_t needed = grow_sframe_offset (job) + job->plan->sframe_size;
  if (grow_fits (job, needed, largest_align (job), distance)
      || grow_fits (job, needed, job->page, distance))
    return 1;
  return job_not (job, "no room in front of the program");
}

/* What has no bytes in the file (PT_GNU_STACK, PT_NULL) has no place to
   shift.  */
static void
grow_headers (struct layout_job *job, uint64_t distance)
{
  const GElf_Phdr *first = first_load (job);
  for (size_t i = 0; i < job->n_segments; i++)
    {
      GElf_Phdr *segment = &job->segments[i];
      if (&job->image->segments[i] == first || segment->p_type == PT_PHDR)
        {
          segment->p_vaddr -= distance;
          segment->p_paddr -= distance;
          if (segment->p_type == PT_LOAD)
            {
              segment->p_filesz += distance;
              segment->p_memsz += distance;
            }
        }
      else if (segment->p_type != PT_NULL
               && (segment->p_filesz > 0 || segment->p_offset > 0))
        segment->p_offset += distance;
      if (segment->p_type == PT_LOAD && segment->p_align > job->page
          && (distance & (segment->p_align - 1)) != 0)
        segment->p_align = job->page;
    }
  for (size_t i = 1; i < job->n_sections; i++)
    if (job->sections[i].sh_type != SHT_NULL)
      job->sections[i].sh_offset += distance;
}

/* __ehdr_start still names the copy of the old header; static glibc reads the
   program headers through it.  Pointer arithmetic modulo 2^64 leads it from
   there to the new table.  */
static bool
patch_old_header (struct layout_job *job, uint64_t distance)
{
  bool big_endian = job->image->big_endian;
  uint8_t *offset
      = plan_patch (job->plan, distance + offsetof (Elf64_Ehdr, e_phoff),
                    sizeof (uint64_t), job->err);
  uint8_t *count
      = plan_patch (job->plan, distance + offsetof (Elf64_Ehdr, e_phnum),
                    sizeof (uint16_t), job->err);
  if (offset == NULL || count == NULL)
    return false;
  store_u64 (offset, sizeof (Elf64_Ehdr) - distance, big_endian);
  store_u16 (count, (uint16_t)job->n_segments, big_endian);
  return true;
}

/* strip fills bytes that belong to no section with zeros, also the copy of
   the old headers.  */
static void
add_old_headers_section (struct layout_job *job, uint64_t distance)
{
  GElf_Shdr header = { .sh_type = SHT_PROGBITS,
                       .sh_flags = SHF_ALLOC,
                       .sh_addr = first_load (job)->p_vaddr,
                       .sh_offset = distance,
                       .sh_addralign = 8 };
  header.sh_size
      = sizeof (Elf64_Ehdr) + job->image->n_segments * sizeof (Elf64_Phdr);
  table_add_section (job, ".old_headers", &header);
}

/* patchelf packs what it changes, .dynamic among it, into the bytes in front
   of the first PROGBITS section if they suffice, and takes .sframe for
   something it may move.  A PROGBITS section in front of it leaves too few. */
static void
add_headers_end_section (struct layout_job *job)
{
  GElf_Shdr header = { .sh_type = SHT_PROGBITS,
                       .sh_flags = SHF_ALLOC,
                       .sh_addr = job->plan->sframe_address - HEADERS_END,
                       .sh_offset = job->plan->sframe_offset - HEADERS_END,
                       .sh_size = HEADERS_END,
                       .sh_addralign = 8 };
  table_add_section (job, ".headers_end", &header);
}

int
layout_try_grow_down (struct layout_job *job)
{
  uint64_t distance = 0;
  if (!grow_distance (job, &distance))
    return 0;
  struct layout_plan *plan = job->plan;
  struct header_slots slots = { .n_added = 1 };
  plan->strategy = LAYOUT_GROW_DOWN;
  slots_take_old (job->image, &slots, 1);
  plan->sframe_offset = grow_sframe_offset (job);
  plan->sframe_address
      = first_load (job)->p_vaddr - distance + plan->sframe_offset;
  job->end = job->image->size + distance;
  plan->n_extents = 0;
  grow_headers (job, distance);
  if (!plan_copy (job->plan, 0, distance, job->image->size, job->err))
    return -1;
  table_add_headers (job, &slots, NULL);
  add_headers_end_section (job);
  add_old_headers_section (job, distance);
  table_add_sframe_section (job);
  return patch_old_header (job, distance) && table_finish (job) ? 1 : -1;
}

/* Where the table goes: kernels before 5.18, static glibc, ld.so and LLVM's
   profile runtime all compute its address as that of the first segment plus
   e_phoff.  */
static int
move_place (struct layout_job *job, GElf_Phdr *load, uint64_t table_size)
{
  const GElf_Phdr *first = first_load (job), *last = job_last_load (job);
  uint64_t base = first->p_vaddr - first->p_offset;
  uint64_t address, old_end, size;
  if (first->p_vaddr < first->p_offset
      || !round_up (last->p_vaddr + last->p_memsz, job->page, &address)
      || address < base || !round_up (job->image->size, job->page, &old_end))
    return job_not (job, "no place for a moved program header table");
  if (address - base < old_end)
    address = base + old_end;
  if (address - base - old_end > GROWTH_MAX)
    return job_not (job, "the file would become too large");
  if (__builtin_add_overflow (table_size, job->plan->sframe_size, &size)
      || address + size < address || (address & (job->page - 1)) != 0)
    return job_not (job, "no place for a moved program header table");
  *load = (GElf_Phdr){ .p_type = PT_LOAD,
                       .p_flags = PF_R,
                       .p_offset = address - base,
                       .p_vaddr = address,
                       .p_paddr = address,
                       .p_filesz = size,
                       .p_memsz = size,
                       .p_align = job->page };
  return 1;
}

int
layout_try_move (struct layout_job *job)
{
  struct header_slots slots = { .n_added = 2 };
  struct layout_plan *plan = job->plan;
  uint64_t table_size = (job->n_segments + 2) * sizeof (Elf64_Phdr);
  GElf_Phdr load = { 0 };
  if (!move_place (job, &load, table_size))
    return 0;
  slots_take_old (job->image, &slots, 1);
  plan->strategy = LAYOUT_MOVE_TABLE;
  plan->sframe_offset = load.p_offset + table_size;
  plan->sframe_address = load.p_vaddr + table_size;
  job->header.e_phoff = load.p_offset;
  job->end = load.p_offset + load.p_filesz;
  table_add_headers (job, &slots, &load);
  for (size_t i = 0; i < job->n_segments; i++)
    if (job->segments[i].p_type == PT_PHDR)
      {
        job->segments[i].p_offset = load.p_offset;
        job->segments[i].p_vaddr = job->segments[i].p_paddr = load.p_vaddr;
      }
  table_add_sframe_section (job);
  return table_finish (job) ? 1 : -1;
}

/* Strategy grow-down: .sframe and a longer program header table in front of a
   program at a fixed address.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For programs that code or symbols tie to all that stands behind the table:
   46 of 4,291 files (doc/formats/injection, "How often"), all of them ET_EXEC:
   LLVM's and GCC's programs, valgrind's tools, node, busybox.  */

#include "place/placing.h"

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
grow_sframe_offset (const struct placing *placing)
{
  return sizeof (Elf64_Ehdr)
         + (placing->image->n_segments + 2) * sizeof (Elf64_Phdr)
         + HEADERS_END;
}

static uint64_t
largest_align (const struct placing *placing)
{
  uint64_t align = placing->page;
  for (size_t i = 0; i < placing->image->n_segments; i++)
    if (placing->image->segments[i].p_type == PT_LOAD
        && placing->image->segments[i].p_align > align)
      align = placing->image->segments[i].p_align;
  return align;
}

static bool
grow_fits (const struct placing *placing, uint64_t needed, uint64_t align,
           uint64_t *distance)
{
  uint64_t base = placing_first_load (placing)->p_vaddr;
  return round_up (needed, align, distance) && *distance <= base
         && *distance - needed <= GROWTH_MAX && base - *distance >= ADDRESS_MIN
         && placing->image->size + *distance > placing->image->size;
}

/* How far everything moves: by whole pages, so that addresses and offsets
   still agree.  A program linked for huge pages may lie too low for that many
   bytes; it then gives up their alignment in the file, which only libraries
   are held to.  */
static int
grow_distance (struct placing *placing, uint64_t *distance)
{
  const GElf_Phdr *load = placing_first_load (placing);
  if (placing->image->header.e_type != ET_EXEC)
    return placing_impossible (placing,
                               "only a program at a fixed address can grow "
                               "downwards");
  if (load->p_offset != 0 || (load->p_flags & PF_W)
      || placing->image->header.e_phoff != sizeof (Elf64_Ehdr)
      || owner_of_table (placing->image) != load)
    return placing_impossible (
        placing, "the headers are not at the start of a read-only "
                 "segment");
  uint64_t needed = grow_sframe_offset (placing) + placing->plan->sframe_size;
  if (grow_fits (placing, needed, largest_align (placing), distance)
      || grow_fits (placing, needed, placing->page, distance))
    return 1;
  return placing_impossible (placing, "no room in front of the program");
}

/* A segment without bytes at its offset (PT_GNU_STACK, PT_NULL) does not
   shift.  */
static void
grow_headers (struct placing *placing, uint64_t distance)
{
  const GElf_Phdr *first = placing_first_load (placing);
  for (size_t i = 0; i < placing->n_segments; i++)
    {
      GElf_Phdr *segment = &placing->segments[i];
      if (&placing->image->segments[i] == first || segment->p_type == PT_PHDR)
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
               && (segment->p_filesz > 0 || segment->p_offset > 0)
               && segment_has_offset (placing->image,
                                      &placing->image->segments[i]))
        segment->p_offset += distance;
      if (segment->p_type == PT_LOAD && segment->p_align > placing->page
          && (distance & (segment->p_align - 1)) != 0)
        segment->p_align = placing->page;
    }
  for (size_t i = 1; i < placing->n_sections; i++)
    if (placing->sections[i].sh_type != SHT_NULL)
      placing->sections[i].sh_offset += distance;
}

/* __ehdr_start still names the copy of the old header; static glibc reads the
   program headers through it.  Pointer arithmetic modulo 2^64 leads it from
   there to the new table.  */
static bool
patch_old_header (struct placing *placing, uint64_t distance)
{
  bool big_endian = placing->image->big_endian;
  uint8_t *offset
      = plan_patch (placing->plan, distance + offsetof (Elf64_Ehdr, e_phoff),
                    sizeof (uint64_t), placing->err);
  uint8_t *count
      = plan_patch (placing->plan, distance + offsetof (Elf64_Ehdr, e_phnum),
                    sizeof (uint16_t), placing->err);
  if (offset == NULL || count == NULL)
    return false;
  store_u64 (offset, sizeof (Elf64_Ehdr) - distance, big_endian);
  store_u16 (count, (uint16_t)placing->n_segments, big_endian);
  return true;
}

/* The copy of the old headers needs a section: strip fills bytes that belong
   to no section with zeros.  */
static void
add_old_headers_section (struct placing *placing, uint64_t distance)
{
  GElf_Shdr header = { .sh_type = SHT_PROGBITS,
                       .sh_flags = SHF_ALLOC,
                       .sh_addr = placing_first_load (placing)->p_vaddr,
                       .sh_offset = distance,
                       .sh_addralign = 8 };
  header.sh_size
      = sizeof (Elf64_Ehdr) + placing->image->n_segments * sizeof (Elf64_Phdr);
  table_add_section (placing, ".old_headers", &header);
}

/* patchelf packs what it changes, .dynamic among it, into the bytes in front
   of the first PROGBITS section if they suffice, and takes .sframe for
   something it may move.  A PROGBITS section in front of it leaves too few. */
static void
add_headers_end_section (struct placing *placing)
{
  GElf_Shdr header = { .sh_type = SHT_PROGBITS,
                       .sh_flags = SHF_ALLOC,
                       .sh_addr = placing->plan->sframe_address - HEADERS_END,
                       .sh_offset = placing->plan->sframe_offset - HEADERS_END,
                       .sh_size = HEADERS_END,
                       .sh_addralign = 8 };
  table_add_section (placing, ".headers_end", &header);
}

int
strategy_try_grow_down (struct placing *placing)
{
  uint64_t distance = 0;
  if (!grow_distance (placing, &distance))
    return 0;
  struct layout_plan *plan = placing->plan;
  struct header_slots slots = { .n_added = 1 };
  plan->strategy = LAYOUT_GROW_DOWN;
  slots_take_old (placing->image, &slots, 1);
  plan->sframe_offset = grow_sframe_offset (placing);
  plan->sframe_address
      = placing_first_load (placing)->p_vaddr - distance + plan->sframe_offset;
  placing->end = placing->image->size + distance;
  plan->n_extents = 0;
  grow_headers (placing, distance);
  if (!plan_copy (placing->plan, 0, distance, placing->image->size,
                  placing->err))
    return -1;
  table_add_headers (placing, &slots, NULL);
  add_headers_end_section (placing);
  add_old_headers_section (placing, distance);
  table_add_sframe_section (placing);
  return patch_old_header (placing, distance) && table_finish (placing) ? 1
                                                                        : -1;
}

/* Which section, segment or table owns which bytes of the old file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/owners.h"

#include <string.h>

#include "base/bytes.h"
#include "elf/sframe_place.h"

enum
{
  LOOKS_MAX = 1 << 25 /* at sections: files may have millions */
};

bool
range_is_zero (const struct image *image, uint64_t offset, uint64_t size)
{
  return offset <= image->size && size <= image->size - offset
         && bytes_are_zero (image->bytes + offset, size);
}

bool
range_is_filler (const struct image *image, uint64_t begin, uint64_t end)
{
  while (begin < end && byte_is_filler (image->bytes[begin]))
    begin++;
  return begin >= end;
}

struct interval
section_range (const struct image_section *section)
{
  const GElf_Shdr *header = &section->header;
  if (!image_section_has_bytes (header))
    return (struct interval){ 0, 0 };
  uint64_t size = header->sh_size;
  if (size == 0 && (header->sh_flags & SHF_ALLOC)
      && !section_is_sframe (section))
    size = 1;
  return (struct interval){ header->sh_offset, header->sh_offset + size };
}

/* The first PT_LOAD that has bytes of the file at addresses of SEGMENT; or
   NULL.  */
static const GElf_Phdr *
load_at (const struct image *image, const GElf_Phdr *segment)
{
  FOR_EACH_LOAD (load, image)
    if (segment->p_vaddr < load->p_vaddr + load->p_filesz
        && segment->p_vaddr + segment->p_filesz > load->p_vaddr)
      return load;
  return NULL;
}

static bool
is_read_from_file (uint32_t type)
{
  return type == PT_LOAD || type == PT_NOTE || type == PT_INTERP
         || type == PT_DYNAMIC || type == PT_GNU_PROPERTY || type == PT_PHDR;
}

/* The PT_LOAD whose bytes are at the addresses of SEGMENT, although its offset
   says others; or NULL.  */
static const GElf_Phdr *
load_instead_of_offset (const struct image *image, const GElf_Phdr *segment)
{
  if (is_read_from_file (segment->p_type))
    return NULL;
  const GElf_Phdr *load = load_at (image, segment);
  return load != NULL
                 && segment->p_vaddr - segment->p_offset
                        != load->p_vaddr - load->p_offset
             ? load
             : NULL;
}

bool
segment_has_offset (const struct image *image, const GElf_Phdr *segment)
{
  return load_instead_of_offset (image, segment) == NULL;
}

struct interval
segment_range (const struct image *image, const GElf_Phdr *segment)
{
  struct interval range
      = { segment->p_offset, segment->p_offset + segment->p_filesz };
  if (!image_segment_has_bytes (segment))
    return (struct interval){ 0, 0 };
  const GElf_Phdr *load = load_instead_of_offset (image, segment);
  if (load == NULL)
    return range;
  uint64_t end = segment->p_vaddr + segment->p_filesz;
  uint64_t last = load->p_vaddr + load->p_filesz;
  uint64_t first
      = segment->p_vaddr > load->p_vaddr ? segment->p_vaddr : load->p_vaddr;
  range.begin = load->p_offset + (first - load->p_vaddr);
  range.end = load->p_offset + ((end < last ? end : last) - load->p_vaddr);
  return range;
}

static void
range_nearest (struct interval *best, struct interval candidate, uint64_t from)
{
  if (candidate.end <= from || candidate.begin >= candidate.end)
    return;
  if (candidate.begin < from)
    candidate.begin = from;
  if (candidate.begin < best->begin
      || (candidate.begin == best->begin && candidate.end > best->end))
    *best = candidate;
}

struct interval
section_table_range (const struct image *image)
{
  uint64_t size = image->n_sections * sizeof (Elf64_Shdr);
  return (struct interval){ image->header.e_shoff,
                            image->header.e_shoff + size };
}

struct interval
segment_table_range (const struct image *image)
{
  uint64_t size = image->n_segments * sizeof (Elf64_Phdr);
  return (struct interval){ image->header.e_phoff,
                            image->header.e_phoff + size };
}

bool
segment_is_buried (const struct image *image, const GElf_Phdr *segment)
{
  struct interval table = segment_table_range (image);
  return (segment->p_type == PT_NOTE || segment->p_type == PT_GNU_PROPERTY)
         && segment->p_offset >= table.begin && segment->p_offset < table.end;
}

struct interval
owner_next (const struct image *image, uint64_t from, unsigned left_out)
{
  struct interval best = { UINT64_MAX, UINT64_MAX };
  range_nearest (&best, (struct interval){ 0, sizeof (Elf64_Ehdr) }, from);
  range_nearest (&best, segment_table_range (image), from);
  if (!(left_out & LEAVE_OUT_SECTION_TABLE))
    range_nearest (&best, section_table_range (image), from);
  FOR_EACH_SECTION (section, image)
    range_nearest (&best, section_range (section), from);
  FOR_EACH_SEGMENT (segment, image)
    {
      /* PT_PHDR is the table; lld makes it one entry too large when it drops
         a segment late.  */
      if (segment->p_type != PT_LOAD && segment->p_type != PT_PHDR
          && !segment_is_buried (image, segment)
          && !(segment->p_type == PT_NOTE && (left_out & LEAVE_OUT_NOTES)))
        range_nearest (&best, segment_range (image, segment), from);
    }
  return best;
}

static void
raise_to (uint64_t *last, struct interval range)
{
  if (range.end > *last)
    *last = range.end;
}

uint64_t
owner_last (const struct image *image)
{
  uint64_t last = sizeof (Elf64_Ehdr);
  raise_to (&last, segment_table_range (image));
  raise_to (&last, section_table_range (image));
  FOR_EACH_SECTION (section, image)
    raise_to (&last, section_range (section));
  FOR_EACH_LOAD (load, image)
    raise_to (&last, segment_range (image, load));
  return last;
}

/* The first bytes at or behind FROM that are loaded or have an owner.  */
static struct interval
accounted_next (const struct image *image, uint64_t from)
{
  struct interval best = owner_next (image, from, 0);
  FOR_EACH_LOAD (load, image)
    range_nearest (&best, segment_range (image, load), from);
  return best;
}

/* Whether the bytes of the file from BEGIN to END are padding: filler, or all
   the same, such as the traps that lld puts behind code.  */
static bool
is_padding (const struct image *image, uint64_t begin, uint64_t end)
{
  const uint8_t *bytes = image->bytes + begin;
  return end - begin < 2 || memcmp (bytes, bytes + 1, end - begin - 1) == 0
         || range_is_filler (image, begin, end);
}

bool
owners_account_for_all (const struct image *image, uint64_t from)
{
  size_t looks = LOOKS_MAX / (image->n_sections + image->n_segments + 1);
  for (uint64_t at = from; at < image->size; looks--)
    {
      struct interval next = accounted_next (image, at);
      uint64_t end = next.begin < image->size ? next.begin : image->size;
      if (looks == 0 || !is_padding (image, at, end))
        return false;
      at = next.end;
    }
  return true;
}

const GElf_Phdr *
load_of (const struct image *image, struct interval range)
{
  FOR_EACH_LOAD (load, image)
    if (range.begin >= load->p_offset
        && range.end - load->p_offset <= load->p_filesz)
      return load;
  return NULL;
}

const GElf_Phdr *
owner_of_table (const struct image *image)
{
  return load_of (image, segment_table_range (image));
}

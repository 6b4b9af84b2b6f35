/* Planning how a debug file gets the section headers of its program, which was
   converted.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "write/debug_twin.h"

#include <string.h>

#include "base/mapped_file.h"
#include "place/layout.h"

enum
{
  /* Sections that have another number in the other file, and need a search by
     name.  A damaged file could have thousands of them.  */
  SEARCHES_MAX = 1024,
  /* Calls of owner_next, which looks at all headers.  Programs need few.  */
  OWNERS_MAX = 4096,
  CRC_WORD_SIZE = 4
};

/* A search for bytes of code, with its limits.  */
struct code_search
{
  const struct image *debug;
  uint64_t bytes;  /* number of bytes that may still be looked at */
  unsigned owners; /* number of calls of owner_next */
};

/* Whether RANGE of the file has bytes that may be code: they are not zero, and
   owner_next finds no owner.  True when a limit is reached.  */
static bool
has_code_in (struct code_search *search, struct interval range)
{
  if (range.end > search->debug->size)
    range.end = search->debug->size;
  while (range.begin < range.end)
    {
      struct interval owner = owner_next (search->debug, range.begin, 0);
      uint64_t end = owner.begin < range.end ? owner.begin : range.end;
      uint64_t size = end - range.begin;
      if (search->owners++ == OWNERS_MAX || size > search->bytes
          || !range_is_zero (search->debug, range.begin, size))
        return true;
      search->bytes -= size;
      range.begin = owner.end;
    }
  return false;
}

/* Return the file range that SEGMENT loads for SECTION; { 0, 0 } for none.  */
static struct interval
file_range (const GElf_Phdr *segment, const GElf_Shdr *section)
{
  uint64_t begin = section->sh_addr - segment->p_vaddr, end;
  if (segment->p_type != PT_LOAD || section->sh_addr < segment->p_vaddr
      || begin >= segment->p_filesz
      || __builtin_add_overflow (begin, section->sh_size, &end))
    return (struct interval){ 0, 0 };
  if (end > segment->p_filesz)
    end = segment->p_filesz;
  struct interval range;
  if (__builtin_add_overflow (segment->p_offset, begin, &range.begin)
      || __builtin_add_overflow (segment->p_offset, end, &range.end))
    return (struct interval){ 0, 0 };
  return range;
}

bool
debug_twin_check_codeless (const struct image *debug, struct error *err)
{
  struct code_search search = { .debug = debug, .bytes = debug->size };
  FOR_EACH_SECTION (section, debug)
    {
      if (!image_section_is_code (section))
        continue;
      /* The image has changed the segments of a debug file to empty ones, so
         the original headers are read again.  */
      GElf_Phdr segment;
      for (size_t k = 0; k < debug->n_segments; k++)
        if (gelf_getphdr (debug->elf, (int)k, &segment) != NULL
            && has_code_in (&search, file_range (&segment, &section->header)))
          return error_set (err, CFI2SFRAME_REFUSED,
                            "it has code that its section headers deny");
    }
  return true;
}

static bool
is_loaded (const struct image_section *section)
{
  return section->header.sh_type != SHT_NULL
         && (section->header.sh_flags & SHF_ALLOC);
}

/* Return the index in OTHER of the section that is INDEX in IMAGE, or 0.  In
   most files it is the same: tools that split files keep the indices.  */
static size_t
find_counterpart (const struct image *image, size_t index,
                  const struct image *other, size_t *n_searches)
{
  const char *name = image->sections[index].name;
  if (index < other->n_sections && is_loaded (&other->sections[index])
      && strcmp (other->sections[index].name, name) == 0)
    return index;
  if (++*n_searches > SEARCHES_MAX)
    return 0;
  for (size_t i = 1; i < other->n_sections; i++)
    if (is_loaded (&other->sections[i])
        && strcmp (other->sections[i].name, name) == 0)
      return i;
  return 0;
}

static bool
is_same_place (const GElf_Shdr *a, const GElf_Shdr *b)
{
  return a->sh_addr == b->sh_addr && a->sh_size == b->sh_size;
}

/* Whether the first segments begin or end at different addresses.  Readers add
   such a difference to all addresses.  */
static bool
first_loads_differ (const struct image *debug, const struct image *program)
{
  const GElf_Phdr *own = image_first_load (debug),
                  *theirs = image_first_load (program);
  return own != NULL && theirs != NULL
         && (own->p_vaddr != theirs->p_vaddr
             || own->p_memsz != theirs->p_memsz);
}

/* Whether B has A's loaded sections, if IN_PLACE at equal addresses.  */
static bool
has_sections_of (const struct image *b, const struct image *a, bool in_place)
{
  size_t n_searches = 0;
  for (size_t i = 1; i < a->n_sections; i++)
    {
      if (!is_loaded (&a->sections[i]))
        continue;
      size_t k = find_counterpart (a, i, b, &n_searches);
      if (k == 0
          || (in_place
              && !is_same_place (&a->sections[i].header,
                                 &b->sections[k].header)))
        return false;
    }
  return true;
}

bool
debug_twin_check_sections (const struct image *debug,
                           const struct image *program, struct error *err)
{
  return has_sections_of (program, debug, false)
         || error_set (err, CFI2SFRAME_REFUSED,
                       "it has a loaded section that the program lacks");
}

uint8_t *
debug_twin_preview (const struct image *debug, const struct plan *plan,
                    struct error *err)
{
  uint8_t *bytes = mapped_file_open_longer (debug->fd, (size_t)debug->size,
                                            (size_t)plan->new_size, err);
  for (size_t i = 0; bytes != NULL && i < plan->n_patches; i++)
    memcpy (bytes + plan->patches[i].offset, plan->patches[i].bytes,
            plan->patches[i].size);
  return bytes;
}

bool
debug_twin_is_in_step (const struct image *debug, const struct image *program)
{
  return has_sections_of (debug, program, true)
         && has_sections_of (program, debug, true)
         && !first_loads_differ (debug, program);
}

/* Give the section headers of the debug file the addresses and sizes of those
   of PROGRAM, and add headers of missing sections, without contents.  Set
   *CHANGED if any header changes.  */
static bool
follow_sections (struct layout *layout, const struct image *program,
                 bool *changed)
{
  size_t n_searches = 0;
  for (size_t i = 1; i < program->n_sections; i++)
    {
      const struct image_section *section = &program->sections[i];
      if (!is_loaded (section))
        continue;
      size_t k = find_counterpart (program, i, layout->image, &n_searches);
      if (k == 0 && layout->n_new_sections == NEW_SECTIONS_MAX)
        return error_set (layout->err, CFI2SFRAME_REFUSED,
                          "it lacks more sections than a conversion adds");
      if (k == 0)
        {
          GElf_Shdr header = section->header;
          header.sh_type = SHT_NOBITS;
          header.sh_offset = layout->image->size;
          header.sh_link = header.sh_info = 0;
          layout_add_section (layout, section->name, &header);
        }
      else
        {
          layout->moved[k]
              = section->header.sh_addr - layout->sections[k].sh_addr;
          *changed |= !is_same_place (&section->header, &layout->sections[k]);
          layout->sections[k].sh_addr = section->header.sh_addr;
          layout->sections[k].sh_size = section->header.sh_size;
        }
    }
  *changed |= layout->n_new_sections > 0;
  return true;
}

static bool
plan_headers (struct layout *layout, const struct image *program)
{
  const GElf_Phdr *own = image_first_load (layout->image);
  bool changed = first_loads_differ (layout->image, program);
  /* The first PT_LOAD gets the addresses of the program's.  Its file range
     stays empty, as the image has made it.  */
  if (changed)
    {
      GElf_Phdr *load = &layout->segments[own - layout->image->segments];
      const GElf_Phdr *theirs = image_first_load (program);
      load->p_vaddr = theirs->p_vaddr;
      load->p_paddr = theirs->p_paddr;
      load->p_memsz = theirs->p_memsz;
    }
  if (!follow_sections (layout, program, &changed))
    return false;
  if (!changed)
    return error_set_word (layout->err, CFI2SFRAME_NOTHING, WORD_IN_STEP,
                           "the debug file is in step already");
  if (!debug_twin_check_sections (layout->image, program, layout->err))
    return false;
  if (!layout_patch_symbols (layout) || !layout_finish (layout, false))
    return false;
  layout->plan->new_size += CRC_WORD_SIZE;
  return plan_add_patch (layout->plan, layout->end, CRC_WORD_SIZE, layout->err)
         != NULL;
}

bool
debug_twin_plan (struct plan *plan, const struct image *debug,
                 const struct image *program, struct error *err)
{
  struct layout layout = { .image = debug, .plan = plan, .err = err };
  *plan = (struct plan){ 0 };
  const struct image_section *names = &debug->sections[debug->section_names];
  if (debug->section_names == 0 || image_section_bytes (debug, names) == NULL
      || program->n_sections == 0)
    return error_set (err, CFI2SFRAME_NOTHING,
                      "no section headers to compare");
  bool done = layout_init (&layout) && plan_headers (&layout, program);
  layout_free (&layout);
  return done;
}

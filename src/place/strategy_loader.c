/* The dynamic loader itself.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Kernels up to 6.6 map the interpreter with one BSS computation at the end:
   with a segment behind the BSS, the BSS is not zeroed, and a last segment
   that is read-only makes exec fail.  So the BSS is given bytes in the file,
   and the new segment ends at a page boundary, where there is nothing left to
   zero.  */

#include <config.h>

#include "place/layout.h"

#include <string.h>

#include "place/placing.h"

static bool
has_prefix (const char *name, const char *prefix)
{
  return strncmp (name, prefix, strlen (prefix)) == 0;
}

/* ld64-uClibc.so.1, ld-linux-x86-64.so.2, ld64.so.1, libc.musl-x86_64.so.1  */
static bool
is_loader_name (const char *name)
{
  return has_prefix (name, "ld-") || has_prefix (name, "ld64.so")
         || has_prefix (name, "ld64-") || has_prefix (name, "ld.so")
         || has_prefix (name, "libc.musl-");
}

bool
layout_is_loader_name (const char *path)
{
  const char *slash = strrchr (path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  return is_loader_name (name) && strstr (name, ".so") != NULL;
}

bool
layout_may_be_loader (const struct image *image)
{
  return image->header.e_type == ET_DYN && image->header.e_entry != 0
         && image_find_segment (image, PT_INTERP) == NULL;
}

/* Whether the string table holds NAME as a whole string.  */
static bool
has_string (const char *strings, uint64_t size, const char *name)
{
  size_t length = strlen (name) + 1;
  const char *found = memmem (strings, size, name, length);
  return found != NULL && (found == strings || found[-1] == '\0');
}

/* The string table is searched first, as few files have these names.  */
static bool
has_dynamic (const struct image *image, const char *strings, uint64_t size,
             const char *name)
{
  return has_string (strings, size, name) && dynamic_may_define (image, name);
}

bool
layout_is_loader (const struct image *image)
{
  uint64_t size;
  const char *strings, *soname;
  if (!layout_may_be_loader (image)
      || (strings = dynamic_strings (image, &size)) == NULL)
    return false;
  soname = dynamic_soname (image);
  if (soname != NULL && is_loader_name (soname))
    return true;
  return has_dynamic (image, strings, size, "__tls_get_addr")
         && (has_dynamic (image, strings, size, "_r_debug")
             || has_dynamic (image, strings, size, "_dl_debug_addr"));
}

/* strip computes the size of a segment from its sections.  */
static void
add_padding_section (struct placing *placing, const GElf_Phdr *load,
                     uint64_t begin)
{
  GElf_Shdr header = { .sh_type = SHT_PROGBITS,
                       .sh_flags = SHF_ALLOC,
                       .sh_addr = load->p_vaddr + (begin - load->p_offset),
                       .sh_offset = begin,
                       .sh_size = load->p_offset + load->p_filesz - begin,
                       .sh_addralign = 1 };
  if (header.sh_size > 0)
    table_add_section (placing, ".page_padding", &header);
}

int
layout_try_loader (struct placing *placing)
{
  struct header_slots slots;
  struct growth growth = { 0 };
  struct layout_plan *plan = placing->plan;
  if (!slots_find (placing, 2, &slots) || !growth_measure (placing, &growth))
    return 0;
  const GElf_Phdr *last = &placing->image->segments[growth.load];
  uint64_t offset, address, end, page_end;
  /* At a page's start, so that strip cannot put .sframe into the page of the
     BSS.  */
  round_up (placing->image->size + growth.shift, placing->page, &offset);
  address = last->p_vaddr + (growth.new_end - last->p_offset);
  end = offset + plan->sframe_size;
  if (!slots_place_units (&slots, &end, address + plan->sframe_size)
      || !round_up (end, placing->page, &page_end))
    return placing_impossible (placing, "the address space is full");
  GElf_Phdr load = { .p_type = PT_LOAD,
                     .p_flags = PF_R,
                     .p_offset = offset,
                     .p_vaddr = address,
                     .p_paddr = address,
                     .p_filesz = page_end - offset,
                     .p_memsz = page_end - offset,
                     .p_align = placing->page };
  plan->strategy = slots.n_units > 0 ? LAYOUT_EVICT : LAYOUT_SPARE_SLOT;
  plan->sframe_offset = offset;
  plan->sframe_address = address;
  if (!growth_commit (placing, &growth))
    return -1;
  placing->end = page_end;
  if (!slots_commit (placing, &slots))
    return -1;
  table_add_headers (placing, &slots, &load);
  slots_add_sections (placing, &slots);
  add_padding_section (placing, &load, end);
  table_add_sframe_section (placing);
  return table_finish (placing) ? 1 : -1;
}

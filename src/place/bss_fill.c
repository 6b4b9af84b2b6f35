/* The BSS of the last segment gets bytes in the file, so that something can
   follow it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/bss_fill.h"

#include "base/align.h"
#include "place/owners.h"

/* Only sections and segments that are not loaded may shift.  */
static bool
bss_fill_check (const struct draft *draft, const struct bss_fill *fill)
{
  const struct image *image = draft->image;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      bool contents = image_section_has_bytes (header) && header->sh_size > 0;
      bool behind = header->sh_offset >= fill->old_end;
      if (contents
          && (behind ? (header->sh_flags & SHF_ALLOC) != 0
                     : header->sh_size > fill->old_end - header->sh_offset))
        return draft_impossible (draft,
                                 "section %.40s is in the way of the BSS",
                                 image->sections[i].name);
    }
  for (size_t i = 0; i < image->n_segments; i++)
    if (segment_range (image, &image->segments[i]).end > fill->old_end)
      return draft_impossible (draft, "segment %zu is in the way of the BSS",
                               i);
  return owners_account_for_all (image, fill->old_end)
         || draft_impossible (draft, "bytes that no header accounts for would "
                                     "move");
}

/* A shift by 64 bytes keeps the alignment of whatever follows.  */
void
bss_fill_extend (struct bss_fill *fill, uint64_t new_end)
{
  fill->new_end = new_end;
  fill->shift = align_up (new_end - fill->old_end, 64);
}

bool
bss_fill_measure (const struct draft *draft, struct bss_fill *fill)
{
  const GElf_Phdr *load = draft_last_load (draft);
  uint64_t page_end;
  if (!(load->p_flags & PF_W)
      || !align_up_checked (load->p_vaddr + load->p_memsz, draft->page,
                            &page_end)
      || load->p_offset > UINT64_MAX / 2)
    return draft_impossible (draft, "the last segment is not writable");
  fill->load = (size_t)(load - draft->image->segments);
  fill->old_end = load->p_offset + load->p_filesz;
  fill->new_end = load->p_offset + (page_end - load->p_vaddr);
  if (fill->new_end - fill->old_end > GROWTH_MAX)
    return draft_impossible (draft, "the BSS is too large");
  bss_fill_extend (fill, fill->new_end);
  return bss_fill_check (draft, fill);
}

bool
bss_fill_commit (struct draft *draft, const struct bss_fill *fill)
{
  const struct image *image = draft->image;
  GElf_Phdr *load = &draft->segments[fill->load];
  for (size_t i = 1; i < image->n_sections; i++)
    {
      GElf_Shdr *header = &draft->sections[i];
      if (header->sh_type == SHT_NOBITS && (header->sh_flags & SHF_ALLOC)
          && !(header->sh_flags & SHF_TLS) && header->sh_addr >= load->p_vaddr)
        {
          header->sh_type = SHT_PROGBITS;
          header->sh_offset
              = load->p_offset + (header->sh_addr - load->p_vaddr);
        }
      else if (image_section_has_bytes (header)
               && !(header->sh_flags
                    & SHF_ALLOC) /* empty sections may end there */
               && header->sh_offset >= fill->old_end)
        header->sh_offset += fill->shift;
    }
  load->p_filesz = load->p_memsz;
  uint64_t tail = image->size - fill->old_end;
  draft->end = image->size + fill->shift;
  return plan_clear (draft->plan, fill->old_end, UINT64_MAX - fill->old_end,
                     draft->err)
         && plan_copy (draft->plan, fill->old_end, fill->old_end + fill->shift,
                       tail, draft->err);
}

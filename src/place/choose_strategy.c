/* All strategies to place .sframe, but for grow-down, and the order in which
   they are tried.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A strategy finds room for program headers (header_room_find) and a place for
   .sframe, and has a plan made of both (placement_commit).
   doc/formats/injection, "How often", counts files by strategy.  */

#include <config.h>

#include "place/choose_strategy.h"

#include <string.h>

#include "base/align.h"
#include "elf/notes.h"
#include "place/facts.h"
#include "place/header_room.h"
#include "place/refusals.h"

enum
{
  GAP_MIN = 128,           /* bytes; a .dynamic does not fit into less */
  MEMORY_GAP_MAX = 1 << 30 /* bytes of memory without contents */
};

/* ---- Placements */

/* Where .sframe goes, and all that moves for it.  */
struct placement
{
  uint64_t offset, address; /* of .sframe; multiples of 8 */
  uint64_t end;  /* file offset behind .sframe and the chunks that follow it,
                    by placement_place_chunks; 0: no byte is added */
  bool new_load; /* a new segment has all of these, up to load_end */
  uint64_t load_end; /* page boundary behind END; 0: END */
  size_t load;       /* else the index of the segment that grows up to END; in
                        slack_fits that of the segment in front */
  uint32_t code;     /* PF_X for a new segment next to code, else 0 */
  bool symbols_anywhere; /* symbol tables may go behind .sframe, whatever the
                            difference between address and offset there */
  struct header_room room;
};

/* Whether each symbol table that moves has a place where libunwind finds it
   (eviction.h): its fallback, or behind .sframe, if address and offset differ
   there by as much as they did.  All chunks come from one segment.  */
static bool
placement_serves_symbols (const struct placement *placement)
{
  const struct eviction *eviction = &placement->room.eviction;
  const struct chunk *chunk = &eviction->chunks[0];
  return placement->symbols_anywhere
         || eviction_has_symbol_fallbacks (eviction)
         || placement->address - placement->offset
                == chunk->address - chunk->offset;
}

/* Place the chunks that have no place yet: behind .sframe, or at their
   fallback if their address and offset would disagree behind .sframe
   (eviction_place_rest).  Set placement->end behind the last of them.  The
   layout does not change.  False with layout->reason when the address space is
   full, or a symbol table has no place; then PLACEMENT is half-made.  */
static bool
placement_place_chunks (const struct layout *layout,
                        struct placement *placement)
{
  uint64_t size = layout->request->sframe_size;
  uint64_t end_address;
  if (!placement_serves_symbols (placement))
    return layout_reject (layout, "symbol tables that move have no place");
  return (!__builtin_add_overflow (placement->offset, size, &placement->end)
          && eviction_place_rest (&placement->room.eviction, &placement->end,
                                  placement->address + size)
          && !__builtin_add_overflow (placement->address,
                                      placement->end - placement->offset,
                                      &end_address))
         || layout_reject (layout, "the address space is full");
}

/* Set the range of the PT_NOTE for all notes, and write the empty notes.  */
static bool
commit_notes (struct layout *layout, const struct gathered_notes *notes)
{
  GElf_Phdr *kept = &layout->segments[notes->segments[0]];
  if (notes->end == 0)
    return true;
  uint64_t delta = notes->begin - kept->p_offset;
  segment_move (kept, delta, delta);
  kept->p_filesz = kept->p_memsz = notes->end - notes->begin;
  kept->p_align = notes->align;
  for (size_t i = 0; i < notes->n_fillers; i++)
    {
      uint8_t *bytes = plan_add_patch (layout->plan, notes->fillers[i],
                                       NOTE_FILLER_SIZE, layout->err);
      if (bytes == NULL)
        return false;
      note_filler_write (bytes, layout->image->big_endian);
    }
  return true;
}

/* patchelf packs the sections that it changes in an ET_EXEC file into the
   bytes in front of the first PROGBITS section if they suffice.  .dynamic may
   be among these sections, although the segment there is not writable.  The
   bytes that eviction has freed may suffice, so they get a section.  */
static void
add_gap_section (struct layout *layout, const struct header_room *room)
{
  uint64_t table_end = room->spare.table_end;
  uint64_t begin = eviction_free_begin (&room->eviction, table_end);
  if (room->eviction.n_chunks == 0 || layout->header.e_type != ET_EXEC)
    return;
  if (begin == table_end)
    begin += sizeof (Elf64_Phdr);
  begin = align_up (begin, 8);
  if (begin + GAP_MIN > room->eviction.freed[0].end)
    return;
  layout_add_loaded_section (
      layout, ".old_tables", SHT_PROGBITS,
      (struct interval){ begin, room->eviction.freed[0].end }, 8);
}

static void
add_sections (struct layout *layout, const struct placement *placement)
{
  const struct gathered_notes *notes = &placement->room.spare.notes;
  for (size_t i = 0; i < notes->n_fillers; i++)
    layout_add_loaded_section (
        layout, ".note.filler", SHT_NOTE,
        interval_at (notes->fillers[i], NOTE_FILLER_SIZE), 8);
  add_gap_section (layout, &placement->room);
  /* strip computes the size of a segment from its sections, so the bytes up to
     the page's end need a section.  */
  if (placement->load_end > placement->end)
    layout_add_loaded_section (
        layout, ".page_padding", SHT_PROGBITS,
        (struct interval){ placement->end, placement->load_end }, 1);
  layout_add_sframe_section (layout);
}

/* Make the plan of PLACEMENT, whose chunks are all placed.  Returns PLANNED,
   or FAILED with layout->err.  */
static enum attempt
placement_commit (struct layout *layout, const struct placement *placement)
{
  const struct header_room *room = &placement->room;
  uint64_t end
      = placement->load_end > 0 ? placement->load_end : placement->end;
  bool adds = placement->end > 0;
  GElf_Phdr load = layout_new_segment (
      layout, PT_LOAD, (struct interval){ placement->offset, end },
      placement->address, layout->page);
  load.p_flags |= placement->code;
  layout->plan->sframe_offset = placement->offset;
  layout->plan->sframe_address = placement->address;
  if (adds)
    {
      GElf_Phdr *grown = &layout->segments[placement->load];
      if (!placement->new_load)
        grown->p_filesz = grown->p_memsz = end - grown->p_offset;
      if (end > layout->end)
        layout->end = end;
      if (!plan_clear (layout->plan, placement->offset,
                       end - placement->offset, layout->err))
        return FAILED;
    }
  if (!eviction_commit (layout, &room->eviction)
      || !commit_notes (layout, &room->spare.notes))
    return FAILED;
  layout_add_segments (layout, &room->spare.dropped,
                       placement->new_load ? &load : NULL);
  add_sections (layout, placement);
  return layout_finish (layout, !adds) ? PLANNED : FAILED;
}

/* ---- reuse

   .sframe takes the place of an older one, made by this program or a linker,
   that is not smaller.  Nothing grows and nothing moves: the program header
   and the section header get new sizes, in their tables.  Where the old one
   has no program header (lld 22 makes none) this needs a spare entry.  */

static enum attempt
try_reuse (struct layout *layout)
{
  const struct image *image = layout->image;
  const struct sframe_place *old = layout->request->replaced;
  struct placement placement = { 0 };
  if (old == NULL || old->section == 0)
    return layout_reject (layout, "no section to reuse");
  const GElf_Phdr *load = image_load_at (image, old->address);
  /* The old one must be large enough, aligned, and in a read-only segment.  */
  if (layout->request->sframe_size > old->size || (old->address & 7) != 0
      || load == NULL || (load->p_flags & (PF_R | PF_W)) != PF_R
      || image_bytes_at (image, old->address, old->size)
             != image->bytes + old->offset)
    return layout_reject (
        layout, "the new .sframe does not fit in the old one's place");
  /* No bytes are added, so there is no place for evicted sections.  */
  if (!header_room_find (layout, 1, &placement.room)
      || placement.room.eviction.n_chunks > 0)
    return layout_reject (layout, "no free program header");
  placement.offset = old->offset;
  placement.address = old->address;
  return placement_commit (layout, &placement);
}

/* ---- slack

   .sframe goes into the padding between the end of a segment and the next
   page, where the next segment begins.  */

static bool
all_fits (const struct layout *layout, struct placement *placement)
{
  if (!placement_place_chunks (layout, placement)
      || !slack_reaches (layout->image, placement->load, placement->end))
    return false;
  /* No fallback may be in the bytes of PLACEMENT: segments that end with the
     same bytes of the file have the same padding.  */
  for (size_t i = 0; i < placement->room.eviction.n_chunks; i++)
    {
      const struct chunk *chunk = &placement->room.eviction.chunks[i];
      if (chunk->placed && chunk->new_offset < placement->end
          && chunk->new_offset + chunk->size > placement->offset)
        return false;
    }
  return true;
}

/* Try the padding behind segment INDEX, from the next multiple of ALIGN on,
   for .sframe and all chunks, and then without the chunks that can go to their
   fallbacks instead.  Set PLACEMENT if one of these fits.  Otherwise leave it
   as it was, because a chunk that has got a place behind one segment may be in
   the way behind another.  */
static bool
slack_fits (const struct layout *layout, struct placement *placement,
            size_t index, uint64_t align)
{
  const GElf_Phdr *load = &layout->image->segments[index];
  struct placement found = *placement;
  found.load = index;
  if (!align_up_checked (load->p_vaddr + load->p_memsz, align, &found.address))
    return false;
  found.offset = load->p_offset + (found.address - load->p_vaddr);
  struct placement apart = found;
  if (!all_fits (layout, &found))
    {
      if (!eviction_use_fallbacks (&apart.room.eviction)
          || !all_fits (layout, &apart))
        return false;
      found = apart;
    }
  *placement = found;
  return true;
}

static bool
slack_find (const struct layout *layout, struct placement *placement)
{
  for (size_t at = 0, index; slack_next (layout->image, &at, &index);)
    if (slack_fits (layout, placement, index, 8))
      return true;
  return false;
}

static enum attempt
try_slack (struct layout *layout)
{
  struct placement placement = { 0 };
  /* In most files the padding is too small even without evicted sections.  So
     the first look is for .sframe alone, before header_room_find.  */
  if (!slack_find (layout, &placement))
    return layout_reject (layout, "no padding is large enough");
  if (!header_room_find (layout, 1, &placement.room))
    return DOES_NOT_APPLY;
  if (!slack_find (layout, &placement))
    return layout_reject (layout, "no padding is large enough");
  return placement_commit (layout, &placement);
}

/* ---- A BSS with bytes in the file

   When the BSS has bytes in the file, other bytes can follow the last segment
   there.  The strategy for loaders and grow-data need that.  */

/* What changes in the file when the BSS gets bytes there.  */
struct bss_fill
{
  size_t load;      /* index of the last segment, which has the BSS */
  uint64_t old_end; /* file offset of the segment's end */
  uint64_t new_end; /* the same with the BSS, up to the page's end */
  uint64_t address; /* address of NEW_END */
  uint64_t shift;   /* of the bytes behind the segment in the file */
};

/* Whether no section and no segment behind the last segment's bytes is loaded,
   so that they may shift.  False with layout->reason.  */
static bool
bss_fill_check (struct layout *layout, const struct bss_fill *fill)
{
  const struct image *image = layout->image;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      bool contents = image_section_has_bytes (header) && header->sh_size > 0;
      bool behind = header->sh_offset >= fill->old_end;
      if (contents
          && (behind ? (header->sh_flags & SHF_ALLOC) != 0
                     : header->sh_size > fill->old_end - header->sh_offset))
        return layout_reject (layout, "section %.40s is in the way of the BSS",
                              image->sections[i].name);
    }
  for (size_t i = 0; i < image->n_segments; i++)
    if (segment_range (image, &image->segments[i]).end > fill->old_end)
      return layout_reject (layout, "segment %zu is in the way of the BSS", i);
  return layout_may_shift (layout, fill->old_end);
}

/* Let the segment end at file offset NEW_END.  The rest of the file shifts by
   a multiple of 64, which keeps all usual alignments.  */
static void
bss_fill_extend (struct bss_fill *fill, uint64_t new_end)
{
  fill->new_end = new_end;
  fill->shift = align_up (new_end - fill->old_end, 64);
}

/* Whether the BSS can have bytes in the file; false with layout->reason.  */
static bool
bss_fill_measure (struct layout *layout, struct bss_fill *fill)
{
  const GElf_Phdr *load = image_last_load (layout->image);
  if (!(load->p_flags & PF_W)
      || !align_up_checked (load->p_vaddr + load->p_memsz, layout->page,
                            &fill->address)
      || load->p_offset > UINT64_MAX / 2)
    return layout_reject (layout, "the last segment is not writable");
  fill->load = (size_t)(load - layout->image->segments);
  fill->old_end = load->p_offset + load->p_filesz;
  bss_fill_extend (fill, load->p_offset + (fill->address - load->p_vaddr));
  if (fill->new_end - fill->old_end > GROWTH_MAX)
    return layout_reject (layout, "the BSS is too large");
  return bss_fill_check (layout, fill);
}

/* Give the BSS bytes in the file, and shift the rest of the file.  */
static bool
bss_fill_commit (struct layout *layout, const struct bss_fill *fill)
{
  const struct image *image = layout->image;
  GElf_Phdr *load = &layout->segments[fill->load];
  for (size_t i = 1; i < image->n_sections; i++)
    {
      GElf_Shdr *header = &layout->sections[i];
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
  layout->end = image->size + fill->shift;
  return plan_clear (layout->plan, fill->old_end, UINT64_MAX - fill->old_end,
                     layout->err)
         && plan_copy (layout->plan, fill->old_end,
                       fill->old_end + fill->shift, tail, layout->err);
}

/* ---- spare-slot and evict

   .sframe goes into a new read-only segment at the end of the file: for nearly
   all files without enough slack.  Where the new headers fit without moving
   anything, as in libraries that patchelf has changed, the name is
   "spare-slot", else "evict".  */

/* Whether the memory of IMAGE may have a gap of GAP bytes in front of .sframe.
   SFrame V1 and V2 reach functions within 2 GiB.  A kernel may map the vDSO
   into a gap in the memory of a static PIE, and eu-unstrip does not find the
   vDSO of a core there.  */
static bool
gap_is_harmless (const struct layout *layout, uint64_t gap)
{
  bool static_pie
      = loader_may_be (layout->image) && !image_is_library (layout->image);
  return gap < (static_pie ? layout->page : MEMORY_GAP_MAX);
}

/* If a symbol table has to go behind .sframe, advance PLACEMENT, which is
   behind the end of the file and of the memory, until address and offset
   differ by as much as they did for the table.  The file then has padding, or
   the memory has a gap.  Where a dynamic loader would have a gap, the tables
   go anywhere, because grow-data is not for loaders.  False with
   layout->reason.  */
static bool
placement_align_for_symbols (const struct layout *layout,
                             struct placement *placement)
{
  const struct chunk *chunk = &placement->room.eviction.chunks[0];
  uint64_t difference = chunk->address - chunk->offset;
  if (placement_serves_symbols (placement))
    return true;
  uint64_t address = placement->address & -layout->page;
  uint64_t offset = placement->offset;
  if (address - difference > offset)
    offset = address - difference;
  uint64_t gap = offset + difference - address;
  placement->symbols_anywhere = layout->loader && gap >= layout->page;
  if ((difference & (layout->page - 1)) != 0
      || offset - placement->offset > GROWTH_MAX
      || !(placement->symbols_anywhere || gap_is_harmless (layout, gap)))
    return layout_reject (layout, "symbol tables that move have no place");
  if (placement->symbols_anywhere)
    return true;
  placement->offset = offset;
  placement->address = offset + difference;
  /* GNU strip takes the padding away.  Programs read chunks with a segment in
     memory, so these chunks must not go where strip moves bytes.  */
  eviction_use_fallbacks (&placement->room.eviction);
  return true;
}

/* Kernels up to 6.6 work out the BSS of an interpreter, which is a dynamic
   loader, only once, behind all segments.  With a segment behind the BSS, they
   do not zero the BSS, and if that segment is read-only, they fail to start
   the program.  So the BSS gets bytes in the file, and the new segment ends at
   a page boundary, where nothing is left to zero.  */
static enum attempt
append_to_loader (struct layout *layout, struct placement *placement)
{
  struct bss_fill fill = { 0 };
  if (!bss_fill_measure (layout, &fill))
    return DOES_NOT_APPLY;
  /* .sframe begins at a page, so that strip cannot put it beside the BSS.  */
  placement->address = fill.address;
  if (!align_up_checked (layout->image->size + fill.shift, layout->page,
                         &placement->offset))
    return layout_reject (layout, "the address space is full");
  if (!placement_align_for_symbols (layout, placement)
      || !placement_place_chunks (layout, placement))
    return DOES_NOT_APPLY;
  if (!align_up_checked (placement->end, layout->page, &placement->load_end))
    return layout_reject (layout, "the address space is full");
  return bss_fill_commit (layout, &fill) ? placement_commit (layout, placement)
                                         : FAILED;
}

/* Whether .sframe has room in the padding behind the first segment.  That
   segment must not grow (slack_next), so .sframe gets a segment of its own
   with the same rights there, from the next page of PAGE_MIN on.  A larger
   page has bytes of both segments, and a loader maps that page twice, with the
   same bytes.  Linux 4.17 to 5.3 does not do so for programs
   (MAP_FIXED_NOREPLACE in fs/binfmt_elf.c), but leaves libraries to the
   dynamic linker.  The new segment is aligned to the largest page, so address
   and offset of the first must differ by a multiple of that page.  */
static bool
find_place_behind_first (const struct layout *layout,
                         struct placement *placement)
{
  const struct image *image = layout->image;
  const GElf_Phdr *first = image_first_load (image);
  if (!image_is_library (image) || first->p_filesz != first->p_memsz
      || (first->p_flags & (PF_R | PF_W)) != PF_R
      || ((first->p_vaddr - first->p_offset) & (layout->page - 1)) != 0
      || !slack_fits (layout, placement, (size_t)(first - image->segments),
                      PAGE_MIN))
    return false;
  placement->code = first->p_flags & PF_X;
  return true;
}

static enum attempt
try_append (struct layout *layout)
{
  struct placement placement = { .new_load = true };
  if (!header_room_find (layout, 2, &placement.room))
    return DOES_NOT_APPLY;
  if (layout->loader)
    return append_to_loader (layout, &placement);
  if (find_place_behind_first (layout, &placement))
    return placement_commit (layout, &placement);

  /* The offset within the page is that of the file's end, so that the file
     needs no padding.  The bytes in front are mapped, too.  */
  const GElf_Phdr *last = image_last_load (layout->image);
  if (!align_up_checked (layout->image->size, 16, &placement.offset)
      || !align_up_checked (last->p_vaddr + last->p_memsz, layout->page,
                            &placement.address)
      || __builtin_add_overflow (placement.address,
                                 placement.offset & (layout->page - 1),
                                 &placement.address))
    return layout_reject (layout, "the address space is full");
  return placement_align_for_symbols (layout, &placement)
                 && placement_place_chunks (layout, &placement)
             ? placement_commit (layout, &placement)
             : DOES_NOT_APPLY;
}

/* ---- grow-data

   .sframe goes behind the BSS, in the last segment: for libraries and
   position-independent programs with code that points to their notes, like
   plugins of Qt 6, Firefox and Chromium.  One program header is enough.
   .sframe is mapped writable, though no code writes to it, so this comes
   last.  */

/* Set *END to where the loaded part of the file ends at the earliest: behind
   PLACEMENT, and behind the bytes that libunwind reads for symbol tables that
   move (eviction.h).  These bytes are zeros.  A hash table of zeros has no
   symbol, and libunwind does not look further.  False if it would read other
   bytes for a hash table, or END is too far behind PLACEMENT.  */
static bool
find_end_for_symbols (const struct placement *placement, uint64_t *end)
{
  *end = placement->end;
  for (size_t i = 0; i < placement->room.eviction.n_chunks; i++)
    {
      const struct chunk *chunk = &placement->room.eviction.chunks[i];
      uint64_t read = chunk->new_address - (chunk->address - chunk->offset);
      if (!chunk->has_symbol_table || read == chunk->new_offset)
        continue;
      if (read < placement->end && !chunk->has_dynsym_alone)
        return false;
      if (read + chunk->size > *end)
        *end = read + chunk->size;
    }
  return *end - placement->end <= GROWTH_MAX;
}

static enum attempt
try_grow_data (struct layout *layout)
{
  struct placement placement = { .symbols_anywhere = true };
  struct bss_fill fill = { 0 };
  uint64_t end;
  if (!header_room_find (layout, 1, &placement.room)
      || !bss_fill_measure (layout, &fill))
    return DOES_NOT_APPLY;
  /* .sframe begins at a page, to which the program does not write.  */
  placement.offset = fill.new_end;
  placement.address = fill.address;
  placement.load = fill.load;
  if (!placement_place_chunks (layout, &placement))
    return DOES_NOT_APPLY;
  if (!find_end_for_symbols (&placement, &end))
    return layout_reject (layout, "symbol tables that move have no place");
  /* Bytes that are not loaded go behind .sframe and the chunks.  */
  bss_fill_extend (&fill, end);
  return bss_fill_commit (layout, &fill)
             ? placement_commit (layout, &placement)
             : FAILED;
}

/* ---- The order of the strategies */

static const struct strategy
{
  const char *name;     /* for reports */
  const char *evicting; /* name for reports if the strategy has evicted chunks;
                           NULL unless it may */
  bool not_of_loaders;  /* it is not tried for dynamic loaders */
  enum attempt (*plan) (struct layout *layout);
} strategies[] = {
  { .name = "reuse", .plan = try_reuse },
  { .name = "slack", .plan = try_slack },
  { .name = "spare-slot", .evicting = "evict", .plan = try_append },
  { .name = "grow-down", .not_of_loaders = true, .plan = grow_down_try },
  { .name = "grow-data", .not_of_loaders = true, .plan = try_grow_data },
};

enum
{
  N_STRATEGIES = sizeof strategies / sizeof *strategies
};

static bool
is_called (const struct strategy *strategy, const char *name)
{
  return strcmp (name, strategy->name) == 0
         || (strategy->evicting != NULL
             && strcmp (name, strategy->evicting) == 0);
}

/* Try the strategies that are for this kind of file, or the one that the
   request names, until one succeeds.  If none does, layout->reason is that of
   the evicting strategy, which is the most general one, or of a strategy that
   only layout_may_shift kept from applying.  */
static enum attempt
try_strategies (struct layout *layout)
{
  const char *only = layout->request->strategy;
  char reason[REASON_SIZE] = "no strategy of that name is for the file";
  enum attempt done = DOES_NOT_APPLY;
  for (size_t i = 0; i < N_STRATEGIES && done == DOES_NOT_APPLY; i++)
    {
      const struct strategy *strategy = &strategies[i];
      if ((strategy->not_of_loaders && layout->loader)
          || (only != NULL && !is_called (strategy, only)))
        continue;
      layout->has_unaccounted_bytes = false;
      done = strategy->plan (layout);
      bool evicts = layout->n_evicted > 0 && strategy->evicting != NULL;
      if (done == PLANNED)
        layout->plan->strategy = evicts ? strategy->evicting : strategy->name;
      if (strategy->evicting != NULL || only != NULL
          || layout->has_unaccounted_bytes)
        memcpy (reason, layout->reason, sizeof reason);
    }
  memcpy (layout->reason, reason, sizeof reason);
  return done;
}

/* Zero the bytes of the old .sframe that the new one does not cover: nothing
   refers to them any more.  They stay if the old .sframe had no section
   header, because then its size is not known.  */
static bool
clear_replaced (struct layout *layout)
{
  const struct sframe_place *replaced = layout->request->replaced;
  uint64_t offset;
  return replaced == NULL || replaced->section == 0
         || !plan_find (layout->plan, replaced->offset, replaced->size,
                        &offset)
         || plan_clear (layout->plan, offset, replaced->size, layout->err);
}

bool
choose_strategy (struct plan *plan, const struct image *image,
                 const struct plan_request *request, struct error *err)
{
  enum attempt done = FAILED;
  char reason[REASON_SIZE] = "";
  *plan = (struct plan){ .sframe_size = request->sframe_size };
  if (!refusals_check (image, err))
    return false;
  /* SFrame has offsets of 32 bits.  */
  if (request->sframe_size == 0 || request->sframe_size > UINT32_MAX)
    return error_set (err, CFI2SFRAME_INVALID, "impossible size of .sframe");
  struct layout layout
      = { .image = image,
          .request = request,
          .plan = plan,
          .err = err,
          .page = image_page (image),
          .loader = loader_is (image)
                    || (request->named_loader && loader_may_be (image)),
          .reason = reason };
  if (request->references != NULL)
    layout.references = *request->references;
  if (layout_init (&layout))
    done = try_strategies (&layout);
  if (done == PLANNED && !clear_replaced (&layout))
    done = FAILED;
  layout_free (&layout);
  if (done == DOES_NOT_APPLY)
    error_set_word (err, CFI2SFRAME_REFUSED, WORD_NO_ROOM,
                    "no room for program headers: %s", reason);
  return done == PLANNED;
}

/* Return places and padding.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/return_sites.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"

enum
{
  /* The code that is fetched is that of the FDE so many FDEs ahead.  */
  FDES_AHEAD = 2,
  CACHE_LINE = 64,
  /* Most cache lines of longer functions are never read.  */
  PREFETCHED_MAX = 1024
};

/* ---- Where calls end */

/* Whether the SIZE bytes of CODE, whose last bytes look like a call, are
   decoded to instructions of which the last one is a call.  */
static bool
ends_in_call (const struct arch *arch, const uint8_t *code, uint64_t size)
{
  bool is_call = false;
  if (arch->instruction_size == NULL)
    return size % arch->smallest_instruction == 0;
  for (uint64_t at = 0; at < size;)
    {
      unsigned step = arch->instruction_size (code + at, size - at, &is_call);
      if (step == 0)
        return true;
      at += step;
    }
  return is_call;
}

/* Whether an FDE or an entry of a PLT starts at ADDRESS.  */
static bool
is_function (const struct call_finder *finder, uint64_t address)
{
  const struct cfi_section *cfi = finder->functions;
  const struct image_section *plt = plt_sections_at (&finder->plt, address);
  if (plt != NULL)
    return (address - plt->header.sh_addr) % 8 == 0;
  if (cfi == NULL)
    return false;
  size_t at = SEARCH_FIRST (cfi->n_fdes, i, cfi->fdes[i].address >= address);
  return at < cfi->n_fdes && cfi->fdes[at].address == address;
}

/* Whether the SIZE bytes at FROM, in the finder's segment, end in a call.  */
static inline bool
code_ends_in_call (const struct call_finder *finder, uint64_t from,
                   uint64_t size)
{
  const uint8_t *code = finder->bytes + (from - finder->address);
  uint64_t target;
  if (!image_may_end_call (finder->image, code, size, from, &target))
    return false;
  return (target != 0 && is_function (finder, target))
         || ends_in_call (finder->image->arch, code, size);
}

/* Make the segment with the SIZE bytes at START the finder's, or fail.  */
static bool
has_code (struct call_finder *finder, uint64_t start, uint64_t size)
{
  if (start - finder->address >= finder->size)
    {
      const GElf_Phdr *load = image_load_at (finder->image, start);
      if (load == NULL || start - load->p_vaddr >= load->p_filesz)
        return false;
      finder->bytes
          = image_bytes_at (finder->image, load->p_vaddr, load->p_filesz);
      finder->address = load->p_vaddr;
      finder->size = finder->bytes != NULL ? load->p_filesz : 0;
    }
  uint64_t skip = start - finder->address;
  return skip < finder->size && size <= finder->size - skip;
}

bool
call_finder_ends_at (struct call_finder *finder, uint64_t start,
                     uint64_t address)
{
  return has_code (finder, start, address - start)
         && code_ends_in_call (finder, start, address - start);
}

size_t
call_finder_first (struct call_finder *finder, uint64_t base,
                   const uint32_t *offsets, size_t n)
{
  if (n < 2 || !has_code (finder, base, offsets[n - 1]))
    return n;
  const struct arch *arch = finder->image->arch;
  const uint8_t *segment = finder->bytes;
  uint64_t skip = base - finder->address;
  int32_t distance;
  /* At few offsets the bytes in front look like a call.  That test may read
     all of the segment, because no instruction has to start there.  */
  for (size_t i = 1; i < n; i++)
    if (arch->may_end_call (segment, skip + offsets[i], &distance)
        && code_ends_in_call (finder, base + offsets[i - 1],
                              offsets[i] - offsets[i - 1]))
      return i;
  return n;
}

/* Have the processor fetch SIZE bytes at START, which are needed soon.  */
static void
prefetch_code (const struct call_finder *finder, uint64_t start, uint64_t size)
{
  uint64_t skip = start - finder->address;
  if (skip >= finder->size)
    return;
  if (size > finder->size - skip)
    size = finder->size - skip;
  if (size > PREFETCHED_MAX)
    size = PREFETCHED_MAX;
  for (uint64_t at = 0; at < size; at += CACHE_LINE)
    __builtin_prefetch (finder->bytes + skip + at);
}

/* ---- Initialisation */

bool
return_sites_init (struct return_sites *sites, const struct cfi_source *source,
                   struct padding_finder *padding, struct error *err)
{
  const struct image *image = source->image;
  *sites
      = (struct return_sites){ .source = source,
                               .padding = padding,
                               .smallest_call = image->arch->smallest_call };
  sites->calls
      = (struct call_finder){ .image = image, .functions = &source->cfi };
  plt_sections_find (&sites->calls.plt, image);
  /* Nearly always enough; unused pages cost nothing.  */
  return (ARRAY_ROOM (sites->kept, source->cfi.n_fdes / 2 + 1,
                      &sites->kept_capacity)
          && ARRAY_ROOM (sites->starts,
                         cfi_section_size (&source->cfi) / 8 + 1,
                         &sites->starts_capacity))
         || error_set_no_memory (err);
}

void
return_sites_free (struct return_sites *sites)
{
  free (sites->places.offsets);
  free (sites->kept);
  free (sites->starts);
  *sites = (struct return_sites){ 0 };
}

/* ---- Kept rows */

/* Whether a reader that looks up a return address could go on with ROW.  It
   stops where the RA is in a register or undefined.  */
static bool
reader_may_use_row (const struct frame_row *row)
{
  return row->ra.kind != RULE_SAME && row->ra.kind != RULE_UNDEFINED;
}

/* Whether ROW, which is not the first one, would be wrong for the return
   address of a call at the end of the row before it: that row's code has room
   for a call, and the two rows differ.  (Two rows have the same rules where a
   register changes that SFrame does not describe.)  */
static bool
may_mislead_reader (const struct return_sites *sites,
                    const struct frame_row *row)
{
  return reader_may_use_row (row)
         && row->start - row[-1].start >= sites->smallest_call
         && !frame_row_continues (row);
}

/* Put the kept_rows of FUNCTION behind the last ones.  return_sites_keep
   counts them, if they are to be kept.  NULL when memory ran out.  */
static struct kept_rows *
keep_rows (struct return_sites *sites, const struct frame_function *function)
{
  size_t n = function->n_rows;
  if (!ARRAY_ROOM (sites->kept, sites->n_kept + 1, &sites->kept_capacity)
      || !ARRAY_ROOM (sites->starts, sites->n_starts + n,
                      &sites->starts_capacity))
    return NULL;
  const struct frame_row *first = function->rows, *last = first + n - 1;
  uint32_t *starts = &sites->starts[sites->n_starts];
  size_t n_starts = 1;
  bool plt_rule = first->cfa.kind == RULE_PLT;
  starts[0] = first->start;
  for (const struct frame_row *row = first + 1; row <= last; row++)
    {
      starts[n_starts] = row->start;
      n_starts += may_mislead_reader (sites, row);
      plt_rule |= row->cfa.kind == RULE_PLT;
    }
  struct kept_rows *kept = &sites->kept[sites->n_kept];
  *kept = (struct kept_rows){ .first_start = sites->n_starts,
                              .n_starts = n_starts,
                              .plt_rule = plt_rule,
                              .signal = function->signal,
                              .b_key = function->b_key,
                              .first = *first,
                              .last = *last };
  return kept;
}

size_t
return_sites_keep (struct return_sites *sites)
{
  sites->n_starts += sites->kept[sites->n_kept].n_starts;
  return sites->n_kept++;
}

/* ---- Finding the places */

/* Whether the code directly in front of CODE ends in a call, and CODE's first
   row is wrong for the call, because the last row of that code differs.  */
static bool
follows_call (struct return_sites *sites, const struct cfi_code *code,
              const struct kept_rows *kept)
{
  bool goes_on = sites->has_last && sites->signal == kept->signal
                 && sites->b_key == kept->b_key
                 && frame_row_same_rules (&sites->last, &kept->first);
  return sites->end == code->address && kept->first.start == 0
         && reader_may_use_row (&kept->first) && !goes_on
         && call_finder_ends_at (&sites->calls, sites->boundary, sites->end);
}

static bool
append_place (struct return_places *places, uint32_t offset)
{
  if (!ARRAY_ROOM (places->offsets, places->n + 1, &places->capacity))
    return false;
  places->offsets[places->n++] = offset;
  return true;
}

/* Find the return places of CODE.  KEPT was made of its rows.  */
static inline bool
find_places (struct return_sites *sites, const struct cfi_code *code,
             const struct kept_rows *kept)
{
  const uint32_t *starts = sites->starts + kept->first_start;
  size_t n = kept->n_starts;
  sites->places.n = 0;
  if (sites->keep_all_rows)
    return true;
  if (follows_call (sites, code, kept) && !append_place (&sites->places, 0))
    return false;
  for (size_t i = 0; (i += call_finder_first (&sites->calls, code->address,
                                              &starts[i], n - i))
                     < n;)
    if (!append_place (&sites->places, starts[i]))
      return false;
  return true;
}

/* Note CODE's end and last row, from its kept_rows KEPT, or NULL.  */
static void
note_code (struct return_sites *sites, const struct cfi_code *code,
           const struct kept_rows *kept)
{
  /* Stubs of a PLT make no calls.  */
  sites->end = code->kind == CODE_OF_STUB ? 0 : code->address + code->size;
  sites->boundary = code->address;
  sites->has_last = kept != NULL;
  if (kept == NULL)
    return;
  sites->boundary += kept->last.start;
  sites->last = kept->last;
  sites->signal = kept->signal;
  sites->b_key = kept->b_key;
}

static bool
find_places_and_padding (struct return_sites *sites,
                         const struct cfi_walk *walk, struct cfi_code *code,
                         const struct kept_rows *kept, struct error *err)
{
  if (!find_places (sites, code, kept))
    return error_set_no_memory (err);
  code->places = &sites->places;
  note_code (sites, code, kept);
  /* If no call ends in front of the padding, no return address of CODE is
     there.  Then some users need padding without a row: makecontext stores the
     first byte of a function as a return address, and readers that look up the
     address before it would find CODE's row in the padding.  */
  bool call = call_finder_ends_at (&sites->calls, sites->boundary, sites->end);
  if (call || !sites->only_behind_calls)
    {
      code->padding = cfi_walk_padding (walk, code, sites->padding);
      code->call_at_end = call && code->padding > 0;
    }
  /* Waiting for a function's code takes longer than reading the code.  */
  const struct cfi_section *cfi = &sites->source->cfi;
  size_t coming = walk->fde + FDES_AHEAD;
  if (coming < cfi->n_fdes)
    prefetch_code (&sites->calls, cfi->fdes[coming].address,
                   cfi->fdes[coming].size);
  return true;
}

bool
return_sites_apply (struct return_sites *sites, const struct cfi_walk *walk,
                    struct cfi_code *code, struct error *err)
{
  sites->can_keep = false;
  sites->places.n = 0;
  code->places = &sites->places;
  /* Nothing may be left of an FDE that overlaps others.  */
  if (!code->is_code || code->size == 0)
    return true;
  if (code->kind == CODE_OF_STUB || code->function == NULL)
    {
      note_code (sites, code, NULL);
      return true;
    }
  const struct kept_rows *kept = keep_rows (sites, code->function);
  if (kept == NULL)
    return error_set_no_memory (err);
  sites->can_keep = !kept->plt_rule;
  if (sites->can_keep)
    return find_places_and_padding (sites, walk, code, kept, err);
  note_code (sites, code, NULL);
  return true;
}

bool
return_sites_repeat (struct return_sites *sites, const struct cfi_walk *walk,
                     struct cfi_code *code, size_t kept, struct error *err)
{
  return find_places_and_padding (sites, walk, code, &sites->kept[kept], err);
}

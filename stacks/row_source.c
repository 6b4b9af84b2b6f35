/* Finding the rows of a file, or making them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/rows.h"

#include <stdlib.h>
#include <string.h>

#include "convert/detached.h"
#include "convert/section_check.h"
#include "elf/sframe_place.h"
#include "stacks/shortage.h"
#include "walk/lookup.h"

enum
{
  /* Bytes of a file that is analyzed unasked: this takes some seconds.  */
  ANALYZED_MAX = 24 << 20
};

void
row_source_free (struct row_source *rows)
{
  rows_on_demand_free (rows->on_demand);
  rows_on_demand_free (rows->cfi);
  free (rows->bytes);
  free (rows->analyzed_bytes);
  free (rows->reason);
  *rows = (struct row_source){ 0 };
}

void
row_source_set_none (struct row_source *rows, const struct error *err)
{
  row_source_free (rows);
  shortage_note_error (err);
  rows->origin = SECTION_NONE;
  rows->reason = strdup (err->reason);
}

/* Whether walks can use SECTION: its header is valid, of a version that is
   known (a section may be newer than this program), and it is sorted.  */
static bool
is_readable (const struct sfw_section *section)
{
  struct unwind_section opened;
  return unwind_section_open (&opened, section->bytes, section->size,
                              section->address)
         && unwind_section_is_sorted (&opened);
}

/* Use the section in IMAGE.  If that fails, *REASON says why.  */
static bool
use_own_section (struct row_source *rows, const struct image *image,
                 const char **reason)
{
  const GElf_Phdr *segment = sframe_place_find (image).segment;
  *reason = "it has no .sframe";
  if (segment == NULL)
    return false;
  *reason = "its .sframe cannot be read";
  if (!section_is_usable (image))
    return false;
  const struct sfw_section own = { image->bytes + segment->p_offset,
                                   segment->p_filesz, segment->p_vaddr };
  if (!is_readable (&own))
    return false;
  rows->section = own;
  rows->origin = SECTION_OWN;
  return true;
}

/* Use a copy of the section in FOUND, of ORIGIN.  FOUND is closed.  */
static bool
use_copy (struct row_source *rows, struct detached_file *found,
          enum section_origin origin)
{
  const struct sfw_section there
      = { found->section, found->size, found->address };
  bool readable = is_readable (&there);
  rows->bytes = readable ? malloc (found->size) : NULL;
  if (rows->bytes != NULL)
    {
      memcpy (rows->bytes, found->section, found->size);
      rows->section
          = (struct sfw_section){ rows->bytes, found->size, found->address };
      rows->origin = origin;
    }
  image_close (&found->image);
  return rows->bytes != NULL || (readable && shortage_note ());
}

static bool
use_detached (struct row_source *rows, const struct image *image,
              const char *folders)
{
  struct detached_file found;
  return ((folders != NULL && detached_file_find (image, folders, &found))
          || debuginfod_find_detached (image, &found))
         && use_copy (rows, &found, SECTION_DETACHED);
}

/* Make rows from CFI and code of IMAGE, or take them from the cache.  */
static void
analyze (struct row_source *rows, const struct image *image)
{
  struct error err;
  struct detached_file kept;
  uint64_t address;
  size_t size;
  XXH128_hash_t digest = row_cache_digest (image);
  if (row_cache_find (image, digest, &kept)
      && use_copy (rows, &kept, SECTION_KEPT))
    return;
  if (!detached_build (image->bytes, image->size, true, &rows->bytes, &size,
                       &address, &err))
    {
      rows->bytes = NULL;
      row_source_set_none (rows, &err);
      return;
    }
  rows->section = (struct sfw_section){ rows->bytes, size, address };
  rows->origin = SECTION_CONVERTED;
  row_cache_keep (image, digest, &rows->section);
}

void
row_source_open (struct row_source *rows, const struct image *image,
                 const struct section_policy *policy)
{
  struct error err;
  const char *reason;
  if (use_own_section (rows, image, &reason)
      || use_detached (rows, image, policy->detached))
    return;
  if (policy->only_sframe)
    {
      error_set (&err, CFI2SFRAME_NOTHING, "%s", reason);
      row_source_set_none (rows, &err);
    }
  else if (policy->analyze)
    analyze (rows, image);
  else if ((rows->on_demand = rows_on_demand_open (image, &err)) != NULL)
    rows->origin = SECTION_CONVERTED;
  else
    row_source_set_none (rows, &err);
}

bool
row_source_analyze (struct row_source *rows, const struct image *image,
                    const struct section_policy *policy)
{
  bool found = rows->origin == SECTION_OWN || rows->origin == SECTION_DETACHED;
  if (!policy->analyze_on_demand || policy->is_stopped || policy->only_sframe
      || (policy->analyze && !found) || rows->analyzed || image->bytes == NULL)
    return false;
  struct row_source made = { 0 };
  struct error err;
  if (image->size > ANALYZED_MAX && !policy->analyze)
    {
      error_set (&err, CFI2SFRAME_NOTHING,
                 "not analyzed without --analyze, as it is large");
      row_source_set_none (&made, &err);
    }
  else
    analyze (&made, image);
  bool is_more = made.origin != SECTION_NONE;
  if (!is_more)
    {
      free (rows->reason);
      rows->reason = made.reason;
    }
  else if (found)
    {
      rows->analyzed_section = made.section;
      rows->analyzed_bytes = made.bytes;
    }
  else
    {
      row_source_free (rows);
      *rows = made;
    }
  rows->analyzed = true;
  return is_more;
}

bool
row_source_at (const struct row_source *rows, uint64_t address,
               struct sfw_section *section)
{
  struct unwind_rules rules;
  struct error err;
  error_clear (&err);
  *section = rows->section;
  if (rows->on_demand != NULL)
    *section = rows_on_demand_at (rows->on_demand, address, &err);
  else if (rows->analyzed_section.size > 0
           && unwind_find_rules (&rows->section, address, &rules)
                  == SFW_NO_ROW)
    *section = rows->analyzed_section;
  shortage_note_error (&err);
  return rows->origin != SECTION_NONE && rows->origin != SECTION_UNKNOWN;
}

const struct cfi_source *
row_source_cfi (struct row_source *rows, const struct image *image)
{
  struct error err;
  if (rows->on_demand != NULL)
    return rows_on_demand_source (rows->on_demand);
  if (!rows->cfi_read && image->bytes != NULL)
    {
      error_clear (&err);
      rows->cfi = rows_on_demand_open (image, &err);
      shortage_note_error (&err);
    }
  rows->cfi_read = true;
  return rows->cfi != NULL ? rows_on_demand_source (rows->cfi) : NULL;
}

uint64_t
row_source_size (const struct row_source *rows)
{
  return rows->on_demand != NULL ? rows_on_demand_size (rows->on_demand)
                                 : rows->section.size;
}

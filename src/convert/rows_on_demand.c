/* Rows of a linked file that are made where they are asked for.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/rows_on_demand.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "cfi/source.h"
#include "convert/detached.h"
#include "convert/linked_section.h"
#include "sframe/emitter.h"

enum
{
  /* FDEs of a portion, or a few more.  What a portion takes besides its rows
     is as much as the rows of 20 FDEs.  */
  PORTION_FDES = 16
};

struct portion
{
  uint64_t start; /* goes on to the next one's start */
  size_t fde;     /* index of the first one */
  bool made;
  void *bytes; /* owned; NULL: it has no rows */
  size_t size;
};

struct rows_on_demand
{
  const struct image *image;
  struct cfi2sframe_options options;
  struct cfi2sframe_report report;
  struct linked_section *linked;
  uint64_t address; /* that sections count from */
  struct portion *portions;
  size_t n, capacity;
  uint64_t size; /* bytes of all that was made */
};

static bool
add_portion (struct rows_on_demand *rows, uint64_t start, size_t fde)
{
  if (!ARRAY_ROOM (rows->portions, rows->n + 1, &rows->capacity))
    return false;
  rows->portions[rows->n++] = (struct portion){ .start = start, .fde = fde };
  return true;
}

/* Cut the code into portions where no FDE goes on.  A stub does not either: no
   FDE begins within one (plt_stubs_find).  False when memory ran out.  */
static bool
cut (struct rows_on_demand *rows)
{
  const struct cfi_section *cfi = &linked_section_source (rows->linked)->cfi;
  uint64_t end = 0;
  if (!add_portion (rows, 0, 0))
    return false;
  for (size_t i = 0; i < cfi->n_fdes; i++)
    {
      const struct cfi_fde *fde = &cfi->fdes[i];
      uint64_t fde_end = fde->address + fde->size;
      if (i - rows->portions[rows->n - 1].fde >= PORTION_FDES
          && fde->address >= end && !add_portion (rows, fde->address, i))
        return false;
      if (fde_end < fde->address)
        fde_end = UINT64_MAX;
      end = fde_end > end ? fde_end : end;
    }
  return true;
}

struct rows_on_demand *
rows_on_demand_open (const struct image *image, struct error *err)
{
  struct rows_on_demand *rows = calloc (1, sizeof *rows);
  error_clear (err);
  if (rows == NULL)
    {
      error_set_no_memory (err);
      return NULL;
    }
  rows->image = image;
  rows->address = detached_address (image);
  detached_options_init (&rows->options);
  const struct input input
      = { .image = image, .options = &rows->options, .report = &rows->report };
  bool opened = detached_check (image, err)
                && (rows->linked = linked_section_open (&input, err)) != NULL
                && (cut (rows) || error_set_no_memory (err));
  /* Of what was read to find the FDEs, a walk needs a few pages again.  */
  image_unmap_pages (image);
  if (opened)
    return rows;
  rows_on_demand_free (rows);
  return NULL;
}

void
rows_on_demand_free (struct rows_on_demand *rows)
{
  if (rows == NULL)
    return;
  for (size_t i = 0; i < rows->n; i++)
    free (rows->portions[i].bytes);
  free (rows->portions);
  linked_section_free (rows->linked);
  free (rows);
}

/* Make the rows of PORTION, which ends in front of the FDE with the index
   END.  */
static void
make (struct rows_on_demand *rows, struct portion *portion, size_t end,
      struct error *err)
{
  struct buffer bytes;
  portion->made = true;
  if (rows->size > emitter_rows_max (rows->image))
    return;
  buffer_init (&bytes, rows->image->big_endian);
  struct sframe_encoder *encoder
      = linked_section_build_portion (rows->linked, portion->fde, end, err);
  if (encoder != NULL
      && sframe_encoder_write (encoder, rows->address, &bytes, err))
    {
      portion->bytes = bytes.bytes;
      portion->size = bytes.size;
      rows->size += bytes.size;
    }
  else
    buffer_free (&bytes);
  sframe_encoder_free (encoder);
}

struct sfw_section
rows_on_demand_at (struct rows_on_demand *rows, uint64_t address,
                   struct error *err)
{
  /* The first one starts at 0.  */
  size_t behind = SEARCH_FIRST (rows->n, i, rows->portions[i].start > address);
  struct portion *portion = &rows->portions[behind - 1];
  if (!portion->made)
    make (rows, portion,
          behind < rows->n ? portion[1].fde
                           : linked_section_source (rows->linked)->cfi.n_fdes,
          err);
  return (struct sfw_section){ portion->bytes, portion->size, rows->address };
}

const struct cfi_source *
rows_on_demand_source (const struct rows_on_demand *rows)
{
  return linked_section_source (rows->linked);
}

uint64_t
rows_on_demand_size (const struct rows_on_demand *rows)
{
  return rows->size;
}

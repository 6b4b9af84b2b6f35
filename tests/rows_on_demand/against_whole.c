/* Are rows that are made on demand those of the whole file?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: against_whole FILE...
   Makes the rows of each file twice: all at once, and as addresses are asked
   for in an order that is not theirs.  Compares the rules at all addresses of
   code, of large files at every so many.  Exits with 1 after any difference,
   and with 2 when no address had rules at all.  */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/detached.h"
#include "elf/image.h"
#include "walk/lookup.h"

enum
{
  ADDRESSES_MAX = 300000, /* that are compared of a file */
  SHOWN_MAX = 5           /* differences that are printed of a file */
};

struct file
{
  const char *path;
  struct image image;
};

struct counts
{
  uint64_t addresses, with_rules, differences;
};

/* The rules at ADDRESS by SECTION.  */
static enum sfw_end
rules_at (const struct sfw_section *section, uint64_t address,
          struct unwind_rules *rules)
{
  struct unwind_section opened;
  memset (rules, 0, sizeof *rules);
  if (section->size == 0)
    return SFW_NO_ROW;
  return unwind_section_open (&opened, section->bytes, section->size,
                              section->address)
             ? unwind_section_lookup (&opened, address, rules)
             : SFW_BAD_SECTION;
}

static bool
same_rules (const struct unwind_rules *a, const struct unwind_rules *b)
{
  return frame_row_same_rules (&a->row, &b->row) && a->signal == b->signal
         && a->starts_row == b->starts_row;
}

static void
compare_at (const struct file *file, const struct sfw_section *whole,
            struct rows_on_demand *rows, uint64_t address,
            struct counts *counts)
{
  struct unwind_rules expected, got;
  struct error err;
  const struct sfw_section portion = rows_on_demand_at (rows, address, &err);
  enum sfw_end wanted = rules_at (whole, address, &expected);
  enum sfw_end step = rules_at (&portion, address, &got);
  bool has_rules = wanted == SFW_MORE;
  counts->addresses++;
  counts->with_rules += has_rules;
  if (step == wanted && (!has_rules || same_rules (&expected, &got)))
    return;
  if (counts->differences++ < SHOWN_MAX)
    printf ("%s: 0x%" PRIx64 ": %s, of the whole file %s\n", file->path,
            address, unwind_end_name (step), unwind_end_name (wanted));
}

/* Compare at the addresses from LOW up to HIGH: each exactly once if there are
   not too many, in steps of a prime number.  */
static void
compare_range (const struct file *file, const struct sfw_section *whole,
               struct rows_on_demand *rows, uint64_t low, uint64_t high,
               struct counts *counts)
{
  const uint64_t stride = 1000003, span = high - low;
  uint64_t n = span < ADDRESSES_MAX ? span : ADDRESSES_MAX, at = 0;
  for (uint64_t i = 0; i < n; i++, at = (at + stride) % span)
    compare_at (file, whole, rows, low + at, counts);
}

/* Compare around all that SECTION, the whole file's, describes.  */
static void
compare_rows (const struct file *file, const struct sfw_section *section,
              struct rows_on_demand *rows, struct counts *counts)
{
  struct unwind_section opened;
  if (!unwind_section_open (&opened, section->bytes, section->size,
                            section->address))
    {
      printf ("%s: the section cannot be opened\n", file->path);
      counts->differences++;
      return;
    }
  uint64_t low = unwind_section_start (&opened, 0);
  uint64_t high = unwind_section_start (&opened, opened.n_fdes - 1) + 4096;
  compare_range (file, section, rows, low > 64 ? low - 64 : 0, high, counts);
}

static void
compare_file (const struct file *file, struct counts *counts)
{
  struct error err, whole_err;
  void *bytes;
  struct sfw_section section;
  struct rows_on_demand *rows = rows_on_demand_open (&file->image, &err);
  bool whole
      = detached_build (file->image.bytes, file->image.size, false, &bytes,
                        &section.size, &section.address, &whole_err);
  section.bytes = bytes;
  if (whole && rows != NULL)
    compare_rows (file, &section, rows, counts);
  else if (whole != (rows != NULL) && whole_err.status != CFI2SFRAME_NOTHING)
    {
      printf ("%s: %s\n", file->path, whole ? err.reason : whole_err.reason);
      counts->differences++;
    }
  if (whole)
    free (bytes);
  rows_on_demand_free (rows);
}

int
main (int argc, char **argv)
{
  struct counts counts = { 0 };
  for (int i = 1; i < argc; i++)
    {
      struct error err;
      struct file file = { .path = argv[i] };
      if (!image_open (&file.image, argv[i], &err))
        continue;
      compare_file (&file, &counts);
      image_close (&file.image);
    }
  printf ("%" PRIu64 " addresses, %" PRIu64 " with rules, %" PRIu64
          " differences\n",
          counts.addresses, counts.with_rules, counts.differences);
  return counts.differences > 0 ? 1 : counts.with_rules == 0 ? 2 : 0;
}

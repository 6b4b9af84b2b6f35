/* What all strategies do with a placing.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/placing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
placing_open (struct placing *placing)
{
  const struct image *image = placing->image;
  placing->header = image->header;
  placing->n_segments = image->n_segments;
  placing->n_sections = image->n_sections;
  placing->end = image->size;
  placing->segments = calloc (image->n_segments + NEW_HEADERS_MAX,
                              sizeof placing->segments[0]);
  placing->sections = calloc (image->n_sections + NEW_SECTIONS_MAX,
                              sizeof placing->sections[0]);
  placing->moved = calloc (image->n_sections + 1, sizeof placing->moved[0]);
  if (placing->segments == NULL || placing->sections == NULL
      || placing->moved == NULL)
    return error_set_no_memory (placing->err);
  memcpy (placing->segments, image->segments,
          image->n_segments * sizeof placing->segments[0]);
  for (size_t i = 0; i < image->n_sections; i++)
    placing->sections[i] = image->sections[i].header;
  return plan_copy (placing->plan, 0, 0, image->size, placing->err);
}

void
placing_close (struct placing *placing)
{
  free (placing->segments);
  free (placing->sections);
  free (placing->moved);
}

bool
placing_impossible (struct placing *placing, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  vsnprintf (placing->reason, sizeof placing->reason, fmt, args);
  va_end (args);
  return false;
}

const GElf_Phdr *
placing_first_load (const struct placing *placing)
{
  return image_find_segment (placing->image, PT_LOAD);
}

const GElf_Phdr *
placing_last_load (const struct placing *placing)
{
  const GElf_Phdr *last = NULL;
  for (size_t i = 0; i < placing->image->n_segments; i++)
    if (placing->image->segments[i].p_type == PT_LOAD)
      last = &placing->image->segments[i];
  return last;
}

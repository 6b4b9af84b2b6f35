/* What all strategies do with a draft.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
draft_open (struct draft *draft)
{
  const struct image *image = draft->image;
  draft->header = image->header;
  draft->n_segments = image->n_segments;
  draft->n_sections = image->n_sections;
  draft->end = image->size;
  draft->segments = calloc (image->n_segments + NEW_HEADERS_MAX,
                            sizeof draft->segments[0]);
  draft->sections = calloc (image->n_sections + NEW_SECTIONS_MAX,
                            sizeof draft->sections[0]);
  draft->moved = calloc (image->n_sections + 1, sizeof draft->moved[0]);
  if (draft->segments == NULL || draft->sections == NULL
      || draft->moved == NULL)
    return error_set_no_memory (draft->err);
  memcpy (draft->segments, image->segments,
          image->n_segments * sizeof draft->segments[0]);
  for (size_t i = 0; i < image->n_sections; i++)
    draft->sections[i] = image->sections[i].header;
  return plan_copy (draft->plan, 0, 0, image->size, draft->err);
}

void
draft_close (struct draft *draft)
{
  free (draft->segments);
  free (draft->sections);
  free (draft->moved);
}

bool
draft_impossible (const struct draft *draft, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  vsnprintf (draft->reason, REASON_SIZE, fmt, args);
  va_end (args);
  return false;
}

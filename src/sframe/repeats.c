/* Segments that occur more than once.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/repeats.h"

#include <stdlib.h>

#include "base/array.h"

/* The occurrences at hand, all of one number of atoms, and their hashes, from
   which those of one atom more are made.  */
struct search
{
  const struct repeats_input *input;
  struct repeats *repeats;
  struct table table; /* kinds by their hashes */
  uint64_t *hashes;
};

void
repeats_free (struct repeats *repeats)
{
  for (unsigned i = 0; i <= REPEATS_ATOMS_MAX; i++)
    free (repeats->of_atoms[i]);
  free (repeats->kinds);
}

static bool
repeats_add_kind (struct repeats *repeats, uint64_t hash, uint32_t bytes)
{
  if (repeats->n_kinds == UINT32_MAX
      || !ARRAY_ROOM (repeats->kinds, repeats->n_kinds + 1,
                      &repeats->capacity))
    return false;
  repeats->kinds[repeats->n_kinds++] = (struct repeat_kind){ hash, 1, bytes };
  return true;
}

/* Count one more segment with HASH, from cut BEGIN to END.  Its kind in
 *KIND.  */
static bool
search_count (struct search *search, uint64_t hash, const struct cut *begin,
              const struct cut *end, uint32_t *kind)
{
  struct repeats *repeats = search->repeats;
  struct table_walk walk = { .hash = (uint32_t)hash };
  while (table_next (&search->table, &walk, kind))
    if (repeats->kinds[*kind].hash == hash)
      {
        repeats->kinds[*kind].n_occurrences++;
        return true;
      }
  uint64_t bytes = segment_bytes (begin, end);
  *kind = (uint32_t)repeats->n_kinds;
  if (!repeats_add_kind (repeats, hash,
                         bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX))
    return false;
  table_insert (&search->table, (uint32_t)hash, *kind);
  return true;
}

/* HASH of a segment that begins at cut number START, with atom number ATOM
   added.  */
static uint64_t
search_extend (const struct search *search, uint64_t hash, size_t start,
               size_t atom)
{
  const struct cut *cuts = search->input->cuts;
  const struct numbered_row *rows = search->input->rows;
  return segment_hash_rows (hash, &rows[cuts[start].row],
                            &rows[cuts[atom].row], &rows[cuts[atom + 1].row]);
}

/* Of the N occurrences in LIST keep those that have equals.  */
static size_t
search_keep_repeated (struct search *search, struct repeat *list, size_t n)
{
  const struct repeat_kind *kinds = search->repeats->kinds;
  size_t n_kept = 0;
  for (size_t i = 0; i < n; i++)
    if (kinds[list[i].kind].n_occurrences > 1)
      {
        search->hashes[n_kept] = search->hashes[i];
        list[n_kept++] = list[i];
      }
  list[n_kept].start = UINT32_MAX;
  return n_kept;
}

/* Put every atom into LIST.  */
static bool
search_begin (struct search *search, struct repeat *list, size_t *n)
{
  const struct repeats_input *input = search->input;
  for (size_t i = 0; i < input->n_cuts; i++)
    {
      uint64_t hash = search_extend (search, 0, i, i);
      if (!search_count (search, hash, &input->cuts[i], &input->cuts[i + 1],
                         &list[i].kind))
        return false;
      list[i].start = (uint32_t)i;
      search->hashes[i] = hash;
    }
  *n = search_keep_repeated (search, list, input->n_cuts);
  return true;
}

/* Whether a segment that repeats, and the one that begins an atom later, may
   together be one segment, which ends at cut END.  */
static bool
search_may_extend (const struct search *search, const struct repeat *repeat,
                   size_t end)
{
  const struct cut *cuts = search->input->cuts;
  return repeat[1].start == repeat->start + 1 && !cuts[end - 1].begins_run
         && segment_n_rows (&cuts[repeat->start], &cuts[end])
                <= search->input->rows_max;
}

/* From the *N segments of N_ATOMS atoms in LIST to those in LONGER, which have
   one more.  */
static bool
search_continue (struct search *search, const struct repeat *list,
                 unsigned n_atoms, struct repeat *longer, size_t *n)
{
  const struct cut *cuts = search->input->cuts;
  size_t n_longer = 0;
  for (size_t i = 0; i < *n; i++)
    {
      size_t end = (size_t)list[i].start + n_atoms + 1;
      if (!search_may_extend (search, &list[i], end))
        continue;
      uint64_t hash
          = search_extend (search, search->hashes[i], list[i].start, end - 1);
      if (!search_count (search, hash, &cuts[list[i].start], &cuts[end],
                         &longer[n_longer].kind))
        return false;
      longer[n_longer].start = list[i].start;
      search->hashes[n_longer++] = hash;
    }
  *n = search_keep_repeated (search, longer, n_longer);
  return true;
}

static bool
search_run (struct search *search)
{
  struct repeat **lists = search->repeats->of_atoms;
  size_t n = search->input->n_cuts;
  for (unsigned i = 0; i <= search->input->atoms_max; i++)
    {
      bool last = i == search->input->atoms_max || n == 0;
      lists[i] = reallocarray (NULL, last ? 1 : n + 1, sizeof *lists[i]);
      if (lists[i] == NULL)
        return false;
      lists[i]->start = UINT32_MAX;
      if (last)
        break;
      if (!(i == 0 ? search_begin (search, lists[0], &n)
                   : search_continue (search, lists[i - 1], i, lists[i], &n)))
        return false;
    }
  return true;
}

bool
repeats_find (struct repeats *repeats, const struct repeats_input *input)
{
  struct search search = { .input = input, .repeats = repeats };
  *repeats = (struct repeats){ 0 };
  search.hashes
      = reallocarray (NULL, input->n_cuts + 1, sizeof *search.hashes);
  bool found
      = search.hashes != NULL
        && ARRAY_ROOM (repeats->kinds, input->n_cuts + 1, &repeats->capacity)
        && table_init (&search.table, 2 * input->n_cuts)
        && search_run (&search);
  table_free (&search.table);
  free (search.hashes);
  return found;
}

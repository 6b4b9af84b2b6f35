/* Segments that occur more than once.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Segments of one atom are counted first, in one pass over all rows.  Those
   that repeat are extended by an atom and counted again, and so on.  A segment
   cannot repeat unless the same segment without its last atom does, so all
   others are dropped after each step.  The first step takes time for each row,
   and a later step for each segment that the step before has kept.  */

#include "sframe/segments.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/table.h"

struct search
{
  const struct repeats_input *input;
  struct repeats *repeats;
  struct table table;         /* finds patterns by their hashes */
  struct segment_tail *atoms; /* the atom behind each cut, as a tail; owned */
};

void
repeats_free (struct repeats *repeats)
{
  for (unsigned i = 0; i <= REPEATS_ATOMS_MAX; i++)
    free (repeats->of_atoms[i]);
  free (repeats->patterns);
}

/* Add pattern number *PATTERN for the segment with HASH from BEGIN to END.  */
static bool
search_add_pattern (struct search *search, uint64_t hash,
                    const struct cut *begin, const struct cut *end,
                    uint32_t *pattern)
{
  struct repeats *repeats = search->repeats;
  uint64_t bytes = segment_bytes (begin, end);
  if (repeats->n_patterns == UINT32_MAX
      || !ARRAY_ROOM (repeats->patterns, repeats->n_patterns + 1,
                      &repeats->capacity))
    return false;
  *pattern = (uint32_t)repeats->n_patterns++;
  repeats->patterns[*pattern]
      = (struct pattern){ hash, 1,
                          bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX };
  table_insert (&search->table, segment_hash_for_table (hash), *pattern);
  return true;
}

/* Count the segment with HASH from BEGIN to END for its pattern, *PATTERN.  */
static inline bool
search_count (struct search *search, uint64_t hash, const struct cut *begin,
              const struct cut *end, uint32_t *pattern)
{
  struct pattern *patterns = search->repeats->patterns;
  struct table_walk walk = { .hash = segment_hash_for_table (hash) };
  for (uint32_t number; table_next (&search->table, &walk, &number);)
    if (patterns[number].hash == hash)
      {
        patterns[number].n_uses++;
        *pattern = number;
        return true;
      }
  return search_add_pattern (search, hash, begin, end, pattern);
}

/* Remove from LIST, which has N occurrences, those that have no equal, and end
   the list.  Returns the number of those that remain.  */
static size_t
search_keep_repeated (const struct search *search, struct repeat *list,
                      size_t n)
{
  const struct pattern *patterns = search->repeats->patterns;
  size_t n_kept = 0;
  for (size_t i = 0; i < n; i++)
    if (patterns[list[i].pattern].n_uses > 1)
      list[n_kept++] = list[i];
  list[n_kept].start = UINT32_MAX;
  return n_kept;
}

/* Put every atom that repeats into LIST.  *N becomes their number.  */
static bool
search_begin (struct search *search, struct repeat *list, size_t *n)
{
  const struct repeats_input *input = search->input;
  for (size_t i = 0; i < input->n_cuts; i++)
    {
      const struct cut *cut = &input->cuts[i];
      const struct numbered_row *first = &input->rows[cut->row];
      struct segment_tail *atom = &search->atoms[i];
      *atom = segment_tail_of (first, &input->rows[cut[1].row]);
      list[i].start = (uint32_t)i;
      if (!search_count (search, segment_hash_begin (atom, first), cut,
                         cut + 1, &list[i].pattern))
        return false;
    }
  *n = search_keep_repeated (search, list, input->n_cuts);
  return true;
}

/* Extend the *N segments in LIST, of N_ATOMS atoms each, by an atom, and put
   those that repeat into LONGER.  *N becomes their number.  */
static bool
search_continue (struct search *search, const struct repeat *list,
                 unsigned n_atoms, struct repeat *longer, size_t *n)
{
  const struct cut *cuts = search->input->cuts;
  size_t n_longer = 0;
  for (size_t i = 0; i < *n; i++)
    {
      const struct cut *begin = &cuts[list[i].start];
      const struct cut *end = begin + n_atoms + 1;
      /* An extended segment repeats only if the segment that begins an atom
         later does, too, and that one is the next in LIST then.  */
      if (list[i + 1].start != list[i].start + 1 || end[-1].begins_run
          || segment_n_rows (begin, end) > search->input->rows_max)
        continue;
      uint64_t hash = segment_hash_extend (
          search->repeats->patterns[list[i].pattern].hash,
          &search->atoms[list[i].start + n_atoms],
          end[-1].start - begin->start);
      longer[n_longer].start = list[i].start;
      if (!search_count (search, hash, begin, end,
                         &longer[n_longer++].pattern))
        return false;
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
  const size_t n = input->n_cuts;
  struct search search = { .input = input, .repeats = repeats };
  *repeats = (struct repeats){ 0 };
  search.atoms = reallocarray (NULL, n + 1, sizeof *search.atoms);
  bool found = search.atoms != NULL
               && ARRAY_ROOM (repeats->patterns, n + 1, &repeats->capacity)
               && table_init (&search.table, n) && search_run (&search);
  table_free (&search.table);
  free (search.atoms);
  return found;
}

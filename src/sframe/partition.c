/* Runs of rows, and the cheapest way to cut them into pieces.
   SPDX-License-Identifier: LGPL-2.1-or-later

   First all cuts are made, then repeated segments are counted, then pieces are
   chosen by a dynamic programme: for every cut, from left to right, the
   cheapest way to describe the run's rows before it.  The last piece is either
   a segment that repeats, or one that occurs once.  All segments of the first
   kind are known and are tried.  A segment of the second kind may begin at any
   cut before, but only the best beginning needs to be tried.  As long as row
   starts have the same width, the cost is a difference of two sums, one for
   each end, so the best beginning is the same whatever the end is, until it is
   too far away.  The best beginning is therefore a minimum over a sliding
   window, which takes constant time per cut.  */

#include "sframe/partition.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"

enum
{
  /* Prologues and epilogues are short rows; functions differ in the long rows
     between them.  An FDE's size says how long its last row lasts, so that
     blocks are equal whatever that length is: a piece ends with a row of so
     many bytes or more, or after so many shorter ones.  */
  LONG_ROW = 6,
  SHORT_ROWS_MAX = 12,
  UNIT = 256, /* costs are in bytes / UNIT: shares of blocks are small */
  NO_KIND = UINT32_MAX
};

/* ---- Cuts */

/* The next row behind ROW of a run that an FDE may begin with; END, behind the
   run, if there is none.  */
static const struct numbered_row *
next_beginning (const struct numbered_row *row, const struct numbered_row *end,
                bool inside)
{
  uint32_t long_row = inside ? LONG_ROW : UINT32_MAX;
  if (inside && end - row > SHORT_ROWS_MAX)
    end = row + SHORT_ROWS_MAX;
  do
    row++;
  while (row < end && !(row->rule & ROW_BEGINS)
         && row->start - row[-1].start < long_row);
  return row;
}

/* Move CUT over the rows from ROW to END of a run that begins at address
   BEGIN: behind them, but with the last one's address.  */
static void
pass_rows (const struct rule *rules, const struct numbered_row *row,
           const struct numbered_row *end, uint64_t begin, struct cut *cut)
{
  uint64_t written = cut->address - cut->back; /* the last row that is */
  uint64_t bytes = 0;
  uint32_t n_rows = 0;
  for (; row < end; row++)
    if (!(row->rule & ROW_CONTINUES))
      {
        written = begin + row->start;
        bytes += rules[row->rule & ROW_RULE].bytes;
        n_rows++;
      }
  cut->bytes += bytes;
  cut->n_rows += n_rows;
  cut->address = begin + end[-1].start;
  cut->back = (uint32_t)(cut->address - written);
}

/* Make the cuts of RUN.  SUMS is the cut in front of it, and becomes the one
   behind it.  */
static void
cut_run (struct partition *partition, const struct partition_input *input,
         struct run *run, struct cut *sums)
{
  const struct rule *rules = input->rules->rules;
  const struct numbered_row *row = &input->rows[run->first_row];
  const struct numbered_row *end = &input->rows[run[1].first_row], *next;
  /* A function stays whole where another index entry for each of its places
     takes as many bytes as its rows do.  */
  bool whole
      = input->distinct
        && run->bytes <= (uint64_t)run->n_occurrences * input->entry_cost;
  struct cut cut = *sums;
  const uint64_t begin = cut.address;
  run->first_cut = (uint32_t)partition->n_cuts;
  cut.begins_run = true;
  for (; row < end; row = next)
    {
      cut.back += (uint32_t)(begin + row->start - cut.address);
      cut.address = begin + row->start;
      cut.row = (uint32_t)(row - input->rows);
      cut.first_bytes
          = row->rule & ROW_CONTINUES ? rules[row->rule & ROW_RULE].bytes : 0;
      partition->cuts[partition->n_cuts++] = cut;
      cut.begins_run = false;
      next = whole ? end
                   : next_beginning (
                       row, end,
                       input->inside && partition->n_cuts < input->cuts_max);
      pass_rows (rules, row, next, begin, &cut);
    }
  /* The next run begins behind the last row, however long that lasts.  */
  cut.address++;
  cut.back++;
  *sums = cut;
}

/* Make all cuts, and a run and a cut behind them all.  */
static bool
cut_all (struct partition *partition, const struct partition_input *input)
{
  struct cut sums = { 0 };
  struct run *behind = &input->runs[input->n_runs];
  /* Each cut begins with a row, and one is behind them all.  */
  partition->cuts
      = reallocarray (NULL, input->n_rows + 1, sizeof *partition->cuts);
  if (partition->cuts == NULL)
    return false;
  *behind = (struct run){ .first_row = (uint32_t)input->n_rows };
  for (struct run *run = input->runs; run < behind; run++)
    cut_run (partition, input, run, &sums);
  behind->first_cut = (uint32_t)partition->n_cuts;
  sums.row = (uint32_t)input->n_rows;
  sums.first_bytes = 0;
  sums.begins_run = true;
  partition->cuts[partition->n_cuts] = sums;
  return true;
}

/* ---- Repeated segments */

struct search
{
  const struct partition_input *input;
  const struct partition *partition; /* that has its cuts */
  struct repeats *repeats;
  struct table table;         /* kinds by their hashes */
  struct segment_tail *atoms; /* as what segments are extended by; owned */
};

void
repeats_free (struct repeats *repeats)
{
  for (unsigned i = 0; i <= REPEATS_ATOMS_MAX; i++)
    free (repeats->of_atoms[i]);
  free (repeats->kinds);
}

/* The segment with HASH, from cut BEGIN to END, is the first of its kind,
   which gets the number *KIND.  */
static bool
search_add_kind (struct search *search, uint64_t hash, const struct cut *begin,
                 const struct cut *end, uint32_t *kind)
{
  struct repeats *repeats = search->repeats;
  uint64_t bytes = segment_bytes (begin, end);
  if (repeats->n_kinds == UINT32_MAX
      || !ARRAY_ROOM (repeats->kinds, repeats->n_kinds + 1,
                      &repeats->capacity))
    return false;
  *kind = (uint32_t)repeats->n_kinds++;
  repeats->kinds[*kind] = (struct repeat_kind){
    hash, 1, bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX
  };
  table_insert (&search->table, segment_hash_for_table (hash), *kind);
  return true;
}

/* Count one more segment with HASH, from cut BEGIN to END, and set *KIND to
   its kind.  */
static inline bool
search_count (struct search *search, uint64_t hash, const struct cut *begin,
              const struct cut *end, uint32_t *kind)
{
  struct repeat_kind *kinds = search->repeats->kinds;
  struct table_walk walk = { .hash = segment_hash_for_table (hash) };
  for (uint32_t number; table_next (&search->table, &walk, &number);)
    if (kinds[number].hash == hash)
      {
        kinds[number].n_occurrences++;
        *kind = number;
        return true;
      }
  return search_add_kind (search, hash, begin, end, kind);
}

/* Of the N occurrences in LIST keep those that have equals.  */
static size_t
search_keep_repeated (const struct search *search, struct repeat *list,
                      size_t n)
{
  const struct repeat_kind *kinds = search->repeats->kinds;
  size_t n_kept = 0;
  for (size_t i = 0; i < n; i++)
    if (kinds[list[i].kind].n_occurrences > 1)
      list[n_kept++] = list[i];
  list[n_kept].start = UINT32_MAX;
  return n_kept;
}

/* Put every atom into LIST.  */
static bool
search_begin (struct search *search, struct repeat *list, size_t *n)
{
  const struct numbered_row *rows = search->input->rows;
  const struct partition *partition = search->partition;
  for (size_t i = 0; i < partition->n_cuts; i++)
    {
      const struct cut *cut = &partition->cuts[i];
      const struct numbered_row *first = &rows[cut->row];
      struct segment_tail *atom = &search->atoms[i];
      *atom = segment_tail_of (first, &rows[cut[1].row]);
      list[i].start = (uint32_t)i;
      if (!search_count (search, segment_hash_begin (atom, first), cut,
                         cut + 1, &list[i].kind))
        return false;
    }
  *n = search_keep_repeated (search, list, partition->n_cuts);
  return true;
}

/* From the *N segments of N_ATOMS atoms in LIST to those in LONGER, which have
   one more.  */
static bool
search_continue (struct search *search, const struct repeat *list,
                 unsigned n_atoms, struct repeat *longer, size_t *n)
{
  const struct cut *cuts = search->partition->cuts;
  size_t n_longer = 0;
  for (size_t i = 0; i < *n; i++)
    {
      const struct cut *begin = &cuts[list[i].start];
      const struct cut *end = begin + n_atoms + 1;
      /* A longer segment repeats only if the one that begins an atom later
         does so, too.  */
      if (list[i + 1].start != list[i].start + 1 || end[-1].begins_run
          || segment_n_rows (begin, end) > search->input->rows_max)
        continue;
      uint64_t hash
          = segment_hash_extend (search->repeats->kinds[list[i].kind].hash,
                                 &search->atoms[list[i].start + n_atoms],
                                 (uint32_t)(end[-1].address - begin->address));
      longer[n_longer].start = list[i].start;
      if (!search_count (search, hash, begin, end, &longer[n_longer++].kind))
        return false;
    }
  *n = search_keep_repeated (search, longer, n_longer);
  return true;
}

static bool
search_run (struct search *search)
{
  struct repeat **lists = search->repeats->of_atoms;
  size_t n = search->partition->n_cuts;
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
repeats_find (struct repeats *repeats, const struct partition *partition,
              const struct partition_input *input)
{
  const size_t n = partition->n_cuts;
  struct search search
      = { .input = input, .partition = partition, .repeats = repeats };
  *repeats = (struct repeats){ 0 };
  search.atoms = reallocarray (NULL, n + 1, sizeof *search.atoms);
  bool found = search.atoms != NULL
               && ARRAY_ROOM (repeats->kinds, n + 1, &repeats->capacity)
               && table_init (&search.table, n) && search_run (&search);
  table_free (&search.table);
  free (search.atoms);
  return found;
}

/* ---- Choosing pieces */

/* The cheapest last piece before a cut.  */
struct step
{
  uint32_t begin;
  uint32_t kind;
};

/* Where a piece may begin.  */
struct beginning
{
  int64_t key; /* cost up to here, less that of the rows before */
  uint32_t cut;
};

/* Beginnings of pieces of at most `rows_max' rows, with starts of `width'
   bytes.  They ascend, and one is dropped when a later one is as good.  */
struct window
{
  const struct cut *cuts;
  unsigned width;
  uint32_t reach; /* from a piece's start to its last row's */
  uint32_t rows_max;
  struct beginning *beginnings;
  size_t head, tail;
};

struct chooser
{
  const struct partition_input *input;
  const struct cut *cuts;
  const struct repeats *repeats;
  uint64_t *costs;    /* of all before a cut, in its run; per cut */
  struct step *steps; /* likewise */
  uint32_t *shares;   /* a use of a kind costs so much */
  uint32_t *n_chosen; /* uses of a kind in this pass */
  const struct repeat
      *next[REPEATS_ATOMS_MAX + 1]; /* occurrences to look at */
  struct beginning *near, *far;     /* room for those of two windows */
};

/* ---- Windows */

/* What BYTES of N_ROWS rows cost, with starts of WIDTH bytes.  */
static inline int64_t
rows_cost (uint64_t bytes, uint32_t n_rows, unsigned width)
{
  return (int64_t)(UNIT * (bytes + width * (uint64_t)n_rows));
}

/* From now on pieces may begin at cut number NUMBER; what is before it costs
   COST.  A row that continues is written when a piece begins with it, so it is
   none of those before.  */
static inline void
window_add (struct window *window, uint32_t number, uint64_t cost)
{
  const struct cut *cut = &window->cuts[number];
  int64_t key
      = (int64_t)cost
        - rows_cost (cut->bytes - cut->first_bytes,
                     cut->n_rows - (cut->first_bytes != 0), window->width);
  while (window->tail > window->head
         && window->beginnings[window->tail - 1].key >= key)
    window->tail--;
  window->beginnings[window->tail++] = (struct beginning){ key, number };
}

/* What is before cut number END costs at least, if the last piece is one of
   WINDOW: COST, and that piece's index entry and attributes.  *BEGIN is where
   that piece begins.  UINT64_MAX if there is none.  */
static inline uint64_t
window_cost (struct window *window, uint32_t end, uint32_t *begin)
{
  const struct cut *cut = &window->cuts[end];
  while (window->head < window->tail)
    {
      const struct beginning *best = &window->beginnings[window->head];
      const struct cut *from = &window->cuts[best->cut];
      *begin = best->cut;
      if (segment_last_start (from, cut) <= window->reach
          && segment_n_rows (from, cut) <= window->rows_max)
        return (
            uint64_t)(best->key
                      + rows_cost (cut->bytes, cut->n_rows, window->width));
      window->head++;
    }
  return UINT64_MAX;
}

/* ---- Steps */

static inline void
chooser_offer (struct chooser *chooser, size_t end, uint64_t cost,
               uint32_t begin, uint32_t kind)
{
  if (cost >= chooser->costs[end])
    return;
  chooser->costs[end] = cost;
  chooser->steps[end] = (struct step){ begin, kind };
}

/* Offer the repeated segments that begin at cut number BEGIN.  A piece costs
   ENTRY besides its block.  */
static inline void
chooser_offer_repeats (struct chooser *chooser, uint32_t begin, uint64_t entry)
{
  uint64_t cost = chooser->costs[begin] + entry;
  for (unsigned i = 0; chooser->next[i]->start == begin; i++)
    {
      const struct repeat *repeat = chooser->next[i]++;
      uint32_t kind = repeat->kind;
      chooser_offer (chooser, begin + i + 1, cost + chooser->shares[kind],
                     begin, kind);
    }
}

/* Offer the best pieces up to cut number END that have a block of their own.
   A piece costs ENTRY besides its rows.  */
static inline void
chooser_offer_own (struct chooser *chooser, struct window *near,
                   struct window *far, uint32_t end, uint64_t entry)
{
  const struct cut *cut = &chooser->cuts[end];
  uint32_t begin, far_begin;
  uint64_t cost = window_cost (near, end, &begin), far_cost;
  /* While the near window reaches over all that is before, nothing in the far
     one is cheaper.  */
  if (near->head > 0 && (far_cost = window_cost (far, end, &far_begin)) < cost)
    {
      cost = far_cost;
      begin = far_begin;
    }
  /* No window reaches over an atom that is long, or has many rows.  */
  if (cost == UINT64_MAX && chooser->costs[end] == UINT64_MAX)
    {
      begin = end - 1;
      cost = chooser->costs[begin] + UNIT * segment_bytes (cut - 1, cut);
    }
  if (cost != UINT64_MAX)
    chooser_offer (chooser, end, cost + entry, begin, NO_KIND);
}

/* Choose the pieces of the run from cut BEGIN to END, which occurs where each
   piece costs ENTRY.  */
static void
chooser_cut (struct chooser *chooser, uint32_t begin, uint32_t end,
             uint64_t entry)
{
  const struct partition_input *input = chooser->input;
  uint64_t own = entry + UNIT * (uint64_t)input->attribute_cost;
  struct window near = { .cuts = chooser->cuts,
                         .width = 1,
                         .reach = UINT8_MAX,
                         .rows_max = input->rows_max,
                         .beginnings = chooser->near };
  struct window far = { .cuts = chooser->cuts,
                        .width = 2,
                        .reach = UINT16_MAX,
                        .rows_max = input->rows_max,
                        .beginnings = chooser->far };
  memset (&chooser->costs[begin], 0xff,
          (end - begin + 1) * sizeof *chooser->costs);
  chooser->costs[begin] = 0;
  for (uint32_t i = begin; i < end; i++)
    {
      chooser_offer_repeats (chooser, i, entry);
      window_add (&near, i, chooser->costs[i]);
      window_add (&far, i, chooser->costs[i]);
      chooser_offer_own (chooser, &near, &far, i + 1, own);
    }
}

static void
chooser_run (struct chooser *chooser, const struct run *run)
{
  uint32_t begin = run->first_cut, end = run[1].first_cut;
  if (end - begin > 1)
    chooser_cut (
        chooser, begin, end,
        UNIT * ((uint64_t)run->n_occurrences * chooser->input->entry_cost));
  else
    chooser->steps[end]
        = (struct step){ begin, chooser->next[0]->start == begin
                                    ? chooser->next[0]++->kind
                                    : NO_KIND };
  for (uint32_t at = end; at > begin; at = chooser->steps[at].begin)
    if (chooser->steps[at].kind != NO_KIND)
      chooser->n_chosen[chooser->steps[at].kind]++;
}

static void
chooser_pass (struct chooser *chooser, bool first)
{
  const struct partition_input *input = chooser->input;
  const struct repeats *repeats = chooser->repeats;
  for (uint32_t i = 0; i < repeats->n_kinds; i++)
    {
      const struct repeat_kind *kind = &repeats->kinds[i];
      uint32_t n = first ? kind->n_occurrences : chooser->n_chosen[i];
      /* What each of N pieces pays for the block, which they use together; a
         block without uses would be paid by one piece.  */
      uint64_t share = UNIT * (input->attribute_cost + (uint64_t)kind->bytes)
                       / (n > 0 ? n : 1);
      chooser->shares[i] = share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
      chooser->n_chosen[i] = 0;
    }
  for (unsigned i = 0; i <= REPEATS_ATOMS_MAX; i++)
    chooser->next[i] = repeats->of_atoms[i];
  for (size_t i = 0; i < input->n_runs; i++)
    chooser_run (chooser, &input->runs[i]);
}

/* The hash for tables of the segment that ends at cut END and is STEP.  */
static uint32_t
step_hash (const struct chooser *chooser, const struct step *step,
           uint32_t end)
{
  const struct cut *cuts = chooser->cuts;
  const struct numbered_row *rows = chooser->input->rows;
  if (step->kind != NO_KIND)
    return segment_hash_for_table (chooser->repeats->kinds[step->kind].hash);
  const struct numbered_row *first = &rows[cuts[step->begin].row];
  const struct segment_tail tail
      = segment_tail_of (first, &rows[cuts[end].row]);
  return segment_hash_for_table (segment_hash_begin (&tail, first));
}

/* The steps lead backwards, from the end of each run to its beginning.  */
static bool
collect_pieces (const struct chooser *chooser, struct partition *partition)
{
  const struct partition_input *input = chooser->input;
  struct run *runs = input->runs;
  size_t n = 0;
  for (size_t i = 0; i < input->n_runs; i++)
    {
      runs[i].first_piece = (uint32_t)n;
      for (uint32_t at = runs[i + 1].first_cut; at > runs[i].first_cut;
           at = chooser->steps[at].begin)
        n++;
    }
  runs[input->n_runs].first_piece = (uint32_t)n;
  partition->pieces = reallocarray (NULL, n + 1, sizeof *partition->pieces);
  if (partition->pieces == NULL)
    return false;
  partition->n_pieces = n;
  for (size_t i = input->n_runs; i-- > 0;)
    for (uint32_t at = runs[i + 1].first_cut; at > runs[i].first_cut;
         at = chooser->steps[at].begin)
      partition->pieces[--n]
          = (struct piece){ chooser->steps[at].begin, at,
                            step_hash (chooser, &chooser->steps[at], at) };
  return true;
}

static bool
choose (struct partition *partition, const struct partition_input *input,
        const struct repeats *repeats)
{
  size_t n_cuts = partition->n_cuts + 1, n_kinds = repeats->n_kinds + 1;
  struct chooser chooser = {
    .input = input,
    .cuts = partition->cuts,
    .repeats = repeats,
    .costs = reallocarray (NULL, n_cuts, sizeof *chooser.costs),
    .steps = reallocarray (NULL, n_cuts, sizeof *chooser.steps),
    .shares = reallocarray (NULL, n_kinds, sizeof *chooser.shares),
    .n_chosen = reallocarray (NULL, n_kinds, sizeof *chooser.n_chosen),
    .near = reallocarray (NULL, n_cuts, sizeof *chooser.near),
    .far = reallocarray (NULL, n_cuts, sizeof *chooser.far),
  };
  bool done = chooser.costs != NULL && chooser.steps != NULL
              && chooser.shares != NULL && chooser.n_chosen != NULL
              && chooser.near != NULL && chooser.far != NULL;
  for (unsigned pass = 0; done && pass < input->passes; pass++)
    chooser_pass (&chooser, pass == 0);
  done = done && collect_pieces (&chooser, partition);
  free (chooser.near);
  free (chooser.far);
  free (chooser.costs);
  free (chooser.steps);
  free (chooser.shares);
  free (chooser.n_chosen);
  return done;
}

bool
partition_make (struct partition *partition,
                const struct partition_input *input)
{
  struct repeats repeats;
  *partition = (struct partition){ 0 };
  if (!cut_all (partition, input))
    return false;
  bool made = repeats_find (&repeats, partition, input)
              && choose (partition, input, &repeats);
  repeats_free (&repeats);
  return made;
}

void
partition_free (struct partition *partition)
{
  free (partition->cuts);
  free (partition->pieces);
}

/* The cheapest way to cut runs of rows into pieces.
   SPDX-License-Identifier: LGPL-2.1-or-later

   First all cuts are made, then repeated segments are found (segments.h), then
   pieces are chosen by dynamic programming: for every cut of a run, from left
   to right, the cheapest way to describe the run's rows in front of it (struct
   choice).  The last piece of these rows ends at the cut.

   It can be a segment that repeats.  These segments are known, and each is
   tried.

   Or it is a segment with a block of its own, which may begin at any cut in
   front.  Only the best beginning is tried.  The bytes of a segment's rows are
   those of all rows in front of its end, minus those of all rows in front of
   its beginning, if the starts of rows have the same width everywhere.  Which
   beginning is the best does not depend on the end, therefore, as long as the
   segment is not too long.  So beginnings are kept in a sliding window, whose
   first element is the best (struct window).

   A start has 1, 2 or 4 bytes.  The last row of a piece decides.  The near
   window is for starts of 1 byte: its segments have a last row that starts at
   255 or before.  The far window is for starts of 2 bytes, up to 65,535.
   There is no window for 4 bytes, because hardly a function is so long: if
   functions stay whole, 2 of 94,979 FDEs of libLLVM-14 have such starts.  A
   cut there saves 2 bytes in each row, and so pays for its index entry soon.
   Of the segments of that length only those that repeat are tried, and single
   atoms.

   A beginning enters a window once and leaves it once.  A single cut can take
   many steps, therefore, but a pass over N cuts takes O(N) for the windows,
   and O(N * atoms_max) for the segments that repeat.  */

#include "sframe/partition.h"

#include <stdlib.h>

enum
{
  /* Prologues and epilogues consist of short rows.  Functions differ in the
     long rows between them.  An FDE's last row ends where the FDE ends, so
     blocks that differ only in the length of their last row are equal.  An
     atom therefore ends with the first row of LONG_ROW bytes of code or more,
     or after SHORT_ROWS_MAX shorter rows.  */
  LONG_ROW = 6,
  SHORT_ROWS_MAX = 12,
  COST_UNIT = 256, /* costs count 1/256 of a byte, as shares can be small */
  NO_PATTERN = UINT32_MAX /* of a piece that is not a repeated segment */
};

/* ---- Cuts */

struct cut_list
{
  struct cut *cuts; /* N, and one behind all rows; owned */
  size_t n;
};

/* The next row behind ROW that an FDE may begin with, INSIDE a function or
   not, or END, the end of the run.  */
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

/* Move CUT from ROW to END, but for the fields that say what is behind it.  */
static void
pass_rows (const struct rule *rules, const struct numbered_row *row,
           const struct numbered_row *end, struct cut *cut)
{
  uint64_t bytes = 0;
  for (; row < end; row++)
    if (!(row->rule & ROW_CONTINUES))
      {
        cut->last = row->start;
        bytes += rules[row->rule & ROW_RULE].bytes;
        cut->n_rows++;
      }
  cut->bytes += bytes;
}

/* Make the cuts of RUN.  CUT moves from the cut at its start to its end.  */
static void
cut_run (struct cut_list *list, const struct partition_input *input,
         struct run *run, struct cut *cut)
{
  const struct rule *rules = input->rules->rules;
  const struct numbered_row *row = &input->rows[run->first_row];
  const struct numbered_row *end = &input->rows[run[1].first_row], *next;
  /* A function is not cut if a second index entry at each of its places would
     take as many bytes as its rows, or more.  */
  bool whole
      = input->distinct
        && run->bytes <= (uint64_t)run->n_occurrences * input->entry_cost;
  run->first_cut = (uint32_t)list->n;
  cut->begins_run = true;
  for (; row < end; row = next)
    {
      cut->start = row->start;
      cut->row = (uint32_t)(row - input->rows);
      cut->first_bytes
          = row->rule & ROW_CONTINUES ? rules[row->rule & ROW_RULE].bytes : 0;
      list->cuts[list->n++] = *cut;
      cut->begins_run = false;
      bool inside = input->inside && list->n < input->cuts_max;
      next = whole ? end : next_beginning (row, end, inside);
      pass_rows (rules, row, next, cut);
    }
}

/* Make the cuts of all runs, and a run and a cut behind them.  */
static bool
cut_all (struct cut_list *list, const struct partition_input *input)
{
  struct cut cut = { 0 };
  struct run *behind = &input->runs[input->n_runs];
  /* Each cut is in front of a row, and the last one is behind all rows.  */
  list->cuts = reallocarray (NULL, input->n_rows + 1, sizeof *list->cuts);
  if (list->cuts == NULL)
    return false;
  *behind = (struct run){ .first_row = (uint32_t)input->n_rows };
  for (struct run *run = input->runs; run < behind; run++)
    cut_run (list, input, run, &cut);
  behind->first_cut = (uint32_t)list->n;
  cut.row = (uint32_t)input->n_rows;
  cut.first_bytes = 0;
  cut.begins_run = true;
  list->cuts[list->n] = cut;
  return true;
}

/* ---- Choosing pieces */

/* The cheapest way to describe the rows before a cut, as far as offered.  The
   last piece of these rows says how: at its beginning is another choice.  */
struct choice
{
  uint64_t cost;    /* UINT64_MAX: no way has been offered yet */
  uint32_t begin;   /* the cut where the piece begins */
  uint32_t pattern; /* of the piece, or NO_PATTERN */
};

/* A cut where a piece may begin.  */
struct beginning
{
  int64_t key; /* cost of all before, minus that of its rows in one block */
  uint32_t cut;
};

/* The beginnings that may still be the best for a piece of at most `rows_max'
   rows with starts of `width' bytes, from `head' to `tail'.  Cuts and keys
   ascend, so the first beginning is the best.  A beginning is dropped when it
   is too far away, or when a later one, which is in reach for longer, has no
   higher key.  */
struct window
{
  unsigned width;
  uint32_t reach; /* the highest start of a piece's last row */
  struct beginning *beginnings;
  size_t head, tail;
};

struct chooser
{
  const struct partition_input *input;
  struct partition *partition;
  const struct cut *cuts;
  size_t n_cuts;
  struct repeats *repeats;
  struct choice *choices; /* per cut; owned */
  uint32_t *shares; /* per pattern: a piece's share of the block; owned */
  const struct repeat *next[REPEATS_ATOMS_MAX + 1]; /* occurrences to offer */
  struct beginning *beginnings; /* room for those of two windows; owned */
};

/* ---- Windows */

/* The cost of N_ROWS rows: BYTES in all, and WIDTH bytes for each start.  */
static inline int64_t
rows_cost (uint64_t bytes, uint32_t n_rows, unsigned width)
{
  return (int64_t)(COST_UNIT * (bytes + width * (uint64_t)n_rows));
}

/* Add cut number NUMBER to the beginnings of WINDOW.  If the first row behind
   the cut continues the row before, a piece that begins there has one row more
   than the counts of the cut say.  */
static inline void
window_add (const struct chooser *chooser, struct window *window,
            uint32_t number)
{
  const struct cut *cut = &chooser->cuts[number];
  int64_t key
      = (int64_t)chooser->choices[number].cost
        - rows_cost (cut->bytes - cut->first_bytes,
                     cut->n_rows - (cut->first_bytes != 0), window->width);
  while (window->tail > window->head
         && window->beginnings[window->tail - 1].key >= key)
    window->tail--;
  window->beginnings[window->tail++] = (struct beginning){ key, number };
}

/* The lowest cost of all before cut number END, if the last piece begins in
   WINDOW, without that piece's index entry and attribute.  *BEGIN becomes the
   cut where that piece begins.  UINT64_MAX if there is no such piece.  */
static inline uint64_t
window_cost (const struct chooser *chooser, struct window *window,
             uint32_t end, uint32_t *begin)
{
  const struct cut *cut = &chooser->cuts[end];
  const int64_t rows = rows_cost (cut->bytes, cut->n_rows, window->width);
  while (window->head < window->tail)
    {
      const struct beginning *best = &window->beginnings[window->head];
      const struct cut *from = &chooser->cuts[best->cut];
      *begin = best->cut;
      if (segment_last_start (from, cut) <= window->reach
          && segment_n_rows (from, cut) <= chooser->input->rows_max)
        return (uint64_t)(best->key + rows);
      window->head++;
    }
  return UINT64_MAX;
}

/* ---- Dynamic programming */

/* Make the piece from cut BEGIN to cut END, a segment of PATTERN, the choice
   at END, if COST is lower than that of the choice so far.  */
static inline void
chooser_offer (struct chooser *chooser, uint32_t end, uint64_t cost,
               uint32_t begin, uint32_t pattern)
{
  if (cost < chooser->choices[end].cost)
    chooser->choices[end] = (struct choice){ cost, begin, pattern };
}

/* Offer the repeated segments that begin at cut number BEGIN, from one atom
   on.  If a segment repeats, so does each shorter one with its beginning.
   ENTRY is the cost of a piece's index entries.  */
static inline void
chooser_offer_repeats (struct chooser *chooser, uint32_t begin, uint64_t entry)
{
  uint64_t cost = chooser->choices[begin].cost + entry;
  for (unsigned i = 0; chooser->next[i]->start == begin; i++)
    {
      const struct repeat *repeat = chooser->next[i]++;
      chooser_offer (chooser, begin + i + 1,
                     cost + chooser->shares[repeat->pattern], begin,
                     repeat->pattern);
    }
}

/* Offer the best piece that ends at cut number END and has a block of its own.
   ENTRY is the cost of its index entries and of its attribute.  */
static inline void
chooser_offer_own (struct chooser *chooser, struct window *near,
                   struct window *far, uint32_t end, uint64_t entry)
{
  uint32_t begin, far_begin;
  uint64_t cost = window_cost (chooser, near, end, &begin), far_cost;
  /* As long as no beginning was too far away for the near window, the best one
     in it is the best of all, and wider starts only cost more.  */
  if (near->head > 0
      && (far_cost = window_cost (chooser, far, end, &far_begin)) < cost)
    {
      cost = far_cost;
      begin = far_begin;
    }
  /* A single atom can be longer than the windows reach, or have more rows than
     they allow.  It is a piece if there is no other way.  */
  if (cost == UINT64_MAX && chooser->choices[end].cost == UINT64_MAX)
    {
      const struct cut *cut = &chooser->cuts[end];
      begin = end - 1;
      cost = chooser->choices[begin].cost
             + COST_UNIT * segment_bytes (cut - 1, cut);
    }
  if (cost != UINT64_MAX)
    chooser_offer (chooser, end, cost + entry, begin, NO_PATTERN);
}

/* Choose the pieces of RUN, and count the sharers of each pattern.  */
static void
chooser_choose_run (struct chooser *chooser, struct run *run)
{
  const struct partition_input *input = chooser->input;
  struct choice *choices = chooser->choices;
  const uint32_t begin = run->first_cut, end = run[1].first_cut;
  /* An index entry at each place where the run occurs.  */
  const uint64_t entry
      = COST_UNIT * (uint64_t)run->n_occurrences * input->entry_cost;
  const uint64_t own = entry + COST_UNIT * (uint64_t)input->attribute_cost;
  struct window near = { 1, UINT8_MAX, chooser->beginnings, 0, 0 };
  struct window far
      = { 2, UINT16_MAX, chooser->beginnings + chooser->n_cuts, 0, 0 };
  /* The run before ends at the same cut.  Its choice there needs no cost.  */
  choices[begin].cost = 0;
  for (uint32_t i = begin; i < end; i++)
    choices[i + 1].cost = UINT64_MAX;
  for (uint32_t i = begin; i < end; i++)
    {
      chooser_offer_repeats (chooser, i, entry);
      window_add (chooser, &near, i);
      window_add (chooser, &far, i);
      chooser_offer_own (chooser, &near, &far, i + 1, own);
    }
  run->first_piece = (uint32_t)chooser->partition->n_pieces;
  for (uint32_t at = end; at > begin; at = choices[at].begin)
    {
      chooser->partition->n_pieces++;
      if (choices[at].pattern != NO_PATTERN)
        chooser->repeats->patterns[choices[at].pattern].n_uses++;
    }
}

/* Choose the pieces of all runs once.  */
static void
chooser_pass (struct chooser *chooser)
{
  const struct partition_input *input = chooser->input;
  const struct repeats *repeats = chooser->repeats;
  for (uint32_t i = 0; i < repeats->n_patterns; i++)
    {
      struct pattern *pattern = &repeats->patterns[i];
      /* If the pass before has chosen none, a piece would have no sharers, and
         pay for the whole block.  */
      uint64_t share = COST_UNIT
                       * (input->attribute_cost + (uint64_t)pattern->bytes)
                       / (pattern->n_uses > 0 ? pattern->n_uses : 1);
      chooser->shares[i] = share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
      pattern->n_uses = 0;
    }
  for (unsigned i = 0; i <= REPEATS_ATOMS_MAX; i++)
    chooser->next[i] = repeats->of_atoms[i];
  chooser->partition->n_pieces = 0;
  for (size_t i = 0; i < input->n_runs; i++)
    chooser_choose_run (chooser, &input->runs[i]);
  input->runs[input->n_runs].first_piece
      = (uint32_t)chooser->partition->n_pieces;
}

/* The hash for tables of the piece that is CHOICE at cut END.  */
static uint32_t
choice_hash (const struct chooser *chooser, const struct choice *choice,
             uint32_t end)
{
  const struct cut *cuts = chooser->cuts;
  const struct numbered_row *rows = chooser->input->rows;
  if (choice->pattern != NO_PATTERN)
    return segment_hash_for_table (
        chooser->repeats->patterns[choice->pattern].hash);
  const struct numbered_row *first = &rows[cuts[choice->begin].row];
  const struct segment_tail tail
      = segment_tail_of (first, &rows[cuts[end].row]);
  return segment_hash_for_table (segment_hash_begin (&tail, first));
}

/* Make the pieces: follow the choices from each run's end.  */
static bool
chooser_collect (const struct chooser *chooser)
{
  struct partition *partition = chooser->partition;
  const struct choice *choices = chooser->choices;
  const struct run *runs = chooser->input->runs;
  size_t n = partition->n_pieces;
  partition->pieces = reallocarray (NULL, n + 1, sizeof *partition->pieces);
  if (partition->pieces == NULL)
    return false;
  partition->pieces[n]
      = (struct piece){ .first_row = (uint32_t)chooser->input->n_rows };
  for (size_t i = chooser->input->n_runs; i-- > 0;)
    for (uint32_t at = runs[i + 1].first_cut; at > runs[i].first_cut;
         at = choices[at].begin)
      partition->pieces[--n]
          = (struct piece){ chooser->cuts[choices[at].begin].row,
                            choice_hash (chooser, &choices[at], at),
                            NOT_ENCODED };
  return true;
}

static bool
choose (struct partition *partition, const struct partition_input *input,
        const struct cut_list *list, struct repeats *repeats)
{
  struct chooser chooser = {
    .input = input,
    .partition = partition,
    .cuts = list->cuts,
    .n_cuts = list->n,
    .repeats = repeats,
    .choices = reallocarray (NULL, list->n + 1, sizeof *chooser.choices),
    .shares
    = reallocarray (NULL, repeats->n_patterns + 1, sizeof *chooser.shares),
    .beginnings
    = reallocarray (NULL, 2 * list->n + 1, sizeof *chooser.beginnings),
  };
  bool done = chooser.choices != NULL && chooser.shares != NULL
              && chooser.beginnings != NULL;
  for (unsigned pass = 0; done && pass < input->passes; pass++)
    chooser_pass (&chooser);
  done = done && chooser_collect (&chooser);
  free (chooser.choices);
  free (chooser.shares);
  free (chooser.beginnings);
  return done;
}

bool
partition_make (struct partition *partition,
                const struct partition_input *input)
{
  struct cut_list list = { 0 };
  struct repeats repeats;
  *partition = (struct partition){ 0 };
  if (!cut_all (&list, input))
    return false;
  const struct repeats_input repeats_input = { .rows = input->rows,
                                               .cuts = list.cuts,
                                               .n_cuts = list.n,
                                               .atoms_max = input->atoms_max,
                                               .rows_max = input->rows_max };
  bool made = repeats_find (&repeats, &repeats_input)
              && choose (partition, input, &list, &repeats);
  repeats_free (&repeats);
  free (list.cuts);
  return made;
}

void
partition_free (struct partition *partition)
{
  free (partition->pieces);
}

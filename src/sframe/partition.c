/* The cheapest way to cut runs of rows into pieces.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A dynamic programme: for every cut, from left to right, the cheapest way to
   describe the run's rows before it.  The last piece is either a segment that
   repeats, or one that occurs once.  All segments of the first kind are known
   (repeats.h) and are tried.  A segment of the second kind may begin at any
   cut before, but only the best beginning needs to be tried.  As long as row
   starts have the same width, the cost is a difference of two sums, one for
   each end, so the best beginning is the same whatever the end is, until it is
   too far away.  The best beginning is therefore a minimum over a sliding
   window, which takes constant time per cut.  */

#include "sframe/partition.h"

#include <stdlib.h>
#include <string.h>

enum
{
  UNIT = 256, /* costs are in bytes / UNIT: shares of blocks are small */
  NO_KIND = UINT32_MAX
};

/* The cheapest last piece before a cut.  */
struct step
{
  uint32_t begin;
  uint32_t kind;
};

/* Where a piece may begin, as long as it ends in time.  */
struct beginning
{
  int64_t key; /* cost up to here, less the sum of the rows before */
  uint64_t last_start_max; /* of the piece's rows, counted as in cuts */
  uint32_t n_rows_max;     /* likewise */
  uint32_t cut;
};

/* Beginnings of pieces whose row starts take `width` bytes, in ascending
   order; a beginning is dropped when a later one is as good.  */
struct window
{
  unsigned width;
  uint32_t reach;               /* from a piece's start to its last row's */
  struct beginning *beginnings; /* owned */
  size_t head, tail;
};

enum
{
  N_WINDOWS = 2
};

struct chooser
{
  const struct partition_input *input;
  uint64_t *costs;    /* of all before a cut, in its run; per cut */
  struct step *steps; /* likewise */
  uint32_t *shares;   /* a use of a kind costs so much */
  uint32_t *n_chosen; /* uses of a kind in this pass */
  const struct repeat
      *next[REPEATS_ATOMS_MAX + 1]; /* occurrences to look at */
  struct window windows[N_WINDOWS];
};

/* Windows.  */

/* What the rows before CUT cost, where their starts take WIDTH bytes.  */
static inline int64_t
rows_cost (const struct cut *cut, unsigned width)
{
  return (int64_t)(UNIT * (cut->bytes + width * (uint64_t)cut->n_rows));
}

/* From now on pieces may begin at cut number NUMBER of CUTS; what is before it
   costs COST.  */
static inline void
window_add (struct window *window, const struct cut *cuts, uint32_t number,
            uint64_t cost, uint32_t rows_max)
{
  const struct cut *cut = &cuts[number];
  int64_t key = (int64_t)cost - rows_cost (cut, window->width);
  uint32_t n_rows_max = cut->n_rows + rows_max;
  if (cut->first_bytes != 0)
    {
      key += (int64_t)UNIT * (cut->first_bytes + window->width);
      n_rows_max--;
    }
  while (window->tail > window->head
         && window->beginnings[window->tail - 1].key >= key)
    window->tail--;
  window->beginnings[window->tail++]
      = (struct beginning){ .key = key,
                            .last_start_max = cut->address + window->reach,
                            .n_rows_max = n_rows_max,
                            .cut = number };
}

/* The best beginning of a piece that ends at END; NULL if there is none.  */
static inline const struct beginning *
window_best (struct window *window, const struct cut *end)
{
  for (; window->head < window->tail; window->head++)
    {
      const struct beginning *best = &window->beginnings[window->head];
      if (end->address - end->back <= best->last_start_max
          && end->n_rows <= best->n_rows_max)
        return best;
    }
  return NULL;
}

/* Choosing.  */

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

/* Offer the best pieces up to END that have a block of their own.  A piece
   costs ENTRY besides its rows.  */
static inline void
chooser_offer_own (struct chooser *chooser, uint32_t end, uint64_t entry)
{
  const struct cut *cut = &chooser->input->cuts[end];
  for (unsigned i = 0; i < N_WINDOWS; i++)
    {
      struct window *window = &chooser->windows[i];
      const struct beginning *best = window_best (window, cut);
      if (best != NULL)
        chooser_offer (chooser, end,
                       (uint64_t)(best->key + rows_cost (cut, window->width))
                           + entry,
                       best->cut, NO_KIND);
    }
  /* No window reaches over an atom that is long, or has many rows.  */
  if (chooser->costs[end] == UINT64_MAX)
    chooser_offer (chooser, end,
                   chooser->costs[end - 1] + entry
                       + UNIT * segment_bytes (cut - 1, cut),
                   end - 1, NO_KIND);
}

/* The run is one atom.  */
static void
chooser_take_atom (struct chooser *chooser, uint32_t begin)
{
  uint32_t kind = NO_KIND;
  if (chooser->next[0]->start == begin)
    kind = chooser->next[0]++->kind;
  chooser->steps[begin + 1] = (struct step){ begin, kind };
}

static void
chooser_cut (struct chooser *chooser, uint32_t begin, uint32_t end,
             uint64_t entry)
{
  const struct partition_input *input = chooser->input;
  uint64_t own = entry + UNIT * (uint64_t)input->attribute_cost;
  for (unsigned i = 0; i < N_WINDOWS; i++)
    chooser->windows[i].head = chooser->windows[i].tail = 0;
  memset (&chooser->costs[begin], 0xff,
          (end - begin + 1) * sizeof *chooser->costs);
  chooser->costs[begin] = 0;
  for (uint32_t i = begin; i < end; i++)
    {
      chooser_offer_repeats (chooser, i, entry);
      for (unsigned w = 0; w < N_WINDOWS; w++)
        window_add (&chooser->windows[w], input->cuts, i, chooser->costs[i],
                    input->rows_max);
      chooser_offer_own (chooser, i + 1, own);
    }
}

static void
chooser_run (struct chooser *chooser, const struct run *run)
{
  uint32_t begin = run->first_cut, end = run[1].first_cut;
  if (end - begin == 1)
    chooser_take_atom (chooser, begin);
  else
    chooser_cut (chooser, begin, end,
                 UNIT
                     * ((uint64_t)run->n_places * chooser->input->entry_cost));
  for (uint32_t at = end; at > begin; at = chooser->steps[at].begin)
    if (chooser->steps[at].kind != NO_KIND)
      chooser->n_chosen[chooser->steps[at].kind]++;
}

/* What each of N pieces pays for a block of KIND, which they use together; a
   block without uses would be paid by one piece.  */
static uint32_t
block_share (const struct chooser *chooser, uint32_t kind, uint32_t n)
{
  uint64_t bytes = chooser->input->attribute_cost
                   + (uint64_t)chooser->input->repeats->kinds[kind].bytes;
  uint64_t share = UNIT * bytes / (n > 0 ? n : 1);
  return share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
}

static void
chooser_pass (struct chooser *chooser, bool first)
{
  const struct partition_input *input = chooser->input;
  const struct repeats *repeats = input->repeats;
  for (uint32_t i = 0; i < repeats->n_kinds; i++)
    {
      chooser->shares[i] = block_share (chooser, i,
                                        first ? repeats->kinds[i].n_occurrences
                                              : chooser->n_chosen[i]);
      chooser->n_chosen[i] = 0;
    }
  for (unsigned i = 0; i <= REPEATS_ATOMS_MAX; i++)
    chooser->next[i] = repeats->of_atoms[i];
  for (size_t i = 0; i < input->n_runs; i++)
    chooser_run (chooser, &input->runs[i]);
}

/* The hash for tables of the segments of KIND.  */
static uint32_t
known_hash (const struct partition_input *input, uint32_t kind)
{
  return kind != NO_KIND
             ? segment_hash_for_table (input->repeats->kinds[kind].hash)
             : 0;
}

/* The steps lead backwards, from the end of each run to its beginning.  */
static struct piece *
collect_pieces (const struct chooser *chooser, struct run *runs,
                size_t *n_pieces)
{
  const struct partition_input *input = chooser->input;
  size_t n = 0;
  for (size_t i = 0; i < input->n_runs; i++)
    {
      runs[i].first_piece = (uint32_t)n;
      for (uint32_t at = runs[i + 1].first_cut; at > runs[i].first_cut;
           at = chooser->steps[at].begin)
        n++;
    }
  runs[input->n_runs].first_piece = (uint32_t)n;
  struct piece *pieces = reallocarray (NULL, n + 1, sizeof *pieces);
  if (pieces == NULL)
    return NULL;
  *n_pieces = n;
  for (size_t i = input->n_runs; i-- > 0;)
    for (uint32_t at = runs[i + 1].first_cut; at > runs[i].first_cut;
         at = chooser->steps[at].begin)
      pieces[--n]
          = (struct piece){ chooser->steps[at].begin, at,
                            known_hash (input, chooser->steps[at].kind) };
  return pieces;
}

static bool
chooser_init (struct chooser *chooser, const struct partition_input *input)
{
  size_t n_cuts = input->n_cuts + 1, n_kinds = input->repeats->n_kinds + 1;
  *chooser = (struct chooser){
    .input = input,
    .costs = reallocarray (NULL, n_cuts, sizeof *chooser->costs),
    .steps = reallocarray (NULL, n_cuts, sizeof *chooser->steps),
    .shares = reallocarray (NULL, n_kinds, sizeof *chooser->shares),
    .n_chosen = reallocarray (NULL, n_kinds, sizeof *chooser->n_chosen),
    .windows = { { .width = 1, .reach = UINT8_MAX },
                 { .width = 2, .reach = UINT16_MAX } },
  };
  bool done = chooser->costs != NULL && chooser->steps != NULL
              && chooser->shares != NULL && chooser->n_chosen != NULL;
  for (unsigned i = 0; i < N_WINDOWS; i++)
    {
      struct window *window = &chooser->windows[i];
      window->beginnings
          = reallocarray (NULL, n_cuts, sizeof *window->beginnings);
      done = done && window->beginnings != NULL;
    }
  return done;
}

static void
chooser_free (struct chooser *chooser)
{
  for (unsigned i = 0; i < N_WINDOWS; i++)
    free (chooser->windows[i].beginnings);
  free (chooser->costs);
  free (chooser->steps);
  free (chooser->shares);
  free (chooser->n_chosen);
}

struct piece *
partition_make (const struct partition_input *input, size_t *n_pieces)
{
  struct chooser chooser;
  struct piece *pieces = NULL;
  if (chooser_init (&chooser, input))
    {
      for (unsigned pass = 0; pass < input->passes; pass++)
        chooser_pass (&chooser, pass == 0);
      pieces = collect_pieces (&chooser, input->runs, n_pieces);
    }
  chooser_free (&chooser);
  return pieces;
}

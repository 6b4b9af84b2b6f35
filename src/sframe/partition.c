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
  uint64_t *costs;    /* of all before a cut, in its run; per cut */
  struct step *steps; /* likewise */
  uint32_t *shares;   /* a use of a kind costs so much */
  uint32_t *n_chosen; /* uses of a kind in this pass */
  const struct repeat
      *next[REPEATS_ATOMS_MAX + 1]; /* occurrences to look at */
  struct beginning *near, *far;     /* room for those of two windows */
};

/* Windows.  */

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

/* Whether a piece of WINDOW may go from BEGIN to END.  */
static inline bool
window_spans (const struct window *window, const struct cut *begin,
              const struct cut *end)
{
  return segment_last_start (begin, end) <= window->reach
         && segment_n_rows (begin, end) <= window->rows_max;
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
      *begin = best->cut;
      if (window_spans (window, &window->cuts[best->cut], cut))
        return (
            uint64_t)(best->key
                      + rows_cost (cut->bytes, cut->n_rows, window->width));
      window->head++;
    }
  return UINT64_MAX;
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

/* Offer the best pieces up to cut number END that have a block of their own. A
   piece costs ENTRY besides its rows.  */
static inline void
chooser_offer_own (struct chooser *chooser, struct window *near,
                   struct window *far, uint32_t end, uint64_t entry)
{
  const struct cut *cut = &chooser->input->cuts[end];
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
  struct window near = { .cuts = input->cuts,
                         .width = 1,
                         .reach = UINT8_MAX,
                         .rows_max = input->rows_max,
                         .beginnings = chooser->near };
  struct window far = { .cuts = input->cuts,
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
  if (end - begin == 1)
    chooser_take_atom (chooser, begin);
  else
    chooser_cut (
        chooser, begin, end,
        UNIT * ((uint64_t)run->n_occurrences * chooser->input->entry_cost));
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
    .near = reallocarray (NULL, n_cuts, sizeof *chooser->near),
    .far = reallocarray (NULL, n_cuts, sizeof *chooser->far),
  };
  return chooser->costs != NULL && chooser->steps != NULL
         && chooser->shares != NULL && chooser->n_chosen != NULL
         && chooser->near != NULL && chooser->far != NULL;
}

static void
chooser_free (struct chooser *chooser)
{
  free (chooser->near);
  free (chooser->far);
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

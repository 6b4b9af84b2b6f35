/* Lowering one function, for tests: what comes out is given in full.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TESTS_LOWERING_H
#define TESTS_LOWERING_H

#include <stdlib.h>

#include "sframe/lower.h"

/* As struct lower_sink, with the rows themselves; left_out may be NULL.  */
struct full_sink
{
  void *context;
  bool (*part) (void *context, const struct sframe_fde *part,
                struct error *err);
  void (*left_out) (void *context, uint64_t address, uint32_t size,
                    enum frame_reason reason);
};

struct full_lowering
{
  const struct full_sink *sink;
  struct lowerer *lowerer;
};

static inline bool
give_full_part (void *context, const struct numbered_function *part,
                struct error *err)
{
  const struct full_lowering *full = context;
  struct sframe_row *rows = calloc (part->n_rows, sizeof *rows);
  if (rows == NULL)
    return error_set_no_memory (err);
  const struct sframe_fde function = rule_table_expand (
      lowerer_rules (full->lowerer), part->address, part->size, part->rows,
      part->rows + part->n_rows, rows);
  bool taken = full->sink->part (full->sink->context, &function, err);
  free (rows);
  return taken;
}

static inline void
give_full_gap (void *context, uint64_t address, uint32_t size,
               enum frame_reason reason)
{
  const struct full_lowering *full = context;
  if (full->sink->left_out != NULL)
    full->sink->left_out (full->sink->context, address, size, reason);
}

/* lower_function with a lowerer of its own.  */
static inline bool
lower_without (const struct encode_options *options,
               const struct frame_function *function,
               const struct return_places *places,
               const struct full_sink *sink, struct error *err)
{
  struct full_lowering full = { .sink = sink };
  const struct lower_sink own = { &full, give_full_part, give_full_gap };
  full.lowerer = lowerer_new (options, &own);
  bool lowered = full.lowerer != NULL
                     ? lower_function (full.lowerer, function, places, err)
                     : error_set_no_memory (err);
  lowerer_free (full.lowerer);
  return lowered;
}

static inline bool
lower_in_full (const struct encode_options *options,
               const struct frame_function *function,
               const struct full_sink *sink, struct error *err)
{
  return lower_without (options, function, NULL, sink, err);
}

#endif /* TESTS_LOWERING_H */

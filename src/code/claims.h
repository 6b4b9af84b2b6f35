/* What several routines say of the same code, brought together.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A row whose CFA rule is RULE_UNSUPPORTED says that the code is understood,
   but there is no rule for it.
   A row holds at an address only if every function that gets there agrees, so
   what two of them say differently, or one of them cannot say, is dropped.  */

#ifndef CODE_CLAIMS_H
#define CODE_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/table.h"
#include "frame/frame.h"

struct claim
{
  uint64_t start;
  uint32_t size;
  uint32_t row; /* index, or CLAIM_NOTHING */
};

static const uint32_t CLAIM_NOTHING = UINT32_MAX;

struct claims
{
  struct claim *claims; /* owned; ascending and disjoint */
  size_t n, capacity;
  struct claim
      *fresh; /* owned; those of the routine under way, in any order */
  size_t n_fresh, fresh_capacity;
  struct claim *late; /* owned; of code in front of what is in `claims` */
  size_t n_late, late_capacity;
  struct frame_row *rows; /* owned; distinct; `start` is 0 */
  size_t n_rows, rows_capacity;
  struct table by_hash; /* of the rows */
  uint64_t *starts;     /* owned; of trusted functions; ascending */
  size_t n_starts, starts_capacity;
  bool failed; /* memory ran out */
};

bool claims_init (struct claims *claims, struct error *err);
void claims_free (struct claims *claims);

/* ROW holds for SIZE bytes at ADDRESS; NULL: nothing is known to hold.  */
void claims_add (struct claims *claims, uint64_t address, uint32_t size,
                 const struct frame_row *row);

/* All claims of a routine were added.  Units mostly come in the order of their
   code, so that there is little to sort.  */
void claims_end_routine (struct claims *claims);

/* A function that can be trusted starts at ADDRESS.  */
void claims_add_start (struct claims *claims, uint64_t address);

/* Drop what is disputed: it stays as CLAIM_NOTHING.  */
bool claims_settle (struct claims *claims, struct error *err);

/* Forget everything.  */
void claims_clear (struct claims *claims);

/* The settled claim at ADDRESS, or NULL.  */
const struct claim *claims_find (const struct claims *claims,
                                 uint64_t address);

#endif /* CODE_CLAIMS_H */

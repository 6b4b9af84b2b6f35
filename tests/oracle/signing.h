/* Whether the RA is signed, which libdw does not keep track of.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ORACLE_SIGNING_H
#define ORACLE_SIGNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "referee.h"

enum signing_state
{
  SIGNING_NO,
  SIGNING_YES,
  SIGNING_OTHER /* in a way SFrame cannot say: with the PC mixed in */
};

struct signing_change
{
  uint64_t start;
  enum signing_state state;
};

/* The changes along one FDE, ascending; the first one is at its start.  */
struct signing
{
  struct signing_change *changes;
  size_t n_changes, capacity;
  bool failed; /* instructions this scan does not know */
};

/* Scan FDE, reusing the memory of SIGNING (zeroed for the first time).  */
void signing_scan (struct signing *signing, const struct referee *referee,
                   const struct referee_fde *fde);
void signing_free (struct signing *signing);

/* The state at PC; lower *END to where it changes.  */
enum signing_state signing_at (const struct signing *signing, uint64_t pc,
                               uint64_t *end);

#endif /* ORACLE_SIGNING_H */

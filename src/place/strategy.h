/* Ways to give .sframe a place.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_STRATEGY_H
#define PLACE_STRATEGY_H

#include <stdbool.h>

#include "place/draft.h"

enum strategy_files
{
  ALL_FILES,
  LOADERS, /* dynamic loaders */
  OTHERS   /* other files */
};

/* A way to give .sframe a place.  The file strategy_*.c that defines it says
   for which files it is, and why.  */
struct strategy
{
  const char *name;          /* for reports */
  const char *evicting;      /* its name when sections have moved, if that is
                                another */
  enum strategy_files files; /* that it is tried for */
  bool explains; /* if no strategy applies, its reason is given, because it is
                    the most general one */

  enum attempt (*plan) (struct draft *draft);
};

/* All strategies, in the order in which they are tried.  */
#define STRATEGIES(STRATEGY) \
  STRATEGY (reuse)           \
  STRATEGY (slack)           \
  STRATEGY (loader)          \
  STRATEGY (append)          \
  STRATEGY (grow_down)       \
  STRATEGY (grow_data)

#define STRATEGY_DECLARE(name) extern const struct strategy strategy_##name;
STRATEGIES (STRATEGY_DECLARE)

#endif /* PLACE_STRATEGY_H */

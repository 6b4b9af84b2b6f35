/* One step by a section that the caller has, and what ends walks.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_SECTION_STEP_H
#define WALK_SECTION_STEP_H

#include "sframewalk.h"
#include "walk/apply.h"

/* Stable identifier ("no-row") of an END; NULL for a number that is none.  */
const char *walk_end_name (enum sfw_end end);

/* Find the RULES at ADDRESS, as unwind_source.find does; FINDER is a struct
   sfw_section.  Async-signal-safe.  */
enum sfw_end walk_section_rules (const void *finder, uint64_t address,
                                 struct unwind_rules *rules);

/* Write RULES to the public structure.  */
void walk_row_of (const struct unwind_rules *rules, struct sfw_row *row);

#endif /* WALK_SECTION_STEP_H */

/* The rules of walks, as another reader of SFrame reads them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LIVING_FOREIGN_RULES_H
#define LIVING_FOREIGN_RULES_H

#include "stacks/process.h"

/* For the `find_rules' of a struct process, after foreign_load.  */
enum sfw_end foreign_find_rules (const void *process, uint64_t address,
                                 struct unwind_rules *rules);

/* The sections may be others now, at the addresses of old ones.  */
void foreign_forget (void);

#endif /* LIVING_FOREIGN_RULES_H */

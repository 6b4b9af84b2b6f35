/* Allocations that fail when a test asks for it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For programs linked with $(FAILING_ALLOCATIONS) of tests/unit/local.am,
   which replaces malloc, calloc, realloc and reallocarray by functions of this
   module: in calls from tests and from the project's code, not in those from
   shared libraries.  */

#ifndef FAILING_ALLOCATIONS_H
#define FAILING_ALLOCATIONS_H

#include <limits.h>
#include <stdbool.h>

/* So many allocations are granted and the next one fails.  After that the
   number is UINT_MAX, and all are granted.  */
extern unsigned allocations_granted;

/* Allocations after the failed one fail as well, and allocations_granted stays
   0.  */
extern bool allocations_fail_lastingly;

/* Set by each allocation that fails; only tests clear it.  */
extern bool allocation_failed;

#endif /* FAILING_ALLOCATIONS_H */

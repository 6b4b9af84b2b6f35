/* Allocations that fail when a test wants them to.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For programs linked with $(FAILING_ALLOCATIONS) of Makefile.am, which sends
   calls of malloc, calloc, realloc and reallocarray here: those of the tests
   and of our own code, not those of shared libraries.  */

#ifndef FAILING_ALLOCATIONS_H
#define FAILING_ALLOCATIONS_H

#include <limits.h>
#include <stdbool.h>

/* So many are granted, then one fails, after which it is UINT_MAX: all are
   granted.  */
extern unsigned allocations_granted;

/* All those after it fail as well, and allocations_granted stays 0.  */
extern bool allocations_fail_lastingly;

/* Set by each that fails, and by nothing else.  */
extern bool allocation_failed;

#endif /* FAILING_ALLOCATIONS_H */

/* Results for callers compiled with another version of the header.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Inside the library structures are complete.  A public function asks for the
   caller's with results_size, works with one of its own, and hands over with
   results_give what the caller knows of it.  */

#ifndef CONVERT_RESULTS_H
#define CONVERT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The size of the structure that the caller GIVES, by its first member.  False
   with CFI2SFRAME_INVALID when it was not initialised.  */
bool results_size (const void *given, size_t *size, struct error *err);

/* Fill in the SIZE bytes the caller has GIVEN with OWN of OWN_SIZE bytes. Both
   start with their size; the caller's stays.  */
void results_give (void *given, size_t size, const void *own, size_t own_size);

#endif /* CONVERT_RESULTS_H */

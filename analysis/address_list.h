/* Addresses in ascending order.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_ADDRESS_LIST_H
#define ANALYSIS_ADDRESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/search.h"

struct address_list
{
  uint64_t *list; /* owned; what was sorted ascends */
  size_t n, capacity;
};

void address_list_free (struct address_list *list);

/* Append ADDRESS, and sort, keeping one of those that are equal.  Both return
   false when memory ran out.  */
bool address_list_add (struct address_list *list, uint64_t address);
bool address_list_sort (struct address_list *list);

/* The lowest address of LIST, which is sorted, above ADDRESS, or UINT64_MAX.
 */
static inline uint64_t
address_list_next (const struct address_list *list, uint64_t address)
{
  size_t at = SEARCH_FIRST (list->n, i, list->list[i] > address);
  return at < list->n ? list->list[at] : UINT64_MAX;
}

static inline bool
address_list_has (const struct address_list *list, uint64_t address)
{
  size_t at = SEARCH_FIRST (list->n, i, list->list[i] >= address);
  return at < list->n && list->list[at] == address;
}

#endif /* ANALYSIS_ADDRESS_LIST_H */

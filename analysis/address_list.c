/* Addresses in ascending order.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/address_list.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/radix.h"

void
address_list_free (struct address_list *list)
{
  free (list->list);
  *list = (struct address_list){ 0 };
}

bool
address_list_add (struct address_list *list, uint64_t address)
{
  if (!ARRAY_ROOM (list->list, list->n + 1, &list->capacity))
    return false;
  list->list[list->n++] = address;
  return true;
}

bool
address_list_sort (struct address_list *list)
{
  size_t n = 0;
  if (!RADIX_SORT (list->list, list->n))
    return false;
  list->capacity = list->n;
  for (size_t i = 0; i < list->n; i++)
    if (n == 0 || list->list[i] != list->list[n - 1])
      list->list[n++] = list->list[i];
  list->n = n;
  return true;
}

/* All functions of a section at once, with their rows.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For the analysis of code, which looks at functions in any order.  */

#ifndef CFI_FUNCTION_LIST_H
#define CFI_FUNCTION_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "cfi/source.h"
#include "frame/frame.h"

struct function_list
{
  /* Owned; ascending, disjoint.  rows_capacity 0: the rows are another's.  */
  struct frame_function *functions;
  size_t n;
};

/* Walk over SOURCE and keep the functions that have rows.  */
bool function_list_read (struct function_list *list,
                         const struct cfi_source *source, struct error *err);
void function_list_free (struct function_list *list);

#endif /* CFI_FUNCTION_LIST_H */

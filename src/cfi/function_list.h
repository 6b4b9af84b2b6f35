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

/* Walk over SOURCE and keep in LIST the functions that have rows.  Those with
   equal programs share their rows.  */
bool function_list_read (struct frame_functions *list,
                         const struct cfi_source *source, struct error *err);

#endif /* CFI_FUNCTION_LIST_H */

/* The latest error of libdwfl, as a struct error.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_DWFL_ERROR_H
#define STACKS_DWFL_ERROR_H

#include <elfutils/libdwfl.h>

#include "base/error.h"

/* Record the latest failure of libdwfl, which happened in WHAT.  Returns
   false.  */
static inline bool
dwfl_error_set (struct error *err, const char *what)
{
  const char *text = dwfl_errmsg (-1);
  return error_set (err, CFI2SFRAME_MALFORMED, "%s: %s", what,
                    text != NULL ? text : "unknown error");
}

#endif /* STACKS_DWFL_ERROR_H */

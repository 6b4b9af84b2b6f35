/* Comparing the .sframe of two files.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_COMPARE_FILES_H
#define CONVERT_COMPARE_FILES_H

#include <stdbool.h>

#include "base/error.h"
#include "sframe/compare.h"

/* As cfi2sframe_compare.  All of RESULT is set.  */
bool
files_compare (const char *a, const char *b,
               void (*found) (void *context,
                              const struct cfi2sframe_difference *difference),
               void *context, struct compare_result *result,
               struct error *err);

#endif /* CONVERT_COMPARE_FILES_H */

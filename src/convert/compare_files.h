/* Comparing the .sframe of two files, linked or relocatable.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_COMPARE_FILES_H
#define CONVERT_COMPARE_FILES_H

#include <stdbool.h>

#include "base/error.h"
#include "sframe/compare.h"

/* Compare the sections of files A and B as sframe_compare does.  Both are
   linked files or both are objects with the same code sections.  What is wrong
   with a file as such goes to SINK as COMPARE_FILE.  Addresses in objects are
   Status CFI2SFRAME_NOTHING when a file has no .sframe; ERR->file says
   which.  */
bool compare_files (const char *a, const char *b, compare_sink *sink,
                    void *context, struct compare_result *result,
                    struct error *err);

#endif /* CONVERT_COMPARE_FILES_H */

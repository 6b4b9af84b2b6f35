/* Comparing the CFI of a file with its code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_LINT_H
#define CONVERT_LINT_H

#include <stdbool.h>

#include "cfi2sframe.h"

/* Do as cfi2sframe_lint does, by THREADS threads.  All of RESULT is set.  */
bool lint_with_threads (
    const char *input, unsigned threads,
    void (*found) (void *context, const struct cfi2sframe_finding *finding),
    void *context, struct cfi2sframe_lint_result *result,
    struct cfi2sframe_error *err);

#endif /* CONVERT_LINT_H */

/* A stable word for each reason why a file was not worked on, for scripts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_ERROR_CODE_H
#define CONVERT_ERROR_CODE_H

#include "base/error.h"

/* As cfi2sframe_error_code.  */
const char *error_code (const struct error *err);

#endif /* CONVERT_ERROR_CODE_H */

/* Directories below another one, without links.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_BENEATH_H
#define CLI_BENEATH_H

#include <stddef.h>

/* Open, for its path only, the directory of LENGTH bytes at RELATIVE, below
   ROOT.  Symbolic links are not followed, because others may have put them
   there since.  -1 with errno.  */
int beneath_open (int root, const char *relative, size_t length);

#endif /* CLI_BENEATH_H */

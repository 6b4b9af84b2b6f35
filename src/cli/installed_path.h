/* What a file in a folder of a build is called when it is installed.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_INSTALLED_PATH_H
#define CLI_INSTALLED_PATH_H

/* PATH, which need not exist, from the root directory on; on the heap.  NULL
   when memory ran out.  */
char *path_absolute (const char *path);

/* Take what names nothing new out of PATH, which is absolute: "//", "/./", and
   a name that ".." follows.  */
void path_clean (char *path);

/* PATH as it is when what is below ROOT is installed; NULL if it is not below
   ROOT.  Both are absolute.  */
const char *path_installed (const char *root, const char *path);

#endif /* CLI_INSTALLED_PATH_H */

/* The other names of a file that was replaced (hard links).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/relink.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "write/output_file.h"

bool
relink_name (const struct file_location *name,
             const struct file_location *replacement, struct error *err)
{
  struct stat status;
  if (fstatat (name->directory, name->name, &status, AT_SYMLINK_NOFOLLOW) != 0
      || !S_ISREG (status.st_mode))
    return true;
  return !file_identity_is (&name->identity, &status)
         || output_file_link (name, replacement, err);
}

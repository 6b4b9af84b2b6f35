/* The other names of a file that was replaced (hard links).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/relink.h"

#include <sys/stat.h>

#include "elf/output_file.h"

bool
relink_name (const char *name, dev_t device, ino_t inode,
             const char *replacement, struct error *err)
{
  struct stat status;
  if (lstat (name, &status) != 0 || !S_ISREG (status.st_mode)
      || status.st_dev != device || status.st_ino != inode)
    return true;
  return output_file_link (name, replacement, err);
}

/* Checksums of a file that are kept in another one beside it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "tool/checksum_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How they are called: what stands before and behind the file's name, which
   loses its last ".so" if CUTS.  .hmac: libgcrypt, GnuTLS, OpenSSL and
   OpenSSH of Red Hat, fipscheck; .chk: NSS; fipsmodule.cnf: OpenSSL's fips.so
   (fips_config(5)).  */
static const struct
{
  const char *before, *behind;
  bool cuts;
} patterns[] = {
  { ".", ".hmac", false },
  { "", ".hmac", false },
  { "fipscheck/", ".hmac", false },
  { "", ".chk", false },
  { "", ".chk", true },
};

static bool
is_there (int directory, const char *name)
{
  return faccessat (directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool
find_by_name (int directory, const char *file, char *name, size_t size)
{
  size_t length = strlen (file);
  size_t stem = length > 3 && strcmp (file + length - 3, ".so") == 0
                    ? length - 3
                    : length;
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    {
      int kept = (int)(patterns[i].cuts ? stem : length);
      int n = snprintf (name, size, "%s%.*s%s", patterns[i].before, kept, file,
                        patterns[i].behind);
      if (n > 0 && (size_t)n < size && is_there (directory, name))
        return true;
    }
  snprintf (name, size, "fipsmodule.cnf");
  return strncmp (file, "fips", 4) == 0 && is_there (directory, name);
}

bool
checksum_file_find (const struct file_location *location, char *name,
                    size_t size)
{
  if (location->fixed)
    return find_by_name (location->directory, location->name, name, size);
  char *path = realpath (location->name, NULL);
  if (path == NULL)
    return false;
  char *slash = strrchr (path, '/');
  *slash = '\0';
  int directory
      = open (slash == path ? "/" : path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  bool found
      = directory >= 0 && find_by_name (directory, slash + 1, name, size);
  if (directory >= 0)
    close (directory);
  free (path);
  return found;
}

/* Debug files, for libdwfl.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/dwfl_debuginfo.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Whether libdwfl would look for the debug file of FILE where something other
   than a file is.  libdwfl's default path is ":.debug:/usr/lib/debug"; without
   LINK libdwfl tries the file's name with ".debug" behind it.  */
static bool
leads_elsewhere (const char *file, const char *link)
{
  static const struct
  {
    const char *before, *behind; /* the file's directory */
  } places[] = { { "", "" }, { "", ".debug/" }, { "/usr/lib/debug", "" } };
  const char *slash = strrchr (file, '/');
  int folder = slash != NULL ? (int)(slash + 1 - file) : 0;
  char path[PATH_MAX];
  struct stat status;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    {
      int n = snprintf (path, sizeof path, "%s%.*s%s%s%s", places[i].before,
                        folder, file, places[i].behind,
                        link != NULL ? link : file + folder,
                        link != NULL ? "" : ".debug");
      if (n < (int)sizeof path && stat (path, &status) == 0
          && !S_ISREG (status.st_mode))
        return true;
    }
  return false;
}

int
dwfl_debuginfo_find (Dwfl_Module *module, void **user, const char *name,
                     Dwarf_Addr base, const char *file, const char *link,
                     GElf_Word crc, char **found)
{
  if (file != NULL && leads_elsewhere (file, link))
    return -1;
  return dwfl_standard_find_debuginfo (module, user, name, base, file, link,
                                       crc, found);
}

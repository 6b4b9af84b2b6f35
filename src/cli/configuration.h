/* The configuration file: settings of the administrator, or of a build, for
   conversions.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The program reads /etc/cfi2sframe.conf and then, in the order of their
   names, the files *.conf in /etc/cfi2sframe.conf.d; or the files that the
   environment variable names instead.  A line is "setting = value".  A "#" at
   the beginning of a line or after a blank begins a comment.  Of the settings
   with one value, the last line counts; the others accumulate.  The manual's
   section "Configuration" describes all settings.  */

#ifndef CLI_CONFIGURATION_H
#define CLI_CONFIGURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

#define CONFIGURATION_PATH "/etc/cfi2sframe.conf"
/* The variable names another file; if it is empty, no file is read.  */
#define CONFIGURATION_VARIABLE "CFI2SFRAME_CONFIG"

enum setting_kind
{
  SETTING_EXCLUDE_PACKAGE,
  SETTING_EXCLUDE,
  SETTING_CHECKSUMMED,
  SETTING_MIN_COVERAGE,
  SETTING_FORMAT,
  N_SETTINGS
};

struct setting
{
  enum setting_kind kind;
  char *value;     /* owned */
  char where[256]; /* FILE:LINE */
};

struct configuration
{
  struct setting *settings; /* in the order they were read */
  size_t n_settings, capacity;
};

/* Read all files.  False with ERR, whose file is FILE:LINE, if a file cannot
   be read or a line is wrong.  */
bool configuration_read (struct configuration *configuration,
                         struct error *err);

void configuration_free (struct configuration *configuration);

/* Return the value of the last line of KIND, or NULL.  */
const char *configuration_value (const struct configuration *configuration,
                                 enum setting_kind kind);

/* Return the line that excludes PACKAGE, unless that is NULL, or the file
   PATH; NULL if there is none.  ROOT is the folder that the files are going to
   be installed from, or NULL; patterns apply to paths after the installation.
   One of ROOT and PATH may be relative and the other absolute.  Symbolic links
   in them are not followed.  */
const struct setting *
configuration_excludes (const struct configuration *configuration,
                        const char *package, const char *root,
                        const char *path);

/* Whether PATTERN matches all of TEXT, a name or a path.  The configuration
   and --exclude use this.  A "*" also matches slashes, so that one line
   excludes a tree; a backslash is an ordinary character.  */
bool configuration_pattern_matches (const char *pattern, const char *text);

/* Print the settings in effect, one to a line, each with its origin.  */
void configuration_print (const struct configuration *configuration,
                          FILE *out);

#endif /* CLI_CONFIGURATION_H */

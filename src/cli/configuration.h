/* What the administrator of this machine, or a build, says about conversions.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Read are /etc/cfi2sframe.conf and then, in the order of their names, the
   files *.conf in /etc/cfi2sframe.conf.d, or what the environment names
   instead.  A line is "setting = value"; what is behind a "#" at the beginning
   or after a blank is a comment.  Of settings with one value the last one
   counts, the others add up.  The manual's section "Configuration" has them
   all.  */

#ifndef CLI_CONFIGURATION_H
#define CLI_CONFIGURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

#define CONFIGURATION_PATH "/etc/cfi2sframe.conf"
/* Names another file, or, if it is empty, none.  */
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
  struct setting *settings; /* in the order of the lines */
  size_t n_settings, room;
};

/* Read all files.  False with ERR, which has FILE:LINE for its file, when one
   of them cannot be read or has a line that is wrong.  */
bool configuration_read (struct configuration *configuration,
                         struct error *err);

void configuration_free (struct configuration *configuration);

/* What the last line of KIND says, or NULL.  */
const char *configuration_value (const struct configuration *configuration,
                                 enum setting_kind kind);

/* The line that leaves out the package PACKAGE, unless that is NULL, or its
   file PATH; NULL if there is none.  ROOT is the folder that PATH is to be
   installed from, or NULL: patterns are those of paths when installed.  ROOT
   and PATH may be written in different ways, one of them relative.  Symbolic
   links in them are not followed.  */
const struct setting *
configuration_excludes (const struct configuration *configuration,
                        const char *package, const char *root,
                        const char *path);

/* Whether all of TEXT, a name or a path, is as PATTERN says, here and on
   command lines.  A "*" stands for slashes, too, so that a line takes in a
   tree; a backslash is a character like others.  */
bool configuration_pattern_fits (const char *pattern, const char *text);

/* Print what counts, a line each, with its origin.  */
void configuration_print (const struct configuration *configuration,
                          FILE *out);

#endif /* CLI_CONFIGURATION_H */

/* Reading the configuration file, and matching its patterns.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/configuration.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/prefix.h"
#include "base/printable.h"
#include "cli/number.h"
#include "sframe/formats.h"

enum
{
  SIZE_MAX_OF_FILE = 1 << 20,
  PATTERN_MAX = 4096
};

/* ---- The values of settings */

static bool
is_pattern (const char *value)
{
  enum printable_kind kind;
  if (*value == '\0' || strlen (value) > PATTERN_MAX)
    return false;
  for (; *value != '\0'; value += printable_length (value, &kind))
    if (printable_length (value, &kind) == 0 || kind != PRINTABLE_PLAIN)
      return false;
  return true;
}

static bool
is_path_pattern (const char *value)
{
  return is_pattern (value) && (*value == '/' || *value == '*');
}

static bool
is_answer (const char *value)
{
  return strcmp (value, "yes") == 0 || strcmp (value, "no") == 0;
}

static bool
is_percentage (const char *value)
{
  double percentage;
  return number_percentage (value, &percentage);
}

static bool
is_format (const char *value)
{
  enum cfi2sframe_format format;
  return format_parse (value, &format);
}

static const struct
{
  const char *name;
  bool (*is_valid) (const char *value);
  const char *rule;
  bool adds_up;
} kinds[N_SETTINGS] = {
  [SETTING_EXCLUDE_PACKAGE]
  = { "exclude-package", is_pattern, "a pattern", true },
  [SETTING_EXCLUDE] = { "exclude", is_path_pattern,
                        "a pattern that begins with '/' or '*'", true },
  [SETTING_CHECKSUMMED] = { "checksummed", is_answer, "yes or no", false },
  [SETTING_MIN_COVERAGE]
  = { "min-coverage", is_percentage, "a percentage", false },
  [SETTING_FORMAT] = { "format", is_format, "3, 2, 2.0 or 1", false },
};

/* ---- Lines */

/* Remove blanks and newlines at both ends of TEXT.  */
static char *
trim (char *text)
{
  text += strspn (text, " \t\n");
  size_t length = strlen (text);
  while (length > 0 && strchr (" \t\n", text[length - 1]) != NULL)
    length--;
  text[length] = '\0';
  return text;
}

static void
cut_comment (char *line)
{
  for (char *at = line; (at = strchr (at, '#')) != NULL; at++)
    if (at == line || at[-1] == ' ' || at[-1] == '\t')
      {
        *at = '\0';
        return;
      }
}

static bool
parse_setting (struct configuration *configuration, const char *name,
               const char *value, const char *where, struct error *err)
{
  unsigned kind = 0;
  while (kind < N_SETTINGS && strcmp (kinds[kind].name, name) != 0)
    kind++;
  if (kind == N_SETTINGS)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "unknown setting '%.60s'; there are: checksummed, "
                      "exclude, exclude-package, format, min-coverage",
                      name);
  if (!kinds[kind].is_valid (value))
    return error_set (err, CFI2SFRAME_MALFORMED, "%s is %s, not '%.60s'", name,
                      kinds[kind].rule, value);
  if (!ARRAY_ROOM (configuration->settings, configuration->n_settings + 1,
                   &configuration->capacity))
    return error_set_no_memory (err);
  struct setting *setting
      = &configuration->settings[configuration->n_settings];
  setting->value = strdup (value);
  if (setting->value == NULL)
    return error_set_no_memory (err);
  setting->kind = (enum setting_kind)kind;
  snprintf (setting->where, sizeof setting->where, "%s", where);
  configuration->n_settings++;
  return true;
}

static bool
parse_line (struct configuration *configuration, char *line, const char *where,
            struct error *err)
{
  cut_comment (line);
  char *name = trim (line), *equals = strchr (name, '=');
  if (*name == '\0')
    return true;
  if (equals == NULL)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "'%.60s' is not 'setting = value'", name);
  *equals = '\0';
  return parse_setting (configuration, trim (name), trim (equals + 1), where,
                        err);
}

/* ---- Files */

/* Open the text file PATH.  NULL with ERR.  */
static FILE *
open_text (const char *path, struct error *err)
{
  struct stat status = { 0 };
  int fd = io_open_regular (path);
  FILE *file = fd < 0 || fstat (fd, &status) != 0 ? NULL : fdopen (fd, "r");
  if (file != NULL && status.st_size <= SIZE_MAX_OF_FILE)
    return file;
  if (file != NULL)
    error_set (err, CFI2SFRAME_IO, "larger than %d bytes", SIZE_MAX_OF_FILE);
  else
    error_set (err, CFI2SFRAME_IO, "%s",
               errno == EINVAL ? "no regular file" : strerror (errno));
  if (file != NULL)
    fclose (file);
  else if (fd >= 0)
    close (fd);
  return NULL;
}

static bool
read_file (struct configuration *configuration, const char *path,
           struct error *err)
{
  char where[sizeof err->file], *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  unsigned number = 0;
  FILE *file = open_text (path, err);
  bool read = file != NULL;
  snprintf (where, sizeof where, "%s", path);
  while (read && (length = getline (&line, &capacity, file)) >= 0)
    {
      snprintf (where, sizeof where, "%.*s:%u", (int)sizeof where - 12, path,
                ++number);
      read = strlen (line) == (size_t)length
                 ? parse_line (configuration, line, where, err)
                 : error_set (err, CFI2SFRAME_IO, "no text");
    }
  if (read && !feof (file))
    read = error_set (err, CFI2SFRAME_IO, "%s", strerror (errno));
  if (!read)
    printable_copy (err->file, sizeof err->file, where);
  free (line);
  if (file != NULL)
    fclose (file);
  return read;
}

static int
is_configuration_file (const struct dirent *item)
{
  return item->d_name[0] != '.' && has_suffix (item->d_name, ".conf");
}

/* Compare the bytes of the names, whatever the locale is.  */
static int
compare_items (const struct dirent **a, const struct dirent **b)
{
  return strcmp ((*a)->d_name, (*b)->d_name);
}

static bool
read_folder (struct configuration *configuration, const char *folder,
             struct error *err)
{
  struct dirent **items;
  int n = scandir (folder, &items, is_configuration_file, compare_items);
  if (n < 0 && (errno == ENOENT || errno == ENOTDIR))
    return true;
  if (n < 0)
    {
      printable_copy (err->file, sizeof err->file, folder);
      return error_set (err, CFI2SFRAME_IO, "%s", strerror (errno));
    }
  bool read = true;
  for (int i = 0; i < n; i++)
    {
      char *path = NULL;
      if (read && asprintf (&path, "%s/%s", folder, items[i]->d_name) < 0)
        {
          path = NULL;
          read = error_set_no_memory (err);
        }
      read = read && read_file (configuration, path, err);
      free (path);
      free (items[i]);
    }
  free (items);
  return read;
}

bool
configuration_read (struct configuration *configuration, struct error *err)
{
  const char *named = getenv (CONFIGURATION_VARIABLE);
  const char *path = named != NULL ? named : CONFIGURATION_PATH;
  struct stat status;
  char *folder;
  error_clear (err);
  configuration_free (configuration);
  if (*path == '\0')
    return true;
  if (lstat (path, &status) == 0 && !read_file (configuration, path, err))
    return false;
  if (asprintf (&folder, "%s.d", path) < 0)
    return error_set_no_memory (err);
  bool read = read_folder (configuration, folder, err);
  free (folder);
  return read;
}

void
configuration_free (struct configuration *configuration)
{
  for (size_t i = 0; i < configuration->n_settings; i++)
    free (configuration->settings[i].value);
  free (configuration->settings);
  *configuration = (struct configuration){ 0 };
}

/* ---- Paths after the installation */

/* Return PATH without slashes and "./" at its beginning.  */
static const char *
skip_here (const char *path)
{
  while (*path == '/' || (path[0] == '.' && path[1] == '/'))
    path++;
  return path;
}

/* Normalise PATH, which is absolute: remove empty names, "." and "..", and
   each name that ".." follows.  */
static void
path_clean (char *path)
{
  char *to = path;
  for (const char *from = path; *from != '\0';)
    {
      const char *name = from + strspn (from, "/");
      size_t length = strcspn (name, "/");
      from = name + length;
      if (length == 2 && memcmp (name, "..", 2) == 0)
        while (to > path && *--to != '/')
          ;
      else if (length > 0 && (length != 1 || *name != '.'))
        {
          *to++ = '/';
          memmove (to, name, length);
          to += length;
        }
    }
  *to = '\0';
}

/* Return the absolute path of PATH, which need not exist, on the heap.  NULL
   when memory ran out.  */
static char *
path_absolute (const char *path)
{
  char *result;
  if (*path == '/')
    return asprintf (&result, "/%s", skip_here (path)) < 0 ? NULL : result;
  char *here = getcwd (NULL, 0);
  int size = here == NULL ? -1
                          : asprintf (&result, "/%s/%s", skip_here (here),
                                      skip_here (path));
  free (here);
  return size < 0 ? NULL : result;
}

/* Return the path that PATH gets when the files below ROOT are installed; NULL
   if PATH is not below ROOT.  Both are absolute.  */
static const char *
path_installed (const char *root, const char *path)
{
  size_t length = strlen (root);
  while (length > 0 && root[length - 1] == '/')
    length--;
  if (strncmp (path, root, length) != 0 || path[length] != '/')
    return NULL;
  return skip_here (path + length) - 1; /* its "/" */
}

/* ---- Settings in effect */

bool
configuration_pattern_matches (const char *pattern, const char *text)
{
  return fnmatch (pattern, text, FNM_NOESCAPE) == 0;
}

static const struct setting *
last_of_kind (const struct configuration *configuration,
              enum setting_kind kind)
{
  const struct setting *found = NULL;
  for (size_t i = 0; i < configuration->n_settings; i++)
    if (configuration->settings[i].kind == kind)
      found = &configuration->settings[i];
  return found;
}

const char *
configuration_value (const struct configuration *configuration,
                     enum setting_kind kind)
{
  const struct setting *setting = last_of_kind (configuration, kind);
  return setting != NULL ? setting->value : NULL;
}

/* Return the first line of KIND that matches TEXT (NULL: none), or NULL.  */
static const struct setting *
first_match (const struct configuration *configuration, enum setting_kind kind,
             const char *text)
{
  for (size_t i = 0; text != NULL && i < configuration->n_settings; i++)
    if (configuration->settings[i].kind == kind
        && configuration_pattern_matches (configuration->settings[i].value,
                                          text))
      return &configuration->settings[i];
  return NULL;
}

/* Return the line that excludes PATH, which is going to be installed from
   ROOT.  Both are absolute, and are normalised here.  But ".." after a
   symbolic link leads to another directory than the text says, so the paths as
   they are written are matched, too.  If PATH is below ROOT, directories above
   ROOT are not matched.  */
static const struct setting *
first_path_match (const struct configuration *configuration, char *root,
                  char *path)
{
  const char *installed = path_installed (root, path);
  const struct setting *in_root
      = first_match (configuration, SETTING_EXCLUDE, installed);
  const struct setting *here
      = first_match (configuration, SETTING_EXCLUDE, path);
  path_clean (root);
  path_clean (path);
  installed = path_installed (root, path);
  if (in_root == NULL)
    in_root = first_match (configuration, SETTING_EXCLUDE, installed);
  if (here == NULL)
    here = first_match (configuration, SETTING_EXCLUDE, path);
  return in_root != NULL || installed != NULL ? in_root : here;
}

const struct setting *
configuration_excludes (const struct configuration *configuration,
                        const char *package, const char *root,
                        const char *path)
{
  const struct setting *found
      = first_match (configuration, SETTING_EXCLUDE_PACKAGE, package);
  if (found != NULL || last_of_kind (configuration, SETTING_EXCLUDE) == NULL)
    return found;
  bool has_root = root != NULL && *root != '\0';
  char *absolute_root = path_absolute (has_root ? root : "/");
  char *absolute = path_absolute (path);
  /* When memory ran out, exclude the file.  */
  found = absolute_root != NULL && absolute != NULL
              ? first_path_match (configuration, absolute_root, absolute)
              : last_of_kind (configuration, SETTING_EXCLUDE);
  free (absolute_root);
  free (absolute);
  return found;
}

void
configuration_print (const struct configuration *configuration, FILE *out)
{
  for (unsigned kind = 0; kind < N_SETTINGS; kind++)
    for (size_t i = 0; i < configuration->n_settings; i++)
      {
        const struct setting *setting = &configuration->settings[i];
        if (setting->kind != kind
            || !(kinds[kind].adds_up
                 || setting == last_of_kind (configuration, kind)))
          continue;
        fprintf (out, "%s = %s # ", kinds[kind].name, setting->value);
        printable_put (setting->where, out);
        fputc ('\n', out);
      }
}

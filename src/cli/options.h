/* What cfi2sframe is to do: its modes, and its command line as parsed.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi2sframe.h"
#include "cli/configuration.h"

enum tool_mode
{
  MODE_CONVERT,
  MODE_SECTION_ONLY,
  MODE_CHECK,
  MODE_DUMP,
  MODE_COMPARE,
  MODE_COMPARE_FORMATS,
  MODE_LINT,
  MODE_DETACH,
  MODE_REMOVE,
  MODE_UNDO,
  N_MODES
};

#define MODE_BIT(mode) (1u << (mode))

/* Sets of modes: those that make a section, for its place in the file or at
   all; those that take one back; those that change the file, or write the
   changed one elsewhere; those that know -o or a file like it; those that work
   on objects and archives, with --relocatable; and those that look at the
   section of any file.  */
#define MODES_MAKING_IN_PLACE \
  (MODE_BIT (MODE_CONVERT) | MODE_BIT (MODE_SECTION_ONLY))
#define MODES_MAKING (MODES_MAKING_IN_PLACE | MODE_BIT (MODE_DETACH))
#define MODES_TAKING_BACK (MODE_BIT (MODE_REMOVE) | MODE_BIT (MODE_UNDO))
#define MODES_CHANGING (MODE_BIT (MODE_CONVERT) | MODES_TAKING_BACK)
#define MODES_WITH_OUTPUT (MODES_CHANGING | MODE_BIT (MODE_SECTION_ONLY))
#define MODES_TAKING_OBJECTS (MODES_MAKING_IN_PLACE | MODE_BIT (MODE_CHECK))
#define MODES_LOOKING (MODE_BIT (MODE_CHECK) | MODE_BIT (MODE_DUMP))

/* What a mode is called.  */
struct mode_names
{
  const char *option;   /* that asks for it; none asks for "conversion" */
  const char *status;   /* JSON's word for a file that was worked on */
  const char *done;     /* as in "3 files converted" */
  const char *could_be; /* the same with --dry-run */
};

extern const struct mode_names mode_names[N_MODES]; /* by enum tool_mode */

/* Which files that cannot be converted are not failures.  */
enum tool_skip
{
  SKIP_IN_TREES, /* files found in trees, if SFrame is not made for them */
  SKIP_ALL,
  SKIP_NONE
};

enum tool_stats
{
  STATS_NONE,
  STATS_TEXT, /* what follows is for programs alone */
  STATS_JSON,
  STATS_JUNIT,
  STATS_SARIF,
  STATS_GITHUB
};

struct tool_options
{
  enum tool_mode mode;
  uint64_t given;       /* bits of those in option_table */
  const char *output;   /* file of -o or --section-only, or NULL */
  const char *detached; /* folder of MODE_DETACH */
  const char *compact_unwind_machine; /* of a bare section, or NULL */
  enum tool_stats stats;
  bool quiet;
  unsigned verbose;
  bool compact_unwind; /* compact unwind instead of SFrame, for
                          MODE_SECTION_ONLY and MODE_DUMP */
  bool talkative;      /* print a line per file, if not quiet */
  enum tool_skip skip_unconvertible;
  struct cfi2sframe_options convert;
  bool require;                /* with MODE_CHECK, a missing .sframe fails */
  bool debug_twin;             /* change the debug file along with the file */
  const char *debug_twin_file; /* NULL: the one that is found */
  char **files;                /* borrowed from argv */
  size_t n_files;
  const char *compared;   /* with MODE_COMPARE, what the file is compared with
                           */
  bool recursive;         /* directories are entered */
  const char *files_from; /* list of NUL-terminated names, "-" or NULL */
  bool one_file_system;
  const char **excluded; /* patterns; borrowed from argv */
  size_t n_excluded;
  struct configuration configuration; /* with --config; else nothing */
  const char *root;                   /* for its patterns of paths, or NULL */
  const char *package;                /* that the files belong to, or NULL */
  unsigned jobs; /* files, or parts of one, to work on at the same time, at
                    least 1 */
};

/* Whether the mode is one of MODES.  */
static inline bool
tool_options_are (const struct tool_options *options, unsigned modes)
{
  return (modes & MODE_BIT (options->mode)) != 0;
}

/* Whether many files are to be expected, so that a summary is printed.  */
static inline bool
tool_options_is_tree (const struct tool_options *options)
{
  return options->recursive || options->files_from != NULL;
}

/* Whether the files named are to be changed themselves.  */
static inline bool
tool_options_change_files (const struct tool_options *options)
{
  return options->output == NULL && tool_options_are (options, MODES_CHANGING);
}

/* Parse the command line (command_line.c).  Exit status 2 with a message for
   wrong usage, 0 for --help and --version.  Returns otherwise; the caller ends
   with tool_options_free.  */
void tool_options_parse (struct tool_options *options, int argc, char **argv);

void tool_options_free (struct tool_options *options);

#endif /* CLI_OPTIONS_H */

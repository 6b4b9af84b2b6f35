/* The modes of cfi2sframe, and its parsed command line.
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

/* Sets of modes, in this order: make a section for its place in the file; make
   a section at all; remove a section; change the file or write the changed
   file elsewhere; accept -o or a file like it; accept objects and archives,
   with --relocatable; only read a section.  */
#define MODES_MAKING_IN_PLACE \
  (MODE_BIT (MODE_CONVERT) | MODE_BIT (MODE_SECTION_ONLY))
#define MODES_MAKING (MODES_MAKING_IN_PLACE | MODE_BIT (MODE_DETACH))
#define MODES_REMOVING (MODE_BIT (MODE_REMOVE) | MODE_BIT (MODE_UNDO))
#define MODES_CHANGING (MODE_BIT (MODE_CONVERT) | MODES_REMOVING)
#define MODES_WITH_OUTPUT (MODES_CHANGING | MODE_BIT (MODE_SECTION_ONLY))
#define MODES_TAKING_OBJECTS (MODES_MAKING_IN_PLACE | MODE_BIT (MODE_CHECK))
#define MODES_READING_SECTION (MODE_BIT (MODE_CHECK) | MODE_BIT (MODE_DUMP))

/* The words for a mode.  */
struct mode_names
{
  const char *option;   /* that selects it; "conversion" has none */
  const char *status;   /* JSON's word for a file that was worked on */
  const char *done;     /* for "3 files converted" */
  const char *could_be; /* the same with --dry-run */
};

extern const struct mode_names mode_names[N_MODES]; /* by enum tool_mode */

/* Which inconvertible files are skipped and do not count as failures.  */
enum tool_skip
{
  SKIP_IN_TREES, /* those in directories and lists that are not for SFrame */
  SKIP_ALL,
  SKIP_NONE
};

enum tool_stats
{
  STATS_NONE,
  STATS_TEXT, /* the following ones are for programs */
  STATS_JSON,
  STATS_JUNIT,
  STATS_SARIF,
  STATS_GITHUB
};

struct tool_options
{
  enum tool_mode mode;
  uint64_t given;       /* bit I: option_table[I] was given */
  const char *output;   /* file of -o or --section-only, or NULL */
  const char *detached; /* folder of MODE_DETACH */
  const char *compact_unwind_machine; /* of a bare section to dump, or NULL */
  enum tool_stats stats;
  bool quiet;
  unsigned verbose;
  bool compact_unwind;   /* compact unwind instead of SFrame, for
                            MODE_SECTION_ONLY and MODE_DUMP */
  bool prints_each_file; /* print a line per file, if not quiet */
  enum tool_skip skip_unconvertible;
  struct cfi2sframe_options convert;
  bool require;                /* with MODE_CHECK, a missing .sframe fails */
  bool debug_twin;             /* change the debug file along with the file */
  const char *debug_twin_file; /* NULL: search for it */
  char **files;                /* borrowed from argv */
  size_t n_files;
  const char *compared;   /* with MODE_COMPARE, the second file */
  bool recursive;         /* work on the files in directories */
  const char *files_from; /* list of NUL-terminated names, "-" or NULL */
  bool one_file_system;
  const char **excluded; /* patterns; borrowed from argv */
  size_t n_excluded;
  struct configuration configuration; /* with --config; otherwise empty */
  const char *root;    /* folder that paths in its patterns start from */
  const char *package; /* the package of the files, or NULL */
  unsigned jobs;       /* the number of threads, at least 1 */
};

/* Whether the mode is one of MODES.  */
static inline bool
tool_mode_is_in (const struct tool_options *options, unsigned modes)
{
  return (modes & MODE_BIT (options->mode)) != 0;
}

/* Whether operands may stand for many files, so that sums are printed.  */
static inline bool
tool_options_is_tree (const struct tool_options *options)
{
  return options->recursive || options->files_from != NULL;
}

/* Whether the mode changes the input files themselves.  */
static inline bool
tool_options_change_files (const struct tool_options *options)
{
  return options->output == NULL && tool_mode_is_in (options, MODES_CHANGING);
}

/* Parse the command line (command_line.c).  On wrong usage, end the program
   with a message and exit status 2; on --help and --version, with status 0.
   Otherwise return, and the caller frees OPTIONS with tool_options_free.  */
void tool_options_parse (struct tool_options *options, int argc, char **argv);

void tool_options_free (struct tool_options *options);

#endif /* CLI_OPTIONS_H */

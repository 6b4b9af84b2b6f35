/* The command line of cfi2sframe.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/command_line.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "convert/for_readers.h"
#include "convert/location.h"
#include "cli/number.h"
#include "cli/option_keys.h"
#include "cli/standard_options.h"
#include "cli/usage_check.h"
#include "sframe/formats.h"

enum
{
  READERS_MAX = 16
};

/* An option stands here and in cfi2sframe(1).  Completions and the manual are
   made from these two; a value that an option knows stands in quotes.  */
static const struct argp_option option_table[] = {
  { NULL, 0, NULL, 0, "Converting:", 1 },
  { "output", 'o', "OUT", 0, "Leave the (one) FILE alone and write OUT", 1 },
  { "dry-run", 'n', NULL, 0, "Do everything but write", 1 },
  { "format", OPTION_FORMAT, "VERSION", 0,
    "SFrame version: '3' (default), '2', '2.0' (for binutils 2.41 to 2.44) or "
    "'1'; or 'compact-unwind', for --section-only and --dump",
    1 },
  { "for", OPTION_FOR, "READERS", 0,
    "Write the version that all these readers take, and refuse files that one "
    "of them would misread; with --check, say what they would refuse: "
    "'linux', 'glibc', 'libsframe', 'libsframe-2.44', 'libsframe-2.40', "
    "separated by commas",
    1 },
  { "section-only", OPTION_SECTION_ONLY, "OUT", 0,
    "Write the raw section to OUT and leave FILE alone", 1 },
  { "detached", OPTION_DETACHED, "DIR", 0,
    "Write the section to DIR/XX/YYYY.sframe, by build-id, where sframe-stack "
    "and sframe-profile find it, and leave FILE alone",
    1 },
  { "strict", OPTION_STRICT, NULL, 0,
    "A function that has to be left out is a failure", 1 },
  { "min-coverage", OPTION_MIN_COVERAGE, "PERCENT", 0,
    "Less of the code with rows than that is a failure", 1 },
  { "skip-unconvertible", OPTION_SKIP_UNCONVERTIBLE, "no", OPTION_ARG_OPTIONAL,
    "Files that cannot be converted (32-bit, unknown machine, refused, "
    "damaged) are counted in a note and are no failure; with =no they are one "
    "in directories, too",
    1 },
  { "no-share", OPTION_NO_SHARE, NULL, 0,
    "Store the rows of every function separately", 1 },
  { "no-split", OPTION_NO_SPLIT, NULL, 0,
    "Do not cut functions into pieces: one entry each", 1 },
  { "compact", OPTION_COMPACT, NULL, 0,
    "Let an entry hold the end of one function and the beginning of the next, "
    "where that is smaller",
    1 },
  { "return-addresses", OPTION_RETURN_ADDRESSES, "yes|no", 0,
    "Whether addresses that a call with other rules returns to have no row, "
    "so that readers do not follow a wrong one (yes, the default)",
    1 },
  { "verify-code", OPTION_VERIFY_CODE, NULL, 0,
    "Leave out the rows that --lint finds", 1 },
  /* Hidden and refused: as an abbreviation of --verify-code, --verify would
     convert files that are only to be checked.  */
  { "verify", OPTION_VERIFY, NULL, OPTION_HIDDEN, NULL, 1 },
  { "analyze", OPTION_ANALYZE, NULL, 0,
    "Make rows for code without CFI, too, from what the code does", 1 },
  { "debug-info", OPTION_DEBUG_INFO, "WHICH", 0,
    "CFI besides .eh_frame: the file's 'own' .debug_frame (default); with "
    "'auto' that of its separate debug file, if one is found on this machine; "
    "or 'none'",
    1 },
  { "debug-file", OPTION_DEBUG_FILE, "DEBUG", 0,
    "Use the .debug_frame of DEBUG, the debug file of the (one) FILE", 1 },
  { "debug-twin", OPTION_DEBUG_TWIN, "DEBUG", OPTION_ARG_OPTIONAL,
    "Bring the section headers of DEBUG, the debug file of the (one) FILE, or "
    "of each debug file that is found on this machine, in step with what FILE "
    "becomes; also with --undo and --remove",
    1 },
  { "sync", OPTION_SYNC, "WHEN", 0,
    "Flush new files to disk each as it is written ('file', the default), all "
    "at the 'end', or leave that to the system ('none')",
    1 },
  { "relocatable", OPTION_RELOCATABLE, NULL, 0,
    "Convert objects (.o, .ko) and archives of them (.a) as well", 1 },
  { "gnu", OPTION_GNU, "bugs", OPTION_ARG_OPTIONAL,
    "Write what GNU as writes for the same directives; with =bugs also where "
    "it is wrong",
    1 },
  { "convert-checksummed", OPTION_CONVERT_CHECKSUMMED, NULL, 0,
    "Convert files as well that something keeps a checksum of (FIPS 140)", 1 },
  { "preserve-timestamps", 'p', NULL, 0, "Keep the time stamps of FILE", 1 },

  { NULL, 0, NULL, 0, "Existing sections:", 2 },
  { "replace", OPTION_REPLACE, "auto", OPTION_ARG_OPTIONAL,
    "Make a new .sframe where one is ('yes', the default of the option); with "
    "'auto' only where it is wrong, describes but a part of the code with "
    "CFI, or is of no use to any reader; with 'no' never",
    2 },
  { "remove", OPTION_REMOVE, NULL, 0, "Take .sframe away", 2 },
  { "undo", OPTION_UNDO, NULL, 0,
    "Give back the file as it was before its conversion, byte for byte", 2 },
  { "check", OPTION_CHECK, NULL, 0, "Compare .sframe with the CFI, PC by PC",
    2 },
  { "require", OPTION_REQUIRE, NULL, 0,
    "With --check, a file that could have an .sframe and has none is a "
    "failure",
    2 },
  { "dump", OPTION_DUMP, NULL, 0, "Print .sframe as readelf --sframe does",
    2 },
  { "compare", OPTION_COMPARE, NULL, 0,
    "Compare what the .sframe of two FILEs say", 2 },
  { "compare-formats", OPTION_COMPARE_FORMATS, NULL, 0,
    "Print what all versions of SFrame and compact unwind would take, and how "
    "many functions they can describe; change nothing",
    2 },
  { "lint", OPTION_LINT, NULL, 0,
    "Look for rows of the CFI that the code contradicts; change nothing", 2 },

  { NULL, 0, NULL, 0, "Many files:", 3 },
  { "recursive", 'r', NULL, 0,
    "Also work on the ELF files in directories, at any depth; symbolic links "
    "are not followed, files SFrame is not made for are skipped",
    3 },
  { "files0-from", OPTION_FILES0_FROM, "LIST", 0,
    "Also work on the files whose names stand in LIST, each followed by a NUL "
    "character; '-' is standard input",
    3 },
  { "one-file-system", 'x', NULL, 0,
    "With -r, stay on the file system of each directory named", 3 },
  { "exclude", OPTION_EXCLUDE, "GLOB", 0,
    "With -r, leave out files and directories whose name matches GLOB, or "
    "whose path does if GLOB has a slash; may be given several times",
    3 },
  { "hook", OPTION_HOOK, NULL, 0,
    "Do as hooks of builds do: --skip-unconvertible --replace=auto "
    "--debug-info=none --min-coverage=2 --sync=end --config; options behind "
    "this one count more",
    3 },
  { "config", OPTION_CONFIG, NULL, 0,
    "Do what /etc/cfi2sframe.conf and /etc/cfi2sframe.conf.d/*.conf say, as "
    "if options for it stood here",
    3 },
  { "root", OPTION_ROOT, "DIR", 0,
    "With --config or --hook, the folder that the files are going to be "
    "installed from",
    3 },
  { "package", OPTION_PACKAGE, "NAME", 0,
    "With --config or --hook, the package that the files belong to", 3 },
  { "show-config", OPTION_SHOW_CONFIG, NULL, 0,
    "Print what --config would read and exit", 3 },
  { "jobs", 'j', "N", 0,
    "Work on N files at the same time, or by N threads on the code of one "
    "(default: as many as there are processors)",
    3 },

  { NULL, 0, NULL, 0, "What to tell:", 4 },
  { "stats", OPTION_STATS, "FORM", OPTION_ARG_OPTIONAL,
    "Print what was done, for people; with 'json' as one JSON object per "
    "file, with 'junit', 'sarif' or 'github' for what shows results of builds",
    4 },
  { "quiet", 'q', NULL, 0, "Print errors only", 4 },
  { "verbose", 'v', NULL, 0, "Print a line per file; twice: reasons too", 4 },
  STANDARD_OPTIONS_WITH_HELP ("all", OPTION_ARG_OPTIONAL,
                              "Print the usual options or, with =all, all of "
                              "them and exit")
};

/* The options that most users need, on one screen.  */
static const char usual_options[]
    = "Usage: cfi2sframe [OPTION...] FILE...\n"
      "Add SFrame stack-trace data to linked ELF files, in place, made from "
      "their\n"
      ".eh_frame or .debug_frame. Files that need nothing are skipped.\n"
      "\n"
      "  -o, --output=OUT       Leave the (one) FILE alone and write OUT\n"
      "  -n, --dry-run          Do everything but write\n"
      "  -r, --recursive        Also work on the ELF files in directories\n"
      "      --format=VERSION   SFrame version: 3 (default), 2, 2.0 or 1\n"
      "      --analyze          Make rows for code without CFI, too\n"
      "      --replace[=auto]   Make a new .sframe where one is\n"
      "      --remove           Take .sframe away\n"
      "      --undo             Give back the file as it was, byte for byte\n"
      "      --check            Compare .sframe with the CFI, PC by PC\n"
      "      --dump             Print .sframe as readelf --sframe does\n"
      "      --stats[=FORM]     Print what was done, also as JSON and the "
      "like\n"
      "  -q, --quiet            Print errors only\n"
      "  -v, --verbose          Print a line per file; twice: reasons too\n"
      "  -h, --help[=all]       Print these options or all of them and exit\n"
      "  -V, --version          Print the version and exit\n"
      "\n"
      "Exit status: 0 done or nothing to do, 1 a file failed (and is as it "
      "was) "
      "or a\n"
      "check found a difference, 2 wrong usage, 3 --lint found something.\n";

static const char documentation[]
    = "Add SFrame stack-trace data to linked ELF files, made from their "
      ".eh_frame or .debug_frame."
      "\vWithout options, FILEs are converted in place. Files that need "
      "nothing are skipped.\n\nExit status: 0 done or nothing to do, 1 a file "
      "failed (and is as it was) or a check found a difference, 2 wrong "
      "usage, 3 --lint found something.";

/* Report that OPTION does not take VALUE but one of VALUES, which NULL ends,
   and end.  */
static void
refuse_value (const struct argp_state *state, const char *option,
              const char *value, const char *const *values)
{
  char list[128] = "";
  size_t at = 0;
  for (size_t i = 0; values[i] != NULL && at < sizeof list; i++)
    at += (size_t)snprintf (list + at, sizeof list - at, "%s%s",
                            i == 0 ? "" : ", ", values[i]);
  argp_error (state, "unknown value '%s' of %s; it takes: %s", value, option,
              list);
}

/* Whether ARGUMENT of OPTION, which may have none, is there; if so, it is
   VALUE.  */
static bool
has_value (struct argp_state *state, const char *option, const char *argument,
           const char *value)
{
  if (argument != NULL && strcmp (argument, value) != 0)
    refuse_value (state, option, argument,
                  (const char *const[]){ value, NULL });
  return argument != NULL;
}

/* Which of VALUES, which end with NULL, ARGUMENT of OPTION is.  */
static unsigned
parse_choice (struct argp_state *state, const char *option,
              const char *argument, const char *const *values)
{
  unsigned i = 0;
  while (values[i] != NULL && strcmp (values[i], argument) != 0)
    i++;
  if (values[i] == NULL)
    refuse_value (state, option, argument, values);
  return i;
}

/* Print the usual options for --help.  Returns for --help=all, which argp
   prints.  */
static void
print_help (struct argp_state *state, const char *which)
{
  if (has_value (state, "--help", which, "all"))
    return;
  fputs (usual_options, state->out_stream);
  exit (EXIT_SUCCESS);
}

static void
refuse_format (struct argp_state *state, const char *name)
{
  static const char *const values[] = { "3",
                                        "2",
                                        "2.0",
                                        "1",
                                        "compact-unwind",
                                        "compact-unwind:amd64",
                                        "compact-unwind:aarch64",
                                        NULL };
  refuse_value (state, "--format", name, values);
}

/* Parse what follows "compact-unwind": nothing, or a colon and a machine.  */
static void
parse_compact_unwind (struct argp_state *state, const char *rest)
{
  static const char *const machines[] = { "", ":amd64", ":aarch64" };
  struct tool_options *options = state->input;
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
    if (strcmp (machines[i], rest) == 0)
      {
        options->compact_unwind = true;
        options->compact_unwind_machine = i > 0 ? rest + 1 : NULL;
        return;
      }
  refuse_format (state, rest - strlen ("compact-unwind"));
}

static void
parse_format (struct argp_state *state, const char *name)
{
  struct tool_options *options = state->input;
  if (format_parse (name, &options->convert.format))
    options->compact_unwind = false;
  else if (strncmp (name, "compact-unwind", strlen ("compact-unwind")) == 0)
    parse_compact_unwind (state, name + strlen ("compact-unwind"));
  else
    refuse_format (state, name);
}

/* Parse one name of --for, of LENGTH letters.  */
static unsigned
reader_of_name (struct argp_state *state, const char *name, size_t length)
{
  const char *values[READERS_MAX + 1] = { NULL };
  char copy[40];
  unsigned i;
  for (i = 0; i < READERS_MAX && for_readers_name (i) != NULL; i++)
    {
      values[i] = for_readers_name (i);
      if (strlen (values[i]) == length
          && memcmp (values[i], name, length) == 0)
        return 1u << i;
    }
  snprintf (copy, sizeof copy, "%.*s", (int)(length < 39 ? length : 39), name);
  refuse_value (state, "--for", copy, values);
  return 0;
}

static void
parse_for (struct argp_state *state, const char *list)
{
  struct tool_options *options = state->input;
  for (const char *at = list; at != NULL;)
    {
      const char *comma = strchr (at, ',');
      size_t length = comma != NULL ? (size_t)(comma - at) : strlen (at);
      options->convert.readers |= reader_of_name (state, at, length);
      at = comma != NULL ? comma + 1 : NULL;
    }
}

static void
set_mode (struct argp_state *state, enum tool_mode mode)
{
  struct tool_options *options = state->input;
  if (options->mode != MODE_CONVERT && options->mode != mode)
    argp_error (state, "%s and %s exclude each other",
                mode_names[options->mode].option, mode_names[mode].option);
  options->mode = mode;
}

/* Set the mode that the option KEY asks for, if it asks for one.  */
static bool
set_mode_of (struct argp_state *state, int key)
{
  for (unsigned mode = MODE_CONVERT + 1; mode < N_MODES; mode++)
    if (mode_names[mode].key == key)
      {
        set_mode (state, (enum tool_mode)mode);
        return true;
      }
  return false;
}

static void
set_output (struct argp_state *state, const char *output)
{
  struct tool_options *options = state->input;
  if (options->output != NULL)
    argp_error (state, "more than one output file");
  if (output[0] == '\0')
    argp_error (state, "the output file has no name");
  if (strcmp (output, "-") == 0)
    argp_error (state, "standard output is /dev/stdout; a file of this name "
                       "is ./-");
  options->output = output;
}

static void
parse_jobs (struct argp_state *state, const char *number)
{
  struct tool_options *options = state->input;
  size_t jobs = 0;
  if (!number_parse (number, 1, SIZE_MAX, &jobs))
    argp_error (state, "'%s' is no number of jobs", number);
  options->jobs
      = jobs < LOCATION_THREADS_MAX ? (unsigned)jobs : LOCATION_THREADS_MAX;
}

static void
add_excluded (struct argp_state *state, const char *pattern)
{
  struct tool_options *options = state->input;
  const char **grown = reallocarray (
      options->excluded, options->n_excluded + 1, sizeof options->excluded[0]);
  if (grown == NULL)
    {
      argp_failure (state, EXIT_FAILURE, ENOMEM, "--exclude");
      return;
    }
  options->excluded = grown;
  options->excluded[options->n_excluded++] = pattern;
}

/* The number of processors that this process may use; where there may be more
   than a cpu_set_t has room for, of all.  */
static unsigned
count_processors (void)
{
  cpu_set_t set;
  long count = sched_getaffinity (0, sizeof set, &set) == 0
                   ? CPU_COUNT (&set)
                   : sysconf (_SC_NPROCESSORS_ONLN);
  return count < 1                      ? 1
         : count < LOCATION_THREADS_MAX ? (unsigned)count
                                        : LOCATION_THREADS_MAX;
}

static void
parse_replace (struct argp_state *state, const char *argument)
{
  static const char *const values[] = { "yes", "no", "auto", NULL };
  struct tool_options *options = state->input;
  unsigned choice = argument == NULL
                        ? 0
                        : parse_choice (state, "--replace", argument, values);
  options->convert.replace = choice == 0;
  options->convert.replace_bad = choice == 2;
}

static void
parse_debug_info (struct argp_state *state, const char *argument)
{
  static const char *const values[] = { [CFI2SFRAME_DEBUG_INFO_OWN] = "own",
                                        [CFI2SFRAME_DEBUG_INFO_AUTO] = "auto",
                                        [CFI2SFRAME_DEBUG_INFO_NONE] = "none",
                                        NULL };
  struct tool_options *options = state->input;
  options->convert.debug_info = (enum cfi2sframe_debug_info)parse_choice (
      state, "--debug-info", argument, values);
}

static void
parse_sync (struct argp_state *state, const char *argument)
{
  static const char *const values[] = { [CFI2SFRAME_SYNC_FILE] = "file",
                                        [CFI2SFRAME_SYNC_END] = "end",
                                        [CFI2SFRAME_SYNC_NONE] = "none",
                                        NULL };
  struct tool_options *options = state->input;
  options->convert.sync
      = (enum cfi2sframe_sync)parse_choice (state, "--sync", argument, values);
}

static void
parse_min_coverage (struct argp_state *state, const char *argument)
{
  struct tool_options *options = state->input;
  if (!number_percentage (argument, &options->convert.min_coverage))
    argp_error (state, "--min-coverage takes a percentage, not '%s'",
                argument);
}

static void
parse_stats (struct argp_state *state, const char *argument)
{
  static const char *const forms[]
      = { "json", "junit", "sarif", "github", NULL };
  struct tool_options *options = state->input;
  options->stats
      = argument == NULL
            ? STATS_TEXT
            : STATS_JSON + parse_choice (state, "--stats", argument, forms);
}

static const struct option_switch switches[] = {
  OPTION_SWITCH (struct tool_options, 'q', quiet),
  OPTION_SWITCH (struct tool_options, 'r', recursive),
  OPTION_SWITCH (struct tool_options, 'x', one_file_system),
  OPTION_SWITCH (struct tool_options, 'n', convert.dry_run),
  OPTION_SWITCH (struct tool_options, 'p', convert.preserve_times),
  OPTION_SWITCH (struct tool_options, OPTION_STRICT, convert.strict),
  OPTION_SWITCH (struct tool_options, OPTION_REQUIRE, require),
  OPTION_SWITCH (struct tool_options, OPTION_VERIFY_CODE, convert.verify_code),
  OPTION_SWITCH (struct tool_options, OPTION_ANALYZE, convert.analyze),
  OPTION_SWITCH (struct tool_options, OPTION_NO_SHARE, convert.no_share),
  OPTION_SWITCH (struct tool_options, OPTION_NO_SPLIT, convert.no_split),
  OPTION_SWITCH (struct tool_options, OPTION_COMPACT, convert.compact),
  OPTION_SWITCH (struct tool_options, OPTION_RELOCATABLE, convert.relocatable),
};

/* Options with a text that is used as it is: where it goes.  */
static const struct
{
  int key;
  size_t offset;
} texts[] = {
  { OPTION_DETACHED, offsetof (struct tool_options, detached) },
  { OPTION_DEBUG_FILE, offsetof (struct tool_options, convert.debug_file) },
  { OPTION_DEBUG_TWIN, offsetof (struct tool_options, debug_twin_file) },
  { OPTION_ROOT, offsetof (struct tool_options, root) },
  { OPTION_PACKAGE, offsetof (struct tool_options, package) },
};

/* Set the text of the option KEY, if it is one of these.  */
static bool
set_text (struct tool_options *options, int key, const char *argument)
{
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (texts[i].key == key)
      {
        *(const char **)((char *)options + texts[i].offset) = argument;
        return true;
      }
  return false;
}

/* Read the configuration; a failure ends the program.  */
static void
read_configuration (struct argp_state *state)
{
  struct tool_options *options = state->input;
  struct cfi2sframe_error err;
  if (!configuration_read (&options->configuration, &err))
    argp_failure (state, EXIT_FAILURE, 0, "%s: %s", err.file, err.reason);
}

/* What it says about all files; job.c has what it says about one.  */
static void
apply_configuration (struct tool_options *options)
{
  const struct configuration *configuration = &options->configuration;
  const char *coverage
      = configuration_value (configuration, SETTING_MIN_COVERAGE);
  const char *format = configuration_value (configuration, SETTING_FORMAT);
  const char *checksummed
      = configuration_value (configuration, SETTING_CHECKSUMMED);
  if (coverage != NULL)
    number_percentage (coverage, &options->convert.min_coverage);
  if (format != NULL)
    format_parse (format, &options->convert.format);
  if (checksummed != NULL)
    options->convert.leave_checksummed = strcmp (checksummed, "yes") != 0;
}

/* What hooks of builds ask for; the manual, "Pipelines", says why.  */
static void
apply_hook (struct tool_options *options)
{
  options->skip_unconvertible = SKIP_ALL;
  options->convert.replace = false;
  options->convert.replace_bad = true;
  options->convert.debug_info = CFI2SFRAME_DEBUG_INFO_NONE;
  options->convert.min_coverage = 2;
  options->convert.sync = CFI2SFRAME_SYNC_END;
}

/* Options: the configuration.  */
static error_t
parse_configuration_option (int key, struct argp_state *state)
{
  struct tool_options *options = state->input;
  switch (key)
    {
    case OPTION_HOOK:
      apply_hook (options);
      read_configuration (state);
      apply_configuration (options);
      return 0;
    case OPTION_CONFIG:
      read_configuration (state);
      apply_configuration (options);
      return 0;
    case OPTION_SHOW_CONFIG:
      read_configuration (state);
      configuration_print (&options->configuration, state->out_stream);
      exit (EXIT_SUCCESS);
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

/* Options: many files, and those of all programs.  */
static error_t
parse_tree_option (int key, char *argument, struct argp_state *state)
{
  struct tool_options *options = state->input;
  switch (key)
    {
    case OPTION_FILES0_FROM:
      if (options->files_from != NULL)
        argp_error (state, "more than one list of files");
      options->files_from = argument;
      return 0;
    case OPTION_EXCLUDE:
      add_excluded (state, argument);
      return 0;
    case OPTION_SKIP_UNCONVERTIBLE:
      options->skip_unconvertible
          = has_value (state, "--skip-unconvertible", argument, "no")
                ? SKIP_NONE
                : SKIP_ALL;
      return 0;
    case 'j':
      parse_jobs (state, argument);
      return 0;
    default:
      return standard_option_parse (key, state, switches,
                                    sizeof switches / sizeof *switches);
    }
}

static error_t
parse_option (int key, char *argument, struct argp_state *state)
{
  struct tool_options *options = state->input;
  usage_note_given (options, key);
  bool known = set_mode_of (state, key);
  known = set_text (options, key, argument) || known;
  switch (key)
    {
    case OPTION_FORMAT:
      parse_format (state, argument);
      return 0;
    case 'o':
    case OPTION_SECTION_ONLY:
      set_output (state, argument);
      return 0;
    case OPTION_DEBUG_TWIN:
      options->debug_twin = true;
      return 0;
    case OPTION_DEBUG_INFO:
      parse_debug_info (state, argument);
      return 0;
    case OPTION_VERIFY:
      argp_error (state, "unrecognized option '--verify'; did you mean "
                         "'--check' or '--verify-code'?");
      return 0;
    case OPTION_FOR:
      parse_for (state, argument);
      return 0;
    case OPTION_GNU:
      options->convert.gnu = true;
      options->convert.gnu_bugs = has_value (state, "--gnu", argument, "bugs");
      return 0;
    case OPTION_REPLACE:
      parse_replace (state, argument);
      return 0;
    case OPTION_RETURN_ADDRESSES:
      options->convert.keep_return_addresses
          = parse_choice (state, "--return-addresses", argument,
                          (const char *const[]){ "yes", "no", NULL })
            == 1;
      return 0;
    case OPTION_MIN_COVERAGE:
      parse_min_coverage (state, argument);
      return 0;
    case OPTION_CONVERT_CHECKSUMMED:
      options->convert.leave_checksummed = false;
      return 0;
    case OPTION_STATS:
      parse_stats (state, argument);
      return 0;
    case OPTION_SYNC:
      parse_sync (state, argument);
      return 0;
    case 'v':
      options->verbose++;
      return 0;
    case 'h':
      print_help (state, argument);
      return standard_option_parse (key, state, NULL, 0);
    case ARGP_KEY_ARGS:
    case ARGP_KEY_NO_ARGS:
      options->files = state->argv + state->next;
      options->n_files = (size_t)(state->argc - state->next);
      usage_check (state);
      return 0;
    default:
      return known || parse_configuration_option (key, state) == 0
                 ? 0
                 : parse_tree_option (key, argument, state);
    }
}

void
tool_options_parse (struct tool_options *options, int argc, char **argv)
{
  static const struct argp parser
      = { option_table, parse_option, "[FILE...]", documentation,
          NULL,         NULL,         NULL };
  *options = (struct tool_options){ 0 };
  cfi2sframe_options_init (&options->convert);
  options->convert.leave_checksummed = true;
  standard_options_parse ("cfi2sframe", &parser, 0, argc, argv, options);
  if (options->jobs == 0)
    options->jobs = count_processors ();
  options->talkative
      = options->verbose > 0
        || (!tool_options_is_tree (options) && isatty (STDOUT_FILENO));
}

void
tool_options_free (struct tool_options *options)
{
  free (options->excluded);
  options->excluded = NULL;
  configuration_free (&options->configuration);
}

/* The options of cfi2sframe: names, values, texts for --help, and actions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/option_table.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/number.h"
#include "cli/standard_options.h"
#include "convert/for_readers.h"
#include "convert/location.h"
#include "sframe/formats.h"

enum
{
  READERS_MAX = 16
};

/* Parsers of options that are neither a switch nor a text.  A parser stores
   the meaning of the argument, NULL if there is none, in the struct
   tool_options of STATE.  A value that the option does not take ends the
   program with a message.  */

/* Return the index of ARGUMENT of OPTION in VALUES, which end with NULL.
   Another argument ends the program.  */
static unsigned
parse_choice (const struct argp_state *state, const char *option,
              const char *argument, const char *const *values)
{
  char list[128] = "";
  size_t at = 0;
  for (unsigned i = 0; values[i] != NULL; i++)
    if (strcmp (values[i], argument) == 0)
      return i;
  for (size_t i = 0; values[i] != NULL && at < sizeof list; i++)
    at += (size_t)snprintf (list + at, sizeof list - at, "%s%s",
                            i == 0 ? "" : ", ", values[i]);
  argp_error (state, "unknown value '%s' of %s; it takes: %s", argument,
              option, list);
  return 0;
}

bool
option_has_value (const struct argp_state *state, const char *option,
                  const char *argument, const char *value)
{
  return argument != NULL
         && parse_choice (state, option, argument,
                          (const char *const[]){ value, NULL })
                == 0;
}

bool
option_is_given (const struct argp_state *state, const char *name)
{
  const struct tool_options *options = state->input;
  const struct argp_option *option = state->root_argp->options;
  while (option->name == NULL || strcmp (option->name, name) != 0)
    option++;
  return options->given >> (option - state->root_argp->options) & 1;
}

static void
parse_format (struct argp_state *state, const char *argument)
{
  static const char *const values[] = { "3",
                                        "2",
                                        "2.0",
                                        "1",
                                        "compact-unwind",
                                        "compact-unwind:amd64",
                                        "compact-unwind:aarch64",
                                        NULL };
  struct tool_options *options = state->input;
  const char *value
      = values[parse_choice (state, "--format", argument, values)];
  const char *colon = strchr (value, ':');
  options->compact_unwind = !format_parse (value, &options->convert.format);
  options->compact_unwind_machine = colon != NULL ? colon + 1 : NULL;
}

static void
parse_for (struct argp_state *state, const char *argument)
{
  struct tool_options *options = state->input;
  const char *names[READERS_MAX + 1] = { NULL };
  for (unsigned i = 0; i < READERS_MAX && for_readers_name (i) != NULL; i++)
    names[i] = for_readers_name (i);
  for (const char *at = argument; at != NULL;)
    {
      char name[40];
      size_t length = strcspn (at, ",");
      snprintf (name, sizeof name, "%.*s", (int)(length < 39 ? length : 39),
                at);
      options->convert.readers
          |= 1u << parse_choice (state, "--for", name, names);
      at = at[length] == ',' ? at + length + 1 : NULL;
    }
}

static void
parse_jobs (struct argp_state *state, const char *argument)
{
  struct tool_options *options = state->input;
  size_t jobs = 0;
  if (!number_parse (argument, 1, SIZE_MAX, &jobs))
    argp_error (state, "'%s' is not a number of jobs", argument);
  options->jobs
      = jobs < LOCATION_THREADS_MAX ? (unsigned)jobs : LOCATION_THREADS_MAX;
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

static void
parse_return_addresses (struct argp_state *state, const char *argument)
{
  static const char *const values[] = { "yes", "no", NULL };
  struct tool_options *options = state->input;
  options->convert.keep_return_addresses
      = parse_choice (state, "--return-addresses", argument, values) == 1;
}

static void
parse_gnu (struct argp_state *state, const char *argument)
{
  struct tool_options *options = state->input;
  options->convert.gnu = true;
  options->convert.gnu_bugs
      = option_has_value (state, "--gnu", argument, "bugs");
}

static void
parse_skip_unconvertible (struct argp_state *state, const char *argument)
{
  struct tool_options *options = state->input;
  bool no = option_has_value (state, "--skip-unconvertible", argument, "no");
  options->skip_unconvertible = no ? SKIP_NONE : SKIP_ALL;
}

static void
parse_output (struct argp_state *state, const char *output)
{
  struct tool_options *options = state->input;
  if (options->output != NULL)
    argp_error (state, "more than one output file");
  if (strcmp (output, "-") == 0)
    argp_error (state, "standard output is /dev/stdout; a file of this name "
                       "is ./-");
  options->output = output;
}

static void
parse_files_from (struct argp_state *state, const char *list)
{
  struct tool_options *options = state->input;
  if (options->files_from != NULL)
    argp_error (state, "more than one list of files");
  options->files_from = list;
}

static void
parse_excluded (struct argp_state *state, const char *pattern)
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

/* Read the configuration, and apply its settings for all files unless an
   option is given for the same.  job.c applies its patterns for single files.
   A failure ends the program.  */
static void
parse_configuration (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  struct configuration *configuration = &options->configuration;
  struct cfi2sframe_error err;
  (void)none;
  if (!configuration_read (configuration, &err))
    argp_failure (state, EXIT_FAILURE, 0, "%s: %s", err.file, err.reason);
  const char *coverage
      = configuration_value (configuration, SETTING_MIN_COVERAGE);
  const char *format = configuration_value (configuration, SETTING_FORMAT);
  const char *checksummed
      = configuration_value (configuration, SETTING_CHECKSUMMED);
  if (coverage != NULL && !option_is_given (state, "min-coverage"))
    number_percentage (coverage, &options->convert.min_coverage);
  if (format != NULL && !option_is_given (state, "format"))
    format_parse (format, &options->convert.format);
  if (checksummed != NULL && !option_is_given (state, "convert-checksummed"))
    options->convert.leave_checksummed = strcmp (checksummed, "yes") != 0;
}

static void
parse_show_configuration (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  parse_configuration (state, none);
  configuration_print (&options->configuration, state->out_stream);
  standard_output_end ();
}

/* Set the defaults for hooks of builds.  Options before or after --hook take
   precedence.  The manual, "Pipelines", has the reasons.  */
static void
parse_hook (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  if (!option_is_given (state, "skip-unconvertible"))
    options->skip_unconvertible = SKIP_ALL;
  if (!option_is_given (state, "replace"))
    options->convert.replace_bad = true;
  if (!option_is_given (state, "debug-info"))
    options->convert.debug_info = CFI2SFRAME_DEBUG_INFO_NONE;
  if (!option_is_given (state, "min-coverage"))
    options->convert.min_coverage = 2;
  if (!option_is_given (state, "sync"))
    options->convert.sync = CFI2SFRAME_SYNC_END;
  parse_configuration (state, none);
}

static void
parse_convert_checksummed (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  (void)none;
  options->convert.leave_checksummed = false;
}

static void
parse_verbose (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  (void)none;
  options->verbose++;
}

static void
parse_verify (struct argp_state *state, const char *none)
{
  (void)none;
  argp_error (state, "unrecognized option '--verify'; did you mean "
                     "'--check' or '--verify-code'?");
}

/* ---- The table */

#define AT(member) offsetof (struct tool_options, member)
#define ALL_MODES_BUT(mode) ((MODE_BIT (N_MODES) - 1) & ~MODE_BIT (mode))

/* Each option is in cfi2sframe(1), too, from which the manual is generated.
   Completions find the values of options here by their quotes (help.awk).  */
const struct tool_option option_table[] = {
  { .description = "Converting:" },
  { "output", 'o', "OUT", 0, "Leave the (one) FILE alone and write OUT",
    .parse = parse_output, .modes = MODES_WITH_OUTPUT },
  { "dry-run", 'n', NULL, 0, "Do everything but write",
    .turns_on = AT (convert.dry_run), .modes = MODES_MAKING | MODES_REMOVING },
  { "format", 0, "VERSION", 0,
    "SFrame version: '3' (default), '2', '2.0' (for binutils 2.41 to 2.44) or "
    "'1'; or 'compact-unwind', for --section-only and --dump",
    .parse = parse_format, .modes = MODES_MAKING | MODE_BIT (MODE_DUMP) },
  { "for", 0, "READERS", 0,
    "Write the version that all these readers take, and refuse files that one "
    "of them would misread; with --check, say what they would refuse: "
    "'linux', 'glibc', 'libsframe', 'libsframe-2.44', 'libsframe-2.40', "
    "separated by commas",
    .parse = parse_for,
    .modes = MODES_MAKING_IN_PLACE | MODE_BIT (MODE_CHECK) | FOR_LINKED },
  { "section-only", 0, "OUT", 0,
    "Write the raw section to OUT and leave FILE alone",
    .mode = MODE_SECTION_ONLY, .parse = parse_output },
  { "detached", 0, "DIR", 0,
    "Write the section to DIR/XX/YYYY.sframe, by build-id, where sframe-stack "
    "and sframe-profile find it, and leave FILE alone",
    .mode = MODE_DETACH, .keeps = AT (detached) },
  { "strict", 0, NULL, 0, "A function that has to be left out is a failure",
    .turns_on = AT (convert.strict),
    .modes = MODES_MAKING | MODE_BIT (MODE_CHECK) },
  { "min-coverage", 0, "PERCENT", 0,
    "Less of the code with rows than that is a failure",
    .parse = parse_min_coverage,
    .modes = MODES_MAKING | MODE_BIT (MODE_CHECK) },
  { "skip-unconvertible", 0, "no", OPTION_ARG_OPTIONAL,
    "Files that cannot be converted (32-bit, unknown machine, refused, "
    "damaged) are counted in a note and are not failures; with =no they are "
    "failures in directories, too",
    .parse = parse_skip_unconvertible },
  { "no-share", 0, NULL, 0, "Store the rows of every function separately",
    .turns_on = AT (convert.no_share), .modes = MODES_MAKING },
  { "no-split", 0, NULL, 0, "Do not cut functions into pieces: one entry each",
    .turns_on = AT (convert.no_split), .modes = MODES_MAKING },
  { "compact", 0, NULL, 0,
    "Let an entry hold the end of one function and the beginning of the next, "
    "where that is smaller",
    .turns_on = AT (convert.compact), .modes = MODES_MAKING },
  { "return-addresses", 0, "yes|no", 0,
    "Whether addresses that a call with other rules returns to have no row, "
    "so that readers do not follow a wrong one (yes, the default)",
    .parse = parse_return_addresses, .modes = MODES_MAKING },
  { "verify-code", 0, NULL, 0, "Leave out the rows that --lint finds",
    .turns_on = AT (convert.verify_code), .modes = MODES_MAKING | FOR_LINKED },
  /* Hidden and refused.  Otherwise argp would take --verify as an abbreviation
     of --verify-code and convert files that the user meant to check only.  */
  { "verify", 0, NULL, OPTION_HIDDEN, NULL, .parse = parse_verify },
  { "analyze", 0, NULL, 0,
    "Make rows for code without CFI, too, from what the code does",
    .turns_on = AT (convert.analyze), .modes = MODES_MAKING | FOR_LINKED },
  { "debug-info", 0, "WHICH", 0,
    "CFI besides .eh_frame: the file's 'own' .debug_frame (default); with "
    "'auto' that of its separate debug file, if one is found on this machine; "
    "or 'none'",
    .parse = parse_debug_info, .modes = MODES_MAKING | MODE_BIT (MODE_CHECK) },
  { "debug-file", 0, "DEBUG", 0,
    "Use the .debug_frame of DEBUG, the debug file of the (one) FILE",
    .keeps = AT (convert.debug_file),
    .modes = MODES_MAKING | MODE_BIT (MODE_CHECK) | FOR_LINKED },
  { "debug-twin", 0, "DEBUG", OPTION_ARG_OPTIONAL,
    "Bring the section headers of DEBUG, the debug file of the (one) FILE, or "
    "of each debug file that is found on this machine, in step with what FILE "
    "becomes; also with --undo and --remove",
    .turns_on = AT (debug_twin), .keeps = AT (debug_twin_file),
    .modes = MODES_CHANGING },
  { "sync", 0, "WHEN", 0,
    "Flush new files to disk each as it is written ('file', the default), all "
    "at the 'end', or leave that to the system ('none')",
    .parse = parse_sync, .modes = MODES_MAKING | MODES_REMOVING },
  { "relocatable", 0, NULL, 0,
    "Convert objects (.o, .ko) and archives of them (.a) as well",
    .turns_on = AT (convert.relocatable), .modes = MODES_TAKING_OBJECTS },
  { "gnu", 0, "bugs", OPTION_ARG_OPTIONAL,
    "Write what GNU as writes for the same directives; with =bugs also where "
    "it is wrong",
    .parse = parse_gnu, .modes = MODES_MAKING_IN_PLACE },
  { "convert-checksummed", 0, NULL, 0,
    "Change files as well that something keeps a checksum of (FIPS 140)",
    .parse = parse_convert_checksummed, .modes = MODES_CHANGING },
  { "preserve-timestamps", 'p', NULL, 0, "Keep the time stamps of FILE",
    .turns_on = AT (convert.preserve_times), .modes = MODES_CHANGING },

  { .description = "Existing sections:" },
  { "replace", 0, "yes|no|auto", OPTION_ARG_OPTIONAL,
    "Make a new .sframe where one is ('yes', the default of the option); with "
    "'auto' only where it is wrong, describes but a part of the code with "
    "CFI, or is of no use to any reader, or to one of --for; with 'no' never",
    .parse = parse_replace, .modes = MODES_MAKING_IN_PLACE },
  { "remove", 0, NULL, 0, "Take .sframe away", .mode = MODE_REMOVE },
  { "undo", 0, NULL, 0,
    "Give back the file as it was before its conversion, byte for byte",
    .mode = MODE_UNDO },
  { "check", 0, NULL, 0, "Compare .sframe with the CFI, PC by PC",
    .mode = MODE_CHECK },
  { "require", 0, NULL, 0,
    "With --check, a file that could have an .sframe and has none is a "
    "failure",
    .turns_on = AT (require), .modes = MODE_BIT (MODE_CHECK) },
  { "dump", 0, NULL, 0, "Print .sframe as readelf --sframe does",
    .mode = MODE_DUMP },
  { "compare", 0, NULL, 0, "Compare what the .sframe of two FILEs say",
    .mode = MODE_COMPARE },
  { "compare-formats", 0, NULL, 0,
    "Print what all versions of SFrame and compact unwind would take, and how "
    "many functions they can describe; change nothing",
    .mode = MODE_COMPARE_FORMATS },
  { "lint", 0, NULL, 0,
    "Look for rows of the CFI that the code contradicts; change nothing",
    .mode = MODE_LINT },

  { .description = "Many files:" },
  { "recursive", 'r', NULL, 0,
    "Also work on the ELF files in directories, at any depth; symbolic links "
    "are not followed, files SFrame is not made for are skipped",
    .turns_on = AT (recursive), .modes = ALL_MODES_BUT (MODE_COMPARE) },
  { "files0-from", 0, "LIST", 0,
    "Also work on the files whose names stand in LIST, each followed by a NUL "
    "character; '-' is standard input",
    .parse = parse_files_from, .modes = ALL_MODES_BUT (MODE_COMPARE) },
  { "one-file-system", 'x', NULL, 0,
    "With -r, stay on the file system of each directory named",
    .turns_on = AT (one_file_system) },
  { "exclude", 0, "GLOB", 0,
    "With -r, leave out files and directories whose name matches GLOB, or "
    "whose path does if GLOB has a slash; may be given several times",
    .parse = parse_excluded, .may_be_empty = true },
  { "hook", 0, NULL, 0,
    "Do as hooks of builds do: --skip-unconvertible --replace=auto "
    "--debug-info=none --min-coverage=2 --sync=end --config; options that are "
    "given count more",
    .parse = parse_hook, .modes = MODE_BIT (MODE_CONVERT) },
  { "config", 0, NULL, 0,
    "Do what /etc/cfi2sframe.conf and /etc/cfi2sframe.conf.d/*.conf "
    "say, where no option does",
    .parse = parse_configuration,
    .modes = MODE_BIT (MODE_CONVERT) | MODE_BIT (MODE_DETACH) },
  { "root", 0, "DIR", 0,
    "With --config or --hook, the folder that the files are going to be "
    "installed from",
    .keeps = AT (root), .may_be_empty = true },
  { "package", 0, "NAME", 0,
    "With --config or --hook, the package that the files belong to",
    .keeps = AT (package), .may_be_empty = true },
  { "show-config", 0, NULL, 0, "Print what --config would read and exit",
    .parse = parse_show_configuration },
  { "jobs", 'j', "N", 0,
    "Work on N files at the same time, or by N threads on the code of one "
    "(default: as many as there are processors)",
    .parse = parse_jobs },

  { .description = "What to tell:" },
  { "stats", 0, "FORM", OPTION_ARG_OPTIONAL,
    "Print what was done, for people; with 'json' as one JSON object per "
    "file, with 'junit', 'sarif' or 'github' for what shows results of builds",
    .parse = parse_stats, .modes = ALL_MODES_BUT (MODE_DUMP) },
  { "quiet", 'q', NULL, 0, "Print errors only", .turns_on = AT (quiet) },
  { "verbose", 'v', NULL, 0, "Print a line per file; twice: reasons too",
    .parse = parse_verbose },
  { .name = NULL },
};

enum
{
  N_OPTIONS = sizeof option_table / sizeof *option_table - 1, /* with titles */
  KEY_FIRST = 256 /* of options without a letter */
};

_Static_assert(N_OPTIONS < 8 * sizeof ((struct tool_options *)0)->given,
               "an option has no bit");

static int
key_of (const struct tool_option *option)
{
  return option->name == NULL  ? 0
         : option->letter != 0 ? option->letter
                               : KEY_FIRST + (int)(option - option_table);
}

const struct argp_option *
option_table_for_argp (void)
{
  static const struct argp_option standard[] = { STANDARD_OPTIONS_WITH_HELP (
      "all", OPTION_ARG_OPTIONAL,
      "Print the usual options or, with =all, all of them and exit") };
  static struct argp_option
      list[N_OPTIONS + sizeof standard / sizeof *standard];
  int group = 0;
  for (size_t i = 0; i < N_OPTIONS; i++)
    {
      const struct tool_option *option = &option_table[i];
      group += option->name == NULL;
      list[i] = (struct argp_option){ option->name,        key_of (option),
                                      option->argument,    option->flags,
                                      option->description, group };
    }
  memcpy (&list[N_OPTIONS], standard, sizeof standard);
  return list;
}

const struct tool_option *
option_of_key (int key)
{
  for (size_t i = 0; i < N_OPTIONS; i++)
    if (option_table[i].name != NULL && key_of (&option_table[i]) == key)
      return &option_table[i];
  return NULL;
}

const char usual_options[]
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
      "      --replace[=yes|no|auto]  Make a new .sframe where one is\n"
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

const char option_documentation[]
    = "Add SFrame stack-trace data to linked ELF files, made from their "
      ".eh_frame or .debug_frame."
      "\vWithout options, FILEs are converted in place. Files that need "
      "nothing are skipped.\n\nExit status: 0 done or nothing to do, 1 a file "
      "failed (and is as it was) or a check found a difference, 2 wrong "
      "usage, 3 --lint found something.";

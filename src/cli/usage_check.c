/* Which of cfi2sframe's options go together.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/usage_check.h"

#include "convert/for_readers.h"
#include "cli/events.h"
#include "cli/option_keys.h"

/* Refuse options that put a section into a file: compact unwind is never put
   into one.  */
static void
check_compact_unwind (const struct argp_state *state)
{
  const struct tool_options *options = state->input;
  if (options->compact_unwind && options->mode != MODE_SECTION_ONLY
      && options->mode != MODE_DUMP)
    argp_error (state, "--format=compact-unwind goes with --section-only or "
                       "--dump only");
  if (options->compact_unwind_machine != NULL && options->mode != MODE_DUMP)
    argp_error (state, "a machine is for --dump of a bare section only");
  if (options->compact_unwind
      && (options->convert.relocatable || options->convert.gnu))
    argp_error (state, "this option is for SFrame only");
}

/* A bit of what does not go with --relocatable.  Of objects nothing is known
   that the linker decides: where code comes to lie, who calls it, which
   readers there are.  Options that have no effect on objects alone go with it:
   there may be linked files in the same run.  */
#define LINKED MODE_BIT (N_MODES)

#define ALL_MODES (MODE_BIT (N_MODES) - 1)
#define ALL_MODES_BUT(mode) (ALL_MODES & ~MODE_BIT (mode))

/* Options and the modes in which they change anything.  */
static const struct
{
  int key;
  unsigned modes;
} effects[] = {
  { 'n', MODES_MAKING | MODES_TAKING_BACK },
  { 'p', MODES_CHANGING },
  { OPTION_SYNC, MODES_MAKING | MODES_TAKING_BACK },
  { OPTION_STRICT, MODES_MAKING | MODE_BIT (MODE_CHECK) },
  { OPTION_MIN_COVERAGE, MODES_MAKING | MODE_BIT (MODE_CHECK) },
  { OPTION_REQUIRE, MODE_BIT (MODE_CHECK) },
  { OPTION_NO_SHARE, MODES_MAKING },
  { OPTION_NO_SPLIT, MODES_MAKING },
  { OPTION_COMPACT, MODES_MAKING },
  { OPTION_RETURN_ADDRESSES, MODES_MAKING },
  { OPTION_VERIFY_CODE, MODES_MAKING | LINKED },
  { OPTION_ANALYZE, MODES_MAKING | LINKED },
  { OPTION_GNU, MODES_MAKING_IN_PLACE },
  { OPTION_REPLACE, MODES_MAKING_IN_PLACE },
  { OPTION_DEBUG_INFO, MODES_MAKING | MODE_BIT (MODE_CHECK) },
  { OPTION_DEBUG_FILE, MODES_MAKING | MODE_BIT (MODE_CHECK) | LINKED },
  { OPTION_CONVERT_CHECKSUMMED, MODES_CHANGING },
  { OPTION_SKIP_UNCONVERTIBLE, ALL_MODES },
  { OPTION_HOOK, MODE_BIT (MODE_CONVERT) },
  { OPTION_CONFIG, MODE_BIT (MODE_CONVERT) | MODE_BIT (MODE_DETACH) },
  { OPTION_DEBUG_TWIN, MODES_CHANGING },
  { OPTION_STATS, ALL_MODES_BUT (MODE_DUMP) },
  { OPTION_FOR, MODES_MAKING_IN_PLACE | MODE_BIT (MODE_CHECK) | LINKED },
  { OPTION_FORMAT, MODES_MAKING | MODE_BIT (MODE_DUMP) },
  { OPTION_RELOCATABLE, MODES_TAKING_OBJECTS },
  { 'r', ALL_MODES_BUT (MODE_COMPARE) },
  { OPTION_FILES0_FROM, ALL_MODES_BUT (MODE_COMPARE) },
};

enum
{
  N_EFFECTS = sizeof effects / sizeof effects[0]
};

_Static_assert(N_EFFECTS <= 8 * sizeof ((struct tool_options *)0)->given,
               "an option has no bit");

/* The bit of the option KEY in tool_options.given; 0 without effects.  */
static unsigned
bit_of (int key)
{
  for (unsigned i = 0; i < N_EFFECTS; i++)
    if (effects[i].key == key)
      return 1u << i;
  return 0;
}

void
usage_note_given (struct tool_options *options, int key)
{
  options->given |= bit_of (key);
}

bool
usage_is_given (const struct tool_options *options, int key)
{
  return (options->given & bit_of (key)) != 0;
}

static const char *
name_of (const struct argp_option *table, int key)
{
  while (table->key != key)
    table++;
  return table->name;
}

/* Refuse options that have no effect: the user expects something that would
   not happen.  */
static void
check_effects (const struct argp_state *state)
{
  const struct tool_options *options = state->input;
  for (size_t i = 0; i < N_EFFECTS; i++)
    {
      const char *name = name_of (state->root_argp->options, effects[i].key);
      if (!(options->given & 1u << i))
        continue;
      if (!tool_options_are (options, effects[i].modes))
        argp_error (state, "--%s has no effect with %s", name,
                    mode_names[options->mode].option);
      if ((effects[i].modes & LINKED) && options->convert.relocatable)
        argp_error (state, "--%s is for linked files, not with --relocatable",
                    name);
    }
  if (options->one_file_system && !options->recursive)
    argp_error (state, "--one-file-system has no effect without -r");
  if (options->n_excluded > 0 && !options->recursive)
    argp_error (state, "--exclude has no effect without -r");
}

/* Refuse --for together with --format, because readers determine the
   version.  */
static void
check_readers (const struct argp_state *state)
{
  struct tool_options *options = state->input;
  struct cfi2sframe_options *convert = &options->convert;
  struct error err;
  error_clear (&err);
  if (convert->readers == 0)
    return;
  if (usage_is_given (options, OPTION_FORMAT))
    argp_error (state, "--for chooses the version; --format does, too");
  if (options->mode != MODE_CHECK
      && !for_readers_format (convert->readers, &convert->format, &err))
    argp_error (state, "--for: %s", err.reason);
}

static void
check_debug_file (const struct argp_state *state)
{
  const struct tool_options *options = state->input;
  const struct cfi2sframe_options *convert = &options->convert;
  bool many = options->n_files > 1 || tool_options_is_tree (options);
  if (options->debug_twin_file != NULL && many)
    argp_error (state, "--debug-twin=DEBUG goes with one input file");
  if (options->debug_twin && options->debug_twin_file == NULL
      && options->output != NULL)
    argp_error (state, "with an output file, name the debug file: "
                       "--debug-twin=DEBUG");
  if (convert->debug_file == NULL)
    return;
  if (many)
    argp_error (state, "--debug-file goes with one input file");
  if (convert->debug_info == CFI2SFRAME_DEBUG_INFO_NONE)
    argp_error (state, "--debug-file contradicts --debug-info=none");
}

void
usage_check (const struct argp_state *state)
{
  const struct tool_options *options = state->input;
  if (options->n_files == 0 && options->files_from == NULL)
    argp_error (state, "no file given");
  if (options->output != NULL
      && (options->n_files > 1 || tool_options_is_tree (options)))
    argp_error (state, "an output file goes with one input file");
  if (options->output != NULL
      && !tool_options_are (options, MODES_WITH_OUTPUT))
    argp_error (state, "%s writes no output file",
                mode_names[options->mode].option);
  check_compact_unwind (state);
  check_effects (state);
  check_readers (state);
  if (events_wanted (options->stats)
      && tool_options_are (options, MODE_BIT (MODE_COMPARE)
                                        | MODE_BIT (MODE_COMPARE_FORMATS)))
    argp_error (state, "%s has --stats and --stats=json only",
                mode_names[options->mode].option);
  if (options->mode == MODE_COMPARE && options->n_files != 2)
    argp_error (state, "--compare takes two files");
  check_debug_file (state);
  if ((options->root != NULL || options->package != NULL)
      && !usage_is_given (options, OPTION_CONFIG)
      && !usage_is_given (options, OPTION_HOOK))
    argp_error (state, "--%s has no effect without --config",
                options->root != NULL ? "root" : "package");
}

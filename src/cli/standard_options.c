/* Parsing that the command lines of all programs have in common.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/standard_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfi2sframe.h"
#include "cli/number.h"

/* For messages.  */
static const char *program_name;

void
standard_options_parse (const char *program, const struct argp *parser,
                        unsigned flags, int argc, char **argv, void *input)
{
  program_name = program;
  argp_err_exit_status = EXIT_USAGE;
  /* argp's own --help has no short form, but users try -h.  */
  error_t problem
      = argp_parse (parser, argc, argv, flags | ARGP_NO_HELP, NULL, input);
  if (problem == ENOMEM)
    {
      /* argp prints messages for all other errors.  */
      fprintf (stderr, "%s: %s\n", program, strerror (problem));
      exit (EXIT_FAILURE);
    }
  if (problem != 0)
    exit (EXIT_USAGE);
}

/* Set the member of INPUT for the option KEY.  False if there is none.  */
static bool
set_member (void *input, int key, const char *argument,
            const struct option_member *members, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (members[i].key == key)
      {
        char *member = (char *)input + members[i].offset;
        if (members[i].is_text)
          *(const char **)member = argument;
        else
          *(bool *)member = true;
        return true;
      }
  return false;
}

int
standard_output_flush (int status)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return status;
  fprintf (stderr, "%s: standard output: %s\n", program_name,
           strerror (errno));
  return EXIT_FAILURE;
}

void
standard_output_end (void)
{
  exit (standard_output_flush (EXIT_SUCCESS));
}

error_t
standard_option_take (int key, char *argument, struct argp_state *state,
                      const struct option_member *members, size_t n)
{
  switch (key)
    {
    case 'V':
      fprintf (state->out_stream, "%s %s\n", program_name,
               cfi2sframe_version ());
      standard_output_end ();
    case 'h':
      argp_state_help (state, state->out_stream,
                       ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK);
      standard_output_end ();
    case OPTION_USAGE:
      argp_state_help (state, state->out_stream, ARGP_HELP_USAGE);
      standard_output_end ();
    case ARGP_KEY_INIT:
      state->name
          = program_invocation_short_name; /* argp sets its name later */
      return 0;
    default:
      return set_member (state->input, key, argument, members, n)
                 ? 0
                 : ARGP_ERR_UNKNOWN;
    }
}

size_t
standard_option_number (const struct argp_state *state, const char *text,
                        size_t most)
{
  size_t number = 0;
  if (!number_parse (text, 1, most, &number))
    argp_error (state, "'%s' is not a number from 1 to %zu", text, most);
  return number;
}

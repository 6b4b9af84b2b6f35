/* The options of cfi2sframe that are more than a switch or a text.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include <argp.h>
#include <stdbool.h>

/* Whether ARGUMENT of OPTION, which may have none, is there.  One that is not
   VALUE ends the program with a message.  */
bool option_has_value (const struct argp_state *state, const char *option,
                       const char *argument, const char *value);

/* Whether the option NAME is given, so far.  */
bool option_is_given (const struct argp_state *state, const char *name);

/* Note in the struct tool_options of STATE what ARGUMENT, NULL if the option
   has none, says.  A value that the option does not take ends the program with
   a message.  */
typedef void option_parser (struct argp_state *state, const char *argument);

/* One for each option, by the option's name.  */
option_parser parse_format, parse_for, parse_jobs, parse_replace,
    parse_debug_info, parse_sync, parse_min_coverage, parse_stats,
    parse_return_addresses, parse_gnu, parse_skip_unconvertible, parse_output,
    parse_files_from, parse_excluded, parse_configuration,
    parse_show_configuration, parse_hook, parse_convert_checksummed,
    parse_verbose, parse_verify;

#endif /* CLI_OPTION_VALUES_H */

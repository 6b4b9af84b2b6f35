/* The options of cfi2sframe that take one of some values, or a number.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include <argp.h>
#include <stdbool.h>

/* Whether ARGUMENT of OPTION, which may have none, is there.  One that is not
   VALUE ends the program with a message.  */
bool option_has_value (const struct argp_state *state, const char *option,
                       const char *argument, const char *value);

/* Note in the struct tool_options of STATE what ARGUMENT says, if KEY is one
   of these options.  A value that the option does not take ends the program
   with a message.  Returns whether KEY is one of them.  */
bool option_value_parse (struct argp_state *state, int key,
                         const char *argument);

#endif /* CLI_OPTION_VALUES_H */

/* Help for those who mistyped an option.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_OPTION_CHECK_H
#define TOOL_OPTION_CHECK_H

#include <argp.h>

/* Before the command line of STATE is parsed: if there is a long option that
   is not in TABLE but nearly, say which was meant, and end.  Others are left
   to argp.  */
void option_check_names (const struct argp_state *state,
                         const struct argp_option *table);

/* VALUE is none that OPTION takes, which are the VALUES up to NULL: say so,
   and end.  */
void option_refuse_value (const struct argp_state *state, const char *option,
                          const char *value, const char *const *values);

#endif /* TOOL_OPTION_CHECK_H */

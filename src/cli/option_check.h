/* Refusing mistyped options and values, with those that may have been meant.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_OPTION_CHECK_H
#define TOOL_OPTION_CHECK_H

#include <argp.h>

/* Before the command line of STATE is parsed: if it has a long option that is
   not in TABLE but resembles one, name that one and end. argp refuses the
   others.  */
void option_check_names (const struct argp_state *state,
                         const struct argp_option *table);

/* Report that OPTION does not take VALUE but one of VALUES, which NULL ends,
   and end.  */
void option_refuse_value (const struct argp_state *state, const char *option,
                          const char *value, const char *const *values);

#endif /* TOOL_OPTION_CHECK_H */

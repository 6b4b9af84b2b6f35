/* The options of cfi2sframe: names, values, and a sentence for each.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include <argp.h>

extern const struct argp_option option_table[]; /* for argp */

/* The options that most users need, on one screen.  */
extern const char usual_options[];

/* What --help=all says before and after the options, for argp.  */
extern const char option_documentation[];

#endif /* CLI_OPTION_TABLE_H */

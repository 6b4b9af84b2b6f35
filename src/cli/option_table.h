/* The options of cfi2sframe: names, values, a sentence for each, and what they
   do.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include <argp.h>

#include "cli/options.h"

struct tool_option
{
  const char *name;        /* NULL: the description is a title */
  char letter;             /* or 0 */
  const char *argument;    /* what stands for it; NULL: it takes none */
  int flags;               /* argp's */
  const char *description; /* NULL without a name: the end of the table */
  /* What it does, if this is not 0: */
  enum tool_mode mode; /* it asks for this one */
  size_t turns_on;     /* offset of a bool in struct tool_options */
  size_t keeps;        /* offset of the const char * for its argument */
  void (*parse) (struct argp_state *state, const char *argument);
  bool may_be_empty; /* scripts give it what they have, or nothing */
  unsigned modes;    /* bits of those in which it has an effect; 0: of all;
                        and FOR_LINKED */
};

/* The option does not go with --relocatable.  Of objects nothing is known that
   the linker decides: where code comes to lie, who calls it, which readers
   there are.  Options that have no effect on objects alone go with it: there
   may be linked files in the same run.  */
#define FOR_LINKED MODE_BIT (N_MODES)

extern const struct tool_option option_table[];

/* The table for argp, with the standard options.  */
const struct argp_option *option_table_for_argp (void);

/* The option that argp has KEY for; NULL if the table has none.  */
const struct tool_option *option_of_key (int key);

/* Whether the option NAME is given, so far.  */
bool option_is_given (const struct argp_state *state, const char *name);

/* Whether ARGUMENT of OPTION, which may have none, is there.  One that is not
   VALUE ends the program with a message.  */
bool option_has_value (const struct argp_state *state, const char *option,
                       const char *argument, const char *value);

/* The options that most users need, on one screen.  */
extern const char usual_options[];

/* What --help=all says before and after the options, for argp.  */
extern const char option_documentation[];

#endif /* CLI_OPTION_TABLE_H */

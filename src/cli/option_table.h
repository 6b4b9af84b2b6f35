/* The options of cfi2sframe: names, values, texts for --help, and actions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include <argp.h>

#include "cli/options.h"

struct tool_option
{
  const char *name;        /* NULL: the description is a title */
  char letter;             /* or 0 */
  const char *argument;    /* its name in --help; NULL: there is none */
  int flags;               /* argp's */
  const char *description; /* NULL without a name: the end of the table */
  /* The actions, each done if the member is not 0: */
  enum tool_mode mode; /* select this mode */
  size_t turns_on;     /* set the bool at this offset in struct tool_options */
  size_t keeps;        /* store the argument in the const char * there */
  void (*parse) (struct argp_state *state, const char *argument);
  bool may_be_empty; /* scripts pass a variable that may be empty */
  unsigned modes;    /* in which it has an effect; 0: in all; and FOR_LINKED */
};

/* A bit of `modes': the option cannot be combined with --relocatable, because
   it depends on facts that the linker decides: the addresses of code, its
   callers, the readers.  Options that merely have no effect on objects can be
   combined with it, because there may be linked files in the same run.  */
#define FOR_LINKED MODE_BIT (N_MODES)

extern const struct tool_option option_table[];

/* Return the table for argp, with the standard options.  */
const struct argp_option *option_table_for_argp (void);

/* Return the option that has argp's KEY, or NULL.  */
const struct tool_option *option_of_key (int key);

/* Whether the option NAME was parsed so far.  */
bool option_is_given (const struct argp_state *state, const char *name);

/* Whether OPTION has an ARGUMENT, which is optional.  An argument other than
   VALUE ends the program with a message.  */
bool option_has_value (const struct argp_state *state, const char *option,
                       const char *argument, const char *value);

/* The options that most users need, on one screen.  */
extern const char usual_options[];

/* The text before and after the options in --help=all, for argp.  */
extern const char option_documentation[];

#endif /* CLI_OPTION_TABLE_H */

/* Parsing that the command lines of all programs have in common.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_STANDARD_OPTIONS_H
#define CLI_STANDARD_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

enum
{
  EXIT_USAGE = 2,
  OPTION_USAGE = 0x1000 /* keys of a program's own options are smaller */
};

/* The last entries of a table of options, and its end.  FLAGS are argp's for
   the ARGUMENT of --help, and TEXT describes --help.  */
#define STANDARD_OPTIONS_WITH_HELP(argument, flags, text)                         \
  { "version", 'V', NULL, 0, "Print the version and exit", -1 },                  \
      { "help", 'h', argument, flags, text, -1 },                                 \
      { "usage", OPTION_USAGE, NULL, 0, "Print the options alone and exit", -1 }, \
  {                                                                               \
    0                                                                             \
  }
#define STANDARD_OPTIONS \
  STANDARD_OPTIONS_WITH_HELP (NULL, 0, "Print this help and exit")

/* An option that needs no parser: it sets a bool, or stores its argument,
   OFFSET bytes into the structure that the command line is parsed into.  */
struct option_member
{
  int key;
  bool is_text;
  size_t offset;
};

#define OPTION_SWITCH(type, key, member) \
  {                                      \
    key, false, offsetof (type, member)  \
  }
#define OPTION_TEXT(type, key, member) \
  {                                    \
    key, true, offsetof (type, member) \
  }

/* Parse a command line by PARSER into INPUT.  FLAGS are those of argp_parse.
   --version prints the name PROGRAM.  On wrong usage, end the program with a
   message and exit status EXIT_USAGE.  */
void standard_options_parse (const char *program, const struct argp *parser,
                             unsigned flags, int argc, char **argv,
                             void *input);

/* Parse KEY if it is a standard option or one of the N MEMBERS.  Parsers of
   programs call this for all keys that they do not parse themselves.  */
error_t standard_option_take (int key, char *argument,
                              struct argp_state *state,
                              const struct option_member *members, size_t n);

/* Flush standard output.  Return STATUS; or, if standard output could not be
   written, print a message and return a failure, because lost output must not
   look like success.  */
int standard_output_flush (int status);

/* End the program after an option like --version has printed its text.  */
_Noreturn void standard_output_end (void);

/* Return the value of TEXT, from 1 to MOST.  Anything else is wrong usage.  */
size_t standard_option_number (const struct argp_state *state,
                               const char *text, size_t most);

#endif /* CLI_STANDARD_OPTIONS_H */

/* Text from files and file names, made fit to be shown.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Such text may be anything.  Control characters would act on the terminal or
   forge lines of a log; bytes that are not UTF-8 do not belong into JSON.  */

#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>
#include <stdio.h>

enum printable_kind
{
  PRINTABLE_PLAIN,
  PRINTABLE_CONTROL, /* C0, DEL, C1 */
  PRINTABLE_INVALID  /* a byte that is not UTF-8 here */
};

/* The bytes of the first character of TEXT, which is not empty, and what it
   is.  */
size_t printable_length (const char *text, enum printable_kind *kind);

/* Bytes that an escaped byte takes: \xHH.  */
#define PRINTABLE_ESCAPED_SIZE 4

/* Write the LENGTH bytes at TEXT escaped to TO, without a zero byte.  Returns
   behind them.  */
char *printable_escape (char *to, const char *text, size_t length);

/* Copy TEXT to TO, of ROOM bytes, with a zero byte; what is not plain is
   escaped.  What does not fit is cut off, between characters.  */
void printable_copy (char *to, size_t room, const char *text);

/* Print TEXT to OUT, escaped.  */
void printable_put (const char *text, FILE *out);

/* Print TEXT to OUT, escaped and in quotes, as JSON has it.  */
void printable_put_json (const char *text, FILE *out);

#endif /* BASE_PRINTABLE_H */

/* Printing text from files, and file names, which may contain any bytes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Control characters would act on the terminal or forge lines of a log, and
   JSON must be valid UTF-8.  */

#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>
#include <stdio.h>

enum printable_kind
{
  PRINTABLE_PLAIN,
  PRINTABLE_CONTROL, /* C0, DEL, C1 */
  PRINTABLE_INVALID  /* a byte that is not part of valid UTF-8 */
};

/* Return the length of the first character of TEXT, which is not empty, and
   set *KIND.  */
size_t printable_length (const char *text, enum printable_kind *kind);

/* The length of an escaped byte: \xHH.  */
#define PRINTABLE_ESCAPED_SIZE 4

/* Write the LENGTH bytes at TEXT to TO, escaped, without a zero byte at the
   end.  Returns the address after the last written byte.  */
char *printable_escape (char *to, const char *text, size_t length);

/* Copy TEXT to TO, of CAPACITY bytes, with a zero byte at the end.  Control
   characters and invalid bytes are escaped.  The copy ends before the first
   character that does not fit.  */
void printable_copy (char *to, size_t capacity, const char *text);

/* Print TEXT to OUT, escaped.  */
void printable_put (const char *text, FILE *out);

/* Print TEXT to OUT as a JSON string, escaped and in quotes.  */
void printable_put_json (const char *text, FILE *out);

#endif /* BASE_PRINTABLE_H */

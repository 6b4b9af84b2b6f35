/* Printing text from files, and file names, which may contain any bytes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "base/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Return the length of the UTF-8 sequence at TEXT, and set *CODE to its code
   point.  Returns 0 if there is no valid sequence: one that is cut off, longer
   than necessary, a surrogate or above U+10FFFF; and for U+FFFE and U+FFFF,
   which are not characters and which XML does not allow.  */
static size_t
decode_utf8 (const unsigned char *text, uint32_t *code)
{
  size_t length = text[0] < 0x80             ? 1
                  : (text[0] & 0xe0) == 0xc0 ? 2
                  : (text[0] & 0xf0) == 0xe0 ? 3
                  : (text[0] & 0xf8) == 0xf0 ? 4
                                             : 0;
  static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
  *code = length == 1 ? text[0] : length == 0 ? 0 : text[0] & (0x7f >> length);
  /* A zero byte is no continuation byte, so this stays inside the string.  */
  for (size_t i = 1; i < length; i++)
    {
      if ((text[i] & 0xc0) != 0x80)
        return 0;
      *code = *code << 6 | (text[i] & 0x3f);
    }
  return *code < least[length] || (*code >= 0xd800 && *code < 0xe000)
                 || *code > 0x10ffff || *code == 0xfffe || *code == 0xffff
             ? 0
             : length;
}

size_t
printable_length (const char *text, enum printable_kind *kind)
{
  uint32_t code;
  size_t length = decode_utf8 ((const unsigned char *)text, &code);
  *kind = length == 0                                    ? PRINTABLE_INVALID
          : code < 0x20 || (code >= 0x7f && code < 0xa0) ? PRINTABLE_CONTROL
                                                         : PRINTABLE_PLAIN;
  return length == 0 ? 1 : length;
}

char *
printable_escape (char *to, const char *text, size_t length)
{
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < length; i++)
    {
      unsigned char byte = (unsigned char)text[i];
      *to++ = '\\';
      *to++ = 'x';
      *to++ = digits[byte >> 4];
      *to++ = digits[byte & 15];
    }
  return to;
}

void
printable_copy (char *to, size_t capacity, const char *text)
{
  enum printable_kind kind;
  const char *end = to + capacity - 1;
  while (*text != '\0')
    {
      size_t length = printable_length (text, &kind);
      size_t needed
          = kind == PRINTABLE_PLAIN ? length : length * PRINTABLE_ESCAPED_SIZE;
      if (needed > (size_t)(end - to))
        break;
      if (kind == PRINTABLE_PLAIN)
        to = (char *)memcpy (to, text, length) + length;
      else
        to = printable_escape (to, text, length);
      text += length;
    }
  *to = '\0';
}

/* Print TEXT to OUT, escaped.  With QUOTES also escape the characters that
   have a meaning in a JSON string.  */
static void
put (const char *text, FILE *out, bool quotes)
{
  enum printable_kind kind;
  char escaped[4 * PRINTABLE_ESCAPED_SIZE];
  for (size_t length; *text != '\0'; text += length)
    {
      length = printable_length (text, &kind);
      const char *at = kind == PRINTABLE_PLAIN ? text : escaped;
      const char *end = kind == PRINTABLE_PLAIN
                            ? text + length
                            : printable_escape (escaped, text, length);
      for (; at < end; at++)
        {
          if (quotes && (*at == '"' || *at == '\\'))
            fputc ('\\', out);
          fputc (*at, out);
        }
    }
}

void
printable_put (const char *text, FILE *out)
{
  put (text, out, false);
}

void
printable_put_json (const char *text, FILE *out)
{
  fputc ('"', out);
  put (text, out, true);
  fputc ('"', out);
}

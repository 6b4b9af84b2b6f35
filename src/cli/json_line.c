/* One JSON object on one line, for scripts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/json_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

json_object *
json_line_new (void)
{
  json_object *object = json_object_new_object ();
  json_add_number (object, "json_version", JSON_LINE_VERSION);
  return object;
}

void
json_add_number (json_object *object, const char *name, uint64_t value)
{
  json_object_object_add (object, name, json_object_new_uint64 (value));
}

void
json_add_seconds (json_object *object, double seconds)
{
  json_object_object_add (object, "seconds", json_object_new_double (seconds));
}

/* VALUE as a JSON string, in which bytes that are not UTF-8 are escaped as
   \xHH.  NULL when memory ran out.  */
static json_object *
new_string (const char *value)
{
  enum character_kind kind;
  char *text = malloc (strlen (value) * ESCAPED_SIZE + 1), *end = text;
  if (text == NULL)
    return NULL;
  for (size_t length; *value != '\0'; value += length)
    {
      length = character_length (value, &kind);
      end = kind == CHARACTER_INVALID
                ? character_escape (end, value, length)
                : (char *)memcpy (end, value, length) + length;
    }
  json_object *string = json_object_new_string_len (text, (int)(end - text));
  free (text);
  return string;
}

void
json_add_string (json_object *object, const char *name, const char *value)
{
  json_object_object_add (object, name,
                          value != NULL ? new_string (value) : NULL);
}

/* Print TEXT, which is JSON. json-c escapes control characters, but not DEL
   and C1.  Those can only be inside of strings, and are escaped here.  */
static void
put_json (const char *text, FILE *out)
{
  enum character_kind kind;
  for (size_t length; *text != '\0'; text += length)
    {
      length = character_length (text, &kind);
      if (kind == CHARACTER_CONTROL)
        fprintf (out, "\\u%04x", (unsigned char)text[length - 1]);
      else
        fwrite (text, 1, length, out);
    }
}

void
json_print_line (json_object *object, FILE *out)
{
  put_json (
      json_object_to_json_string_ext (
          object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
      out);
  fputc ('\n', out);
  json_object_put (object);
}

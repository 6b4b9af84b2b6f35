/* JSON objects, each printed on one line, for scripts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/json_line.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

/* Memory ran out for the present line of this thread; for any line.  */
static _Thread_local bool incomplete;
static atomic_bool lost;

/* Return VALUE.  If it is NULL, note that the line is incomplete.  */
static json_object *
note_null (json_object *value)
{
  incomplete |= value == NULL;
  return value;
}

json_object *
json_new_object (void)
{
  return note_null (json_object_new_object ());
}

json_object *
json_new_array (void)
{
  return note_null (json_object_new_array ());
}

void
json_add (json_object *object, const char *name, json_object *value)
{
  if (object != NULL && json_object_object_add (object, name, value) == 0)
    return;
  incomplete = true;
  json_object_put (value);
}

void
json_append (json_object *array, json_object *value)
{
  if (array != NULL && json_object_array_add (array, value) == 0)
    return;
  incomplete = true;
  json_object_put (value);
}

json_object *
json_line_new (void)
{
  json_object *object = json_new_object ();
  json_add_number (object, "json_version", JSON_LINE_VERSION);
  return object;
}

void
json_add_number (json_object *object, const char *name, uint64_t value)
{
  json_add (object, name, note_null (json_object_new_uint64 (value)));
}

void
json_add_boolean (json_object *object, const char *name, bool value)
{
  json_add (object, name, note_null (json_object_new_boolean (value)));
}

void
json_add_seconds (json_object *object, double seconds)
{
  json_add (object, "seconds", note_null (json_object_new_double (seconds)));
}

/* Return VALUE as a JSON string, with bytes that are not UTF-8 escaped as
   \xHH.  NULL when memory ran out.  */
static json_object *
new_string (const char *value)
{
  enum printable_kind kind;
  char *text = malloc (strlen (value) * PRINTABLE_ESCAPED_SIZE + 1),
       *end = text;
  if (text == NULL)
    return NULL;
  for (size_t length; *value != '\0'; value += length)
    {
      length = printable_length (value, &kind);
      end = kind == PRINTABLE_INVALID
                ? printable_escape (end, value, length)
                : (char *)memcpy (end, value, length) + length;
    }
  json_object *string = json_object_new_string_len (text, (int)(end - text));
  free (text);
  return string;
}

void
json_add_string (json_object *object, const char *name, const char *value)
{
  json_add (object, name,
            value != NULL ? note_null (new_string (value)) : NULL);
}

void
json_add_outcome (json_object *object, const char *status,
                  const struct cfi2sframe_error *err)
{
  json_add_string (object, "status", status);
  json_add_string (object, "reason", err != NULL ? err->reason : NULL);
  json_add_string (object, "code",
                   err != NULL ? cfi2sframe_error_code (err) : NULL);
}

void
json_add_fields (json_object *object, const struct field *table, unsigned uses,
                 const void *structure)
{
  for (; table->name != NULL; table++)
    if (table->uses & uses)
      json_add_number (object, table->name, field_value (table, structure));
}

void
json_add_counts (json_object *object, const char *name, const uint64_t *counts,
                 unsigned end, const char *(*name_of) (unsigned number))
{
  json_object *list = json_new_object ();
  for (unsigned i = 1; i < end; i++)
    if (counts[i] > 0)
      json_add_number (list, name_of (i), counts[i]);
  json_add (object, name, list);
}

/* Print TEXT, which is JSON, and escape DEL and C1 control characters, which
   json-c leaves as they are.  They can occur in strings only.  */
static void
put_json (const char *text, FILE *out)
{
  enum printable_kind kind;
  for (size_t length; *text != '\0'; text += length)
    {
      length = printable_length (text, &kind);
      if (kind == PRINTABLE_CONTROL)
        fprintf (out, "\\u%04x", (unsigned char)text[length - 1]);
      else
        fwrite (text, 1, length, out);
    }
}

void
json_print_line (json_object *object, FILE *out)
{
  /* When memory runs out, json-c returns a part and sets errno.  */
  errno = 0;
  const char *text = incomplete
                         ? NULL
                         : json_object_to_json_string_ext (
                             object, JSON_C_TO_STRING_PLAIN
                                         | JSON_C_TO_STRING_NOSLASHESCAPE);
  if (text != NULL && errno != ENOMEM)
    {
      put_json (text, out);
      fputc ('\n', out);
    }
  else
    atomic_store (&lost, true);
  incomplete = false;
  json_object_put (object);
}

bool
json_lines_lost (void)
{
  return atomic_load (&lost);
}

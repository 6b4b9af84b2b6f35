/* One JSON object on one line, for scripts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tool/json_line.h"

void
json_add_number (json_object *object, const char *name, uint64_t value)
{
  json_object_object_add (object, name, json_object_new_uint64 (value));
}

void
json_add_string (json_object *object, const char *name, const char *value)
{
  json_object_object_add (
      object, name, value != NULL ? json_object_new_string (value) : NULL);
}

void
json_print_line (json_object *object, FILE *out)
{
  fprintf (
      out, "%s\n",
      json_object_to_json_string_ext (
          object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put (object);
}

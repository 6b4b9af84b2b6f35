/* One JSON object on one line, for scripts.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Where memory runs out while a thread makes a line, that line is not printed
   and json_lines_lost says so: json-c would end the program, or leave members
   out.  */

#ifndef CLI_JSON_LINE_H
#define CLI_JSON_LINE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cfi2sframe.h"
#include "convert/fields.h"

/* The form of the objects: what they are called is described in
   doc/formats/cfi2sframe.schema.json.  Members may be added to a version; when
   one goes, or says something else, the number is increased.  */
enum
{
  JSON_LINE_VERSION = 1
};

/* A new object for a line, with the member `json_version'.  */
json_object *json_line_new (void);

/* A new object or array for a member; NULL when memory ran out, which the
   functions here take.  */
json_object *json_new_object (void);
json_object *json_new_array (void);

/* Give VALUE to OBJECT under NAME, or to the end of ARRAY.  */
void json_add (json_object *object, const char *name, json_object *value);
void json_append (json_object *array, json_object *value);

void json_add_number (json_object *object, const char *name, uint64_t value);

/* Add the member `seconds'.  */
void json_add_seconds (json_object *object, double seconds);

/* Add VALUE to OBJECT under NAME; NULL becomes null.  Bytes of VALUE that are
   not UTF-8 become the text \xHH, because JSON cannot express them.  */
void json_add_string (json_object *object, const char *name,
                      const char *value);

/* Add the members `status' and, of ERR, `reason' and `code'; NULL: there is
   no reason.  */
void json_add_outcome (json_object *object, const char *status,
                       const struct cfi2sframe_error *err);

/* Add the numbers of STRUCTURE that TABLE has for one of USES.  */
void json_add_fields (json_object *object, const struct field *table,
                      unsigned uses, const void *structure);

/* Add the object NAME of those of COUNTS that are not 0, from the number 1 up
   to END, by the names that NAME_OF gives their numbers.  */
void json_add_counts (json_object *object, const char *name,
                      const uint64_t *counts, unsigned end,
                      const char *(*name_of) (unsigned number));

/* Print OBJECT on one line of OUT and free it.  */
void json_print_line (json_object *object, FILE *out);

/* Whether memory for a line ran out.  */
bool json_lines_lost (void);

#endif /* CLI_JSON_LINE_H */

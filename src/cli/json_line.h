/* JSON objects, each printed on one line, for scripts.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If memory runs out while a thread makes a line, that line is not printed and
   json_lines_lost says so.  json-c alone would end the program or omit
   members.  */

#ifndef CLI_JSON_LINE_H
#define CLI_JSON_LINE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cfi2sframe.h"
#include "convert/fields.h"

/* The version of the objects, which doc/formats/cfi2sframe.schema.json
   describes.  Members may be added to a version.  When a member is removed or
   changes its meaning, the version is increased.  */
enum
{
  JSON_LINE_VERSION = 1
};

/* Return a new object for a line, with the member `json_version'.  */
json_object *json_line_new (void);

/* Return a new object or array for a member; NULL when memory ran out.  All
   functions here accept NULL.  */
json_object *json_new_object (void);
json_object *json_new_array (void);

/* Add VALUE, which is taken over, to OBJECT under NAME, or to ARRAY.  */
void json_add (json_object *object, const char *name, json_object *value);
void json_append (json_object *array, json_object *value);

void json_add_number (json_object *object, const char *name, uint64_t value);
void json_add_boolean (json_object *object, const char *name, bool value);

/* Add the member `seconds'.  */
void json_add_seconds (json_object *object, double seconds);

/* Add VALUE to OBJECT under NAME; NULL becomes null.  Bytes of VALUE that are
   not UTF-8 become the text \xHH, because JSON cannot express them.  */
void json_add_string (json_object *object, const char *name,
                      const char *value);

/* Add the members `status', `reason' and `code'.  The latter two are from ERR,
   and null if that is NULL.  */
void json_add_outcome (json_object *object, const char *status,
                       const struct cfi2sframe_error *err);

/* Add the counters of STRUCTURE that have one of USES in TABLE.  */
void json_add_fields (json_object *object, const struct field *table,
                      unsigned uses, const void *structure);

/* Add the object NAME with COUNTS[1] up to COUNTS[END - 1], without those that
   are 0, each under the name that NAME_OF returns for its index.  */
void json_add_counts (json_object *object, const char *name,
                      const uint64_t *counts, unsigned end,
                      const char *(*name_of) (unsigned number));

/* Print OBJECT on one line of OUT and free it.  */
void json_print_line (json_object *object, FILE *out);

/* Whether memory ran out for a line.  */
bool json_lines_lost (void);

#endif /* CLI_JSON_LINE_H */

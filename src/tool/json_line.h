/* One JSON object on one line, for scripts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_JSON_LINE_H
#define TOOL_JSON_LINE_H

#include <json-c/json.h>
#include <stdint.h>
#include <stdio.h>

void json_add_number (json_object *object, const char *name, uint64_t value);

/* Add VALUE to OBJECT under NAME; NULL becomes null.  Bytes of VALUE that are
   not UTF-8 become the text \xHH, because JSON cannot express them.  */
void json_add_string (json_object *object, const char *name,
                      const char *value);

/* Print OBJECT on one line of OUT and free it.  */
void json_print_line (json_object *object, FILE *out);

#endif /* TOOL_JSON_LINE_H */

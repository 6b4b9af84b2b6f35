/* Whether an .sframe that a file has already is to be replaced: can readers
   use it, is it right, is it whole?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Linkers that glue the sections of their inputs together, or that find some
   in a crt file only, leave sections that no reader can use or that describe
   next to nothing.  */

#ifndef CONVERT_AUDIT_H
#define CONVERT_AUDIT_H

#include "convert/input.h"

/* Whether the .sframe of INPUT, which has one, is to be replaced according to
   its options.  It does not matter which program made the section, because it
   may have been damaged since.  Status CFI2SFRAME_NOTHING if it stays; then
   the report's `existing' says what is wrong with it, if anything is.  */
bool audit_replacing (const struct input *input, struct error *err);

#endif /* CONVERT_AUDIT_H */

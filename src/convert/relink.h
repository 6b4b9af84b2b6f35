/* The other names of a file that was replaced (hard links).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_RELINK_H
#define CONVERT_RELINK_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/file_location.h"

/* Make NAME, which was a name of the file NAME->identity before that was
   replaced, a name of the file REPLACEMENT->identity, to be found there.  At
   no time is there no NAME.  NAME is left alone, and that is not a failure,
   when something else is there by now: another file or a symbolic link.  */
bool relink_name (const struct file_location *name,
                  const struct file_location *replacement, struct error *err);

#endif /* CONVERT_RELINK_H */

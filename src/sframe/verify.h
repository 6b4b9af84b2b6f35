/* Checking an SFrame section against the CFI, address by address.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The rules of the CFI come from the project's own interpreter, as in a
   conversion.  sframe-prove makes the same check against elfutils, which
   shares no code with the project.  */

#ifndef SFRAME_VERIFY_H
#define SFRAME_VERIFY_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/source.h"
#include "sframe/decode.h"

/* Compare the section of DECODER with SOURCE, and set RESULT.  In a linked
   file rows may be left out at places that readers would take for return
   addresses, and alignment behind a function may have rows if these go on with
   the rules at the function's end.  False when the section is damaged or
   memory ran out, but not for differences.  The caller sets `readers'.  */
bool sframe_verify (const struct sframe_decoder *decoder,
                    const struct cfi_source *source,
                    struct cfi2sframe_check_result *result, struct error *err);

#endif /* SFRAME_VERIFY_H */

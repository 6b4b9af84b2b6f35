/* Does an SFrame section say what the CFI says, PC by PC?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Uses the project's own CFI interpreter; sframe-prove does the same against
   elfutils, which shares no code with it.  */

#ifndef SFRAME_VERIFY_H
#define SFRAME_VERIFY_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/source.h"
#include "sframe/decode.h"

/* Compare the section behind DECODER with SOURCE.  Of a linked file, what
   readers would take for return addresses may be left out, and rows may cover
   the alignment behind a function if they go on with what holds at its end.
   False only when the section or memory fails; differences are in RESULT.  Its
   `bytes_from_code' and `readers' are set by who knows of them.  */
bool sframe_verify (const struct sframe_decoder *decoder,
                    const struct cfi_source *source,
                    struct cfi2sframe_check_result *result, struct error *err);

#endif /* SFRAME_VERIFY_H */

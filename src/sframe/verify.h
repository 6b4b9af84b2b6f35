/* Does an SFrame section say what the CFI says, PC by PC?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Uses the project's own CFI interpreter; tests/oracle does the same against
   elfutils, which shares no code with it.  */

#ifndef SFRAME_VERIFY_H
#define SFRAME_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/return_sites.h"
#include "cfi/source.h"
#include "sframe/decode.h"

struct verify_result
{
  uint64_t functions;    /* FDEs of the CFI that were compared */
  uint64_t bytes_equal;  /* code bytes covered by both, with equal rules */
  uint64_t bytes_wrong;  /* ... with different rules */
  uint64_t bytes_absent; /* covered by the CFI only */
  /* ... because readers would take them for the return address of a call with
     other rules */
  uint64_t bytes_return_address;
  uint64_t bytes_extra; /* covered by SFrame only: wrong unless a PLT stub */
  uint64_t bytes_from_code; /* without CFI; set by who has their rows */
  uint64_t first_wrong;     /* PC, when bytes_wrong or bytes_extra is not 0 */
  char difference[160];     /* what differs there */
};

/* Compare the section behind DECODER with SOURCE.  SITES, new ones of SOURCE,
   tell what may be left out as a return address, and which alignment between
   functions rows may cover; NULL: none.  False only when the section or memory
   fails; differences are in RESULT.  */
bool sframe_verify (const struct sframe_decoder *decoder,
                    const struct cfi_source *source,
                    struct return_sites *sites, struct verify_result *result,
                    struct error *err);

#endif /* SFRAME_VERIFY_H */

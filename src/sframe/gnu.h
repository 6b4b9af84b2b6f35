/* The rows that GNU as would have written for the same directives.
   SPDX-License-Identifier: LGPL-2.1-or-later

   GNU as derives its rows from the CFI directives one by one, with habits of
   its own: rows that change nothing, functions dropped as a whole, and some
   outright mistakes.  This is a second interpreter of the same instructions
   with the same habits, per format version the last binutils release that
   wrote it (2.40 V1; 2.44 V2 without PC-relative starts; 2.45 V2; 2.47 V3).
   doc/use/differences.texi lists the mistakes.  */

#ifndef SFRAME_GNU_H
#define SFRAME_GNU_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/error.h"
#include "cfi/cfi_section.h"
#include "frame/frame.h"
#include "sframe/model.h"

struct gnu_options
{
  const struct arch *arch;
  struct sframe_variant variant;
  bool bugs; /* make the mistakes as well; otherwise say what is right, or
                leave the function out */
};

struct gnu_translator; /* opaque */

/* NULL when memory ran out.  */
struct gnu_translator *gnu_translator_new (const struct gnu_options *options);
void gnu_translator_free (struct gnu_translator *translator);

/* Fill FUNCTION with what GNU as writes for FDE of SECTION.  Its rows are the
   translator's and valid until the next call.  It may have no rows (GNU as
   2.47 describes some functions that way; only with `bugs`).  *REASON is
   REASON_NONE, or why GNU as leaves the function out.  False when memory ran
   out.  */
bool gnu_translate (struct gnu_translator *translator,
                    const struct cfi_section *section,
                    const struct cfi_fde *fde, struct sframe_fde *function,
                    enum frame_reason *reason, struct error *err);

#endif /* SFRAME_GNU_H */

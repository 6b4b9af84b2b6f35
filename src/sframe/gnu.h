/* The rows that GNU as would have written for the same directives.
   SPDX-License-Identifier: LGPL-2.1-or-later

   GNU as makes its rows from the CFI directives one by one, and differs from
   this project: it writes rows that change nothing, drops whole functions, and
   makes mistakes, which doc/use/differences.texi lists.  The translator is a
   second interpreter of CFI that does the same.  For each version of the
   format it imitates the last binutils release that wrote the version: 2.40
   for V1, 2.44 for V2 without PC-relative starts, 2.45 for V2, 2.47 for V3. */

#ifndef SFRAME_GNU_H
#define SFRAME_GNU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/cfi_section.h"
#include "frame/frame.h"
#include "sframe/gnu_row.h"
#include "sframe/model.h"

struct gnu_translator; /* opaque */

/* Make a translator.  NULL when memory ran out.  */
struct gnu_translator *gnu_translator_new (const struct gnu_options *options);
void gnu_translator_free (struct gnu_translator *translator);

/* Set FUNCTION to the function that GNU as writes for FDE of SECTION.  The
   translator owns its rows, which are valid until the next call.  With `bugs'
   there may be none, because GNU as 2.47 writes some functions without rows.
   *REASON becomes why GNU as drops FUNCTION.  False when memory ran out.  */
bool gnu_translate (struct gnu_translator *translator,
                    const struct cfi_section *section,
                    const struct cfi_fde *fde, struct sframe_fde *function,
                    enum frame_reason *reason, struct error *err);

#endif /* SFRAME_GNU_H */

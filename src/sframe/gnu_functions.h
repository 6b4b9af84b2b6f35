/* Functions as GNU as and GNU ld would have described them (--gnu).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SFRAME_GNU_FUNCTIONS_H
#define SFRAME_GNU_FUNCTIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/cfi_section.h"
#include "cfi/finished_rows.h"
#include "elf/image.h"
#include "sframe/emitter.h"
#include "sframe/model.h"

struct gnu_functions; /* opaque */

/* Prepare for FDEs of CFI in IMAGE.  CFI must outlive the result.  With BUGS
   the mistakes of GNU as and ld are made, too.  NULL when memory ran out.  */
struct gnu_functions *gnu_functions_new (const struct image *image,
                                         const struct cfi_section *cfi,
                                         struct sframe_variant variant,
                                         bool bugs);
void gnu_functions_free (struct gnu_functions *gnu);

/* Add CODE, which ROWS has returned, to EMITTER.  Code that GNU as and ld
   describe exactly as the CFI does goes through emitter_add.  Without BUGS a
   function is left out if the rows of GNU as differ from those of ROWS.  */
bool gnu_functions_add (struct gnu_functions *gnu, struct finished_rows *rows,
                        struct cfi_code *code, struct emitter *emitter,
                        struct error *err);

#endif /* SFRAME_GNU_FUNCTIONS_H */

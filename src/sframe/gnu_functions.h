/* --gnu: functions as GNU as and GNU ld would have described them.
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

/* For FDEs of CFI, which must outlive it, in IMAGE.  With BUGS also the
   mistakes are made.  NULL when memory ran out.  */
struct gnu_functions *gnu_functions_new (const struct image *image,
                                         const struct cfi_section *cfi,
                                         struct sframe_variant variant,
                                         bool bugs);
void gnu_functions_free (struct gnu_functions *gnu);

/* Add CODE of ROWS to EMITTER.  emitter_add does so for code that GNU as and
   ld describe as the CFI does.  Without mistakes, what GNU as would have
   written is held against the rows of ROWS, and left out where it says
   anything else.  */
bool gnu_functions_add (struct gnu_functions *gnu, struct finished_rows *rows,
                        struct cfi_code *code, struct emitter *emitter,
                        struct error *err);

#endif /* SFRAME_GNU_FUNCTIONS_H */

/* PLT stubs that no FDE covers, recognised by their instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CFI_PLT_H
#define CFI_PLT_H

#include <stdbool.h>

#include "cfi/cfi_section.h"
#include "elf/image.h"
#include "frame/frame.h"

/* Set LIST to the stubs in .plt, .plt.sec, .plt.got and .iplt of IMAGE that no
   FDE of SECTION covers.  Each section is read stub by stub, up to the first
   bytes that are no known stub.  False when memory ran out.  */
bool plt_stubs_find (struct frame_functions *list, const struct image *image,
                     const struct cfi_section *section, struct error *err);

#endif /* CFI_PLT_H */

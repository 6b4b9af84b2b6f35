/* FDEs of .debug_frame for functions that the linker dropped.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Linkers edit .eh_frame, but leave a .debug_frame as it is: what pointed to a
   section that was dropped is 0 afterwards.  gold adds the offset in the
   dropped section: there, a file may have other code.  */

#ifndef CFI_DROPPED_H
#define CFI_DROPPED_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/cfi_section.h"
#include "elf/image.h"

/* Remove FDEs from CFI, of IMAGE and of its debug file DEBUG_FILE (or NULL).
   False when memory ran out.  */
bool dropped_functions_forget (struct cfi_section *cfi,
                               const struct image *image,
                               const struct image *debug_file,
                               struct error *err);

#endif /* CFI_DROPPED_H */

/* Reading the CIEs and FDEs of an .eh_frame or .debug_frame section.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CFI_READER_H
#define CFI_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/error.h"
#include "cfi/cfi_section.h"

/* Add what INPUT holds to SECTION, which has an `arch' and is otherwise zero
   at first.  Its FDEs are in order then.  INPUT's bytes must outlive
   SECTION, which is freed with cfi_section_free.  Damaged entries are not
   failures; lack of memory is.  */
bool cfi_read (struct cfi_section *section, const struct cfi_input *input,
               struct error *err);

#endif /* CFI_READER_H */

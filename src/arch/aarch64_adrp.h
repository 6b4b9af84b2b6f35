/* AArch64: the addresses that an ADRP leads to.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ARCH_AARCH64_ADRP_H
#define ARCH_AARCH64_ADRP_H

#include <stdint.h>

#include "arch/patterns.h"

/* Follow the ADRP at offset AT of CODE, which puts the address PAGE into a
   register, along all paths, and note each address that an instruction makes
   of the register.  search->unknown is set where the register is used in any
   other way, or goes where this cannot follow.  *BUDGET is how many
   instructions may still be looked at.  */
void adrp_follow (struct address_search *search,
                  const struct loaded_bytes *code, uint64_t at, uint64_t page,
                  uint64_t *budget);

#endif /* ARCH_AARCH64_ADRP_H */

/* SFrame's segment and section types, for C libraries without them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   SFrame specification V3 (binutils 2.47); binutils' include/elf/common.h.  */

#ifndef BASE_ELF_SFRAME_H
#define BASE_ELF_SFRAME_H

#include <elf.h>

#ifndef PT_GNU_SFRAME
#  define PT_GNU_SFRAME 0x6474e554
#endif
#ifndef SHT_GNU_SFRAME
#  define SHT_GNU_SFRAME 0x6ffffff4
#endif

#endif /* BASE_ELF_SFRAME_H */

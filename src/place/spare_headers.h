/* Program headers whose slots can be taken.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_SPARE_HEADERS_H
#define PLACE_SPARE_HEADERS_H

#include "place/header_slots.h"

/* Take headers of TYPE that are there already, as long as SLOTS has less than
   N of them.  A PT_GNU_SFRAME is empty, or it has the .sframe that is to be
   replaced.  */
void spare_headers_take_type (const struct image *image,
                              struct header_slots *slots, size_t n,
                              uint32_t type);

/* Take, in the same way, headers that say nothing or nothing new.  */
void spare_headers_take (const struct image *image, struct header_slots *slots,
                         size_t n);

/* Take PT_PHDR, where it repeats what another header says.  */
void spare_headers_take_pt_phdr (const struct draft *draft,
                                 struct header_slots *slots, size_t n);

#endif /* PLACE_SPARE_HEADERS_H */

/* Fields of 32 bits that may lead to a range of addresses.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ARCH_FIELD_SEARCH_H
#define ARCH_FIELD_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/patterns.h"

/* Look at the field at offset AT of BYTES, all of which lies in them.  */
typedef void field_visitor (struct address_search *search,
                            const struct loaded_bytes *bytes, uint64_t at);

/* Show VISITOR every field, at any byte, that may be, modulo 4 GiB: a distance
   to the range of SEARCH from the place of the field, from 4 bytes in front of
   that or from up to 8 behind it; or an offset to there from search->base.  */
void address_search_fields (struct address_search *search,
                            const struct loaded_bytes *bytes, bool big_endian,
                            field_visitor *visitor);

#endif /* ARCH_FIELD_SEARCH_H */

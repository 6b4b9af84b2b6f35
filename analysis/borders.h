/* Addresses where something begins, for all that code and relocations say.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A jump table whose number of entries is not known ends where anything else
   begins.  What else there is, functions that were not found yet may be the
   only ones to name.  Therefore all code is searched, byte for byte, for what
   looks like an instruction that names an address.  Some of what is found is
   no instruction: such an address can end a table early, which leaves code
   without rows and makes no wrong one.  */

#ifndef ANALYSIS_BORDERS_H
#define ANALYSIS_BORDERS_H

#include <stdbool.h>

#include "analysis/addresses.h"
#include "analysis/image_facts.h"
#include "analysis/insn.h"

/* Add the borders of the image that FACTS are of to BORDERS, and sort.  False
   when memory ran out.  */
bool borders_find (struct address_list *borders,
                   const struct image_facts *facts,
                   const struct insn_decoder *decoder);

#endif /* ANALYSIS_BORDERS_H */

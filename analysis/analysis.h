/* What the code of an image does, function by function.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Starts of functions are taken from what is certain: CFI, symbols, direct
   calls from code that is known.  Addresses that code or data mention are
   tried afterwards, where no other function has got to, and must prove
   themselves like all others (routine.h); so are those that have rows from
   elsewhere.  Nothing is guessed in the gaps between.  */

#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "analysis/known_code.h"
#include "analysis/disproof.h"
#include "analysis/follower.h"
#include "analysis/request.h"
#include "analysis/row_map.h"
#include "analysis/schedule.h"

/* Analyse the image.  ROW_MAP is initialised and settled.  It is empty when
   the code is too entangled to be followed in reasonable time.  DISPROOFS,
   which is initialised and the caller's to free, gets the rows of
   REQUEST->known that the code contradicts, and BEGINNINGS, which is
   initialised, what FDEs that seem to begin otherwise; NULL: it is not asked
   for.  */
bool analysis_run (const struct code_request *request, struct row_map *row_map,
                   struct disproofs *disproofs,
                   struct analysis_summary *summary,
                   struct beginnings *beginnings, struct error *err);

#endif /* ANALYSIS_ANALYSIS_H */

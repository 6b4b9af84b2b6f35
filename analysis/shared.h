/* What all stages of an analysis share.
   SPDX-License-Identifier: LGPL-2.1-or-later

   code.c fills in struct analysis_shared.  Afterwards only the thread that
   commits effects writes to it (schedule.h).  Analysers read the same tables
   through `context', whose pointers are const.  */

#ifndef ANALYSIS_SHARED_H
#define ANALYSIS_SHARED_H

#include "analysis/disproof.h"
#include "analysis/routine.h"
#include "analysis/row_map.h"

struct analysis_shared
{
  struct routine_context context;
  struct image_facts facts;
  struct covered_code covered_code;
  struct go_table go; /* empty if Go's table is not asked for */
  struct functions *functions;
  struct row_map *row_map;     /* result */
  struct disproofs *disproofs; /* result */
};

#endif /* ANALYSIS_SHARED_H */

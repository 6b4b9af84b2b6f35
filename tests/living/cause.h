/* Why walks end, in the words of the reports.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LIVING_CAUSE_H
#define LIVING_CAUSE_H

#include "referee.h"

/* The results of a step, and some that only its caller can tell apart.  */
enum cause
{
  CAUSE_NO_MODULE = SFW_INVALID + 1, /* code of no file */
  CAUSE_VDSO,                        /* the vdso has no SFrame data */
  CAUSE_RETURN_ADDRESS, /* left out as the return address of another row's
                           call */
  CAUSE_SP_RULE,        /* the CFI gives the caller another SP than the ABI's,
                           which no row can */
  CAUSE_LIMIT,
  CAUSES
};

const char *cause_name (unsigned cause);

/* Why WALK, by SFrame, ended.  */
unsigned cause_of (const struct referee *referee,
                   const struct stack_walk *walk);

#endif /* LIVING_CAUSE_H */

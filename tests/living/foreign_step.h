/* A step of a walk, with rows as another reader of SFrame reads them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LIVING_FOREIGN_STEP_H
#define LIVING_FOREIGN_STEP_H

#include "cfi2sframe.h"

/* As cfi2sframe_unwind_step, for the `step' of a struct process, after
   foreign_load.  */
enum cfi2sframe_step foreign_step (struct cfi2sframe_unwinder *unwinder);

/* The sections may be others now, at the addresses of old ones.  */
void foreign_step_forget (void);

#endif /* LIVING_FOREIGN_STEP_H */

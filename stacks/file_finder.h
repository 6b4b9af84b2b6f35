/* Which file a process had mapped, among those that are there now.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_FILE_FINDER_H
#define STACKS_FILE_FINDER_H

#include "stacks/process.h"

/* Open the file of MAPPING, which is in the list of PROCESS; -1 if it is not
   found.  */
int file_finder_open (struct process *process, const struct mapping *mapping);

#endif /* STACKS_FILE_FINDER_H */

/* Files that are cut off while they are read.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_LOST_FILES_H
#define STACKS_LOST_FILES_H

/* For a handler: if a library has mapped a file at ADDRESS, as libdw maps
   debug files, and what was there is lost, say which file and end the program,
   exit status 1.  */
void lost_files_tell (const void *address);

#endif /* STACKS_LOST_FILES_H */

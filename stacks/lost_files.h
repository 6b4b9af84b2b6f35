/* Files that are cut off while they are read.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_LOST_FILES_H
#define STACKS_LOST_FILES_H

/* From now on, what is lost of files that this program has mapped reads as
   zeros (base/mapped_file.h).  Where a library has mapped the file, as libdw
   maps debug files, PROGRAM says which file it was and ends, exit status 1. */
void lost_files_watch (const char *program);

#endif /* STACKS_LOST_FILES_H */

/* The descriptors that a process may have.  Only programs ask for this: a
   library leaves the process's descriptors and limits alone.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_DESCRIPTORS_H
#define BASE_DESCRIPTORS_H

/* Occupy each of the descriptors 0, 1 and 2 that the caller of the program has
   closed.  A file that is opened later would get its number, and what is
   printed would be written into that file.  Reading and writing an occupied
   descriptor fails with EBADF, as if it were closed, and a program that is
   started finds it closed.  */
void descriptors_occupy_standard (void);

/* Raise the limit of open files to the highest that the process may have.
   1,024, the usual one, is meant for programs that use select().  */
void descriptors_raise_limit (void);

#endif

/* Text files that are read line by line: those of /proc, and lists of names.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Give TAKE, with CONTEXT, each line of FILE, with the character END that it
   ends in, until TAKE returns false.  Afterwards FILE is closed in any case,
   unless it is stdin.  Returns whether TAKE never did so and FILE was read to
   its end; errno says why it could not be read.  */
bool lines_take (FILE *file, char end,
                 bool (*take) (void *context, char *line), void *context);

/* Set LINE, of SIZE bytes, to the first line of the file PATH, without its
   newline and cut off if it is too long.  False, with LINE as it was, if there
   is no such file or nothing in it.  */
bool lines_first (const char *path, char *line, size_t size);

/* The last number of the line that begins with KEY, of the file PATH, a status
   (proc_pid_status(5)); 0 if there is none.  */
long lines_status (const char *path, const char *key);

#endif /* BASE_LINES_H */

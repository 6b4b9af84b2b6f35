/* Reading text files line by line: those of /proc, and lists of names.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Call TAKE with CONTEXT and each line of FILE, including the character END at
   its end, until TAKE returns false.  Then close FILE, unless it is stdin.
   Returns true if TAKE never returned false and FILE was read to its end.
   errno says why FILE could not be read.  */
bool lines_take (FILE *file, char end,
                 bool (*take) (void *context, char *line), void *context);

/* Set LINE, of SIZE bytes, to the first line of the file PATH, without its
   newline and cut off if it is too long.  Returns false, with LINE unchanged,
   if there is no such file or it is empty.  */
bool lines_first (const char *path, char *line, size_t size);

/* Return the last number of the line that begins with KEY in the file PATH, in
   the format of /proc/PID/status (proc_pid_status(5)), or 0.  */
long lines_status (const char *path, const char *key);

#endif /* BASE_LINES_H */

/* Files and detached sections from debuginfod's servers.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A server hands out URL/buildid/ID/section/.sframe (debuginfod(8), "WEBAPI");
   here that is a detached section (elf/detached_file.h), from any web server.
   The bare bytes of a section, which debuginfod itself would take from a
   converted program, are of no use: they do not say at which address they are
   nor which code they are for.  libdebuginfod, which asks the servers that
   DEBUGINFOD_URLS names and keeps what it got, is loaded when it is wanted:
   it brings some thirty libraries.  */

#ifndef STACKS_SERVED_H
#define STACKS_SERVED_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/notes.h"
#include "elf/detached_file.h"

/* Load libdebuginfod.  False with ERR when it is not there, or DEBUGINFOD_URLS
   names no server.  To be called once, before the next function.  */
bool served_open (struct error *err);

/* Ask the servers for PROGRAM's detached section; false if there are none, or
   they have none that is for this file.  If true, the caller closes
   detached->image.  For one thread.  */
bool served_find (const struct image *program, struct detached_file *detached);

/* Ask the servers that DEBUGINFOD_URLS names, if it names any, for the program
   or library with ID, for which no other name is known; -1 if they have
   none.  */
int served_find_program (const struct build_id *id);

#endif /* STACKS_SERVED_H */

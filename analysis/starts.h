/* Functions that are to be analysed: where they start, and who says so.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The register (functions.h) is the queue: functions are analysed in the
   order in which they were added.  Where CFI knows of code, it says what
   starts there.  */

#ifndef ANALYSIS_STARTS_H
#define ANALYSIS_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/shared.h"

struct starts
{
  struct analysis_shared *shared; /* not owned */
  size_t n_tried;                 /* of the functions: were analysed once */
  struct address_list again; /* entries of those to be analysed once more */
  /* Constants in code that can be addresses, where those are not relocated. */
  struct address_list hints;
};

void starts_free (struct starts *starts);

/* ---- All of the following that return bool are false when memory ran out */

/* Add what is certain: the program's entry, CFI, and if the request goes
   beyond CFI, Go's table, initialisers and symbols.  */
bool starts_add_certain (struct starts *starts);

/* Add what pointers lead to, where no function has got to; if there is nothing
   new, what may be pointers.  */
bool starts_add_pointers (struct starts *starts);

/* Add what has rows from elsewhere: the stretches that another one adjoins in
   front, or (not ADJOINING) the others.  */
bool starts_add_described (struct starts *starts, bool adjoining);

/* A function that is certain to be one calls, or hands on, ADDRESS: add it, or
   (starts_note_call) only note it if it is registered.  */
bool starts_add_called (struct starts *starts, uint64_t address);
bool starts_note_call (struct starts *starts, uint64_t address);

/* What the sweep (noreturn.h) has seen to be called are starts, from now
   on.  */
void starts_promote_called (struct starts *starts);

/* Whether there are functions left to be analysed.  */
bool starts_pending (const struct starts *starts);

/* Where the program begins, without the frame of a call; 0 for libraries.  */
uint64_t starts_program_entry (const struct image *image);

#endif /* ANALYSIS_STARTS_H */

/* Function starts: where functions begin, or may begin.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The table of functions (functions.h) is the worklist: functions are analysed
   in the order in which they were added.  In code that CFI covers, CFI alone
   says what starts there.  */

#ifndef ANALYSIS_STARTS_H
#define ANALYSIS_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/disproof.h"
#include "analysis/routine.h"
#include "analysis/row_map.h"

/* What all stages of an analysis share.  code.c fills it in.  Afterwards only
   the thread that commits effects writes to it (schedule.h).  Analysers read
   the same tables through `context', whose pointers are const.  */
struct analysis_shared
{
  struct routine_context context;
  struct image_facts facts;
  struct covered_code covered_code;
  struct go_table go; /* empty if Go's table is not asked for */
  struct functions *functions;
  struct row_map *row_map;     /* result */
  struct disproofs *disproofs; /* result */
};

struct starts
{
  struct analysis_shared *shared; /* not owned */
  size_t n_tried;                 /* functions below it were analysed once */
  struct address_list again; /* entries of functions to be analysed again */
  /* Constants that may be addresses, in images without relocations.  */
  struct address_list hints;
};

void starts_free (struct starts *starts);

/* ---- These functions return false if memory ran out */

/* Add certain starts: the program's entry and CFI; with request->beyond_cfi
   also Go's table, initialisers and symbols.  */
bool starts_add_certain (struct starts *starts);

/* Add targets of pointers that no function has reached.  If there are none,
   add numbers that may be pointers.  */
bool starts_add_pointers (struct starts *starts);

/* Add starts of code that has rows from another source.  ADJOINING: those
   directly behind other such code; otherwise the rest.  */
bool starts_add_described (struct starts *starts, bool adjoining);

/* A certain function calls ADDRESS or passes it on as a function: add it, or
   (starts_mark_called) only mark it if it is registered.  */
bool starts_add_called (struct starts *starts, uint64_t address);
bool starts_mark_called (struct starts *starts, uint64_t address);

/* Make starts of the functions that noreturn.h has found to be called.  */
void starts_promote_called (struct starts *starts);

/* Whether functions are left to be analysed.  */
bool starts_pending (const struct starts *starts);

/* Return the program's entry, which has no call's frame; 0 for libraries.  */
uint64_t starts_program_entry (const struct image *image);

#endif /* ANALYSIS_STARTS_H */

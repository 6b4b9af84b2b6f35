/* The code of a file with its final rows, one function after the other.
   SPDX-License-Identifier: LGPL-2.1-or-later

   All users of rows get them here: conversion of linked files and of objects,
   measuring, checking and the analysis of code.  Each function comes with its
   range, its rows, its return places (return_sites.h) and the padding behind
   it.  Two thirds of the functions of a C++ library have the same call-frame
   program as an earlier function, and therefore the same rows.  Such a
   function comes with the earlier results, and is executed only on demand.  */

#ifndef CFI_FINISHED_ROWS_H
#define CFI_FINISHED_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/return_sites.h"
#include "cfi/source.h"
#include "cfi/walk.h"
#include "elf/padding.h"

/* A table of programs.  Two programs are equal if their CIEs and their
   instructions are.  */
struct program_table; /* opaque */

/* The results of a program.  */
struct program_result
{
  uint64_t reach; /* see cfa_machine_reach */
  size_t kept;    /* the number from return_sites_keep */
  /* For the user of the rows: the number, plus 1, that the user has given to
     the function whose rows can be copied; 0 if there is none.  */
  size_t copy_from;
};

/* A table for SECTION, which must outlive it.  NULL when memory ran out.  */
struct program_table *program_table_new (const struct cfi_section *section);
void program_table_free (struct program_table *table);

/* The results of FDE's program, or NULL if it is not in the table.  They are
   valid until the next program is added.  *HASH is for program_table_add.  */
struct program_result *program_table_find (const struct program_table *table,
                                           const struct cfi_fde *fde,
                                           uint32_t *hash);

/* Add FDE's program, which is not in the table.  NULL when memory ran out.  */
struct program_result *program_table_add (struct program_table *table,
                                          const struct cfi_fde *fde,
                                          uint32_t hash, uint64_t reach);

struct rows_options
{
  bool by_program; /* execute equal programs once only */
  bool at_sites;   /* find return places and padding; in linked files only */
  bool keep_all_rows, only_behind_calls; /* as in struct return_sites */
  bool ignores_overlaps;                 /* as in struct cfi_walk */
};

struct finished_rows
{
  struct rows_options options;
  struct cfi_walk walk;
  struct padding_finder padding;
  struct return_sites sites;
  struct program_table *programs; /* owned, or NULL */
};

/* Start a walk over SOURCE with OPTIONS.  SOURCE must outlive ROWS, and ROWS
   must not move in memory.  ROWS is to be closed even if memory ran out.  */
bool finished_rows_open (struct finished_rows *rows,
                         const struct cfi_source *source,
                         const struct rows_options *options,
                         struct error *err);
/* Close ROWS, which may be all zero.  */
void finished_rows_close (struct finished_rows *rows);

/* Set CODE to the next code by address, with pointers that are valid until the
   next call.  Returns 1, or 0 at the end, or -1 when memory ran out.  */
int finished_rows_next (struct finished_rows *rows, struct cfi_code *code,
                        struct error *err);

/* Set code->function to the rows of CODE, if it has none yet, or code->reason
   to why there are none.  CODE must be that of the last call of
   finished_rows_next.  If all options are off, it may be any earlier code.  */
bool finished_rows_execute (struct finished_rows *rows, struct cfi_code *code,
                            struct error *err);

/* Set LIST to all functions of SOURCE that have rows, for the analysis, which
   needs them in any order.  Functions with equal programs share their rows. */
bool finished_rows_list (struct frame_functions *list,
                         const struct cfi_source *source, struct error *err);

#endif /* CFI_FINISHED_ROWS_H */

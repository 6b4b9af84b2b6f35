/* The one source of finished rows.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Converting, measuring, checking, objects and the analysis of code take one
   code after the other from here: its range, its rows, the places of them that
   readers would take for return addresses, and the padding behind it.  Two
   thirds of the functions of a C++ library have the call-frame program of an
   earlier one, and so its rows.  Such code comes with what is known of the
   program, and is executed again only where its rows are asked for.  */

#ifndef CFI_FINISHED_ROWS_H
#define CFI_FINISHED_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/return_sites.h"
#include "cfi/source.h"
#include "cfi/walk.h"
#include "elf/padding.h"

/* Which FDEs have the same program: their CIE and instructions are equal.  */
struct program_table; /* opaque */

/* What became of a program.  */
struct program_result
{
  /* For functions larger than so many bytes it is the same (see
     cfa_machine_reach).  */
  uint64_t reach;
  size_t kept; /* what return_sites_keep returned */
  /* 1 more than the number by which the one who takes the rows knows them; 0:
     it does not.  */
  size_t taken;
};

/* A table for FDEs of SECTION, which must outlive it.  NULL when memory ran
   out.  */
struct program_table *program_table_new (const struct cfi_section *section);
void program_table_free (struct program_table *table);

/* What is known of FDE's program, or NULL.  The result is valid until the next
   program is added.  *HASH is for program_table_add.  */
struct program_result *program_table_find (const struct program_table *table,
                                           const struct cfi_fde *fde,
                                           uint32_t *hash);

/* Add FDE's program, which is not known, with REACH.  NULL when memory is
   short.  */
struct program_result *program_table_add (struct program_table *table,
                                          const struct cfi_fde *fde,
                                          uint32_t hash, uint64_t reach);

struct rows_options
{
  /* Code comes with its program.  Without that each FDE is executed.  */
  bool by_program;
  /* Places and padding are found.  Only of a linked file.  */
  bool at_sites;
  /* Of struct return_sites, with at_sites.  */
  bool keep_all_rows, only_behind_calls;
  /* Of struct cfi_walk.  */
  bool ignores_overlaps;
};

struct finished_rows
{
  struct rows_options options;
  struct cfi_walk walk;
  struct padding_finder padding;
  struct return_sites sites;
  struct program_table *programs; /* owned, or NULL */
};

/* Start a walk over SOURCE as OPTIONS say.  SOURCE must outlive ROWS, which
   must stay where it is.  False when memory ran out; finished_rows_close is
   allowed then, too. */
bool finished_rows_open (struct finished_rows *rows,
                         const struct cfi_source *source,
                         const struct rows_options *options,
                         struct error *err);
/* ROWS may be all zero.  */
void finished_rows_close (struct finished_rows *rows);

/* The next code in address order: 1, or 0 at the end, or -1 when memory ran
   out.  What it points to is valid until the next call.  */
int finished_rows_next (struct finished_rows *rows, struct cfi_code *code,
                        struct error *err);

/* Have the rows of CODE, the latest one, in code->function, unless
   code->reason says, or comes to say, why there are none.  Without options any
   code that has come may be asked for.  */
bool finished_rows_execute (struct finished_rows *rows, struct cfi_code *code,
                            struct error *err);

/* Keep in LIST all functions of SOURCE that have rows, for the analysis of
   code, which looks at functions in any order.  Those with equal programs
   share their rows.  */
bool finished_rows_list (struct frame_functions *list,
                         const struct cfi_source *source, struct error *err);

#endif /* CFI_FINISHED_ROWS_H */

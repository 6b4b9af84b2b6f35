/* Where the rows of a file's code come from: one way to ask for them, whether
   they are in the file, beside it, or made of its CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Addresses are the file's own.  */

#ifndef STACKS_ROW_SOURCE_H
#define STACKS_ROW_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi2sframe.h"
#include "sframewalk.h"
#include "cfi/source.h"
#include "elf/image.h"

enum section_origin
{
  SECTION_UNKNOWN,   /* not looked for yet */
  SECTION_OWN,       /* in the file */
  SECTION_DETACHED,  /* beside it */
  SECTION_CONVERTED, /* made from its CFI just now */
  SECTION_KEPT,      /* made from it and from its code at another time */
  SECTION_NONE       /* `reason' says why */
};

/* Where the sections of files without one of their own come from.  */
struct section_policy
{
  /* Folders with detached sections (elf/detached_file.h), separated by colons;
     borrowed, or NULL.  They are searched first.  */
  const char *detached;
  bool only_sframe; /* nothing is converted */
  bool analyze;     /* converted files get rows for code without CFI */
  /* Where a walk comes to code without rows, its file is analyzed, unless it
     is large.  */
  bool on_need;
  bool at_once; /* a process stands still: nothing is done that takes long */
};

/* Where detached sections are by default: beside debug files.  */
#define DETACHED_DEFAULT "/usr/lib/debug/.build-id"

struct row_source
{
  enum section_origin origin;
  struct sfw_section section; /* all rows; size 0: made on demand */
  void *bytes;                /* of the section, if they are owned */
  /* Made from code, for what a section that was found has no rows for; size 0:
     none.  */
  struct sfw_section more;
  void *more_bytes;                /* owned */
  struct rows_on_demand *demanded; /* owned, or NULL */
  /* Owned, or NULL; where there are rows: why the file was not analyzed.  */
  char *reason;
  bool analyzed;              /* row_source_analyze was called */
  struct rows_on_demand *cfi; /* owned: CFI, where rows are not made of it */
  bool cfi_read;
};

/* Find rows for IMAGE, or what they can be made of, as POLICY says.  ROWS is
   zeroed; IMAGE must outlive it.  */
void row_source_open (struct row_source *rows, const struct image *image,
                      const struct section_policy *policy);

/* There are no rows, because of ERR.  */
void row_source_set_none (struct row_source *rows, const struct error *err);

/* A walk came to code without rows: make them again, with rows for code
   without CFI.  A section that was found goes first where it has a row.  True
   if there are more now.  Once, and as far as POLICY
   allows.  */
bool row_source_analyze (struct row_source *rows, const struct image *image,
                         const struct section_policy *policy);

/* Set *SECTION to the rows of the code around ADDRESS.  Its size is 0 if that
   has none.  False if there are none at all.  */
bool row_source_at (const struct row_source *rows, uint64_t address,
                    struct sfw_section *section);

/* The CFI of IMAGE, or NULL.  */
const struct cfi_source *row_source_cfi (struct row_source *rows,
                                         const struct image *image);

/* The bytes of SFrame data, of those made on demand as many as there are.  */
uint64_t row_source_size (const struct row_source *rows);

void row_source_free (struct row_source *rows);

#endif /* STACKS_ROW_SOURCE_H */

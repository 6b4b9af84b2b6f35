/* Where the rows of a file's code come from: one way to ask for them, whether
   they are in the file, beside it or on a server, or made of its CFI, and kept
   where that takes long.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Addresses are the file's own.  */

#ifndef STACKS_ROWS_H
#define STACKS_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi2sframe.h"
#include "sframewalk.h"
#include "base/error.h"
#include "base/hash.h"
#include "cfi/source.h"
#include "elf/detached_file.h"
#include "elf/image.h"
#include "elf/notes.h"

/* ---- The rows of a file (row_source.c) */

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
  bool analyze_on_demand;
  bool
      is_stopped; /* a process stands still: nothing is done that takes long */
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
  struct sfw_section analyzed_section;
  void *analyzed_bytes;            /* owned */
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

/* ---- Rows that were made from code, kept for the next time in the user's
   cache folder, $XDG_CACHE_HOME/cfi2sframe or .cache/cfi2sframe in $HOME
   (row_cache.c).

   A file there is a detached section (elf/detached_file.h).  Its name is a
   digest of all bytes that it was made from and of the program that made it:
   another build of either finds nothing.  Only what belongs to the user is
   read or written, and everything that fails here is as if there were no
   cache.  */

/* What the section of ELF is kept under: a digest of its bytes and of this
   program.  Files that have changed before are of no account.  */
XXH128_hash_t row_cache_digest (const struct image *elf);

/* Find the section that row_cache_keep got for ELF, which has DIGEST.  If
   true, the caller closes found->image.  */
bool row_cache_find (const struct image *elf, XXH128_hash_t digest,
                     struct detached_file *found);

/* Keep SECTION, which was made of ELF when that had DIGEST; not if ELF has
   changed since.  The oldest sections go when there are too many.  */
void row_cache_keep (const struct image *elf, XXH128_hash_t digest,
                     const struct sfw_section *section);

/* ---- Files and detached sections from debuginfod's servers (debuginfod.c).

   A server hands out URL/buildid/ID/section/.sframe (debuginfod(8), "WEBAPI");
   here that is a detached section (elf/detached_file.h), from any web server.
   The bare bytes of a section, which debuginfod itself would take from a
   converted program, are of no use: they do not say at which address they are
   nor which code they are for.  libdebuginfod, which asks the servers that
   DEBUGINFOD_URLS names and keeps what it got, is loaded when it is wanted:
   it brings some thirty libraries.  */

/* Load libdebuginfod.  False with ERR when it is not there, or DEBUGINFOD_URLS
   names no server.  To be called once, before the next function.  */
bool debuginfod_open (struct error *err);

/* Ask the servers for PROGRAM's detached section; false if there are none, or
   they have none that is for this file.  If true, the caller closes
   detached->image.  For one thread.  */
bool debuginfod_find_detached (const struct image *program,
                               struct detached_file *detached);

/* Ask the servers that DEBUGINFOD_URLS names, if it names any, for the program
   or library with ID, for which no other name is known; -1 if they have
   none.  */
int debuginfod_find_program (const struct build_id *id);

#endif /* STACKS_ROWS_H */

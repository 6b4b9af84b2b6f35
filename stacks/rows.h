/* Finding the SFrame rows of a file, wherever they are.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Rows may be in the file, in a detached section beside it or on a server, or
   in the user's cache; otherwise they are made from the file's CFI or code.
   All addresses are the file's own.  */

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
  SECTION_UNKNOWN,   /* not searched for yet */
  SECTION_OWN,       /* in the file */
  SECTION_DETACHED,  /* in a folder or on a server */
  SECTION_CONVERTED, /* made from the file's CFI or code just now */
  SECTION_KEPT,      /* from the cache: made from CFI and code earlier */
  SECTION_NONE       /* there are no rows: `reason' says why */
};

/* Where rows of files without a section of their own may come from.  */
struct section_policy
{
  /* Folders with detached sections (elf/detached_file.h), separated by colons,
     which are searched before the servers; borrowed, or NULL.  */
  const char *detached;
  bool only_sframe; /* do not convert any file */
  bool analyze;     /* when converting, make rows for code without CFI, too */
  /* Analyze a small file when a walk reaches code without rows.  */
  bool analyze_on_demand;
  bool is_stopped; /* the process is stopped: do nothing that takes long */
};

/* The default folder of detached sections, where debug files are, too.  */
#define DETACHED_DEFAULT "/usr/lib/debug/.build-id"

struct row_source
{
  enum section_origin origin;
  struct sfw_section section; /* size 0: rows are made on demand */
  void *bytes;                /* bytes of SECTION, if owned */
  /* Rows made from code, where SECTION, which was found, has none.  */
  struct sfw_section analyzed_section;
  void *analyzed_bytes;             /* owned */
  struct rows_on_demand *on_demand; /* owned, or NULL */
  /* Owned, or NULL: why there are no rows, or no analyzed ones.  */
  char *reason;
  bool analyzed;              /* row_source_analyze was called */
  struct rows_on_demand *cfi; /* owned: the CFI, unless ON_DEMAND has it */
  bool cfi_read;
};

/* Find rows for IMAGE, or CFI that rows can be made from, as POLICY says.
   ROWS is zeroed.  IMAGE must outlive ROWS.  */
void row_source_open (struct row_source *rows, const struct image *image,
                      const struct section_policy *policy);

/* Record that there are no rows, because of ERR.  */
void row_source_set_none (struct row_source *rows, const struct error *err);

/* Make rows for code without CFI, because a walk came to such code.  A section
   that was found has precedence where it has rows.  True if there are more
   rows now.  Does this once, and only if POLICY allows it.  */
bool row_source_analyze (struct row_source *rows, const struct image *image,
                         const struct section_policy *policy);

/* Set *SECTION to a section with the rows for ADDRESS.  Its size is 0 if the
   code there has no rows.  False if the file has no rows at all.  */
bool row_source_at (const struct row_source *rows, uint64_t address,
                    struct sfw_section *section);

/* Return the CFI of IMAGE, or NULL.  */
const struct cfi_source *row_source_cfi (struct row_source *rows,
                                         const struct image *image);

/* Return the size of the SFrame data in bytes.  If rows are made on demand,
   count those made so far.  */
uint64_t row_source_size (const struct row_source *rows);

void row_source_free (struct row_source *rows);

/* ---- The cache of sections that were made by analyzing files: the folder
   $XDG_CACHE_HOME/cfi2sframe, or .cache/cfi2sframe in $HOME (row_cache.c).

   A file in the cache is a detached section (elf/detached_file.h).  Its name
   is a digest of all bytes of the analyzed file and of the program that made
   the section, so that another build of either finds nothing.  Only files of
   the user are read or written.  Errors count as an empty cache.  */

/* Return the digest of the bytes of ELF and of this program.  Files that have
   shrunk before the call no longer count (mapped_files_forget).  */
XXH128_hash_t row_cache_digest (const struct image *elf);

/* Find the section that row_cache_keep has stored for ELF, which has DIGEST.
   If true, the caller closes found->image.  */
bool row_cache_find (const struct image *elf, XXH128_hash_t digest,
                     struct detached_file *found);

/* Store SECTION, which was made from ELF when ELF had DIGEST, unless ELF has
   changed since.  Remove the oldest sections if the cache is too large.  */
void row_cache_keep (const struct image *elf, XXH128_hash_t digest,
                     const struct sfw_section *section);

/* ---- Files and detached sections from debuginfod's servers (debuginfod.c).

   A server hands out URL/buildid/ID/section/.sframe (debuginfod(8), "WEBAPI").
   Here that must be a detached section (elf/detached_file.h), which any web
   server can provide.  debuginfod itself would send the bare bytes of the
   section of a converted program.  These are of no use, because they do not
   say at which address they are nor for which code.  libdebuginfod asks the
   servers in DEBUGINFOD_URLS and caches their answers.  It is loaded when it
   is needed, because it brings some thirty libraries.  */

/* Load libdebuginfod, so that detached sections are asked for.  False with ERR
   if it is not installed or DEBUGINFOD_URLS names no server.  Called at most
   once, before debuginfod_find_detached.  */
bool debuginfod_open (struct error *err);

/* Ask the servers for the detached section of PROGRAM.  False if
   debuginfod_open was not called, or if no server has a section for this very
   file.  If true, the caller closes detached->image.  Not thread-safe.  */
bool debuginfod_find_detached (const struct image *program,
                               struct detached_file *detached);

/* Ask the servers in DEBUGINFOD_URLS, if any, for the program or library with
   ID, which was not found by its name.  Return its descriptor, or -1.  */
int debuginfod_find_program (const struct build_id *id);

#endif /* STACKS_ROWS_H */

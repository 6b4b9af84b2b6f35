/* The work of the library's public functions (public.c), for files that are
   given by a file_location (elf/file_location.h) and not by a path.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command calls these functions for files that it found in a directory.
   It has read the directory, so location_convert need not read it for each
   file, to see whether it contains checksums.

   The caller passes complete options, a clear ERR and reports that are zero.

     location_convert, location_copy,
     location_write_section, memory_build_section convert.c
     location_retry, location_relink              replaced_file.c
     location_undo, location_remove               revert.c
     location_detach                              detached.c
     location_match_debug_twin,
     location_check_debug_twin,
     location_find_debug_twin                     match_debug_twin.c
     location_check, location_dump,
     location_compare, location_lint              inspect.c  */

#ifndef CONVERT_LOCATION_H
#define CONVERT_LOCATION_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/file_location.h"
#include "write/temporary.h"

enum
{
  /* Each thread has a temporary file, and signal handlers can delete only this
     many.  */
  LOCATION_THREADS_MAX = TEMPORARY_KNOWN_MAX
};

/* A request to work on one file, and its result.  */
struct file_work
{
  struct file_location input;
  const char *output; /* a file, or the folder of location_detach; NULL: the
                         input is replaced */
  const struct cfi2sframe_options *options;
  struct file_identity made; /* without OUTPUT: the file that has the input's
                                name after a success that changed it */
  struct cfi2sframe_report report;
};

typedef bool location_work (struct file_work *work, struct error *err);

/* As cfi2sframe_convert, cfi2sframe_undo, cfi2sframe_remove and
   cfi2sframe_write_section.  location_undo and location_remove set only those
   members of the report that name what the output lacks.
   location_write_section does not set `made'.  */
location_work location_convert, location_undo, location_remove,
    location_write_section;

/* Write the detached section (elf/detached_file.h) of the input below the
   folder, and create the folder if it is missing.  With `dry_run', only work
   out the section's size.  The input is not changed.  Status
   CFI2SFRAME_NOTHING if the input has an .sframe that readers can use.  */
location_work location_detach;

/* Make the output a copy of the input, as location_convert does where there is
   nothing to convert.  With `dry_run', do nothing.  ERR keeps its contents
   unless the copying fails.  */
location_work location_copy;

/* Call ATTEMPT, which works on the input of WORK.  Call it again if another
   run has replaced that file meanwhile by one to which CHANGE would do
   nothing: a file that has an .sframe of any format, or that has none where
   CHANGE removes it.  For the new call, the input of WORK is the new file, and
   ERR is clear.  If WORK is NULL, ATTEMPT finds and examines its files anew
   each time.  Returns whether the last attempt succeeded.  */
bool location_retry (bool (*attempt) (void *context, struct error *err),
                     void *context, struct file_work *work,
                     location_work *change, struct error *err);

/* Make NAME, a name that the file NAME->identity had before that file was
   replaced, a hard link to the file REPLACEMENT->identity, which has the name
   REPLACEMENT.  With OPTIONS->dry_run, only check whether that may be done.
   The name exists at all times.  A symbolic link stays, because it points to a
   name that is replaced itself.  If another process has replaced NAME or
   REPLACEMENT meanwhile, fail with WORD_CHANGED_MEANWHILE and leave NAME
   alone: it is a file of its own.  Status CFI2SFRAME_CHECKSUMMED if something
   keeps a checksum of the file under NAME.  */
bool location_relink (const struct file_location *name,
                      const struct file_location *replacement,
                      const struct cfi2sframe_options *options,
                      struct error *err);

/* As cfi2sframe_match_debug_file.  */
bool location_match_debug_twin (const struct file_location *program,
                                const char *debug,
                                const struct cfi2sframe_options *options,
                                struct error *err);

/* Find the debug file of PROGRAM that location_match_debug_twin would change,
   and set *TWIN to its identity.  False if there is none.  */
bool location_find_debug_twin (const struct file_location *program,
                               struct file_identity *twin);

/* Check whether location_match_debug_twin could change DEBUG, if it has to.
   Nothing is written.  If DEBUG is NULL, check the debug file that would be
   found; without one, there is nothing to check.  A problem of PROGRAM is not
   a failure here, because the conversion of PROGRAM reports it.  */
bool location_check_debug_twin (const struct file_location *program,
                                const char *debug,
                                const struct cfi2sframe_options *options,
                                struct error *err);

/* As cfi2sframe_build_section.  The caller frees SECTION.  */
bool memory_build_section (const void *elf, size_t size,
                           const struct cfi2sframe_options *options,
                           struct buffer *section, uint64_t *address,
                           struct cfi2sframe_report *report,
                           struct error *err);

/* As cfi2sframe_check_with and cfi2sframe_dump.  */
bool location_check (const struct file_location *input,
                     const struct cfi2sframe_options *options,
                     struct cfi2sframe_check_result *result,
                     struct error *err);
bool location_dump (const struct file_location *input, FILE *out,
                    struct error *err);

/* As cfi2sframe_lint, by THREADS threads, and as cfi2sframe_compare.  These
   functions set all members of RESULT.  */
bool location_lint (const struct file_location *input, unsigned threads,
                    void (*found) (void *context,
                                   const struct cfi2sframe_finding *finding),
                    void *context, struct cfi2sframe_lint_result *result,
                    struct error *err);
bool location_compare (
    const struct file_location *a, const struct file_location *b,
    void (*found) (void *context,
                   const struct cfi2sframe_difference *difference),
    void *context, struct cfi2sframe_compare_result *result,
    struct error *err);

#endif /* CONVERT_LOCATION_H */

/* What the public functions do (public.c), for a file_location, which may be
   of a file found in a tree (elf/file_location.h).
   SPDX-License-Identifier: LGPL-2.1-or-later

   A program that finds files by reading a directory has seen all names in it,
   so that location_convert need not read them again for each file.

   Options are complete, ERR is clear, and reports are zero when a function is
   called.

     location_convert, location_copy,
     location_write_section, memory_build_section convert.c
     location_persist, location_relink            replaced_file.c
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
  /* With more threads there would be temporary files that no handler
     knows.  */
  LOCATION_THREADS_MAX = TEMPORARY_KNOWN_MAX
};

/* A file that is worked on: what is asked for, and what came of it.  */
struct file_work
{
  struct file_location input;
  const char *output; /* a file, or the folder of location_detach; NULL: none
                         but the input, which is replaced */
  const struct cfi2sframe_options *options;
  struct file_identity made; /* what the input's name stands for after a
                                success without OUTPUT, if it was to change */
  struct cfi2sframe_report report;
};

typedef bool location_work (struct file_work *work, struct error *err);

/* As cfi2sframe_convert, cfi2sframe_undo, cfi2sframe_remove and
   cfi2sframe_write_section.  Of the report the second and third set what the
   output will not have, and the last one does not set `made'.  */
location_work location_convert, location_undo, location_remove,
    location_write_section;

/* Write the detached section (elf/detached_file.h) of the input below the
   folder, which is made if it is not there; with `dry_run' only its size is
   worked out.  The input is read and not changed.  Status CFI2SFRAME_NOTHING
   when it has an .sframe that readers can use.  */
location_work location_detach;

/* Make the output a copy of the input, as location_convert does where there is
   nothing to convert; with `dry_run' do nothing.  ERR keeps what it says,
   unless this fails.  */
location_work location_copy;

/* Call ATTEMPT, which works on the input of WORK, and again where that file
   was replaced meanwhile by one that needs no CHANGE, which another run may
   have made: one that has an .sframe, in whatever format, or has none where
   CHANGE takes it away.  Then the input is that file, and ERR is clear.  WORK
   NULL stands for files that ATTEMPT finds anew and examines.  Whether the
   last attempt succeeded.  */
bool location_persist (bool (*attempt) (void *context, struct error *err),
                       void *context, struct file_work *work,
                       location_work *change, struct error *err);

/* Make NAME, which was a name of the file NAME->identity before that was
   replaced, a name of the file REPLACEMENT->identity, to be found there; with
   OPTIONS->dry_run see whether that may be.  At no time is there no NAME.
   A symbolic link that is followed leads to such a name, and stays.  NAME is
   left alone, with WORD_CHANGED_MEANWHILE, when NAME or REPLACEMENT is
   another file by now: then NAME is a file of its own.  CFI2SFRAME_CHECKSUMMED
   where something has a checksum of the file by this name.  */
bool location_relink (const struct file_location *name,
                      const struct file_location *replacement,
                      const struct cfi2sframe_options *options,
                      struct error *err);

/* As cfi2sframe_match_debug_file.  */
bool location_match_debug_twin (const struct file_location *program,
                                const char *debug,
                                const struct cfi2sframe_options *options,
                                struct error *err);

/* Whether location_match_debug_twin finds a debug file of PROGRAM; then *TWIN
   is which.  */
bool location_find_debug_twin (const struct file_location *program,
                               struct file_identity *twin);

/* Whether location_match_debug_twin could change DEBUG, if it has to; nothing
   is written.  DEBUG NULL stands for the debug file that would be found;
   without one there is nothing to check.  What is wrong with PROGRAM is not a
   failure here, because who converts PROGRAM reports that.  */
bool location_check_debug_twin (const struct file_location *program,
                                const char *debug,
                                const struct cfi2sframe_options *options,
                                struct error *err);

/* As cfi2sframe_build_section; SECTION is to be freed by the caller.  */
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

/* As cfi2sframe_lint, by THREADS threads, and cfi2sframe_compare.  All of
   RESULT is set.  */
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

/* What the public functions do (public.c), for a file_location, which may be
   of a file found in a tree (elf/file_location.h).
   SPDX-License-Identifier: LGPL-2.1-or-later

   A program that finds files by reading a directory has seen all names in it,
   so that location_convert need not read them again for each file.

   Options are complete, ERR is clear, and reports are zero, or sums, when a
   function is called.

     location_convert, location_copy,
     location_write_section, memory_build_section convert.c
     location_relink                              relink.c
     location_persist                             overtaken.c
     location_undo, location_remove               revert.c
     location_detach                              write_detached.c
     location_match_debug_twin,
     location_find_debug_twin,
     location_check_debug_twin                    match_debug_twin.c
     location_check, location_dump                inspect.c
     location_lint                                lint.c
     location_compare                             compare_files.c  */

#ifndef CONVERT_LOCATION_H
#define CONVERT_LOCATION_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/file_location.h"
#include "sframe/compare.h"
#include "write/temporary.h"

enum
{
  /* With more threads there would be temporary files that no handler
     knows.  */
  LOCATION_THREADS_MAX = TEMPORARY_KNOWN_MAX
};

/* As cfi2sframe_convert, cfi2sframe_undo and cfi2sframe_remove.  *MADE is set
   to what the input's name stands for after a success without OUTPUT.  Of
   REPORT the latter two set what the output will not have.  */
typedef bool location_change (const struct file_location *input,
                              const char *output,
                              const struct cfi2sframe_options *options,
                              struct file_identity *made,
                              struct cfi2sframe_report *report,
                              struct error *err);
location_change location_convert, location_undo, location_remove;

/* Call ATTEMPT, which works on the file at LOCATION, and again where that file
   was replaced meanwhile by one that needs no CHANGE, which another run may
   have made: one that has an .sframe, in whatever format, or has none where
   CHANGE takes it away.  LOCATION is that file then, and ERR is clear.
   LOCATION NULL stands for files that ATTEMPT finds anew and examines.
   Whether the last attempt succeeded.  */
bool location_persist (bool (*attempt) (void *context, struct error *err),
                       void *context, struct file_location *location,
                       location_change *change,
                       const struct cfi2sframe_options *options,
                       struct error *err);

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

/* Make OUTPUT a copy of INPUT, as location_convert does where there is nothing
   to convert; with OPTIONS->dry_run do nothing.  ERR keeps what it says,
   unless this fails.  */
bool location_copy (const struct file_location *input, const char *output,
                    const struct cfi2sframe_options *options,
                    struct error *err);

/* Write the detached section (elf/detached_file.h) of INPUT below FOLDER,
   which is made if it is not there; with OPTIONS->dry_run only its size is
   worked out.  INPUT is read and not changed.  Status CFI2SFRAME_NOTHING when
   INPUT has an .sframe of its own.  */
bool location_detach (const struct file_location *input, const char *folder,
                      const struct cfi2sframe_options *options,
                      struct cfi2sframe_report *report, struct error *err);

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

/* As cfi2sframe_write_section.  */
bool location_write_section (const struct file_location *input,
                             const char *output,
                             const struct cfi2sframe_options *options,
                             struct cfi2sframe_report *report,
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

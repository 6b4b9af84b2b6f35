/* The one error type: what went wrong, in which file, at which offset.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Every function that can fail takes a `struct error *` as its last argument.
   On failure it fills in this structure and returns false or NULL, and its
   callers pass the structure on unchanged.  Nothing below src/cli writes to
   standard output or standard error.  */

#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi2sframe.h"

/* The library's public structure is used inside, too, so no code translates
   one into the other.  */
#define error cfi2sframe_error

/* Words by which scripts distinguish reasons of the same status.  A sentence
   may be reworded in a later version, and a word may not.  tests/cli/gate.bats
   compares this list with the manual's (doc/use/cfi2sframe.texi).  */
#define ERROR_WORDS(WORD)                                       \
  /* There is nothing to do.  */                                \
  WORD (EXCLUDED, "excluded")                                   \
  WORD (HARD_LINK, "hard-link")                                 \
  WORD (HAS_SFRAME, "has-sframe")                               \
  WORD (MISSING_SFRAME, "missing-sframe")                       \
  WORD (NO_SFRAME, "no-sframe")                                 \
  WORD (NO_CFI, "no-cfi")                                       \
  WORD (CORE_FILE, "core-file")                                 \
  WORD (OBJECT, "object")                                       \
  WORD (ARCHIVE, "archive")                                     \
  WORD (DEBUG_FILE, "debug-file")                               \
  WORD (NO_DEBUG_FILE, "no-debug-file")                         \
  WORD (IN_STEP, "in-step")                                     \
  WORD (NO_BUILD_ID, "no-build-id")                             \
  /* SFrame is not for it, or not by this build.  */            \
  WORD (MACHINE, "machine")                                     \
  WORD (NO_ANALYSIS, "no-analysis")                             \
  WORD (NO_FILE, "no-file")                                     \
  WORD (DIRECTORY, "unsupported")                               \
  WORD (UNREADABLE, "unreadable") /* by who runs the program */ \
  /* It could be harmed.  */                                    \
  WORD (KERNEL_IMAGE, "kernel-image")                           \
  WORD (SIGNED, "signed")                                       \
  WORD (APPENDED_DATA, "appended-data")                         \
  WORD (PRELINKED, "prelinked")                                 \
  WORD (NO_ROOM, "no-room")                                     \
  WORD (NO_SECTION_HEADERS, "no-section-headers")               \
  WORD (METADATA, "metadata")                                   \
  WORD (IMMUTABLE, "immutable")                                 \
  WORD (CHANGED_MEANWHILE, "changed-meanwhile")                 \
  WORD (SELF_CHECK, "self-check")                               \
  /* The request cannot be fulfilled.  */                       \
  WORD (STRICT, "strict")                                       \
  WORD (MIN_COVERAGE, "min-coverage")                           \
  WORD (READER, "reader")                                       \
  WORD (TOO_LARGE, "too-large")                                 \
  /* The .sframe that is there, and its record.  */             \
  WORD (USELESS_SFRAME, "useless-sframe")                       \
  WORD (BAD_SFRAME, "bad-sframe")                               \
  /* Of a later version, or with flags of one.  */              \
  WORD (UNKNOWN_SFRAME, "unknown-sframe")                       \
  WORD (INTERRUPTED, "interrupted")                             \
  WORD (NO_UNDO_RECORD, "no-undo-record")                       \
  WORD (UNDO_RECORD, "undo-record")

#define ERROR_WORD_NUMBER(name, text) WORD_##name,
enum error_word
{
  WORD_NONE, /* the word of the status */
  ERROR_WORDS (ERROR_WORD_NUMBER) WORD_COUNT
};

/* The meaning of a status for the file that was to be worked on.  */
enum error_kind
{
  ERROR_OF_WORK,      /* the work failed; the file may be convertible */
  ERROR_NOTHING,      /* there is nothing to do */
  ERROR_UNCONVERTIBLE /* the file is not to be converted: SFrame is not for it,
                         a conversion could harm it, or it is damaged */
};
enum error_kind error_kind (const struct error *err);

/* Return what cfi2sframe_error_code returns: the word of the failure in ERR,
   or NULL if there is none.  */
const char *error_code (const struct error *err);

/* Forget any earlier failure in ERR.  */
void error_clear (struct error *err);

/* Record a failure that concerns the whole file.  Always returns false, so
   that callers can write `return error_set (...)`.  FMT gives one sentence
   without a full stop or newline at its end.  With ERR NULL nothing is
   recorded, and only functions that a signal handler may call are called.  */
bool error_set (struct error *err, enum cfi2sframe_status status,
                const char *fmt, ...) __attribute__ ((format (printf, 3, 4)));

/* Do as error_set, for a reason that has WORD.  */
bool error_set_word (struct error *err, enum cfi2sframe_status status,
                     enum error_word word, const char *fmt, ...)
    __attribute__ ((format (printf, 4, 5)));

/* Give WORD to the failure that was just recorded in ERR.  Returns false.  */
bool error_name (struct error *err, enum error_word word);

/* Record a failure at byte OFFSET of the input file.  Returns false.  */
bool error_set_at (struct error *err, enum cfi2sframe_status status,
                   uint64_t offset, const char *fmt, ...)
    __attribute__ ((format (printf, 4, 5)));

/* Record that system call WHAT failed with errno.  Returns false.  */
bool error_set_errno (struct error *err, const char *what);

/* Record that the failed system call (status CFI2SFRAME_IO) was about FILE,
   which is not the input file.  Failures of another status, and those that
   have a file already, stay as they are.  Returns false.  */
bool error_in_file (struct error *err, const char *file);

/* Record that memory ran out.  Returns false.  */
bool error_set_no_memory (struct error *err);

#endif /* BASE_ERROR_H */

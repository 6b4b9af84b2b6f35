/* The one error type: what went wrong, in which file, at which offset.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Every function that can fail takes a `struct error *` as its last argument
   and returns false (or NULL) after filling it in.  Nothing below src/cli
   writes to standard output or standard error.  The first failure wins:
   callers pass the error up untouched.  */

#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi2sframe.h"

/* The public structure is the internal one: no translation layer.  */
#define error cfi2sframe_error

/* Words for reasons that are told apart from others of the same status.  The
   texts are in convert/error_code.c.  */
enum error_word
{
  WORD_NONE, /* as the status has it */

  /* There is nothing to do.  */
  WORD_EXCLUDED,
  WORD_HARD_LINK,
  WORD_HAS_SFRAME,
  WORD_MISSING_SFRAME,
  WORD_NO_SFRAME,
  WORD_NO_CFI,
  WORD_CORE_FILE,
  WORD_OBJECT,
  WORD_ARCHIVE,
  WORD_DEBUG_FILE,
  WORD_NO_DEBUG_FILE,
  WORD_IN_STEP,
  WORD_NO_BUILD_ID,

  /* SFrame is not for it, or not by this build.  */
  WORD_MACHINE,
  WORD_NO_ANALYSIS,
  WORD_NO_FILE,
  WORD_DIRECTORY,
  WORD_UNREADABLE, /* may not be read by who runs the program */

  /* It could be harmed.  */
  WORD_KERNEL_IMAGE,
  WORD_SIGNED,
  WORD_APPENDED_DATA,
  WORD_PRELINKED,
  WORD_NO_ROOM,
  WORD_NO_SECTION_HEADERS,
  WORD_METADATA,
  WORD_IMMUTABLE,
  WORD_CHANGED_MEANWHILE,
  WORD_SELF_CHECK,

  /* What was asked for cannot be had.  */
  WORD_STRICT,
  WORD_MIN_COVERAGE,
  WORD_READER,
  WORD_TOO_LARGE,

  /* The .sframe that is there, and its record.  */
  WORD_USELESS_SFRAME,
  WORD_BAD_SFRAME,
  WORD_UNKNOWN_SFRAME, /* of a later version, or with flags of one */
  WORD_INTERRUPTED,
  WORD_NO_UNDO_RECORD,
  WORD_UNDO_RECORD,
  WORD_COUNT
};

/* What a status says of the file that was to be worked on.  */
enum error_kind
{
  ERROR_OF_WORK,      /* nothing: the work failed */
  ERROR_NOTHING,      /* that there is nothing to do */
  ERROR_UNCONVERTIBLE /* that it is not to be converted: SFrame is not for it,
                         it could be harmed, or it is damaged */
};
enum error_kind error_kind (const struct error *err);

/* Forget any earlier failure in ERR.  */
void error_clear (struct error *err);

/* Record a failure of the whole file.  Always returns false, so that callers
   can write `return error_set (...)`.  With ERR NULL nothing is recorded, and
   no function called that a signal handler may not call.  FMT gives one
   sentence without a trailing full stop or newline.  */
bool error_set (struct error *err, enum cfi2sframe_status status,
                const char *fmt, ...) __attribute__ ((format (printf, 3, 4)));

/* The same for a reason that has WORD.  */
bool error_set_word (struct error *err, enum cfi2sframe_status status,
                     enum error_word word, const char *fmt, ...)
    __attribute__ ((format (printf, 4, 5)));

/* The failure just recorded in ERR has WORD.  Returns false.  */
bool error_name (struct error *err, enum error_word word);

/* Record a failure at byte OFFSET of the input file.  Returns false.  */
bool error_set_at (struct error *err, enum cfi2sframe_status status,
                   uint64_t offset, const char *fmt, ...)
    __attribute__ ((format (printf, 4, 5)));

/* Record the failure of system call WHAT with the current errno.  Returns
   false.  */
bool error_set_errno (struct error *err, const char *what);

/* A system call that failed (status CFI2SFRAME_IO) was about FILE, which is
   not the input; other failures stay as they are.  Returns false.  */
bool error_in_file (struct error *err, const char *file);

/* Record that memory ran out.  Returns false.  */
bool error_set_no_memory (struct error *err);

#endif /* BASE_ERROR_H */

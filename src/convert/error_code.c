/* A stable word for each reason why a file was not worked on, for scripts.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Sentences are for people, and may be worded better; words stay.  Where an
   error is made it gets its word.  The tables are the list of the manual, too
   (doc/use/cfi2sframe.texi; tests/cli/gate.bats holds both together).  */

#include "convert/error_code.h"

/* What has no word of its own.  */
static const char *const of_status[] = {
  [CFI2SFRAME_IO] = "system",
  [CFI2SFRAME_NO_MEMORY] = "no-memory",
  [CFI2SFRAME_NOT_ELF] = "not-elf",
  [CFI2SFRAME_MALFORMED] = "malformed",
  [CFI2SFRAME_UNSUPPORTED] = "unsupported",
  [CFI2SFRAME_REFUSED] = "refused",
  [CFI2SFRAME_NOTHING] = "nothing",
  [CFI2SFRAME_MISMATCH] = "mismatch",
  [CFI2SFRAME_INVALID] = "invalid",
  [CFI2SFRAME_CHECKSUMMED] = "checksummed",
};

static const char *const of_word[WORD_COUNT] = {
  [WORD_EXCLUDED] = "excluded",
  [WORD_HARD_LINK] = "hard-link",
  [WORD_HAS_SFRAME] = "has-sframe",
  [WORD_MISSING_SFRAME] = "missing-sframe",
  [WORD_NO_SFRAME] = "no-sframe",
  [WORD_NO_CFI] = "no-cfi",
  [WORD_CORE_FILE] = "core-file",
  [WORD_OBJECT] = "object",
  [WORD_ARCHIVE] = "archive",
  [WORD_DEBUG_FILE] = "debug-file",
  [WORD_NO_DEBUG_FILE] = "no-debug-file",
  [WORD_IN_STEP] = "in-step",
  [WORD_NO_BUILD_ID] = "no-build-id",
  [WORD_MACHINE] = "machine",
  [WORD_NO_ANALYSIS] = "no-analysis",
  [WORD_NO_FILE] = "no-file",
  [WORD_DIRECTORY] = "unsupported",
  [WORD_UNREADABLE] = "unreadable",
  [WORD_KERNEL_IMAGE] = "kernel-image",
  [WORD_SIGNED] = "signed",
  [WORD_APPENDED_DATA] = "appended-data",
  [WORD_PRELINKED] = "prelinked",
  [WORD_NO_ROOM] = "no-room",
  [WORD_NO_SECTION_HEADERS] = "no-section-headers",
  [WORD_METADATA] = "metadata",
  [WORD_IMMUTABLE] = "immutable",
  [WORD_CHANGED_MEANWHILE] = "changed-meanwhile",
  [WORD_SELF_CHECK] = "self-check",
  [WORD_STRICT] = "strict",
  [WORD_MIN_COVERAGE] = "min-coverage",
  [WORD_READER] = "reader",
  [WORD_TOO_LARGE] = "too-large",
  [WORD_USELESS_SFRAME] = "useless-sframe",
  [WORD_BAD_SFRAME] = "bad-sframe",
  [WORD_UNKNOWN_SFRAME] = "unknown-sframe",
  [WORD_INTERRUPTED] = "interrupted",
  [WORD_NO_UNDO_RECORD] = "no-undo-record",
  [WORD_UNDO_RECORD] = "undo-record",
};

const char *
error_code (const struct cfi2sframe_error *err)
{
  if (err->status == CFI2SFRAME_OK)
    return NULL;
  /* These have one word each, whatever the sentence.  */
  if (err->status == CFI2SFRAME_NO_MEMORY || err->status == CFI2SFRAME_NOT_ELF
      || err->status == CFI2SFRAME_CHECKSUMMED)
    return of_status[err->status];
  if (err->word != WORD_NONE && err->word < WORD_COUNT)
    return of_word[err->word];
  return (size_t)err->status < sizeof of_status / sizeof of_status[0]
             ? of_status[err->status]
             : "unknown";
}

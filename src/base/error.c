/* Filling in the one error type.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"

void
error_clear (struct error *err)
{
  memset (err, 0, sizeof *err);
}

/* `word` lies in the padding before `offset`, so the layout is the same for
   programs that were compiled before the library had words.  */
_Static_assert(offsetof (struct error, word) < offsetof (struct error, offset)
                   && offsetof (struct error, offset) == 8
                   && WORD_COUNT <= UINT8_MAX,
               "the structure is another one");

/* Record a failure without an offset, unless ERR is NULL.  */
static void
error_fill (struct error *err, enum cfi2sframe_status status,
            enum error_word word, const char *fmt, va_list args)
{
  char text[2 * sizeof err->reason];
  if (err == NULL)
    return;
  err->status = status;
  err->word = (uint8_t)word;
  err->has_offset = false;
  vsnprintf (text, sizeof text, fmt, args);
  /* The reason may contain names from the file, with any bytes in them.  */
  printable_copy (err->reason, sizeof err->reason, text);
}

bool
error_set (struct error *err, enum cfi2sframe_status status, const char *fmt,
           ...)
{
  va_list args;
  va_start (args, fmt);
  error_fill (err, status, WORD_NONE, fmt, args);
  va_end (args);
  return false;
}

bool
error_set_word (struct error *err, enum cfi2sframe_status status,
                enum error_word word, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  error_fill (err, status, word, fmt, args);
  va_end (args);
  return false;
}

bool
error_set_at (struct error *err, enum cfi2sframe_status status,
              uint64_t offset, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  error_fill (err, status, WORD_NONE, fmt, args);
  va_end (args);
  if (err != NULL)
    {
      err->has_offset = true;
      err->offset = offset;
    }
  return false;
}

/* The kind of each status, and its word.  */
static const struct
{
  enum error_kind kind;
  const char *word;
} statuses[] = {
  [CFI2SFRAME_OK] = { ERROR_OF_WORK, NULL },
  [CFI2SFRAME_IO] = { ERROR_OF_WORK, "system" },
  [CFI2SFRAME_NO_MEMORY] = { ERROR_OF_WORK, "no-memory" },
  [CFI2SFRAME_NOT_ELF] = { ERROR_NOTHING, "not-elf" },
  [CFI2SFRAME_MALFORMED] = { ERROR_UNCONVERTIBLE, "malformed" },
  [CFI2SFRAME_UNSUPPORTED] = { ERROR_UNCONVERTIBLE, "unsupported" },
  [CFI2SFRAME_REFUSED] = { ERROR_UNCONVERTIBLE, "refused" },
  [CFI2SFRAME_NOTHING] = { ERROR_NOTHING, "nothing" },
  [CFI2SFRAME_MISMATCH] = { ERROR_OF_WORK, "mismatch" },
  [CFI2SFRAME_INVALID] = { ERROR_OF_WORK, "invalid" },
  [CFI2SFRAME_CHECKSUMMED] = { ERROR_UNCONVERTIBLE, "checksummed" },
};

enum
{
  N_STATUSES = sizeof statuses / sizeof *statuses
};

enum error_kind
error_kind (const struct error *err)
{
  return (size_t)err->status < N_STATUSES ? statuses[err->status].kind
                                          : ERROR_OF_WORK;
}

#define WORD_TEXT(name, text) [WORD_##name] = (text),

const char *
error_code (const struct cfi2sframe_error *err)
{
  static const char *const words[WORD_COUNT] = { ERROR_WORDS (WORD_TEXT) };
  /* Failures with one of these statuses have one word for all sentences.  */
  bool shared = err->status == CFI2SFRAME_NO_MEMORY
                || err->status == CFI2SFRAME_NOT_ELF
                || err->status == CFI2SFRAME_CHECKSUMMED;
  if (err->status != CFI2SFRAME_OK && !shared && err->word != WORD_NONE
      && err->word < WORD_COUNT)
    return words[err->word];
  return (size_t)err->status < N_STATUSES ? statuses[err->status].word
                                          : "unknown";
}

bool
error_name (struct error *err, enum error_word word)
{
  if (err != NULL)
    err->word = (uint8_t)word;
  return false;
}

bool
error_set_errno (struct error *err, const char *what)
{
  /* With ERR NULL the caller needs errno, which strerror may change.  */
  return err != NULL
         && error_set (err, CFI2SFRAME_IO, "%s: %s", what, strerror (errno));
}

bool
error_in_file (struct error *err, const char *file)
{
  if (err->status == CFI2SFRAME_IO && err->file[0] == '\0')
    snprintf (err->file, sizeof err->file, "%s", file);
  return false;
}

bool
error_set_no_memory (struct error *err)
{
  return error_set (err, CFI2SFRAME_NO_MEMORY, "out of memory");
}

/* A stable word for each reason why a file was not worked on, for scripts.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Sentences are for people, and may be worded better; words stay.  The table
   is the list of the manual, too (doc/use/messages.texi; tests/manual holds
   both together).  */

#include <config.h>

#include "convert/error_code.h"

#include <fnmatch.h>

/* What has no line in the table.  */
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

/* The first line that matches a sentence has its word.  */
static const struct
{
  const char *pattern, *code;
} codes[] = {
  /* There is nothing to do.  */
  { "left out by *", "excluded" },
  { "same file as *", "hard-link" },
  { "has an .sframe already", "has-sframe" },
  { "no .sframe, which it could have*", "missing-sframe" },
  { "no .sframe*", "no-sframe" },
  { "has no .sframe", "no-sframe" },
  { ".sframe has no contents", "no-sframe" },
  { "no .eh_frame to check .sframe against", "no-cfi" },
  { "no .eh_frame*", "no-cfi" },
  { "no function *", "no-cfi" },
  { "no CFI", "no-cfi" },
  { "*core file", "core-file" },
  { "*relocatable object*", "object" },
  { "archive *objects*", "archive" },
  { "debug file: the code is not in it", "debug-file" },
  { "no debug file", "no-debug-file" },
  { "the debug file is in step already", "in-step" },
  { "no build-id, *", "no-build-id" },

  /* SFrame is not for it, or not by this build.  */
  { "32-bit ELF file*", "machine" },
  { "machine *", "machine" },
  { "SFrame has no ABI *", "machine" },
  { "no program or library of a machine *", "machine" },
  { "this SFrame version does not know *", "machine" },
  { "this build cannot analyse *", "no-analysis" },
  { "objects are not analysed*", "object" },
  { "is a directory", "no-file" },
  { "is not a regular file", "no-file" },

  /* It could be harmed.  */
  { "kernel image: *", "kernel-image" },
  { "signed*", "signed" },
  { "AppImage: *", "appended-data" },
  { "* unknown data are appended*", "appended-data" },
  { "* bytes were appended after *", "appended-data" },
  { "section * is not loaded and of no known kind*", "appended-data" },
  { "prelinked: *", "prelinked" },
  { "no room for program headers: *", "no-room" },
  { "it has no section headers", "no-section-headers" },
  { "the file's * kept*", "metadata" },
  { "the file would lose *", "metadata" },
  { "the file's capabilities *", "metadata" },
  { "cannot keep attribute *", "metadata" },
  { "is immutable *", "immutable" },
  { "*meanwhile", "changed-meanwhile" },
  { "* cut off meanwhile*", "changed-meanwhile" },
  { "another process is changing it", "changed-meanwhile" },
  { "self-check *", "self-check" },
  { "cancelled", "cancelled" },

  /* What was asked for cannot be had.  */
  { "* functions cannot be described completely", "strict" },
  { "* of code with call-frame information *", "strict" },
  { "only * percent of the code has rows", "min-coverage" },
  { "* reads no SFrame of *", "reader" },
  { "no version is read by all of them*", "reader" },
  { "* refuses *", "reader" },
  { "* misreads *", "reader" },
  { "* is too far from the section", "too-large" },
  { "more than *", "too-large" },
  { "too many functions or rows *", "too-large" },
  { "the CFI asks for unreasonably many rows", "too-large" },

  /* The .sframe that is there, and its record.  */
  { "its .sframe is of no use *", "useless-sframe" },
  { "has several .sframe *", "bad-sframe" },
  { "its .sframe *", "bad-sframe" },
  { "SFrame: *", "bad-sframe" },
  { "an interrupted conversion*", "interrupted" },
  { "has no undo record", "no-undo-record" },
  { "has an .sframe but no undo record*", "no-undo-record" },
  { "the file was changed after its conversion*", "undo-record" },
  { "the undo record *", "undo-record" },
  { "the restored file is not the original", "undo-record" },
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
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    if (fnmatch (codes[i].pattern, err->reason, 0) == 0)
      return codes[i].code;
  return (size_t)err->status < sizeof of_status / sizeof of_status[0]
             ? of_status[err->status]
             : "unknown";
}

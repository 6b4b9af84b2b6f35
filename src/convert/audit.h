/* An audit of an .sframe that a file has already: can readers use it, is it
   right, is it whole?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Linkers that glue the sections of their inputs together, or that find some
   in a crt file only, leave sections that no reader can use or that describe
   next to nothing.  */

#ifndef CONVERT_AUDIT_H
#define CONVERT_AUDIT_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/debug_source.h"
#include "elf/image.h"
#include "sframe/decode.h"
#include "sframe/verify.h"

/* Why readers, which look for PT_GNU_SFRAME and search in a sorted table,
   cannot use the .sframe behind DECODER, or NULL.  */
const char *audit_use (const struct image *image,
                       const struct sframe_decoder *decoder);

/* Compare the .sframe of IMAGE, a linked file or an object, with the CFI that
   CFI_OPTIONS choose; RESULT is zero at first, *PROBLEM as audit_use returns
   it.  Status CFI2SFRAME_NOTHING without CFI.  */
bool audit_compare (const struct image *image,
                    const struct cfi_options *cfi_options,
                    const char **problem,
                    struct cfi2sframe_check_result *result, struct error *err);

/* Whether the .sframe of IMAGE, which has one, is to be replaced according to
   OPTIONS.  It does not matter which program made the section, because it may
   have been damaged since.  Status CFI2SFRAME_NOTHING if it stays; then
   REPORT->existing says what is wrong with it, if anything is.  */
bool audit_replacing (const struct image *image,
                      const struct cfi2sframe_options *options,
                      struct cfi2sframe_report *report, struct error *err);

#endif /* CONVERT_AUDIT_H */

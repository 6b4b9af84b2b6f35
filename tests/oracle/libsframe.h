/* Rows as GNU's libsframe reads them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Loaded at run time, where tools/libsframe.sh found one that is new enough
   (libsframe.so.3); never needed otherwise.  Its header is not shipped by
   distributions, so the few functions are declared in libsframe.c.  */

#ifndef ORACLE_LIBSFRAME_H
#define ORACLE_LIBSFRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "rules.h"

struct libsframe_section; /* opaque */

/* Load the library at PATH, once.  */
bool libsframe_load (const char *path);

/* Have it decode the section behind DECODER (only its bytes must outlive the
   result), or NULL.  */
struct libsframe_section *
libsframe_open (const struct sframe_decoder *decoder);
void libsframe_close (struct libsframe_section *section);

/* The rules at PC, of FUNCTION as our own decoder found it (the library's
   lookup does not say what kind of function it is).  1 found, 0 not covered,
   -1 the library refuses a value that should be there.  */
int libsframe_rules (const struct libsframe_section *section,
                     const struct sframe_function *function, uint64_t pc,
                     struct row_rules *rules);

#endif /* ORACLE_LIBSFRAME_H */

/* Names of symbols as the source has them: C++, Rust.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_DEMANGLE_H
#define STACKS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Write the demangled NAME to the SIZE bytes at TO, cut off where it is
   longer.  False when NAME is not mangled, or this build has no libiberty;
   then TO has no meaning.  */
bool demangle (const char *name, char *to, size_t size);

#endif /* STACKS_DEMANGLE_H */

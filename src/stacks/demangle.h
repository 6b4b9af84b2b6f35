/* Names of symbols as the source has them: C++, Rust.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_DEMANGLE_H
#define STACKS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Write what NAME stands for to the SIZE bytes at TO, cut off where it is
   longer.  False, with nothing said of TO, when it is no such name, or this
   build has no libiberty.  */
bool demangle (const char *name, char *to, size_t size);

#endif /* STACKS_DEMANGLE_H */

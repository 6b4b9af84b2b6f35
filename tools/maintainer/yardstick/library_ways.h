/* Walks of the own stack by libsframewalk and others, for walks.c.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef YARDSTICK_LIBRARY_WAYS_H
#define YARDSTICK_LIBRARY_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sframewalk.h"

/* The code from START up to END has SECTION.  */
void library_add (uint64_t start, uint64_t end,
                  const struct sfw_section *section);

/* The frame that walks begin with, and the stack's limit.  */
bool library_begin (uint64_t pc, uint64_t sp, uint64_t fp);

/* Walks; the number of frames.  */
size_t library_walk (void);          /* as a program does */
size_t library_walk_uncached (void); /* nothing is remembered */
/* After this call, the last walk was another one.  */
void library_walk_elsewhere (void);
void library_forget (void);
size_t library_frame_pointers (void);
size_t library_libgcc (void);

#endif /* YARDSTICK_LIBRARY_WAYS_H */

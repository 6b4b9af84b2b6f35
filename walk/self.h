/* The modules of the process itself.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_SELF_H
#define WALK_SELF_H

#include <stdbool.h>

#include "sframewalk.h"

struct dl_phdr_info;

/* Set *SECTION to the section of the module that the dynamic linker tells of
   by INFO.  False if the module has none in its memory that can be opened:
   tools that take sections out of files may leave the program header.  */
bool walk_listed_section (const struct dl_phdr_info *info,
                          struct sfw_section *section);

#endif /* WALK_SELF_H */

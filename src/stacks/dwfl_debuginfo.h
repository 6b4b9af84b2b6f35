/* Debug files, for libdwfl.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_DWFL_DEBUGINFO_H
#define STACKS_DWFL_DEBUGINFO_H

#include <elfutils/libdwfl.h>

/* As dwfl_standard_find_debuginfo, which opens whatever has the name that a
   file gives for its debug file, and would wait for ever if that is a fifo:
   then there is none.  */
int dwfl_debuginfo_find (Dwfl_Module *module, void **user, const char *name,
                         Dwarf_Addr base, const char *file, const char *link,
                         GElf_Word crc, char **found);

#endif /* STACKS_DWFL_DEBUGINFO_H */

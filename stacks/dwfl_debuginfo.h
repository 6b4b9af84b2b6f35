/* Debug files, for libdwfl.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_DWFL_DEBUGINFO_H
#define STACKS_DWFL_DEBUGINFO_H

#include <elfutils/libdwfl.h>

/* As dwfl_standard_find_debuginfo, but with no result where the debug file
   that FILE names is a fifo: the standard function would open the fifo and
   wait for ever.  */
int dwfl_debuginfo_find (Dwfl_Module *module, void **user, const char *name,
                         Dwarf_Addr base, const char *file, const char *link,
                         GElf_Word crc, char **found);

#endif /* STACKS_DWFL_DEBUGINFO_H */

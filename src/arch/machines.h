/* The machines, each named once.  A new one has its name here, and two files
   in this folder with what these names stand for: arch_NAME (arch.h), and
   NAME_patterns (patterns.h), which both byte orders of a machine share.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ARCH_MACHINES_H
#define ARCH_MACHINES_H

#define FOR_EACH_ARCH(use) \
  use (amd64) use (aarch64) use (aarch64_be) use (s390x)
#define FOR_EACH_PATTERNS(use) use (amd64) use (aarch64) use (s390x)

#endif /* ARCH_MACHINES_H */

/* Where the frame rows of a relocatable object come from.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef RELOCATABLE_OBJECT_SOURCE_H
#define RELOCATABLE_OBJECT_SOURCE_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/source.h"
#include "relocatable/object.h"

/* Read the CFI of OBJECT, which must outlive SOURCE, as cfi_source_open does.
   Addresses are those of relocatable/object.h; objects have no PLT.
   FDEs with relocated instructions cannot be taken as they are.  NO_PLAIN: as
   in struct cfi_section.  */
bool object_source_open (struct cfi_source *source,
                         const struct object *object, bool no_plain,
                         struct error *err);

#endif /* RELOCATABLE_OBJECT_SOURCE_H */

/* The public names of things: the version, reasons, defects.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "base/error.h"
#include "frame/frame.h"
#include "sframe/compare.h"

const char *
cfi2sframe_version (void)
{
  return PACKAGE_VERSION;
}

const char *
cfi2sframe_reason_name (unsigned reason)
{
  return reason < REASON_COUNT ? frame_reason_name (reason) : NULL;
}

const char *
cfi2sframe_reason_text (unsigned reason)
{
  return reason < REASON_COUNT ? frame_reason_text (reason) : NULL;
}

const char *
cfi2sframe_defect_name (unsigned defect)
{
  return defect == 0 ? NULL
                     : compare_defect_name ((enum compare_defect)defect);
}

const char *
cfi2sframe_defect_text (unsigned defect)
{
  return defect == 0 ? NULL
                     : compare_defect_text ((enum compare_defect)defect);
}

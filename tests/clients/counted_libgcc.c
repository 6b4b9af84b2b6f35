/* Takes the place of libgcc_s.so.1, to see when backtrace () falls back.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Where glibc's SFrame reader gives up, backtrace () loads libgcc_s.so.1 and
   calls its _Unwind_Backtrace.  This one finds nothing, so that backtrace ()
   returns 0; everything else (cancellation needs it) comes from the real
   library, which this one is linked to.  */

#include <unwind.h>

_Unwind_Reason_Code
_Unwind_Backtrace (_Unwind_Trace_Fn function, void *argument)
{
  (void)function;
  (void)argument;
  return _URC_END_OF_STACK;
}

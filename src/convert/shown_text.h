/* Names and texts as the program shows them: base/printable.h for src/tool.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_SHOWN_TEXT_H
#define CONVERT_SHOWN_TEXT_H

#include "base/printable.h"

#endif /* CONVERT_SHOWN_TEXT_H */

/* One row from the model to SFrame.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SFRAME_LOWER_ROW_H
#define SFRAME_LOWER_ROW_H

#include "sframe/lower.h"

/* ROW as a row of a default function (V3 specification, section 3.1), at the
   same start.  REASON_NONE, or why there is no such row; *OUT is garbage
   then.  */
enum frame_reason row_lower_default (const struct lower_options *options,
                                     const struct frame_row *row,
                                     struct sframe_row *out);

/* ROW as a row of a flexible function (V3 specification, section 3.2).  */
enum frame_reason row_lower_flexible (const struct lower_options *options,
                                      const struct frame_row *row,
                                      struct sframe_row *out);

#endif /* SFRAME_LOWER_ROW_H */

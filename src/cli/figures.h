/* Proportions, as all reports print them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include <stdint.h>

#include "base/percent.h"

/* PART of WHOLE in percent; 100 of nothing, where nothing is missing.  */
static inline double
figure_percent (uint64_t part, uint64_t whole)
{
  return percent_of (part, whole);
}

/* BYTES relative to those of .eh_frame and .eh_frame_hdr; 0 without these.  */
static inline double
figure_size_ratio (uint64_t bytes, uint64_t eh_frame, uint64_t eh_frame_hdr)
{
  uint64_t cfi = eh_frame + eh_frame_hdr;
  return cfi == 0 ? 0 : (double)bytes / (double)cfi;
}

#endif /* CLI_FIGURES_H */

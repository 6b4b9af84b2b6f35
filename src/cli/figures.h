/* The size of a section, as all reports print it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include <stdint.h>

/* BYTES relative to those of .eh_frame and .eh_frame_hdr; 0 without these.  */
static inline double
figure_size_ratio (uint64_t bytes, uint64_t eh_frame, uint64_t eh_frame_hdr)
{
  uint64_t cfi = eh_frame + eh_frame_hdr;
  return cfi == 0 ? 0 : (double)bytes / (double)cfi;
}

#endif /* CLI_FIGURES_H */

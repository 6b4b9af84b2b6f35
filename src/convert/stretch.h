/* A stretch of code: its functions on their way from CFI into an encoder.
   SPDX-License-Identifier: LGPL-2.1-or-later

   FDEs and PLT stubs pass through one at a time, in address order.  Different
   stretches of one image can be built at the same time.  */

#ifndef CONVERT_STRETCH_H
#define CONVERT_STRETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/eh_frame.h"
#include "elf/padding.h"
#include "cfi/plt.h"
#include "elf/image.h"
#include "sframe/encode.h"

/* The sources of functions, of which a stretch has a part.  */
struct stretch_source
{
  const struct image *image;
  const struct cfi_section *cfi;
  const struct plt_list *plt;
};

struct stretch_range
{
  size_t first_fde, end_fde; /* indexes */
  size_t first_stub, end_stub;
};

struct stretch; /* opaque */

/* A stretch whose functions go to ENCODER, which is made as ENCODE says.
   REPORT, of which the counts of functions and bytes are used, starts with 0.
   NULL when memory ran out, or PADDING was asked for and cannot be looked at.
   All arguments but RANGE must outlive the stretch.  */
struct stretch *stretch_new (const struct stretch_source *source,
                             const struct stretch_range *range,
                             const struct cfi2sframe_options *options,
                             const struct encode_options *encode,
                             struct sframe_encoder *encoder,
                             struct cfi2sframe_report *report,
                             struct error *err);
void stretch_free (struct stretch *stretch);

/* Add all functions of the stretch to its encoder.  */
bool stretch_build (struct stretch *stretch, struct error *err);

/* Where SOURCE can be cut in two stretches that do not know of each other, so
   that the result is the same as in one.  False when there is no such place,
   or too little to do.  */
bool stretch_cut (const struct stretch_source *source,
                  struct stretch_range *first, struct stretch_range *second);

#endif /* CONVERT_STRETCH_H */

/* The layout planner alone: any size of .sframe, every strategy.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Input: an ELF file, three bytes of size, one byte of options.  */

#include <config.h>

#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "write/inject.h"
#include "place/choose_strategy.h"

enum
{
  OPTION_STRATEGY = 0x07, /* above the last one: what the planner thinks */
  OPTION_PROGBITS = 0x10
};

static void
check_plan (const struct plan *plan, const struct image *image)
{
  fuzz_check_plan (plan, image);
  uint8_t *sframe = malloc (plan->sframe_size);
  FUZZ_CHECK (sframe != NULL);
  memset (sframe, 0xa5, plan->sframe_size);
  fuzz_check_file (plan, image, sframe);
  free (sframe);
}

void
fuzz_layout (const uint8_t *bytes, size_t size)
{
  struct image image;
  struct plan plan;
  struct error err = { 0 };
  if (size < 4)
    return;
  size -= 4;
  uint8_t choice = bytes[size + 3];
  struct plan_request request
      = { .sframe_size
          = bytes[size] | bytes[size + 1] << 8 | (bytes[size + 2] & 3) << 16,
          .section_type
          = choice & OPTION_PROGBITS ? SHT_PROGBITS : SHT_GNU_SFRAME };
  if (!image_open_memory (&image, bytes, size, &err))
    return;
  static const char *const strategies[]
      = { "slack", "evict", "evict", "grow-down", "grow-data", "reuse" };
  unsigned strategy = choice & OPTION_STRATEGY;
  if (strategy < sizeof strategies / sizeof *strategies)
    request.strategy = strategies[strategy];
  if (choose_strategy (&plan, &image, &request, &err))
    check_plan (&plan, &image);
  plan_free (&plan);
  image_close (&image);
}

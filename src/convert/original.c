/* The file as it was before this program changed it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/original.h"

#include <sys/mman.h>
#include <unistd.h>

#include "write/inject.h"
#include "write/undo.h"

bool
original_restore (struct image *original, const struct image *image,
                  struct error *err)
{
  struct plan plan;
  int fd = -1;
  bool restored = undo_plan (&plan, image, err);
  if (restored)
    {
      fd = memfd_create ("cfi2sframe original", MFD_CLOEXEC);
      restored = fd >= 0 || error_set_errno (err, "memfd_create");
    }
  restored = restored && inject_write (image, &plan, NULL, fd, err)
             && image_open_fd (original, fd, err);
  if (restored)
    original->made_from = image;
  else if (fd >= 0)
    close (fd);
  plan_free (&plan);
  return restored;
}

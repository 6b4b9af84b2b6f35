/* Injects a made-up .sframe of a given size: the layout alone, for tests.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: inject_blob [-n] [-s STRATEGY] IN OUT SIZE
     -s  use this strategy only (names as in reports)
     -n  plan only
   The blob starts with the SFrame magic, so that programs which look for
   their own .sframe recognise it.  Prints the strategy.  */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "tests/inject_file_check.h"
#include "write/inject.h"
#include "place/choose_strategy.h"

static uint8_t *
make_blob (size_t size, bool big_endian)
{
  uint8_t *blob = calloc (1, size);
  if (blob == NULL)
    return NULL;
  for (size_t i = 0; i < size; i++)
    blob[i] = (uint8_t)(i * 7 + 1);
  if (size >= 2)
    store_u16 (blob, 0xdee2, big_endian);
  return blob;
}

static bool
write_new (const struct image *image, const struct plan *plan,
           const char *path, struct error *err)
{
  bool good = false;
  struct stat status;
  uint8_t *blob = make_blob (plan->sframe_size, image->big_endian);
  int fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  if (blob == NULL || fd < 0)
    error_set_errno (err, path);
  else
    good = inject_write (image, plan, blob, fd, err)
           && inject_check_file (image, plan, blob, fd, err)
           && fstat (image->fd, &status) == 0
           && fchmod (fd, status.st_mode & 0777) == 0;
  if (fd >= 0)
    close (fd);
  if (!good && fd >= 0)
    unlink (path);
  free (blob);
  return good;
}

int
main (int argc, char **argv)
{
  struct plan_request request = { .section_type = SHT_GNU_SFRAME };
  bool dry = false;
  int option;
  while ((option = getopt (argc, argv, "ns:")) != -1)
    if (option == 'n')
      dry = true;
    else if (option == 's')
      request.strategy = optarg;
    else
      return 2;
  if (argc - optind != 3)
    return 2;
  request.sframe_size = strtoull (argv[optind + 2], NULL, 0);

  struct error err = { 0 };
  struct image image;
  struct plan plan = { 0 };
  bool good = image_open (&image, argv[optind], &err);
  if (good)
    {
      good = choose_strategy (&plan, &image, &request, &err)
             && (dry || write_new (&image, &plan, argv[optind + 1], &err));
      if (good)
        printf ("%s\n", plan.strategy);
      plan_free (&plan);
      image_close (&image);
    }
  if (!good)
    fprintf (stderr, "%s: %s\n", argv[optind], err.reason);
  return good ? 0 : 1;
}

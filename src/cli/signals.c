/* Signal handlers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "base/mapped_file.h"
#include "cfi2sframe.h"

static void (*before_end) (int number);
static void (*before_bus_error) (const void *address);

void
signals_end (int number)
{
  cfi2sframe_discard_temporaries ();
  if (before_end != NULL)
    before_end (number);
  signal (number, SIG_DFL);
  raise (number);
}

/* Map zeros in place of the lost bytes of a truncated file, so that the thread
   that reads them continues.  For other addresses, end the program.  */
static void
handle_bus_error (int number, siginfo_t *info, void *unused)
{
  (void)unused;
  int saved = errno;
  if (!mapped_file_patch (info->si_addr))
    {
      cfi2sframe_discard_temporaries ();
      if (before_bus_error != NULL)
        before_bus_error (info->si_addr);
      signals_end (number);
    }
  errno = saved;
}

void
signals_install (void (*ending) (int number),
                 void (*lost) (const void *address))
{
  before_end = ending;
  before_bus_error = lost;
  static const int fatal[]
      = { SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGQUIT, SIGXCPU };
  const struct sigaction patching
      = { .sa_sigaction = handle_bus_error, .sa_flags = SA_SIGINFO };
  struct sigaction action = { .sa_handler = signals_end }, old;
  sigfillset (&action.sa_mask);
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
    if (sigaction (fatal[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction (fatal[i], &action, NULL);
  sigaction (SIGBUS, &patching, NULL);
  /* Beyond the file size limit (ulimit -f), a write shall fail with EFBIG,
     which is reported like any other failure.  */
  signal (SIGXFSZ, SIG_IGN);
}

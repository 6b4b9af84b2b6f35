/* A program under a gdb stub, such as qemu's.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LIVING_REMOTE_H
#define LIVING_REMOTE_H

#include "referee.h"

enum
{
  REMOTE_PACKET = 1 << 13, /* bytes of the longest answer */
  REMOTE_CHUNK = 256       /* bytes that are asked for at once */
};

struct remote
{
  struct process process; /* with one thread and one file */
  struct referee referee;
  struct code_files files;
  int socket;
  bool big_endian;
  char packet[REMOTE_PACKET];
  char input[4096]; /* received, and from `input_at' to `input_end' not read */
  size_t input_at, input_end;
};

/* Connect to the stub listening at SOCKET_PATH (waiting for it to appear),
   which runs PATH, a statically linked file at its own addresses.  libdwfl
   reads the CFI of CFI_PATH, the same or a copy that has it.  */
bool remote_open (struct remote *remote, const char *socket_path,
                  const char *path, const char *cfi_path);
void remote_close (struct remote *remote);

/* Execute one instruction.  False when the program has ended.  */
bool remote_step (struct remote *remote);

/* Run to ADDRESS.  */
bool remote_run_to (struct remote *remote, uint64_t address);

/* The registers as they are now.  */
bool remote_registers (struct remote *remote, struct registers *registers);

#endif /* LIVING_REMOTE_H */

/* A program under a gdb stub, such as qemu's.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LIVING_REMOTE_H
#define LIVING_REMOTE_H

#include "target.h"

enum
{
  REMOTE_CACHE = 64,       /* blocks */
  REMOTE_BLOCK = 256,      /* bytes of one */
  REMOTE_PACKET = 1 << 13, /* bytes of the longest answer */
  REMOTE_MODULES = 1
};

struct remote
{
  struct target target; /* first: its functions get the remote back */
  int socket;
  bool big_endian;
  const char *path;     /* of the program: one static file */
  struct module module; /* read from the program's memory */
  struct
  {
    uint64_t address;
    bool valid;
    uint8_t bytes[REMOTE_BLOCK];
  } cache[REMOTE_CACHE];
  char packet[REMOTE_PACKET];
};

/* Connect to the stub listening at SOCKET_PATH (waiting for it to appear),
   which runs PATH, a statically linked file at its own addresses.  */
bool remote_open (struct remote *remote, const char *socket_path,
                  const char *path);
void remote_close (struct remote *remote);

/* Execute one instruction.  False when the program has ended.  */
bool remote_step (struct remote *remote);

/* Run to ADDRESS.  */
bool remote_run_to (struct remote *remote, uint64_t address);

/* The registers, by DWARF number.  */
bool remote_registers (struct remote *remote, uint64_t registers[REGISTERS]);

#endif /* LIVING_REMOTE_H */

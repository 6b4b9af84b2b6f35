/* A program under a gdb stub, such as qemu's.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The GDB remote serial protocol (gdb manual, appendix E), as little of it as
   is needed: no acknowledgements are repeated, the connection is local.  */

#define _GNU_SOURCE 1
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "remote.h"

enum
{
  PT_SFRAME = 0x6474e554,
  CONNECT_TRIES = 200
};

/* Packets.  */

static bool
send_all (int socket, const char *bytes, size_t size)
{
  while (size > 0)
    {
      ssize_t n = send (socket, bytes, size, MSG_NOSIGNAL);
      if (n <= 0)
        return false;
      bytes += n;
      size -= (size_t)n;
    }
  return true;
}

static bool
send_packet (struct remote *remote, const char *content)
{
  char packet[128];
  unsigned char sum = 0;
  for (const char *at = content; *at; at++)
    sum = (unsigned char)(sum + (unsigned char)*at);
  int size = snprintf (packet, sizeof packet, "$%s#%02x", content, sum);
  return send_all (remote->socket, packet, (size_t)size);
}

/* Receive one packet into remote->packet, without frame and checksum.  */
static bool
receive_packet (struct remote *remote)
{
  size_t n = 0;
  bool inside = false;
  for (;;)
    {
      char byte;
      if (recv (remote->socket, &byte, 1, 0) != 1)
        return false;
      if (byte == '$')
        inside = true;
      else if (inside && byte == '#')
        break;
      else if (inside && n + 1 < sizeof remote->packet)
        remote->packet[n++] = byte;
    }
  remote->packet[n] = 0;
  char checksum[2];
  return recv (remote->socket, checksum, 2, MSG_WAITALL) == 2
         && send_all (remote->socket, "+", 1);
}

static bool
ask (struct remote *remote, const char *content)
{
  return send_packet (remote, content) && receive_packet (remote);
}

static int
digit (char c)
{
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                : -1;
}

/* SIZE bytes from hexadecimal digits.  */
static bool
from_hex (const char *text, uint8_t *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    {
      int high = digit (text[2 * i]);
      int low = high < 0 ? -1 : digit (text[2 * i + 1]);
      if (low < 0)
        return false;
      bytes[i] = (uint8_t)(high << 4 | low);
    }
  return true;
}

static uint64_t
word_of (const struct remote *remote, const uint8_t *bytes)
{
  uint64_t word;
  memcpy (&word, bytes, sizeof word);
  return remote->big_endian ? be64toh (word) : le64toh (word);
}

/* Memory.  */

static bool
read_bytes (struct remote *remote, uint64_t address, uint8_t *to, size_t size)
{
  char request[64];
  while (size > 0)
    {
      size_t part = size < 1024 ? size : 1024;
      snprintf (request, sizeof request, "m%lx,%zx", address, part);
      if (!ask (remote, request) || strlen (remote->packet) != 2 * part
          || !from_hex (remote->packet, to, part))
        return false;
      address += part;
      to += part;
      size -= part;
    }
  return true;
}

static bool
read_word (struct target *target, uint64_t address, uint64_t *word)
{
  struct remote *remote = (struct remote *)target;
  uint64_t block = address & ~(uint64_t)(REMOTE_BLOCK - 1);
  size_t offset = address - block;
  size_t slot = (block / REMOTE_BLOCK) % REMOTE_CACHE;
  uint8_t bytes[8];
  if (offset > REMOTE_BLOCK - sizeof bytes)
    {
      if (!read_bytes (remote, address, bytes, sizeof bytes))
        return false;
      *word = word_of (remote, bytes);
      return true;
    }
  if (!remote->cache[slot].valid || remote->cache[slot].address != block)
    {
      remote->cache[slot].address = block;
      remote->cache[slot].valid = read_bytes (
          remote, block, remote->cache[slot].bytes, REMOTE_BLOCK);
      if (!remote->cache[slot].valid)
        return false;
    }
  *word = word_of (remote, remote->cache[slot].bytes + offset);
  return true;
}

static void
forget (struct remote *remote)
{
  for (size_t i = 0; i < REMOTE_CACHE; i++)
    remote->cache[i].valid = false;
}

/* The program's file: where it is, and where its SFrame data is.  */

static const struct module *
module_at (struct target *target, uint64_t pc)
{
  struct remote *remote = (struct remote *)target;
  const struct module *module = &remote->module;
  return pc >= module->start && pc < module->end ? module : NULL;
}

static bool
report (struct target *target, Dwfl *dwfl)
{
  struct remote *remote = (struct remote *)target;
  return dwfl_report_elf (dwfl, "program", remote->path, -1, 0, false) != NULL;
}

static bool
read_segments (struct remote *remote, Elf *elf, uint64_t *address,
               uint64_t *size)
{
  size_t n;
  GElf_Ehdr header;
  GElf_Phdr segment;
  if (!gelf_getehdr (elf, &header) || header.e_type != ET_EXEC
      || elf_getphdrnum (elf, &n) != 0)
    return false;
  remote->target.abi = referee_abi_of (header.e_machine);
  remote->target.n_registers = header.e_machine == EM_S390 ? 16 : 32;
  remote->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
  remote->module.start = UINT64_MAX;
  for (size_t i = 0; i < n && gelf_getphdr (elf, (int)i, &segment); i++)
    if (segment.p_type == PT_LOAD)
      {
        uint64_t end = segment.p_vaddr + segment.p_memsz;
        if (segment.p_vaddr < remote->module.start)
          remote->module.start = segment.p_vaddr;
        if (end > remote->module.end)
          remote->module.end = end;
      }
    else if (segment.p_type == PT_SFRAME)
      {
        *address = segment.p_vaddr;
        *size = segment.p_memsz;
      }
  return remote->target.abi != NULL && *size > 0;
}

/* The addresses come from the file, the section from memory.  */
static bool
load_module (struct remote *remote)
{
  struct module *module = &remote->module;
  struct error err;
  uint64_t address = 0, size = 0;
  int fd = open (remote->path, O_RDONLY | O_CLOEXEC);
  elf_version (EV_CURRENT);
  Elf *elf = fd < 0 ? NULL : elf_begin (fd, ELF_C_READ, NULL);
  bool ok = elf && read_segments (remote, elf, &address, &size);
  elf_end (elf);
  close (fd);
  error_clear (&err);
  module->bytes = ok ? malloc (size) : NULL;
  module->has_sframe = module->bytes
                       && read_bytes (remote, address, module->bytes, size)
                       && sframe_decoder_open (&module->decoder, module->bytes,
                                               size, address, &err);
  return module->has_sframe;
}

static bool
connect_to (struct remote *remote, const char *socket_path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  snprintf (address.sun_path, sizeof address.sun_path, "%s", socket_path);
  remote->socket = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  for (int i = 0; i < CONNECT_TRIES && remote->socket >= 0; i++)
    {
      const struct timespec pause = { 0, 20000000 };
      if (connect (remote->socket, (struct sockaddr *)&address, sizeof address)
          == 0)
        return true;
      nanosleep (&pause, NULL);
    }
  return false;
}

bool
remote_open (struct remote *remote, const char *socket_path, const char *path)
{
  *remote = (struct remote){
    .path = path,
    .target = { .pid = 1,
                .generation = 1,
                .read_word = read_word,
                .module_at = module_at,
                .report = report },
  };
  return connect_to (remote, socket_path) && ask (remote, "?")
         && load_module (remote);
}

void
remote_close (struct remote *remote)
{
  send_packet (remote, "k");
  close (remote->socket);
  free (remote->module.bytes);
}

/* Whether the stub said that the program stopped (and not that it ended).  */
static bool
is_stopped (const struct remote *remote)
{
  return *remote->packet == 'T' || *remote->packet == 'S';
}

bool
remote_step (struct remote *remote)
{
  forget (remote);
  return ask (remote, "s") && is_stopped (remote);
}

bool
remote_run_to (struct remote *remote, uint64_t address)
{
  char set[64], clear[64];
  unsigned size = remote->target.abi->e_machine == EM_S390 ? 2 : 4;
  snprintf (set, sizeof set, "Z0,%lx,%u", address, size);
  snprintf (clear, sizeof clear, "z0,%lx,%u", address, size);
  forget (remote);
  return ask (remote, set) && strcmp (remote->packet, "OK") == 0
         && ask (remote, "c") && is_stopped (remote) && ask (remote, clear);
}

bool
remote_registers (struct remote *remote, uint64_t registers[REGISTERS])
{
  /* aarch64: x0 ... x30, sp, pc.  s390x: PSW mask, PSW address, r0 ...  */
  bool s390x = remote->target.abi->e_machine == EM_S390;
  uint8_t bytes[33 * 8];
  size_t n = s390x ? 18 : 33;
  if (!ask (remote, "g") || !from_hex (remote->packet, bytes, n * 8))
    return false;
  for (size_t i = 0; i < n; i++)
    {
      size_t to = !s390x   ? (i == 32 ? REGISTER_PC : i)
                  : i == 0 ? REGISTERS - 2 /* nobody asks for it */
                  : i == 1 ? REGISTER_PC
                           : i - 2;
      registers[to] = word_of (remote, bytes + 8 * i);
    }
  return true;
}

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

static bool
receive_byte (struct remote *remote, char *byte)
{
  if (remote->input_at == remote->input_end)
    {
      ssize_t n
          = recv (remote->socket, remote->input, sizeof remote->input, 0);
      if (n <= 0)
        return false;
      remote->input_at = 0;
      remote->input_end = (size_t)n;
    }
  *byte = remote->input[remote->input_at++];
  return true;
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
      if (!receive_byte (remote, &byte))
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
  return receive_byte (remote, &checksum[0])
         && receive_byte (remote, &checksum[1])
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

/* As much of it as there is: struct memory's fetch.  */
static size_t
read_bytes (void *source, uint64_t address, void *to, size_t size)
{
  struct remote *remote = source;
  char request[64];
  size_t got = 0;
  while (got < size)
    {
      size_t part = size - got < 1024 ? size - got : 1024;
      snprintf (request, sizeof request, "m%lx,%zx", address + got, part);
      if (!ask (remote, request) || strlen (remote->packet) != 2 * part
          || !from_hex (remote->packet, (uint8_t *)to + got, part))
        break;
      got += part;
    }
  return got;
}

/* The program's file: where it is, and where its SFrame data is.  */

struct places
{
  uint64_t start, end;    /* of the file */
  uint64_t section, size; /* of its SFrame data */
};

static bool
read_segments (struct remote *remote, Elf *elf, struct places *places)
{
  size_t n;
  GElf_Ehdr header;
  GElf_Phdr segment;
  if (!gelf_getehdr (elf, &header) || header.e_type != ET_EXEC
      || elf_getphdrnum (elf, &n) != 0)
    return false;
  remote->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
  remote->process.arch
      = arch_of_machine (header.e_machine, remote->big_endian);
  *places = (struct places){ .start = UINT64_MAX };
  for (size_t i = 0; i < n && gelf_getphdr (elf, (int)i, &segment); i++)
    if (segment.p_type == PT_LOAD)
      {
        uint64_t end = segment.p_vaddr + segment.p_memsz;
        if (segment.p_vaddr < places->start)
          places->start = segment.p_vaddr;
        if (end > places->end)
          places->end = end;
      }
    else if (segment.p_type == PT_SFRAME)
      {
        places->section = segment.p_vaddr;
        places->size = segment.p_memsz;
      }
  return remote->process.arch != NULL && places->size > 0;
}

/* The addresses come from the file at PATH, the section from memory.  */
static bool
load_file (struct remote *remote, const char *path)
{
  struct places places;
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  elf_version (EV_CURRENT);
  Elf *elf = fd < 0 ? NULL : elf_begin (fd, ELF_C_READ, NULL);
  bool ok = elf && read_segments (remote, elf, &places);
  elf_end (elf);
  close (fd);
  struct process *process = &remote->process;
  process->files = &remote->files;
  const struct walk_mapping report = { .start = places.start,
                                       .end = places.end,
                                       .offset = places.start,
                                       .path = path,
                                       .executable = true };
  if (!ok || !process_map (process, &report))
    return false;
  struct code_file *file = process->mappings.list[0].file;
  struct row_source *rows = &file->rows;
  file->opened = true;
  rows->bytes = malloc (places.size);
  rows->section
      = (struct sfw_section){ rows->bytes, places.size, places.section };
  rows->origin = SECTION_OWN;
  return rows->bytes
         && read_bytes (remote, places.section, rows->bytes, places.size)
                == places.size;
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
remote_open (struct remote *remote, const char *socket_path, const char *path,
             const char *cfi_path)
{
  *remote
      = (struct remote){ .process = { .pid = 1, .policy.only_sframe = true } };
  struct process *process = &remote->process;
  process->memory = (struct memory){
    .fetch = read_bytes, .source = remote, .open = true, .chunk = REMOTE_CHUNK
  };
  struct thread *thread = process_add_thread (process, process->pid);
  if (!thread)
    return false;
  thread->known = true;
  return connect_to (remote, socket_path) && ask (remote, "?")
         && load_file (remote, path)
         && referee_open_file (&remote->referee, process, cfi_path);
}

void
remote_close (struct remote *remote)
{
  send_packet (remote, "k");
  close (remote->socket);
  referee_close (&remote->referee);
  process_free (&remote->process);
  code_files_free (&remote->files);
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
  memory_forget (&remote->process.memory);
  return ask (remote, "s") && is_stopped (remote);
}

bool
remote_run_to (struct remote *remote, uint64_t address)
{
  char set[64], clear[64];
  unsigned size = remote->process.arch->smallest_instruction;
  snprintf (set, sizeof set, "Z0,%lx,%u", address, size);
  snprintf (clear, sizeof clear, "z0,%lx,%u", address, size);
  memory_forget (&remote->process.memory);
  return ask (remote, set) && strcmp (remote->packet, "OK") == 0
         && ask (remote, "c") && is_stopped (remote) && ask (remote, clear);
}

bool
remote_registers (struct remote *remote, struct registers *registers)
{
  /* aarch64: x0 ... x30, sp, pc.  s390x: PSW mask, PSW address, r0 ...  */
  bool s390x = remote->process.arch == &arch_s390x;
  uint8_t bytes[33 * 8];
  size_t n = s390x ? 18 : 33, first = s390x ? 2 : 0;
  if (!ask (remote, "g") || !from_hex (remote->packet, bytes, n * 8))
    return false;
  registers->pc = word_of (remote, bytes + 8 * (s390x ? 1 : 32));
  registers->n = s390x ? 16 : 32;
  for (size_t i = 0; i < registers->n; i++)
    registers->values[i] = word_of (remote, bytes + 8 * (first + i));
  return true;
}

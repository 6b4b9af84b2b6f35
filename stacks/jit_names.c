/* The names that a just-in-time compiler gives its code: reading its files.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/names.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/lines.h"
#include "base/mapped_file.h"
#include "stacks/shortage.h"

enum
{
  NAMES_MAX = 1 << 22, /* functions of all processes */
  /* Open folders and dumps.  Each process of a build may have JIT code, and a
     program usually may have 1,024 descriptors.  */
  DESCRIPTORS_MAX = 256,
  LENGTH_MAX = 1024, /* bytes of a name; more are not printed (names.h) */
  /* Bytes of the file with names.  Another user may have written it, and a
     single line may be as long as the whole file.  */
  FILE_MAX = 256 << 20
};

bool
jit_names_is_dump (const char *path)
{
  const char *slash = strrchr (path, '/');
  int end = 0;
  return slash != NULL && sscanf (slash, "/jit-%*u.dump%n", &end) == 0
         && end > 0 && slash[end] == '\0';
}

/* Count DESCRIPTOR and return it; if there are too many, close it: -1.  */
static int
count_descriptor (struct jit_names *names, int descriptor)
{
  if (descriptor < 0)
    return -1;
  if (names->sums->descriptors < DESCRIPTORS_MAX)
    {
      names->sums->descriptors++;
      return descriptor;
    }
  close (descriptor);
  return -1;
}

static void
close_descriptor (struct jit_names *names, int descriptor)
{
  if (descriptor < 0)
    return;
  close (descriptor);
  names->sums->descriptors--;
}

void
jit_names_open (struct jit_names *names, pid_t pid, bool recorded, int dump,
                struct jit_sums *sums)
{
  char path[64];
  struct stat status;
  *names = (struct jit_names){
    .pid = pid, .own_pid = pid, .folder = -1, .user = geteuid (), .sums = sums
  };
  names->dump = count_descriptor (names, dump);
  snprintf (path, sizeof path, "/proc/%d", (int)pid);
  if (recorded || stat (path, &status) != 0)
    return;
  names->user = status.st_uid;
  /* The folder is opened, and not the root: when a container ends, its root
     folder remains, but without the file systems that were mounted in it.  */
  snprintf (path, sizeof path, "/proc/%d/root/tmp", (int)pid);
  names->folder = count_descriptor (
      names, open (path, O_PATH | O_DIRECTORY | O_CLOEXEC));
  snprintf (path, sizeof path, "/proc/%d/status", (int)pid);
  /* The line has a PID for each namespace, the innermost one last.  */
  long own_pid = lines_status (path, "NSpid:");
  if (own_pid > 0)
    names->own_pid = (pid_t)own_pid;
}

/* Open the file with names in FOLDER of the process that is PID there, and set
   *SIZE to its present size; -1 if there is none.  Anyone may write to /tmp,
   so the file must belong to USER or root.  */
static int
open_in (int folder, pid_t pid, uid_t user, size_t *size)
{
  char name[32];
  struct stat status;
  snprintf (name, sizeof name, "perf-%d.map", (int)pid);
  int fd = openat (folder, name,
                   O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (fd < 0)
    return -1;
  if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
      && (status.st_uid == user || status.st_uid == 0)
      && status.st_size <= FILE_MAX)
    {
      *size = (size_t)status.st_size;
      return fd;
    }
  close (fd);
  return -1;
}

static int
open_names (const struct jit_names *names, size_t *size)
{
  int fd = names->folder >= 0
               ? open_in (names->folder, names->own_pid, names->user, size)
               : -1;
  int folder = fd < 0 ? open ("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  if (folder >= 0)
    {
      fd = open_in (folder, names->pid, names->user, size);
      close (folder);
    }
  return fd;
}

/* Add a function.  NAME has at most ROOM bytes, may change meanwhile, and is
   cut off at LENGTH_MAX.  False when memory ran out.  */
static bool
add_name (struct jit_names *names, uint64_t start, uint64_t size,
          const char *name, size_t room)
{
  if (size == 0 || *name == '\0' || names->sums->names == NAMES_MAX)
    return true;
  if (!ARRAY_ROOM (names->names, names->n + 1, &names->capacity))
    return shortage_note ();
  struct jit_name *last = &names->names[names->n];
  *last = (struct jit_name){
    start, size, strndup (name, room < LENGTH_MAX ? room : LENGTH_MAX)
  };
  names->n += last->name != NULL;
  names->sums->names += last->name != NULL;
  return last->name != NULL || shortage_note ();
}

/* Add the functions in the lines from AT to END, where '\0' is.  */
static void
add_lines (struct jit_names *names, char *at, char *end)
{
  while (at < end)
    {
      char *newline = memchr (at, '\n', (size_t)(end - at));
      char *behind = newline != NULL ? newline : end;
      *behind = '\0';
      uint64_t start = strtoull (at, &at, 16), size = strtoull (at, &at, 16);
      at += strspn (at, " ");
      if (!add_name (names, start, size, at, strlen (at)))
        return;
      at = behind + 1;
    }
}

/* Read the file with names, if there is one, up to its present size.  If a
   process wrote faster than this function reads, the file would never end.  */
static void
read_map (struct jit_names *names)
{
  struct error ignored;
  size_t size = 0;
  int fd = open_names (names, &size);
  char *text = size > 0
                   ? mapped_file_open_longer (fd, size, size + 1, &ignored)
                   : NULL;
  if (text != NULL)
    {
      text[size] = '\0';
      add_lines (names, text, text + size);
      mapped_file_close (text, size + 1);
    }
  if (fd >= 0)
    close (fd);
}

/* Add the function in the next record of DUMP.  False if there is no more.  */
static bool
add_record (struct jit_names *names, struct cursor *dump)
{
  enum
  {
    CODE_LOAD = 0,
    HEADER = 16 /* including a time */
  };
  uint32_t kind = cursor_u32 (dump), whole = cursor_u32 (dump);
  cursor_u64 (dump);
  uint64_t size = whole >= HEADER ? whole - HEADER : UINT64_MAX;
  const uint8_t *bytes = cursor_take (dump, size);
  if (bytes == NULL || kind != CODE_LOAD)
    return bytes != NULL;
  struct cursor at = cursor_over (bytes, size, dump->big_endian);
  cursor_take (&at, 16); /* process, thread, address at creation */
  uint64_t start = cursor_u64 (&at), length = cursor_u64 (&at);
  cursor_u64 (&at);
  const char *name = (const char *)at.at;
  bool whole_name = memchr (name, '\0', cursor_left (&at)) != NULL;
  return at.failed || !whole_name
         || add_name (names, start, length, name, cursor_left (&at));
}

/* Read the dump, if any: a header, which gives its size, and records.  */
static void
read_dump (struct jit_names *names)
{
  enum
  {
    MAGIC = 0x4a695444
  };
  struct error ignored;
  size_t size;
  const void *bytes = names->dump >= 0
                          ? mapped_file_open (names->dump, &size, &ignored)
                          : NULL;
  if (bytes == NULL)
    return;
  struct cursor dump
      = cursor_over (bytes, size, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
  uint32_t magic = cursor_u32 (&dump), version = cursor_u32 (&dump);
  uint64_t header = cursor_u32 (&dump);
  if (magic == MAGIC && version == 1 && header >= 12
      && cursor_take (&dump, header - 12) != NULL)
    while (cursor_left (&dump) > 0 && add_record (names, &dump))
      continue;
  mapped_file_close (bytes, size);
}

/* Map addresses to names.  When memory runs out, no address has a name.  */
static void
list_by_address (struct jit_names *names)
{
  struct address_interval *intervals
      = calloc (names->n + 1, sizeof *intervals);
  for (size_t i = 0; intervals != NULL && i < names->n; i++)
    {
      const struct jit_name *name = &names->names[i];
      intervals[i].start = name->start;
      if (__builtin_add_overflow (name->start, name->size, &intervals[i].end))
        intervals[i].end = UINT64_MAX;
    }
  if (intervals == NULL
      || !interval_map_make (&names->by_address, intervals, names->n))
    shortage_note ();
  free (intervals);
}

const struct jit_name *
jit_names_at (struct jit_names *names, uint64_t address)
{
  if (!names->read && names->pid != 0)
    {
      names->read = true;
      read_map (names);
      read_dump (names);
      list_by_address (names);
    }
  uint32_t found = interval_map_find (&names->by_address, address);
  return found != INTERVAL_MAP_NONE ? &names->names[found] : NULL;
}

void
jit_names_free (struct jit_names *names)
{
  for (size_t i = 0; i < names->n; i++)
    free (names->names[i].name);
  free (names->names);
  interval_map_free (&names->by_address);
  if (names->pid != 0)
    {
      names->sums->names -= names->n;
      close_descriptor (names, names->folder);
      close_descriptor (names, names->dump);
    }
  *names = (struct jit_names){ 0 };
}

/* Programs and detached sections from debuginfod's servers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/rows.h"

#include <dlfcn.h>
#include <stdlib.h>

/* Functions of libdebuginfod from 0.188 on (<elfutils/debuginfod.h>).  */
static struct
{
  void *handle; /* kept, like the client, until the program ends */
  void *(*begin) (void);
  int (*find_section) (void *client, const unsigned char *id, int id_size,
                       const char *section, char **path);
  int (*find_executable) (void *client, const unsigned char *id, int id_size,
                          char **path);
} library;

static void *client;
static bool sections_wanted;

static bool
load (struct error *err)
{
  const char *urls = getenv ("DEBUGINFOD_URLS");
  if (urls == NULL || *urls == '\0')
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "--debuginfod: DEBUGINFOD_URLS names no server");
  library.handle = dlopen ("libdebuginfod.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library.handle != NULL)
    {
      /* POSIX suggests this conversion to a function pointer for dlsym.  */
      *(void **)&library.begin = dlsym (library.handle, "debuginfod_begin");
      *(void **)&library.find_section
          = dlsym (library.handle, "debuginfod_find_section");
      *(void **)&library.find_executable
          = dlsym (library.handle, "debuginfod_find_executable");
    }
  if (library.begin != NULL && library.find_section != NULL
      && library.find_executable != NULL)
    client = library.begin ();
  return client != NULL
         || error_set (err, CFI2SFRAME_UNSUPPORTED,
                       "--debuginfod: there is no libdebuginfod of elfutils "
                       "0.188 or later");
}

bool
debuginfod_find_detached (const struct image *program,
                          struct detached_file *detached)
{
  const struct build_id id = build_id_find (program);
  char *path = NULL;
  if (client == NULL || !sections_wanted || id.size == 0)
    return false;
  int fd = library.find_section (client, id.bytes, (int)id.size, ".sframe",
                                 &path);
  free (path);
  return fd >= 0 && detached_file_open (detached, fd, program);
}

bool
debuginfod_open (struct error *err)
{
  sections_wanted = true;
  return load (err);
}

int
debuginfod_find_program (const struct build_id *id)
{
  static bool tried;
  struct error ignored;
  char *path = NULL;
  if (client == NULL && !tried)
    load (&ignored);
  tried = true;
  if (client == NULL)
    return -1;
  int fd = library.find_executable (client, id->bytes, (int)id->size, &path);
  free (path);
  return fd;
}

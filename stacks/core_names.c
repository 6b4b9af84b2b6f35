/* The names of files in a core.
   SPDX-License-Identifier: LGPL-2.1-or-later

   NT_FILE: core(5) and Linux, fs/binfmt_elf.c.  The list of libraries is found
   as debuggers find it (glibc, elf/link.h): the auxiliary vector has the
   address of the program headers; these have the address of .dynamic; DT_DEBUG
   leads from there to a struct r_debug with the first struct link_map.  */

#include <config.h>

#include "stacks/core_names.h"

#include <gelf.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/printable.h"

enum
{
  WORD = sizeof (uint64_t),
  /* The memory of a core may be damaged or hostile, so that the numbers of
     segments and libraries are limited.  */
  SEGMENTS_MAX = 1024,
  DYNAMIC_MAX = 1024,
  LIBRARIES_MAX = 16384
};

struct names
{
  struct process *process;
  uint64_t headers, n_headers; /* address and number of program headers */
  uint64_t entry;
};

static bool
check_name (const char *name, struct error *err)
{
  struct stat status;
  char shown[sizeof err->reason / 2];
  if (stat (name, &status) != 0 || !S_ISFIFO (status.st_mode))
    return true;
  printable_copy (shown, sizeof shown, name);
  return error_set (err, CFI2SFRAME_REFUSED,
                    "it maps %s, which is a fifo by now", shown);
}

/* Word INDEX of BYTES.  */
static uint64_t
word (const struct names *names, const char *bytes, uint64_t index)
{
  return load_u64 (bytes + index * WORD, names->process->arch->big_endian);
}

/* The note NT_FILE: the number of names, a page's size, three words for each
   name, and the names.  */
static bool
check_mapped (const struct names *names, const char *bytes, size_t size,
              struct error *err)
{
  if (size < 2 * WORD)
    return true;
  uint64_t n = word (names, bytes, 0);
  if (n > size / (3 * WORD) || size < (2 + 3 * n) * WORD)
    return true;
  const char *name = bytes + (2 + 3 * n) * WORD, *end = bytes + size, *nul;
  for (;
       name < end && (nul = memchr (name, '\0', (size_t)(end - name))) != NULL;
       name = nul + 1)
    if (!check_name (name, err))
      return false;
  return true;
}

static void
take_auxiliary (struct names *names, const char *bytes, size_t size)
{
  for (uint64_t i = 0; i + 1 < size / WORD; i += 2)
    {
      uint64_t type = word (names, bytes, i);
      if (type == AT_PHDR)
        names->headers = word (names, bytes, i + 1);
      else if (type == AT_PHNUM)
        names->n_headers = word (names, bytes, i + 1);
      else if (type == AT_ENTRY)
        names->entry = word (names, bytes, i + 1);
    }
}

static bool
look_at_notes (struct names *names, Elf *elf, const GElf_Phdr *segment,
               struct error *err)
{
  GElf_Nhdr note;
  size_t at = 0, next, name, contents;
  Elf_Data *data = elf_getdata_rawchunk (elf, (int64_t)segment->p_offset,
                                         segment->p_filesz, ELF_T_NHDR);
  for (; data != NULL
         && (next = gelf_getnote (data, at, &note, &name, &contents)) > 0;
       at = next)
    {
      const char *bytes = (const char *)data->d_buf + contents;
      if (note.n_type == NT_AUXV)
        take_auxiliary (names, bytes, note.n_descsz);
      else if (note.n_type == NT_FILE
               && !check_mapped (names, bytes, note.n_descsz, err))
        return false;
    }
  return true;
}

/* The dynamic linker's list.  */

static bool
read_words (const struct names *names, uint64_t address, uint64_t *words,
            size_t n)
{
  if (!memory_read (&names->process->memory, address, words, n * WORD))
    return false;
  for (size_t i = 0; i < n; i++)
    words[i] = load_u64 (&words[i], names->process->arch->big_endian);
  return true;
}

/* Program header INDEX.  */
static bool
read_header (const struct names *names, uint64_t index, uint32_t *type,
             uint64_t *address)
{
  uint8_t bytes[sizeof (Elf64_Phdr)];
  bool big_endian = names->process->arch->big_endian;
  if (!memory_read (&names->process->memory,
                    names->headers + index * sizeof bytes, bytes,
                    sizeof bytes))
    return false;
  *type = load_u32 (bytes + offsetof (Elf64_Phdr, p_type), big_endian);
  *address = load_u64 (bytes + offsetof (Elf64_Phdr, p_vaddr), big_endian);
  return true;
}

/* The address of .dynamic, or 0.  */
static uint64_t
find_dynamic (const struct names *names)
{
  uint32_t type;
  uint64_t address, bias = 0, dynamic = 0;
  bool has_bias = false;
  for (uint64_t i = 0; i < names->n_headers && i < SEGMENTS_MAX
                       && read_header (names, i, &type, &address);
       i++)
    if (type == PT_PHDR)
      {
        has_bias = true;
        bias = names->headers - address;
      }
    else if (type == PT_DYNAMIC)
      dynamic = address;
  return has_bias && dynamic != 0 ? dynamic + bias : 0;
}

/* The first struct link_map, or 0.  */
static uint64_t
find_list (const struct names *names)
{
  enum
  {
    R_MAP = 1 /* in struct r_debug */
  };
  uint64_t entry[2], list, dynamic = find_dynamic (names);
  for (unsigned i = 0; dynamic != 0 && i < DYNAMIC_MAX; i++)
    {
      if (!read_words (names, dynamic + i * sizeof entry, entry, 2)
          || entry[0] == DT_NULL)
        return 0;
      if (entry[0] == DT_DEBUG)
        return read_words (names, entry[1] + R_MAP * WORD, &list, 1) ? list
                                                                     : 0;
    }
  return 0;
}

/* Read the string at ADDRESS.  False if there is none, or one too long for a
   name.  */
static bool
read_name (const struct names *names, uint64_t address, char name[PATH_MAX])
{
  for (size_t i = 0; i < PATH_MAX; i++)
    {
      if (!memory_read (&names->process->memory, address + i, &name[i], 1))
        return false;
      if (name[i] == '\0')
        return true;
    }
  return false;
}

static bool
check_libraries (const struct names *names, struct error *err)
{
  enum
  {
    L_NAME = 1, /* in struct link_map */
    L_NEXT = 3
  };
  uint64_t library[L_NEXT + 1], at = find_list (names), seen = 0;
  char name[PATH_MAX];
  for (unsigned i = 0; at != 0 && read_words (names, at, library, L_NEXT + 1);
       i++)
    {
      if (i == LIBRARIES_MAX)
        return error_set (err, CFI2SFRAME_MALFORMED,
                          "its list of libraries has no end");
      if (read_name (names, library[L_NAME], name) && !check_name (name, err))
        return false;
      /* A program that has written over its list may have made a ring of the
         list.  */
      if ((i & (i - 1)) == 0)
        seen = at;
      at = library[L_NEXT];
      if (at == seen)
        break;
    }
  return true;
}

bool
core_names_check (Elf *elf, struct process *process, uint64_t *entry,
                  struct error *err)
{
  size_t n;
  GElf_Phdr segment;
  struct names names = { .process = process };
  if (elf_getphdrnum (elf, &n) != 0)
    return true;
  for (size_t i = 0; i < n; i++)
    if (gelf_getphdr (elf, (int)i, &segment) != NULL
        && segment.p_type == PT_NOTE
        && !look_at_notes (&names, elf, &segment, err))
      return false;
  *entry = names.entry;
  return check_libraries (&names, err);
}

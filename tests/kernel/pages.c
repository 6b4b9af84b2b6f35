/* Loads libraries with dlopen and holds the memory they get against their
   files; tools/maintainer/large-pages.sh runs it on kernels with large pages.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: pages none|sframe LIBRARY...

   A page that two segments share is mapped twice, so these four can come out
   wrong there.  Every page of a segment has the segment's rights.  Memory that
   is not writable has the bytes of the file.  No page of PT_GNU_RELRO is
   writable.  The code of libraries made for BTI is guarded, if the processor
   can do that.  */

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef PT_GNU_SFRAME
#  define PT_GNU_SFRAME 0x6474e554
#endif

enum
{
  MAPPINGS_MAX = 4096,
  HWCAP2_HAS_BTI = 1 << 17,
  PROPERTY_HAS_BTI = 1,
  PROPERTY_AARCH64 = (int)0xc0000000
};

struct mapping
{
  uintptr_t begin, end;
  unsigned rights; /* PF_* */
  int guarded;     /* by BTI */
};

static struct mapping mappings[MAPPINGS_MAX];
static size_t n_mappings;

struct library
{
  const char *name;
  uintptr_t base;
  const unsigned char *bytes; /* of its file */
  size_t size;
  const ElfW (Phdr) * headers;
  int n_headers;
};

static uintptr_t page_size;
static int failures, loaded, with_sframe, sharing, guarded_libraries;

static void
fail (const struct library *library, const char *what, uintptr_t address)
{
  printf ("%s: %s at %lx\n", library->name, what,
          (unsigned long)(address - library->base));
  failures++;
}

static void
read_mappings (void)
{
  char line[1024];
  FILE *maps = fopen ("/proc/self/smaps", "r");
  n_mappings = 0;
  while (maps != NULL && fgets (line, sizeof line, maps) != NULL)
    {
      unsigned long begin, end;
      char rights[8];
      if (strncmp (line, "VmFlags:", 8) == 0 && n_mappings > 0)
        mappings[n_mappings - 1].guarded = strstr (line, " bt") != NULL;
      else if (sscanf (line, "%lx-%lx %7s", &begin, &end, rights) == 3
               && n_mappings < MAPPINGS_MAX)
        mappings[n_mappings++]
            = (struct mapping){ begin, end,
                                (rights[0] == 'r' ? PF_R : 0u)
                                    | (rights[1] == 'w' ? PF_W : 0u)
                                    | (rights[2] == 'x' ? PF_X : 0u),
                                0 };
    }
  if (maps != NULL)
    fclose (maps);
}

static const struct mapping *
mapping_at (uintptr_t address)
{
  static const struct mapping none;
  for (size_t i = 0; i < n_mappings; i++)
    if (address >= mappings[i].begin && address < mappings[i].end)
      return &mappings[i];
  return &none;
}

static const ElfW (Phdr)
    * find_header (const struct library *library, uint32_t type)
{
  for (int i = 0; i < library->n_headers; i++)
    if (library->headers[i].p_type == type)
      return &library->headers[i];
  return NULL;
}

/* Whether PT_GNU_PROPERTY says that the code may be guarded.  */
static int
is_made_for_bti (const struct library *library)
{
  const ElfW (Phdr) *property = find_header (library, PT_GNU_PROPERTY);
  if (property == NULL)
    return 0;
  const unsigned char *note = library->bytes + property->p_offset;
  for (size_t at = 16; at + 12 <= property->p_filesz;)
    {
      uint32_t words[3];
      memcpy (words, note + at, sizeof words);
      if (words[0] == (uint32_t)PROPERTY_AARCH64)
        return (words[2] & PROPERTY_HAS_BTI) != 0;
      at += 8 + ((words[1] + 7u) & ~7u);
    }
  return 0;
}

static int
has_text_relocations (const struct library *library)
{
  const ElfW (Phdr) *dynamic = find_header (library, PT_DYNAMIC);
  const ElfW (Dyn) * entry;
  if (dynamic == NULL)
    return 0;
  for (entry = (const void *)(library->bytes + dynamic->p_offset);
       entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_TEXTREL
        || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)))
      return 1;
  return 0;
}

static void
check_segment (const struct library *library, const ElfW (Phdr) * load,
               int guards)
{
  uintptr_t begin = library->base + load->p_vaddr;
  for (uintptr_t page = begin & -page_size; page < begin + load->p_memsz;
       page += page_size)
    {
      const struct mapping *mapping = mapping_at (page);
      if ((load->p_flags & ~PF_W & ~mapping->rights) != 0)
        fail (library, "a page lacks rights", page);
      if (!(load->p_flags & PF_W) && (mapping->rights & PF_W))
        fail (library, "a page is writable", page);
      if (guards && (load->p_flags & PF_X) && !mapping->guarded)
        fail (library, "code is not guarded", page);
    }
  if (!(load->p_flags & PF_W) && !has_text_relocations (library)
      && memcmp ((const void *)begin, library->bytes + load->p_offset,
                 load->p_filesz)
             != 0)
    fail (library, "memory is not what the file has", begin);
}

static void
check_relro (const struct library *library)
{
  const ElfW (Phdr) *relro = find_header (library, PT_GNU_RELRO);
  if (relro == NULL)
    return;
  uintptr_t begin = (library->base + relro->p_vaddr) & -page_size;
  uintptr_t end
      = (library->base + relro->p_vaddr + relro->p_memsz) & -page_size;
  for (uintptr_t page = begin; page < end; page += page_size)
    if (mapping_at (page)->rights & PF_W)
      fail (library, "PT_GNU_RELRO is writable", page);
}

/* Whether .sframe is there, and whether it begins in a page that the first
   segment has too.  */
static void
check_sframe (const struct library *library)
{
  const ElfW (Phdr) *sframe = find_header (library, PT_GNU_SFRAME);
  const ElfW (Phdr) *first = find_header (library, PT_LOAD);
  uint16_t magic;
  if (sframe == NULL)
    return;
  with_sframe++;
  memcpy (&magic, (const void *)(library->base + sframe->p_vaddr), 2);
  if (magic != 0xdee2)
    fail (library, "no magic", library->base + sframe->p_vaddr);
  uintptr_t page = sframe->p_vaddr & -page_size;
  for (int i = 0; i < library->n_headers; i++)
    {
      const ElfW (Phdr) *load = &library->headers[i];
      if (load != first && load->p_type == PT_LOAD
          && load->p_vaddr <= sframe->p_vaddr
          && sframe->p_vaddr - load->p_vaddr < load->p_memsz
          && page < first->p_vaddr + first->p_memsz)
        sharing++;
    }
}

static void
check_library (struct library *library)
{
  const ElfW (Ehdr) *elf = (const void *)library->bytes;
  int guards = (getauxval (AT_HWCAP2) & HWCAP2_HAS_BTI) != 0
               && is_made_for_bti (library);
#ifndef __GLIBC__
  guards = 0; /* musl guards no code */
#endif
  read_mappings ();
  guarded_libraries += guards;
  for (int i = 0; i < elf->e_phnum; i++)
    if (library->headers[i].p_type == PT_LOAD)
      check_segment (library, &library->headers[i], guards);
  check_relro (library);
  check_sframe (library);
}

/* Check the library NAME, whose handle is given.  */
static void
check_file (const char *name, void *handle)
{
  struct library library = { .name = name };
  struct link_map *map;
  struct stat status;
  int file = open (name, O_RDONLY);
  if (file < 0 || fstat (file, &status) != 0
      || dlinfo (handle, RTLD_DI_LINKMAP, &map) != 0)
    {
      printf ("%s cannot be read\n", name);
      failures++;
      return;
    }
  library.base = map->l_addr;
  library.size = (size_t)status.st_size;
  void *bytes = mmap (NULL, library.size, PROT_READ, MAP_PRIVATE, file, 0);
  close (file);
  if (bytes == MAP_FAILED)
    return fail (&library, "mmap fails", library.base);
  library.bytes = bytes;
  library.headers
      = (const void *)(library.bytes + ((const ElfW (Ehdr) *)bytes)->e_phoff);
  library.n_headers = ((const ElfW (Ehdr) *)bytes)->e_phnum;
  check_library (&library);
  munmap (bytes, library.size);
}

/* Call what the test's own libraries have (tests/matrix/lib.cc throws and
   catches), and functions of the C library and of zlib.  */
static void
call_functions (const char *name, void *handle)
{
  int (*check) (void) = (int (*) (void))dlsym (handle, "matrix_library_check");
  double (*sine) (double) = (double (*) (double))dlsym (handle, "sin");
  unsigned long (*crc) (unsigned long, const char *, unsigned)
      = (unsigned long (*) (unsigned long, const char *, unsigned))dlsym (
          handle, "crc32");
  int bad = check != NULL && check () != 0;
  bad |= sine != NULL && (sine (1) < 0.8414709848 || sine (1) > 0.8414709849);
  bad |= crc != NULL && strstr (name, "/libz.so") != NULL
         && crc (0, "123456789", 9) != 0xcbf43926;
  if (bad)
    printf ("%s: a function's result is wrong\n", name);
  failures += bad;
}

static void
print_maps (void)
{
  char line[512];
  FILE *maps = fopen ("/proc/self/maps", "r");
  while (maps != NULL && fgets (line, sizeof line, maps) != NULL)
    printf ("%s", line);
  if (maps != NULL)
    fclose (maps);
}

int
main (int argc, char **argv)
{
  if (argc < 3)
    return 2;
  int expected = strcmp (argv[1], "sframe") == 0;
  page_size = (uintptr_t)sysconf (_SC_PAGESIZE);
  for (int i = 2; i < argc; i++)
    {
      void *handle = dlopen (argv[i], RTLD_NOW | RTLD_LOCAL);
      if (handle == NULL)
        {
          printf ("%s\n", dlerror ());
          failures++;
          continue;
        }
      loaded++;
      int before = failures;
      check_file (argv[i], handle);
      call_functions (argv[i], handle);
      if (failures > before)
        print_maps ();
      dlclose (handle);
    }
  if (expected ? with_sframe == 0 : with_sframe > 0)
    failures++;
  printf ("# pages of %d KiB, %d libraries, %d with .sframe, %d of them in a "
          "page of the first segment, %d guarded\n",
          (int)(page_size / 1024), loaded, with_sframe, sharing,
          guarded_libraries);
  printf ("%s\n", failures ? "BAD" : "all good");
  return failures != 0;
}

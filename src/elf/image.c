/* Opening ELF files through libelf, checking them, and finding their parts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/image.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mapped_file.h"
#include "elf/archive.h"

enum
{
  /* The contents of all sections, and those of all segments that are not
     loaded, are together at most this many times as large as the file.  Few of
     them share bytes in real files.  In a hostile file a million headers could
     name the same contents, which would be read a million times.  */
  OVERLAP_FACTOR_MAX = 2,
  SYMBOL_TABLES_MAX = 4
};

bool
image_libelf_failed (struct error *err, enum cfi2sframe_status status,
                     const char *what)
{
  return errno == ENOMEM
             ? error_set_no_memory (err)
             : error_set (err, status, "%s: %s", what, elf_errmsg (-1));
}

static bool
range_in_file (const struct image *image, uint64_t offset, uint64_t size)
{
  return offset <= image->size && size <= image->size - offset;
}

bool
image_is_archive (const struct image *image)
{
  return archive_has_magic (image->bytes, image->size);
}

/* Check e_ident, before libelf interprets the file.  */
static bool
check_ident (const struct image *image, struct error *err)
{
  const uint8_t *ident = image->bytes;
  if (image_is_archive (image))
    return error_set (err, CFI2SFRAME_NOT_ELF,
                      "an archive of objects, not an ELF file");
  if (image->size < EI_NIDENT || memcmp (ident, ELFMAG, SELFMAG) != 0)
    return error_set (err, CFI2SFRAME_NOT_ELF, "not an ELF file");
  if (ident[EI_CLASS] == ELFCLASS32)
    return error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_MACHINE,
                           "32-bit ELF file: SFrame has no ABI for it");
  if (ident[EI_CLASS] != ELFCLASS64)
    return error_set_at (err, CFI2SFRAME_MALFORMED, EI_CLASS,
                         "unknown ELF class %u", ident[EI_CLASS]);
  if (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB)
    return error_set_at (err, CFI2SFRAME_MALFORMED, EI_DATA,
                         "unknown byte order %u", ident[EI_DATA]);
  if (ident[EI_VERSION] != EV_CURRENT)
    return error_set_at (err, CFI2SFRAME_MALFORMED, EI_VERSION,
                         "unknown ELF version %u", ident[EI_VERSION]);
  if (image->size < sizeof (Elf64_Ehdr))
    return error_set (err, CFI2SFRAME_MALFORMED, "ELF header is truncated");
  return true;
}

static bool
check_header_tables (const struct image *image, struct error *err)
{
  const GElf_Ehdr *header = &image->header;
  if (header->e_phoff != 0
      && (header->e_phentsize != sizeof (Elf64_Phdr)
          || !range_in_file (image, header->e_phoff,
                             image->n_segments * sizeof (Elf64_Phdr))))
    return error_set_at (err, CFI2SFRAME_MALFORMED, header->e_phoff,
                         "program header table is damaged or truncated");
  if (header->e_shoff != 0
      && (header->e_shentsize != sizeof (Elf64_Shdr)
          || !range_in_file (image, header->e_shoff,
                             image->n_sections * sizeof (Elf64_Shdr))))
    return error_set_at (err, CFI2SFRAME_MALFORMED, header->e_shoff,
                         "section header table is damaged or truncated");
  return true;
}

/* Read the number of entries in both header tables, with the extensions in
   section header 0.  libelf reads that header only if it lies in the file.  */
static bool
read_counts (struct image *image, struct error *err)
{
  size_t names = 0;
  if (gelf_getehdr (image->elf, &image->header) == NULL
      || elf_getphdrnum (image->elf, &image->n_segments) != 0
      || elf_getshdrnum (image->elf, &image->n_sections) != 0
      || elf_getshdrstrndx (image->elf, &names) != 0)
    return image_libelf_failed (err, CFI2SFRAME_MALFORMED, "ELF headers");
  if (image->header.e_phoff == 0)
    image->n_segments = 0;
  if (image->header.e_shoff == 0)
    image->n_sections = 0;
  /* libelf silently drops a table that lies outside the file.  */
  if ((image->header.e_phoff != 0 && image->header.e_phnum != 0
       && image->n_segments == 0)
      || (image->header.e_shoff != 0 && image->n_sections == 0))
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "header tables lie outside the file");
  image->section_names = names < image->n_sections ? names : 0;
  return true;
}

static bool
read_segments (struct image *image, struct error *err)
{
  image->segments = calloc (image->n_segments + 1, sizeof image->segments[0]);
  if (image->segments == NULL)
    return error_set_no_memory (err);
  for (size_t i = 0; i < image->n_segments; i++)
    if (gelf_getphdr (image->elf, (int)i, &image->segments[i]) == NULL)
      return image_libelf_failed (err, CFI2SFRAME_MALFORMED,
                                  "program header table");
  return true;
}

/* Return the string table of section names, or NULL if there is none.  */
static const char *
find_name_table (const struct image *image, uint64_t *size)
{
  if (image->section_names == 0)
    return NULL;
  const GElf_Shdr *header = &image->sections[image->section_names].header;
  if (header->sh_type == SHT_NOBITS || header->sh_size == 0
      || !range_in_file (image, header->sh_offset, header->sh_size))
    return NULL;
  const char *table = (const char *)image->bytes + header->sh_offset;
  if (table[header->sh_size - 1] != '\0')
    return NULL;
  *size = header->sh_size;
  return table;
}

static bool
read_sections (struct image *image, struct error *err)
{
  image->sections = calloc (image->n_sections + 1, sizeof image->sections[0]);
  if (image->sections == NULL)
    return error_set_no_memory (err);
  for (size_t i = 0; i < image->n_sections; i++)
    {
      struct image_section *section = &image->sections[i];
      Elf_Scn *scn = elf_getscn (image->elf, i);
      if (scn == NULL || gelf_getshdr (scn, &section->header) == NULL)
        return image_libelf_failed (err, CFI2SFRAME_MALFORMED,
                                    "section header table");
      section->name = "";
    }
  uint64_t size = 0;
  const char *names = find_name_table (image, &size);
  for (size_t i = 0; names != NULL && i < image->n_sections; i++)
    if (image->sections[i].header.sh_name < size)
      image->sections[i].name = names + image->sections[i].header.sh_name;
  return true;
}

/* Set debug_only if objcopy --only-keep-debug has made the file.  The segments
   of such a file are those of the program, but the file does not contain their
   bytes, so their offsets and sizes in the file are set to 0.  */
static void
detect_debug_only (struct image *image)
{
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (header->sh_type == SHT_NOBITS && header->sh_size > 0
          && (header->sh_flags & SHF_EXECINSTR))
        image->debug_only = true;
    }
  for (size_t i = 0; image->debug_only && i < image->n_segments; i++)
    if (image->segments[i].p_type != PT_NULL)
      image->segments[i].p_offset = image->segments[i].p_filesz = 0;
}

static bool
check_section_ranges (const struct image *image, struct error *err)
{
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (image_section_has_bytes (header)
          && !range_in_file (image, header->sh_offset, header->sh_size))
        return error_set_at (err, CFI2SFRAME_MALFORMED, header->sh_offset,
                             "section %zu (%.64s) lies outside the file", i,
                             image->sections[i].name);
    }
  return true;
}

static bool
check_load (const struct image *image, size_t index, uint64_t *previous_end,
            struct error *err)
{
  const GElf_Phdr *load = &image->segments[index];
  uint64_t end;
  if (load->p_filesz > load->p_memsz)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "segment %zu: more bytes in the file than in memory",
                      index);
  if (__builtin_add_overflow (load->p_vaddr, load->p_memsz, &end))
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "segment %zu wraps around the address space", index);
  /* In a kernel image for x86-64 per-CPU variables have a segment at 0.  */
  if (load->p_vaddr == 0 && *previous_end >> 63)
    return error_set_word (
        err, CFI2SFRAME_REFUSED, WORD_KERNEL_IMAGE,
        "kernel image: segment %zu is not behind the others", index);
  if (load->p_vaddr < *previous_end)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "PT_LOAD segment %zu is unsorted or overlaps another",
                      index);
  *previous_end = end;
  return true;
}

/* Check that segments lie inside the file, and PT_LOADs do not overlap.  */
static bool
check_segment_ranges (const struct image *image, struct error *err)
{
  uint64_t previous_end = 0;
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *segment = &image->segments[i];
      bool load = segment->p_type == PT_LOAD;
      if ((load || image_segment_has_bytes (segment))
          && !range_in_file (image, segment->p_offset, segment->p_filesz))
        return error_set_at (err, CFI2SFRAME_MALFORMED, segment->p_offset,
                             "segment %zu lies outside the file", i);
      if (load && !check_load (image, i, &previous_end, err))
        return false;
    }
  return true;
}

/* Check that loops over the contents of all sections, and over all symbol
   tables, take time in proportion to the file's size.  Real files are far
   below these limits.  */
static bool
check_section_limits (const struct image *image, struct error *err)
{
  uint64_t sum = 0;
  unsigned n_symbol_tables = 0;
  FOR_EACH_SECTION (section, image)
    {
      const GElf_Shdr *header = &section->header;
      n_symbol_tables
          += header->sh_type == SHT_SYMTAB || header->sh_type == SHT_DYNSYM;
      if (image_section_has_bytes (header))
        sum += header->sh_size; /* at most the file's size */
      if (sum > OVERLAP_FACTOR_MAX * image->size)
        return error_set (err, CFI2SFRAME_MALFORMED,
                          "its sections overlap each other");
    }
  return n_symbol_tables <= SYMBOL_TABLES_MAX
         || error_set (err, CFI2SFRAME_MALFORMED, "too many symbol tables");
}

/* Check the same for segments.  */
static bool
check_segment_limits (const struct image *image, struct error *err)
{
  uint64_t sum = 0;
  if (image->n_segments * sizeof (Elf64_Phdr) > PROGRAM_HEADERS_SIZE_MAX)
    return error_set (err, CFI2SFRAME_MALFORMED, "too many program headers");
  FOR_EACH_SEGMENT (segment, image)
    {
      if (segment->p_type != PT_LOAD && image_segment_has_bytes (segment))
        sum += segment->p_filesz; /* at most the file's size */
      if (sum > OVERLAP_FACTOR_MAX * image->size)
        return error_set (err, CFI2SFRAME_MALFORMED,
                          "its segments overlap each other");
    }
  return true;
}

/* Read and check the file, after image->elf was set.  */
static bool
image_read (struct image *image, struct error *err)
{
  if (!check_ident (image, err))
    return false;
  image->big_endian = image->bytes[EI_DATA] == ELFDATA2MSB;
  if (!read_counts (image, err) || !check_header_tables (image, err)
      || !read_segments (image, err) || !read_sections (image, err))
    return false;
  image->arch = arch_of_machine (image->header.e_machine, image->big_endian);
  /* A core file's sections and segments may be truncated.  Users need only its
     type, so it is opened without them.  */
  if (image->header.e_type == ET_CORE)
    {
      image->n_segments = image->n_sections = image->section_names = 0;
      return true;
    }
  detect_debug_only (image);
  /* Ranges come before limits, so that a kernel image is refused as one.  */
  return check_section_ranges (image, err) && check_segment_ranges (image, err)
         && check_section_limits (image, err)
         && check_segment_limits (image, err);
}

/* Open the file at LOCATION if it is a regular file and not empty; return -1
   otherwise.  O_NONBLOCK prevents that opening a FIFO waits for a writer.  */
static int
open_regular (const struct file_location *location, struct error *err)
{
  int fd
      = file_location_open (location, O_RDONLY | O_NOCTTY | O_NONBLOCK, err);
  struct stat status;
  if (fd < 0)
    return -1;
  if (fstat (fd, &status) != 0)
    error_set_errno (err, "fstat");
  else if (S_ISDIR (status.st_mode))
    error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_DIRECTORY,
                    "is a directory");
  else if (!S_ISREG (status.st_mode))
    error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_NO_FILE,
                    "is not a regular file");
  else if (status.st_size == 0)
    error_set (err, CFI2SFRAME_NOT_ELF, "empty file");
  else if (mapped_file_check_size (&status, err))
    {
      /* Refuse a file that another process has locked exclusively.  If locking
         fails otherwise (some file systems have no locks), use the file.  */
      if (location->lock == LOCK_NONE || flock (fd, LOCK_SH | LOCK_NB) == 0
          || errno != EWOULDBLOCK)
        return fd;
      error_set_word (err, CFI2SFRAME_IO, WORD_CHANGED_MEANWHILE,
                      "another process is changing it");
    }
  close (fd);
  return -1;
}

void
image_encode (const struct image *image, Elf_Type type, const void *source,
              size_t size, uint8_t *to)
{
  const Elf_Data from = { .d_buf = (void *)source,
                          .d_type = type,
                          .d_version = EV_CURRENT,
                          .d_size = size };
  Elf_Data encoded = from;
  encoded.d_buf = to;
  elf64_xlatetof (&encoded, &from, image->header.e_ident[EI_DATA]);
}

bool
image_expect_linked (const struct image *image, struct error *err)
{
  if (image->header.e_type == ET_REL)
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_OBJECT,
                           "relocatable object");
  if (image->header.e_type == ET_CORE)
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_CORE_FILE,
                           "core file");
  return true;
}

bool
image_expect_machine (const struct image *image, struct error *err)
{
  return image->arch != NULL
         || error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_MACHINE,
                            "SFrame has no ABI for machine %u",
                            image->header.e_machine);
}

/* Each call of elf_version sets a global variable, which other threads read.
   So it must be called only once.  */
static void
set_version (void)
{
  elf_version (EV_CURRENT);
}

void
image_start_libelf (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, set_version);
}

static bool
image_map (struct image *image, int fd, struct error *err)
{
  size_t size = 0;
  image->bytes = mapped_file_open (fd, &size, err);
  image->size = size;
  image->mapped_size = image->bytes != NULL ? size : 0;
  return image->bytes != NULL;
}

/* Open the image after its bytes and size were set; on failure close it.  */
static bool
image_open_elf (struct image *image, struct error *err)
{
  image_start_libelf ();
  errno = 0;
  /* libelf's parameter is not const, but libelf writes only in elf_update.  */
  image->elf = elf_memory ((char *)image->bytes, image->size);
  if (image->elf != NULL
          ? image_read (image, err)
          : image_libelf_failed (err, CFI2SFRAME_MALFORMED, "libelf"))
    return true;
  image_close (image);
  return false;
}

bool
image_open_fd (struct image *image, int fd, struct error *err)
{
  *image = (struct image){ .fd = -1 };
  if (!image_map (image, fd, err) || !image_open_elf (image, err))
    return false;
  image->fd = fd;
  return true;
}

bool
image_open (struct image *image, const char *path, struct error *err)
{
  struct file_location location = file_location_of_path (path);
  return image_open_at (image, &location, err);
}

bool
image_open_at (struct image *image, const struct file_location *location,
               struct error *err)
{
  return image_open_bytes (image, location, err)
         && image_open_elf (image, err);
}

bool
image_open_bytes (struct image *image, const struct file_location *location,
                  struct error *err)
{
  *image = (struct image){ .fd = open_regular (location, err) };
  if (image->fd < 0)
    return false;
  if (image_map (image, image->fd, err))
    return true;
  close (image->fd);
  image->fd = -1;
  return false;
}

bool
image_open_or_archive (struct image *image,
                       const struct file_location *location, struct error *err)
{
  return image_open_bytes (image, location, err)
         && (image_is_archive (image) || image_open_elf (image, err));
}

bool
image_open_memory (struct image *image, const void *bytes, size_t size,
                   struct error *err)
{
  *image = (struct image){ .fd = -1, .bytes = bytes, .size = size };
  if (size == 0)
    return error_set (err, CFI2SFRAME_NOT_ELF, "empty file");
  return image_open_elf (image, err);
}

void
image_close (struct image *image)
{
  if (image->bytes == NULL)
    return;
  free (image->segments);
  free (image->sections);
  elf_end (image->elf);
  if (image->mapped_size > 0)
    mapped_file_close (image->bytes, image->mapped_size);
  if (image->fd >= 0)
    close (image->fd);
  *image = (struct image){ .fd = -1 };
}

void
image_unmap_pages (const struct image *image)
{
  if (image->mapped_size > 0)
    madvise ((void *)image->bytes, image->mapped_size, MADV_DONTNEED);
}

const struct image_section *
image_find_section (const struct image *image, const char *name)
{
  FOR_EACH_SECTION (section, image)
    if (strcmp (section->name, name) == 0)
      return section;
  return NULL;
}

const uint8_t *
image_section_bytes (const struct image *image,
                     const struct image_section *section)
{
  if (!image_section_has_bytes (&section->header)
      || !range_in_file (image, section->header.sh_offset,
                         section->header.sh_size))
    return NULL;
  return image->bytes + section->header.sh_offset;
}

const GElf_Phdr *
image_first_load (const struct image *image)
{
  return image_next_load (image, NULL);
}

const GElf_Phdr *
image_last_load (const struct image *image)
{
  const GElf_Phdr *last = NULL;
  FOR_EACH_LOAD (load, image)
    last = load;
  return last;
}

const GElf_Phdr *
image_find_segment (const struct image *image, uint32_t type)
{
  FOR_EACH_SEGMENT (segment, image)
    if (segment->p_type == type)
      return segment;
  return NULL;
}

const GElf_Phdr *
image_load_at (const struct image *image, uint64_t address)
{
  FOR_EACH_LOAD (load, image)
    if (address >= load->p_vaddr && address - load->p_vaddr < load->p_memsz)
      return load;
  return NULL;
}

const uint8_t *
image_bytes_at (const struct image *image, uint64_t address, uint64_t size)
{
  FOR_EACH_LOAD (load, image)
    {
      if (address < load->p_vaddr)
        continue;
      uint64_t skip = address - load->p_vaddr;
      if (skip <= load->p_filesz && size <= load->p_filesz - skip
          && range_in_file (image, load->p_offset, load->p_filesz))
        return image->bytes + load->p_offset + skip;
    }
  return NULL;
}

bool
image_has_module_signature (const struct image *image)
{
  static const char signature[] = "~Module signature appended~\n";
  const size_t size = sizeof signature - 1;
  return image->size >= size
         && memcmp (image->bytes + image->size - size, signature, size) == 0;
}

uint64_t
image_executable_bytes (const struct image *image)
{
  uint64_t total = 0;
  FOR_EACH_SECTION (section, image)
    if (image_section_is_code (section)
        && section->header.sh_type != SHT_NOBITS)
      total += section->header.sh_size;
  for (size_t i = 0; image->n_sections == 0 && i < image->n_segments; i++)
    if (image->segments[i].p_type == PT_LOAD
        && (image->segments[i].p_flags & PF_X))
      total += image->segments[i].p_filesz;
  return total;
}

/* Return whether the range lies in one PT_LOAD that has FLAG.  */
static inline bool
is_in_segment (const struct image *image, uint64_t address, uint64_t size,
               uint32_t flag)
{
  FOR_EACH_LOAD (load, image)
    if ((load->p_flags & flag) && address >= load->p_vaddr
        && address - load->p_vaddr <= load->p_memsz
        && size <= load->p_memsz - (address - load->p_vaddr))
      return true;
  return false;
}

bool
image_is_executable (const struct image *image, uint64_t address,
                     uint64_t size)
{
  return is_in_segment (image, address, size, PF_X);
}

bool
image_is_writable (const struct image *image, uint64_t address, uint64_t size)
{
  return is_in_segment (image, address, size, PF_W);
}

/* Opening and checking ELF files, and finding their parts; read-only.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The bytes of an image are a mapping of the file, which the image owns, or
   memory of the caller; libelf reads them in place.  Opening an image checks
   what all users rely on: the class and the sizes of headers; that the header
   tables, and the contents of sections and segments, lie inside the file; that
   PT_LOADs ascend and do not overlap; that p_filesz <= p_memsz; and that
   sections, segments and symbol tables are not unreasonably many.  Two kinds
   of segments are not checked: those of debug_only files, whose contents are
   missing, and those without bytes in the file (image_segment_has_bytes).  */

#ifndef ELF_IMAGE_H
#define ELF_IMAGE_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/elf_sframe.h"
#include "base/error.h"
#include "elf/file_location.h"

#ifndef SHT_X86_64_UNWIND /* x86-64 psABI, section 4.2.2 */
#  define SHT_X86_64_UNWIND 0x70000001
#endif

enum
{
  /* Linux does not run programs with a larger program header table
     (fs/binfmt_elf.c, load_elf_phdrs).  */
  PROGRAM_HEADERS_SIZE_MAX = 65536
};

struct image_section
{
  GElf_Shdr header;
  const char *name; /* in the file's string table; "": no name */
};

struct image
{
  Elf *elf;
  int fd;               /* -1 when opened from memory */
  const uint8_t *bytes; /* the whole file */
  uint64_t size;        /* of the bytes, without an outdated undo record */
  size_t mapped_size;   /* of the mapping of the file; 0: no mapping */
  GElf_Ehdr header;
  const struct arch *arch; /* NULL: SFrame has no ABI for the machine */
  bool big_endian;
  GElf_Phdr *segments; /* owned */
  size_t n_segments;
  struct image_section *sections; /* owned; [0] is the null section */
  size_t n_sections;              /* 0: no section header table */
  size_t section_names;           /* index of .shstrtab, 0 if none */
  bool debug_only; /* made by --only-keep-debug: code has no contents */
  /* The image from which this one was made in memory, which therefore has no
     file of its own; or NULL.  */
  const struct image *made_from;
};

/* Open the file PATH, or the file at LOCATION, for reading.  LOCATION also
   says which lock to take.  */
bool image_open (struct image *image, const char *path, struct error *err);
bool image_open_at (struct image *image, const struct file_location *location,
                    struct error *err);

/* Open the file at LOCATION without reading it: sets only the bytes, their
   size and the descriptor.  */
bool image_open_bytes (struct image *image,
                       const struct file_location *location,
                       struct error *err);

/* Do as image_open_at, but for an archive as image_open_bytes.  */
bool image_open_or_archive (struct image *image,
                            const struct file_location *location,
                            struct error *err);
bool image_is_archive (const struct image *image);

/* Open the image of the open file FD.  The image owns the descriptor if this
   succeeds; otherwise the caller keeps it.  */
bool image_open_fd (struct image *image, int fd, struct error *err);

/* Open the image in SIZE bytes of memory, which belong to the caller and must
   outlive the image.  */
bool image_open_memory (struct image *image, const void *bytes, size_t size,
                        struct error *err);

/* Record libelf's message about the call that failed, after WHAT, with STATUS;
   or that memory ran out.  libelf does not publish the meaning of its error
   numbers, but malloc sets errno to ENOMEM.  So the caller sets errno to 0
   before the call.  Returns false.  */
bool image_libelf_failed (struct error *err, enum cfi2sframe_status status,
                          const char *what);

/* Convert SIZE bytes of libelf's structures of TYPE to the byte order of
   IMAGE, and write them to TO.  This cannot fail for an open image.  */
void image_encode (const struct image *image, Elf_Type type,
                   const void *source, size_t size, uint8_t *to);

/* Return whether IMAGE is a linked file, or whether SFrame has an ABI for its
   machine; otherwise set ERR.  The status for objects and core files is
   CFI2SFRAME_NOTHING, because they have nothing to convert.  */
bool image_expect_linked (const struct image *image, struct error *err);
bool image_expect_machine (const struct image *image, struct error *err);

/* Initialize libelf; threads may do so at the same time, and repeatedly.  */
void image_start_libelf (void);

/* Close IMAGE, which may be zeroed, or closed already.  */
void image_close (struct image *image);

/* Remove the pages of a mapped file from the page tables.  Other threads may
   still read them: the kernel maps a page again when it is read.  This is for
   the time when hardly any page is needed any more; image_close is fast then,
   even for a large file.  */
void image_unmap_pages (const struct image *image);

/* Return the segment, PT_LOAD or section after LAST, or the first one if LAST
   is NULL; NULL if there is none.  The null section is skipped.  */

static inline const GElf_Phdr *
image_next_segment (const struct image *image, const GElf_Phdr *last)
{
  size_t next = last == NULL ? 0 : (size_t)(last - image->segments) + 1;
  return next < image->n_segments ? &image->segments[next] : NULL;
}

static inline const GElf_Phdr *
image_next_load (const struct image *image, const GElf_Phdr *last)
{
  do
    last = image_next_segment (image, last);
  while (last != NULL && last->p_type != PT_LOAD);
  return last;
}

static inline const struct image_section *
image_next_section (const struct image *image,
                    const struct image_section *last)
{
  size_t next = last == NULL ? 1 : (size_t)(last - image->sections) + 1;
  return next < image->n_sections ? &image->sections[next] : NULL;
}

/* Loops over all segments, PT_LOADs and sections, in the order of their
   tables.  The declared name cannot be in parentheses:
   NOLINTBEGIN(bugprone-macro-parentheses)  */
#define FOR_EACH_SEGMENT(segment, image)                            \
  for (const GElf_Phdr *segment = image_next_segment (image, NULL); \
       segment != NULL; segment = image_next_segment (image, segment))
#define FOR_EACH_LOAD(load, image)                                          \
  for (const GElf_Phdr *load = image_next_load (image, NULL); load != NULL; \
       load = image_next_load (image, load))
#define FOR_EACH_SECTION(section, image)   \
  for (const struct image_section *section \
       = image_next_section (image, NULL); \
       section != NULL; section = image_next_section (image, section))

/* NOLINTEND(bugprone-macro-parentheses) */

/* Return the PT_LOAD with the lowest or the highest address, or NULL.  */
const GElf_Phdr *image_first_load (const struct image *image);
const GElf_Phdr *image_last_load (const struct image *image);

/* Return the first section called NAME, or NULL.  */
const struct image_section *image_find_section (const struct image *image,
                                                const char *name);

/* Return whether A and B have the same machine and byte order.  */
static inline bool
image_same_machine (const struct image *a, const struct image *b)
{
  return a->header.e_machine == b->header.e_machine
         && a->big_endian == b->big_endian;
}

/* Return whether SECTION is loaded and executable.  */
static inline bool
image_section_is_code (const struct image_section *section)
{
  const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
  return (section->header.sh_flags & code) == code;
}

/* Return the section's bytes, in image->bytes, or NULL for SHT_NOBITS.  */
const uint8_t *image_section_bytes (const struct image *image,
                                    const struct image_section *section);

/* Return the first segment of TYPE, or NULL.  */
const GElf_Phdr *image_find_segment (const struct image *image, uint32_t type);

/* Return whether a section with HEADER has its contents, of any size and also
   of none, in the file.  */
static inline bool
image_section_has_bytes (const GElf_Shdr *header)
{
  return header->sh_type != SHT_NOBITS && header->sh_type != SHT_NULL;
}

/* Return whether SEGMENT has contents in the file.  PT_GNU_RELRO and
   PT_GNU_STACK concern memory only.  Linkers give PT_GNU_RELRO wrong offsets
   (mold 1.10: 0), or sizes up to a page's end after the file (lld 15).  */
static inline bool
image_segment_has_bytes (const GElf_Phdr *segment)
{
  return segment->p_type != PT_NULL && segment->p_type != PT_GNU_RELRO
         && segment->p_type != PT_GNU_STACK && segment->p_filesz > 0;
}

/* Return the PT_LOAD whose memory contains ADDRESS, or NULL.  ADDRESS may be
   after p_filesz, and not in the file then.  */
const GElf_Phdr *image_load_at (const struct image *image, uint64_t address);

/* Return the SIZE bytes that are loaded at ADDRESS, or NULL if they are not
   all in the file, in one segment.  */
const uint8_t *image_bytes_at (const struct image *image, uint64_t address,
                               uint64_t size);

/* Return whether [ADDRESS, ADDRESS + SIZE) lies in one executable PT_LOAD, or
   in one writable PT_LOAD.  */
bool image_is_executable (const struct image *image, uint64_t address,
                          uint64_t size);
bool image_is_writable (const struct image *image, uint64_t address,
                        uint64_t size);

/* Return whether the SIZE bytes of CODE, which IMAGE has at ADDRESS, may end
   in a call (arch.h).  The target of a relative call must be code: this
   excludes most displacements and immediates that happen to contain the opcode
   of a call.  *TARGET is the target, or 0 if the bytes do not show it.  */
static inline bool
image_may_end_call (const struct image *image, const uint8_t *code,
                    uint64_t size, uint64_t address, uint64_t *target)
{
  int32_t distance;
  if (!image->arch->may_end_call (code, size, &distance))
    return false;
  *target = distance ? address + size + (uint64_t)(int64_t)distance : 0;
  return distance == 0 || image_is_executable (image, *target, 1);
}

/* Return whether the file ends in a kernel module's signature (Linux,
   kernel/module/signing.c), which covers the bytes before it.  */
bool image_has_module_signature (const struct image *image);

/* Return how many bytes of code IMAGE has: in executable sections or, without
   section headers, in executable segments.  */
uint64_t image_executable_bytes (const struct image *image);

/* The .eh_frame section, found by its section header or, in a file without
   section headers, through PT_GNU_EH_FRAME.  Size 0: there is none.  */
struct image_eh_frame
{
  uint64_t address;
  const uint8_t *bytes;
  uint64_t size;
  uint64_t header_size; /* of .eh_frame_hdr; for statistics */
};

bool image_find_eh_frame (const struct image *image,
                          struct image_eh_frame *found, struct error *err);

#endif /* ELF_IMAGE_H */

/* An ELF file, opened and classified; read-only.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The bytes are a mapping of the file, which the image owns, or the caller's
   memory; libelf looks into them where they are.  Opening checks what every
   later layer relies on: class and header sizes, tables inside the file,
   section and segment contents inside the file, PT_LOADs ascending and
   disjoint, p_filesz <= p_memsz, and no more of anything than is reasonable.
   (Segment contents are not checked in files of debug_only: they are not
   there.  Nor are those of segments without any, image_segment_has_bytes.)  */

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
  /* Linux, fs/binfmt_elf.c, load_elf_phdrs: programs with a larger table of
     program headers do not run.  */
  PROGRAM_HEADERS_SIZE_MAX = 65536
};

struct image_section
{
  GElf_Shdr header;
  const char *name; /* in the file's string table; "": it has no name */
};

struct image
{
  Elf *elf;
  int fd;               /* -1 when opened from memory */
  const uint8_t *bytes; /* the whole file */
  uint64_t size;        /* of these, without an outdated undo record */
  size_t mapped_size;   /* of the mapping with the bytes; 0: no mapping */
  GElf_Ehdr header;
  const struct arch *arch; /* NULL: a machine without SFrame ABI */
  bool big_endian;
  GElf_Phdr *segments; /* owned */
  size_t n_segments;
  struct image_section *sections; /* owned; [0] is the null section */
  size_t n_sections;              /* 0 without section header table */
  size_t section_names;           /* index of .shstrtab, 0 if none */
  bool debug_only; /* code without contents: made by --only-keep-debug */
  /* The image that was made into this one, which has no name of its own; or
     NULL.  */
  const struct image *made_from;
};

/* Open PATH for reading.  */
bool image_open (struct image *image, const char *path, struct error *err);

/* Open the file at LOCATION for reading, after taking its lock.  */
bool image_open_at (struct image *image, const struct file_location *location,
                    struct error *err);

/* Open the file at LOCATION without looking into it: only bytes, size and
   descriptor are set.  */
bool image_open_bytes (struct image *image,
                       const struct file_location *location,
                       struct error *err);

/* Open an ELF file as image_open_at does, or an archive as image_open_bytes.
 */
bool image_open_or_archive (struct image *image,
                            const struct file_location *location,
                            struct error *err);
bool image_is_archive (const struct image *image);

/* Read the open file FD.  The descriptor belongs to the image on success
   only.  */
bool image_open_fd (struct image *image, int fd, struct error *err);

/* Read SIZE bytes of memory, which stay the caller's and must outlive the
   image.  */
bool image_open_memory (struct image *image, const void *bytes, size_t size,
                        struct error *err);

/* Record what libelf says of the call that failed, behind WHAT, with STATUS;
   or that memory ran out.  libelf's numbers for its errors are its own, but
   malloc sets errno to ENOMEM; the caller has set it to 0 in front of the
   call.  Returns false.  */
bool image_libelf_failed (struct error *err, enum cfi2sframe_status status,
                          const char *what);

/* Put SIZE bytes of libelf's structures of TYPE to TO, as a file like IMAGE
   has them.  This cannot fail for an image that was opened.  */
void image_encode (const struct image *image, Elf_Type type,
                   const void *source, size_t size, uint8_t *to);

/* Whether IMAGE is linked: objects and core files are CFI2SFRAME_NOTHING, as
   there is nothing for a conversion to do.  */
bool image_expect_linked (const struct image *image, struct error *err);

/* Whether IMAGE is of a machine that SFrame has an ABI for.  */
bool image_expect_machine (const struct image *image, struct error *err);

/* Start libelf, which has to be done once, whatever threads do.  */
void image_start_libelf (void);

/* Does nothing to an image that is zeroed, that was closed, or that could not
   be opened.  */
void image_close (struct image *image);

/* Take the pages of a mapped file out of the page tables, when hardly any is
   needed any more, while other threads may look at them: what is looked
   at comes back.  For a large file image_close has nothing left to do then. */
void image_unmap_pages (const struct image *image);

/* The segment, the PT_LOAD, the section behind LAST; the first if that is
   NULL.  NULL: there is none.  The null section does not count.  */

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

/* Loops over all of them, in the order of their tables.  The name that is
   declared cannot be in parentheses: NOLINTBEGIN(bugprone-macro-parentheses)
 */
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

/* The lowest and the highest PT_LOAD, or NULL.  */
const GElf_Phdr *image_first_load (const struct image *image);
const GElf_Phdr *image_last_load (const struct image *image);

/* The first section called NAME, or NULL.  */
const struct image_section *image_find_section (const struct image *image,
                                                const char *name);

/* Whether A and B are of one machine and byte order.  */
static inline bool
image_same_machine (const struct image *a, const struct image *b)
{
  return a->header.e_machine == b->header.e_machine
         && a->big_endian == b->big_endian;
}

/* Whether SECTION is loaded and can be executed.  */
static inline bool
image_section_is_code (const struct image_section *section)
{
  const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
  return (section->header.sh_flags & code) == code;
}

/* The section's bytes inside image->bytes, or NULL for SHT_NOBITS.  */
const uint8_t *image_section_bytes (const struct image *image,
                                    const struct image_section *section);

/* The first segment of TYPE, or NULL.  */
const GElf_Phdr *image_find_segment (const struct image *image, uint32_t type);

/* Whether a section with HEADER names bytes of the file, be it 0 of them.  */
static inline bool
image_section_has_bytes (const GElf_Shdr *header)
{
  return header->sh_type != SHT_NOBITS && header->sh_type != SHT_NULL;
}

/* Whether SEGMENT names bytes of the file.  PT_GNU_RELRO and PT_GNU_STACK are
   about memory alone.  Linkers give PT_GNU_RELRO offsets that are wrong (mold
   1.10: 0) and sizes up to a page's end that is not in the file (lld 15).  */
static inline bool
image_segment_has_bytes (const GElf_Phdr *segment)
{
  return segment->p_type != PT_NULL && segment->p_type != PT_GNU_RELRO
         && segment->p_type != PT_GNU_STACK && segment->p_filesz > 0;
}

/* The PT_LOAD that has ADDRESS in memory, or NULL.  What lies behind p_filesz
   is not in the file.  */
const GElf_Phdr *image_load_at (const struct image *image, uint64_t address);

/* The SIZE bytes loaded from the file at ADDRESS, or NULL when they are not
   all in one segment's file contents.  */
const uint8_t *image_bytes_at (const struct image *image, uint64_t address,
                               uint64_t size);

/* Whether [ADDRESS, ADDRESS + SIZE) lies in one executable PT_LOAD.  */
bool image_is_executable (const struct image *image, uint64_t address,
                          uint64_t size);
/* Whether [ADDRESS, ADDRESS + SIZE) lies in one writable PT_LOAD.  */
bool image_is_writable (const struct image *image, uint64_t address,
                        uint64_t size);

/* Whether the SIZE bytes of CODE, which are IMAGE's at ADDRESS, may end in a
   call (arch.h).  The target of a relative call must be code: by this most
   displacements and immediates that have the byte of a call are told apart.
   *TARGET is that target, or 0 where the bytes do not tell one.  */
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

/* Whether a kernel module's signature is appended to the file (Linux,
   kernel/module/signing.c), which holds for the bytes in front of it.  */
bool image_has_module_signature (const struct image *image);

/* How many bytes of code IMAGE has: in executable sections or, without section
   headers, in executable segments.  */
uint64_t image_executable_bytes (const struct image *image);

/* Where the unwind data is: address and bytes of .eh_frame, by section header
   or, in a file without section headers, through PT_GNU_EH_FRAME.  Sizes of 0
   mean "none".  */
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

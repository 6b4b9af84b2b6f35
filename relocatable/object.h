/* Relocatable objects: addresses for their code, and their CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later

   In an object (ET_REL) every section is at address 0, and the pc_begin of an
   FDE is a relocation.  But the readers of CFI need addresses, as linked files
   have them.  So object_open gives each section of code a made-up address, and
   makes a copy of .eh_frame with such addresses in the pc_begin fields.
   object_locate finds the section and offset of an address.  */

#ifndef RELOCATABLE_OBJECT_H
#define RELOCATABLE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/source.h"
#include "elf/image.h"

/* One relocation.  */
struct object_relocation
{
  uint64_t offset; /* in the section that it changes */
  uint64_t value;  /* symbol + addend as a made-up address; 0: not in code */
  uint32_t type;
};

/* The relocations of a section, but for those of type NONE, which is 0.  */
struct object_relocations
{
  struct object_relocation *entries; /* owned; ascending offset */
  size_t n, capacity;
};

struct object
{
  const struct image *image;
  uint64_t *bases; /* owned; by section: its made-up address; 0: no code */
  size_t *code;    /* owned; indexes of the sections of code, ascending */
  size_t n_code;
  /* The copy of .eh_frame; its size is 0 when the object has none.  */
  uint8_t *eh_frame; /* owned */
  uint64_t eh_frame_size;
  uint64_t eh_frame_address;
  struct object_relocations relocations; /* of .eh_frame */
};

/* Choose addresses for IMAGE, an ET_REL file that must outlive OBJECT, and
   make the copy of .eh_frame.  Refuses kernel modules with an appended
   signature.  After failure OBJECT needs no object_close.  */
bool object_open (struct object *object, const struct image *image,
                  struct error *err);

void object_close (struct object *object);

/* Find the section and offset of the SIZE bytes of code at the made-up
   ADDRESS.  False when they are not all in one section of code.  */
bool object_locate (const struct object *object, uint64_t address,
                    uint64_t size, size_t *section, uint64_t *offset);

/* Find the .sframe of IMAGE, an ET_REL file; *SECTION is 0 if there is none.
   Refuses an object with several SFrame sections, or one of another name,
   because linkers would join them with the new .sframe.  */
bool object_find_sframe (const struct image *image, size_t *section,
                         struct error *err);

/* Whether SECTION has relocations of section TARGET.  Other types of
   relocation sections, such as SHT_CREL, have SHF_INFO_LINK: sh_info is a
   section index (gABI).  */
static inline bool
section_relocates (const struct image_section *section, size_t target)
{
  const GElf_Shdr *header = &section->header;
  return header->sh_info == target
         && (header->sh_type == SHT_RELA || header->sh_type == SHT_REL
             || (header->sh_flags & SHF_INFO_LINK));
}

/* Read SECTION's relocations.  The caller always frees TABLE->entries.  */
bool object_read_relocations (const struct object *object, size_t section,
                              struct object_relocations *table,
                              struct error *err);

/* Return the relocation of the field at OFFSET.  NULL if there is none, or if
   there are several, which linkers apply one after the other.  */
const struct object_relocation *
object_find_relocation (const struct object_relocations *table,
                        uint64_t offset);

/* Read the CFI of OBJECT, which must outlive SOURCE, as cfi_source_open does
   for linked files.  Addresses in it are made-up ones.  FDEs with relocated
   instructions get no rows, and a reason.  NO_PLAIN: as in struct
   cfi_section.  */
bool object_source_open (struct cfi_source *source,
                         const struct object *object, bool no_plain,
                         struct error *err);

/* Count the bytes of code that the CFI of IMAGE, an ET_REL file, describes; 0
   when the CFI cannot be read.  False when memory ran out.  */
bool object_described (const struct image *image, uint64_t *bytes,
                       struct error *err);

#endif /* RELOCATABLE_OBJECT_H */

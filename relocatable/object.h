/* Relocatable objects: where their functions are, and their CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later

   In an object (ET_REL) every section starts at address 0 and pc_begin of an
   FDE is a relocation.  So that other layers can work as on linked files, the
   code sections get made-up addresses, side by side, and a copy of .eh_frame
   gets its pc_begin fields filled in accordingly.  Afterwards each address is
   turned back into a section and an offset.  */

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
  uint64_t offset; /* in the section it changes */
  uint64_t value;  /* symbol + addend as a made-up address; 0: not code */
  uint32_t type;
};

/* The relocations of one section, without those of type NONE, which is 0 on
   every machine.  */
struct object_relocations
{
  struct object_relocation *entries; /* owned; ascending offset */
  size_t n, capacity;
};

struct object
{
  const struct image *image;
  uint64_t *bases; /* owned; per section: its made-up address, 0 unless code */
  size_t *code;    /* owned; indexes of the code sections, ascending */
  size_t n_code;
  /* .eh_frame, resolved; size 0 when the object has none.  */
  uint8_t *eh_frame; /* owned */
  uint64_t eh_frame_size;
  uint64_t eh_frame_address;
  struct object_relocations relocations; /* of .eh_frame */
};

/* Resolve the .eh_frame of IMAGE, an ET_REL file that must outlive OBJECT.
   Refuses kernel modules with an appended signature.  On failure OBJECT needs
   no closing.  */
bool object_open (struct object *object, const struct image *image,
                  struct error *err);

void object_close (struct object *object);

/* The section and offset of the SIZE bytes of code at the made-up ADDRESS;
   false when they are not all in one code section.  */
bool object_locate (const struct object *object, uint64_t address,
                    uint64_t size, size_t *section, uint64_t *offset);

/* Find the .sframe of IMAGE, an ET_REL file; *SECTION is 0 if there is none.
   What is called otherwise, or stands beside it, linkers would join with it:
   that is refused.  */
bool object_find_sframe (const struct image *image, size_t *section,
                         struct error *err);

/* Whether SECTION has relocations of section TARGET, in whatever form: types
   are added (SHT_CREL), and the flag says what sh_info is (gABI).  */
static inline bool
section_relocates (const struct image_section *section, size_t target)
{
  const GElf_Shdr *header = &section->header;
  return header->sh_info == target
         && (header->sh_type == SHT_RELA || header->sh_type == SHT_REL
             || (header->sh_flags & SHF_INFO_LINK));
}

/* Read the relocations of SECTION; TABLE->entries is freed by the caller, also
   after failure.  */
bool object_read_relocations (const struct object *object, size_t section,
                              struct object_relocations *table,
                              struct error *err);

/* The relocation of the field at OFFSET; NULL: there is none, or there are
   several, which linkers apply one after the other.  */
const struct object_relocation *
object_find_relocation (const struct object_relocations *table,
                        uint64_t offset);

/* Read the CFI of OBJECT, which must outlive SOURCE, as cfi_source_open does.
   Addresses are the made-up ones; objects have no PLT.  FDEs with relocated
   instructions cannot be taken as they are.  NO_PLAIN: as in struct
   cfi_section.  */
bool object_source_open (struct cfi_source *source,
                         const struct object *object, bool no_plain,
                         struct error *err);

/* Count the bytes of code that the CFI of IMAGE, an ET_REL file, describes; 0
   when it cannot be read.  False when memory ran out.  */
bool object_described (const struct image *image, uint64_t *bytes,
                       struct error *err);

#endif /* RELOCATABLE_OBJECT_H */

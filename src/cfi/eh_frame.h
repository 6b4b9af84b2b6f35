/* The FDEs of an .eh_frame section, through libdwarf.
   SPDX-License-Identifier: LGPL-2.1-or-later

   libdwarf gives up on a whole section for one bad entry, stops at a zero
   terminator, refuses augmentation letters it does not know and becomes slow
   with thousands of CIEs.  Therefore the entries are handed to it in batches
   of bounded size: private copies of some FDEs behind the CIEs they use.  A
   batch it refuses is split until the damaged entry is alone.  Of FDEs with
   equal CIE and instructions it sees the first one (slice_reader.c).
   Instruction bytes are still taken from the section itself.  */

#ifndef CFI_EH_FRAME_H
#define CFI_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/error.h"
#include "elf/image.h"
#include "frame/frame.h"

/* What a CIE says, decoded once.  */
struct cfi_cie
{
  uint64_t offset;        /* in the section */
  uint64_t entry_size;    /* bytes, with the length field */
  uint32_t signed_letter; /* offset in the entry of a letter B or G, or 0 */
  const uint8_t *instructions; /* NULL: not decoded, no FDE uses it */
  uint64_t instructions_size;
  uint64_t code_alignment;
  int64_t data_alignment;
  uint16_t ra_column;
  uint8_t pointer_encoding; /* DW_EH_PE_* of pc_begin and set_loc */
  uint8_t lsda_encoding;    /* DW_EH_PE_*; omit: FDEs have no LSDA pointer */
  /* DW_EH_PE_*; omit: none.  With `indirect` the personality below is the
     address of a pointer to the function.  0: a null pointer.  */
  uint8_t personality_encoding;
  uint64_t personality;
  bool has_augmentation_data; /* augmentation z: its FDEs have some, too */
  bool signal;                /* augmentation S */
  bool b_key;                 /* augmentation B */
  enum frame_reason unusable; /* REASON_NONE when FDEs of it can be read */
};

struct cfi_fde
{
  uint64_t address;
  uint64_t size;      /* bytes of code */
  uint64_t offset;    /* of the entry in the section */
  uint32_t head_size; /* bytes of the entry in front of its instructions */
  uint32_t instructions_size;
  uint32_t cie;     /* index */
  uint32_t program; /* number; equal ones have equal CIE and instructions */
};

/* An entry (or a range of bytes) that could not be read.  */
struct cfi_damage
{
  uint64_t offset; /* in the section */
  enum frame_reason reason;
  char text[96];
};

struct cfi_section
{
  const struct arch *arch;
  uint64_t address;
  const uint8_t *bytes;
  uint64_t size;
  struct cfi_cie *cies; /* ascending offset */
  size_t n_cies;
  struct cfi_fde *fdes; /* ascending (address, offset) */
  size_t n_fdes;
  size_t n_programs;          /* all FDEs' numbers are lower */
  struct cfi_damage *damages; /* ascending offset; at most CFI_DAMAGES_MAX */
  size_t n_damages;
  size_t n_damaged; /* entries left out, also those not in `damages` */
};

enum
{
  CFI_DAMAGES_MAX = 64
};

/* Read the SIZE BYTES of an .eh_frame loaded at ADDRESS.  They must outlive
   SECTION.  Damaged entries are no failure; lack of memory is.  */
bool cfi_section_read (struct cfi_section *section, const struct arch *arch,
                       const uint8_t *bytes, uint64_t size, uint64_t address,
                       struct error *err);

/* Forget the FDEs whose range is not code of IMAGE (left over from discarded
   sections, or damaged): they say nothing about any code.  */
void cfi_section_keep_code (struct cfi_section *section,
                            const struct image *image);

void cfi_section_free (struct cfi_section *section);

/* FDE's instructions, in SECTION's bytes.  */
static inline const uint8_t *
cfi_fde_instructions (const struct cfi_section *section,
                      const struct cfi_fde *fde)
{
  return section->bytes + fde->offset + fde->head_size;
}

/* Read FDE's pointer to its language-specific data; *LSDA is 0 when it has
   none.  False when it is in a form that only the program at run time can
   resolve, or damaged.  */
bool cfi_fde_lsda (const struct cfi_section *section,
                   const struct cfi_fde *fde, uint64_t *lsda);

#endif /* CFI_EH_FRAME_H */

/* What CFI holds: CIEs, FDEs, and what could not be read.
   SPDX-License-Identifier: LGPL-2.1-or-later

   It may come from several sections.  Instructions are not copied: they are
   looked at where they are, in the bytes of the input.  */

#ifndef CFI_CFI_SECTION_H
#define CFI_CFI_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/error.h"
#include "frame/frame.h"

/* The forms in which CFI is stored.  They differ in how an entry leads to its
   CIE (LSB Core, section 10.6; DWARF 5, section 6.4.1).  */
enum cfi_kind
{
  CFI_EH_FRAME,
  CFI_DEBUG_FRAME
};

/* One section with CFI.  It owns no bytes.  */
struct cfi_input
{
  enum cfi_kind kind;
  const uint8_t *bytes;
  uint64_t size;
  uint64_t address; /* of an .eh_frame; .debug_frame has none: 0 */
  bool fp_unknown;  /* functions that save FP have no rule for it */
};

/* What a CIE says, decoded once.  */
struct cfi_cie
{
  uint64_t offset;         /* in its input */
  uint64_t entry_size;     /* bytes, with the length field */
  uint32_t hidden_letter;  /* offset in the entry of a letter B or G, or 0 */
  uint32_t hidden_letters; /* how many are not shown to libdwarf at all */
  uint32_t input;          /* index */
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
  bool absolute_pointers;     /* some are as wide as an address */
  bool plain;                 /* its FDEs may be plain (fde.h) */
  enum frame_reason unusable; /* REASON_NONE when FDEs of it can be read */
};

struct cfi_fde
{
  uint64_t address;
  uint64_t size;      /* bytes of code */
  uint64_t offset;    /* of the entry in its input */
  uint32_t head_size; /* bytes of the entry in front of its instructions */
  uint32_t instructions_size;
  uint32_t cie;  /* index */
  uint8_t input; /* index */
};

/* An entry (or a range of bytes) that could not be read.  */
struct cfi_damage
{
  uint64_t offset; /* in its input */
  uint32_t input;  /* index */
  enum frame_reason reason;
  char text[96];
};

enum
{
  CFI_INPUTS_MAX = 3,
  CFI_DAMAGES_MAX = 64
};

struct cfi_section
{
  const struct arch *arch;
  struct cfi_input inputs[CFI_INPUTS_MAX]; /* the best one first */
  uint32_t n_inputs;
  bool no_plain;        /* libdwarf reads plain FDEs, too: for checks */
  struct cfi_cie *cies; /* ascending (input, offset) */
  size_t n_cies, cies_capacity;
  struct cfi_fde *fdes; /* ascending (address, input, offset) */
  size_t n_fdes, fdes_capacity;
  struct cfi_damage *damages; /* ascending (input, offset), at most
                                 CFI_DAMAGES_MAX */
  size_t n_damages;
  size_t n_damaged; /* entries left out, also those not in `damages` */
  /* How many of these are FDEs, or may be: not CIEs.  An FDE with a CIE that
     cannot be read counts, too.  */
  uint64_t left_out[REASON_COUNT];
  /* FDEs for code that earlier inputs describe (precedence.h).  */
  size_t n_set_aside;
  size_t n_contradictions; /* so many of them say something else */
};

/* The functions are in reader.c: it calls entry and fde, which include this
   header.  */

/* Add what INPUT holds to SECTION, which has an `arch' and is otherwise zero
   at first.  Its FDEs are in order then.  INPUT's bytes must outlive
   SECTION, which is freed with cfi_section_free.  Damaged entries are not
   failures; lack of memory is.  */
bool cfi_read (struct cfi_section *section, const struct cfi_input *input,
               struct error *err);
void cfi_section_free (struct cfi_section *section);

/* How many functions have CFI, also those that cannot be read.  */
uint64_t cfi_section_functions (const struct cfi_section *section);

/* Count the functions of CFI in REPORT, and those that cannot be read also as
   left out; the first damage is told.  */
void cfi_report (const struct cfi_section *cfi,
                 struct cfi2sframe_report *report);

/* The bytes of all inputs.  */
uint64_t cfi_section_size (const struct cfi_section *section);

/* FDE's instructions, in the bytes of its input.  */
static inline const uint8_t *
cfi_fde_instructions (const struct cfi_section *section,
                      const struct cfi_fde *fde)
{
  return section->inputs[fde->input].bytes + fde->offset + fde->head_size;
}

#endif /* CFI_CFI_SECTION_H */

/* The CIEs and FDEs of a file's CFI, and the entries that cannot be read.
   SPDX-License-Identifier: LGPL-2.1-or-later

   CFI may come from several sections, the inputs.  Instructions are not
   copied; they are executed in place, in the bytes of the input.  */

#ifndef CFI_CFI_SECTION_H
#define CFI_CFI_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/error.h"
#include "frame/frame.h"

/* The forms in which CFI is stored.  They differ in the CIE pointer of an FDE
   (LSB Core, section 10.6; DWARF 5, section 6.4.1).  */
enum cfi_kind
{
  CFI_EH_FRAME,
  CFI_DEBUG_FRAME
};

/* One section with CFI.  The bytes are not owned.  */
struct cfi_input
{
  enum cfi_kind kind;
  const uint8_t *bytes;
  uint64_t size;
  uint64_t address; /* 0 for a .debug_frame, which is not loaded */
  bool fp_unknown;  /* functions that save FP have no rule for it */
};

/* A decoded CIE.  */
struct cfi_cie
{
  uint64_t offset;     /* in its input */
  uint64_t entry_size; /* bytes, with the length field */
  /* Augmentation letters that libdwarf must not see: the first one's offset in
     the entry, or 0, and how many to remove (0: replace letters B and G).  */
  uint32_t hidden_letter, hidden_letters;
  uint32_t input;              /* index */
  const uint8_t *instructions; /* NULL until the first FDE is read */
  uint64_t instructions_size;
  uint64_t code_alignment;
  int64_t data_alignment;
  uint16_t ra_column;
  uint8_t pointer_encoding; /* DW_EH_PE_* of pc_begin and set_loc */
  uint8_t lsda_encoding;    /* DW_EH_PE_*; omit: FDEs have no LSDA pointer */
  /* DW_EH_PE_*; omit: there is none.  With `indirect' the personality is the
     address of a pointer to the function.  0 is a null pointer.  */
  uint8_t personality_encoding;
  uint64_t personality;
  bool has_augmentation_data; /* augmentation z: its FDEs have some, too */
  bool signal;                /* augmentation S */
  bool b_key;                 /* augmentation B */
  bool absolute_pointers;     /* a pointer has DW_EH_PE_absptr */
  bool plain;                 /* its FDEs may be plain (fde.h) */
  enum frame_reason unusable; /* why no FDE of it can be read;
                                REASON_NONE: FDEs can */
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
  struct cfi_input inputs[CFI_INPUTS_MAX]; /* in order of precedence */
  uint32_t n_inputs;
  bool no_plain;        /* let libdwarf read plain FDEs, too, for checks */
  struct cfi_cie *cies; /* ascending (input, offset) */
  size_t n_cies, cies_capacity;
  struct cfi_fde *fdes; /* ascending (address, input, offset) */
  size_t n_fdes, fdes_capacity;
  struct cfi_damage *damages; /* ascending (input, offset), at most
                                 CFI_DAMAGES_MAX */
  size_t n_damages;
  size_t n_damaged; /* number of damages, also of those beyond the maximum */
  /* How many of the damaged entries are not CIEs, by reason: FDEs, and entries
     that may be FDEs.  An FDE whose CIE cannot be read counts, too.  */
  uint64_t left_out[REASON_COUNT];
  /* The numbers of FDEs that were removed because earlier inputs describe
     their code (precedence.h), and of those that contradict these inputs.  */
  size_t n_set_aside;
  size_t n_contradictions;
};

/* Functions of reader.c, which calls entry.c and fde.c.  */

/* Add the CIEs and FDEs of INPUT to SECTION, and sort the FDEs.  Before the
   first call SECTION is all zero but for `arch'.  INPUT's bytes must outlive
   SECTION, which is freed with cfi_section_free.  A damaged entry is no
   failure.  False when memory ran out, or for more than 4 billion FDEs.  */
bool cfi_read (struct cfi_section *section, const struct cfi_input *input,
               struct error *err);
void cfi_section_free (struct cfi_section *section);

/* The number of functions with CFI.  FDEs that cannot be read count, too.  */
uint64_t cfi_section_functions (const struct cfi_section *section);

/* Set the counts of functions and the first damage in REPORT.  Functions whose
   FDEs cannot be read count as left out.  */
void cfi_report (const struct cfi_section *cfi,
                 struct cfi2sframe_report *report);

/* The size of all inputs together, in bytes.  */
uint64_t cfi_section_size (const struct cfi_section *section);

/* The instructions of FDE, in the bytes of its input.  */
static inline const uint8_t *
cfi_fde_instructions (const struct cfi_section *section,
                      const struct cfi_fde *fde)
{
  return section->inputs[fde->input].bytes + fde->offset + fde->head_size;
}

#endif /* CFI_CFI_SECTION_H */

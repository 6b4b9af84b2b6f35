/* What differs between machines, as data.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame/frame.h"

enum
{
  PLT_STUB_MAX = 48, /* bytes of the longest stub that is recognised */
  PLT_ROWS_MAX = 3,
  SAVED_REGISTERS_MAX = 18,
  TLS_RELOCATIONS_MAX = 4
};

/* SFrame's numbers for machines and their byte orders (SFrame specification
   V3, section 2.2.1).  */
enum
{
  SFRAME_ABI_AARCH64_BE = 1,
  SFRAME_ABI_AARCH64_LE = 2,
  SFRAME_ABI_AMD64_LE = 3,
  SFRAME_ABI_S390X_BE = 4
};

struct plt_row
{
  uint8_t start;      /* bytes from the stub's address */
  int16_t cfa_offset; /* CFA = SP + this; RA and FP as at a call */
};

/* One kind of PLT stub, recognised by its instruction bytes.  */
struct plt_stub
{
  const char *name;
  uint8_t size; /* bytes; the distance from one stub to the next */
  uint8_t bytes[PLT_STUB_MAX]; /* instructions */
  uint8_t mask[PLT_STUB_MAX];  /* only bits set here count; the others are
                                  immediates and displacements */
  uint8_t n_rows;
  struct plt_row rows[PLT_ROWS_MAX];
};

/* Entries of tables of stubs; the rows come last.  Initializers cannot have
   parentheses around them.  NOLINTBEGIN(bugprone-macro-parentheses)  */
#define PLT_BYTES(...) \
  {                    \
    __VA_ARGS__        \
  }
#define PLT_STUB(name_, size_, bytes_, mask_, ...)                            \
  {                                                                           \
    .name = (name_), .size = (size_), .bytes = bytes_, .mask = mask_,         \
    .n_rows                                                                   \
        = sizeof (struct plt_row[]){ __VA_ARGS__ } / sizeof (struct plt_row), \
    .rows                                                                     \
        = { __VA_ARGS__ }                                                     \
  }
/* NOLINTEND(bugprone-macro-parentheses)  */

/* Relocation types of a machine's psABI.  */
struct arch_relocations
{
  uint16_t pcrel32, pcrel64, absolute64;
  uint16_t glob_dat, jump_slot; /* fill in words of the GOT */
  uint16_t relative;            /* base address + addend */

  /* Types of dynamic relocations with offsets among thread-local variables for
     addends; ends with 0.  All other addends count as addresses.  */
  uint16_t tls[TLS_RELOCATIONS_MAX + 1];
};

/* What an instruction means for the register for return addresses.  */
enum arch_ra_use
{
  RA_UNKNOWN, /* it may change the register, or code goes on elsewhere */
  RA_KEPT,    /* what is there stays, and the next instruction may be next */
  RA_RETURN   /* code goes on where the register says */
};

/* How far code that keeps frame pointers is with its frame, where an
   instruction is to run next.  */
enum arch_fp_frame
{
  FP_FRAME_MADE,  /* FP leads to the caller's FP and the return address */
  FP_FRAME_NONE,  /* FP is the caller's; the return address is where calls
                     put it */
  FP_FRAME_PUSHED /* the caller's FP is on top of the stack, the return address
                     above it */
};

enum
{
  FP_FRAME_BEFORE = 4, /* bytes looked at in front of the instruction */
  FP_FRAME_CODE = 8    /* bytes looked at in all */
};

struct arch
{
  const char *name;
  uint16_t e_machine;
  bool big_endian;
  uint8_t sframe_abi; /* SFRAME_ABI_* */

  /* DWARF register numbers, and what they are called.  */
  uint16_t sp, fp, ra;
  uint8_t n_register_names;
  const char (*register_names)[4];

  /* Offset of the saved RA from the CFA if the ABI fixes it (sframe header
     field sfh_cfa_fixed_ra_offset); 0 when rows track the RA.  */
  int8_t fixed_ra_offset;
  int32_t caller_sp_offset; /* the caller's SP is CFA + this */

  uint8_t smallest_instruction; /* bytes */
  uint8_t smallest_call;        /* likewise */
  /* The size of the instruction at CODE, where LEFT bytes exist; 0 when the
     instruction is unknown or does not fit.  *IS_CALL tells whether it is a
     call.  NULL: all instructions have the smallest size.  */
  unsigned (*instruction_size) (const uint8_t *code, size_t left,
                                bool *is_call);
  /* Whether the last of the SIZE bytes of CODE may be those of a call.  Where
     instruction_size is NULL, the answer is certain; elsewhere the bytes may
     be parts of other instructions.  If they can only be a call with a
     distance, *DISTANCE is the distance from its end to its target, otherwise
     0.  Async-signal-safe.  */
  bool (*may_end_call) (const uint8_t *code, size_t size, int32_t *distance);

  /* Whether an instruction that ends in LAST may take registers from the
     stack, and cannot be one that saves FP below SP.  NULL: CFI says when
     registers are restored.  Async-signal-safe.  */
  bool (*may_pop) (uint8_t last);

  /* How far code with frame pointers is at the instruction FP_FRAME_BEFORE
     bytes behind CODE. NULL: its frames are not known.  */
  enum arch_fp_frame (*fp_frame) (const uint8_t code[FP_FRAME_CODE]);

  /* What INSTRUCTION, of the smallest size, means for the register for return
     addresses.  NULL: it is not known.  */
  enum arch_ra_use (*ra_use) (const uint8_t *instruction);

  /* Default rows store (CFA offset - cfa_bias) / cfa_scale.  */
  int16_t cfa_bias;
  uint8_t cfa_scale;

  /* The other registers that a function must preserve, ascending; see
     cfa_machine_track_saved.  */
  const uint16_t *saved_registers;
  uint8_t n_saved_registers;

  bool flexible_fdes; /* readers of this machine expect flexible FDEs */
  bool ra_signing;    /* opcodes 0x2c and 0x2d are about RA signing */

  /* SFrame's rules for this machine alone (specification V3, section 1.3, for
     errata 1 of V2; V2, section 2.3.3).  */
  bool needs_pcrel;    /* only versions with FDEs that count from themselves
                          know it */
  bool register_words; /* V2: an odd word of a default row is a register */
  bool ra_padding;     /* a default row's RA word may be 0: RA is not saved */

  /* What binutils makes for the machine's PLTs.  */
  bool plt_expressions; /* CFI of .plt finds the CFA by the PC */
  bool plt_got_defect;  /* SFrame rows of .plt.got have the CFA 8 too high */

  /* Rows of an FDE that --compact makes of several functions, at most: as many
     as readers look up in the time that they take without --compact.  */
  uint16_t rows_max_across;

  /* Largest page size a kernel of this machine may use.  */
  uint32_t max_page_size;
  struct arch_relocations relocations;

  /* Entry 0 of .plt, and the other entries; both end with name NULL.  */
  const struct plt_stub *plt_headers, *plt_stubs;
};

/* The table of an ELF machine (EM_*) and byte order; NULL when SFrame has no
   ABI identifier for it.  */
const struct arch *arch_of_machine (unsigned e_machine, bool big_endian);

/* The table of an SFrame ABI identifier, or NULL.  */
const struct arch *arch_of_sframe_abi (unsigned abi);

/* The table with this NAME, or NULL.  */
const struct arch *arch_of_name (const char *name);

/* Whether a relocation of TYPE refers to a thread-local variable, so that its
   addend is not an address.  False where ARCH is NULL.  */
bool arch_relocation_is_tls (const struct arch *arch, uint32_t type);

/* The first stub of TABLE that the SIZE BYTES begin with, or NULL.  Tables are
   ordered so that the first match is the longest one.  */
const struct plt_stub *plt_stub_find (const struct plt_stub *table,
                                      const uint8_t *bytes, uint64_t size);

static inline bool
arch_tracks_ra (const struct arch *arch)
{
  return arch->fixed_ra_offset == 0;
}

/* Whether a stack tracer can ask for register REG: on amd64 the RA column is a
   name without a register.  */
static inline bool
arch_has_register (const struct arch *arch, uint64_t reg)
{
  return arch_tracks_ra (arch) || reg != arch->ra;
}

/* The machines, by byte orders, each named once.  A new one has two files in
   this folder, and its name here and in patterns.h, where both orders share
   what they have.  */
#define FOR_EACH_ARCH(use) \
  use (amd64) use (aarch64) use (aarch64_be) use (s390x)
#define DECLARE_ARCH(name) extern const struct arch arch_##name;
FOR_EACH_ARCH (DECLARE_ARCH)
#undef DECLARE_ARCH

#endif /* ARCH_ARCH_H */

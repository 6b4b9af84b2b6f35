/* The differences between machines: a table for each machine and byte order.
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

/* SFrame's ABI identifiers, one for each machine and byte order (SFrame
   specification V3, section 2.2.1).  */
enum
{
  SFRAME_ABI_AARCH64_BE = 1,
  SFRAME_ABI_AARCH64_LE = 2,
  SFRAME_ABI_AMD64_LE = 3,
  SFRAME_ABI_S390X_BE = 4
};

struct plt_row
{
  uint8_t start;      /* offset from the stub's address */
  int16_t cfa_offset; /* CFA = SP + this; RA and FP are where they are at the
                         start of a function */
};

/* One kind of PLT stub.  A stub is recognised by its instruction bytes.  */
struct plt_stub
{
  const char *name;
  uint8_t size; /* bytes; also the distance from one stub to the next */
  uint8_t bytes[PLT_STUB_MAX]; /* instructions */
  uint8_t mask[PLT_STUB_MAX];  /* bits that are compared; the others belong to
                                  immediates and displacements */
  uint8_t n_rows;
  struct plt_row rows[PLT_ROWS_MAX];
};

/* Initializers of struct plt_stub; the rows are the last arguments.
   Initializers cannot have parentheses around them.
   NOLINTBEGIN(bugprone-macro-parentheses)  */
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

  /* Dynamic relocations whose addends are offsets of thread-local variables;
     ends with 0.  The addends of all others count as addresses.  */
  uint16_t tls[TLS_RELOCATIONS_MAX + 1];
};

/* How an instruction affects the register for return addresses.  */
enum arch_ra_use
{
  RA_UNKNOWN, /* it may change the register, or jump elsewhere */
  RA_KEPT,    /* it keeps the register, and the code may go on after it */
  RA_RETURN   /* the code goes on at the address in the register */
};

/* How much of its stack frame a function with a frame pointer has made when it
   is about to execute an instruction.  */
enum arch_fp_frame
{
  FP_FRAME_MADE,  /* all: FP points to the caller's FP, below the RA */
  FP_FRAME_NONE,  /* nothing: FP is the caller's, and the return address is
                     where calls put it */
  FP_FRAME_PUSHED /* the caller's FP is on top of the stack, below the RA */
};

enum
{
  FP_FRAME_BEFORE = 4, /* bytes examined before the instruction */
  FP_FRAME_CODE = 8    /* bytes examined in all */
};

struct arch
{
  const char *name;
  uint16_t e_machine;
  bool big_endian;
  uint8_t sframe_abi; /* SFRAME_ABI_* */
  struct arch_relocations relocations;
  uint32_t max_page_size; /* of all kernels for this machine */

  /* ---- Registers, by their DWARF numbers */

  uint16_t sp, fp, ra;
  uint8_t n_register_names, n_saved_registers;
  const char (*register_names)[4];
  /* The callee-saved registers besides FP, ascending; see
     cfa_machine_track_saved.  */
  const uint16_t *saved_registers;
  bool ra_signing; /* the CFA opcodes 0x2c and 0x2d are about RA signing */

  /* ---- Stack frames */

  /* Offset of the saved RA from the CFA if the ABI fixes it (SFrame header,
     sfh_cfa_fixed_ra_offset); 0 when rows track the RA.  */
  int8_t fixed_ra_offset;
  int32_t caller_sp_offset; /* the caller's SP is CFA + this */

  /* ---- Instructions */

  uint8_t smallest_instruction, smallest_call; /* bytes */
  /* Return the size of the instruction at CODE, where LEFT bytes are left; 0
     when the instruction is unknown or does not fit.  *IS_CALL tells whether
     it is a call.  NULL: all instructions have the smallest size.  */
  unsigned (*instruction_size) (const uint8_t *code, size_t left,
                                bool *is_call);

  /* Return whether the SIZE bytes of CODE may end in a call.  Where
     instruction_size is NULL, the answer is certain; elsewhere the bytes may
     be parts of other instructions.  If the bytes can only be a call with a
     distance, *DISTANCE is the distance from the call's end to its target, and
     otherwise 0.  Async-signal-safe.  */
  bool (*may_end_call) (const uint8_t *code, size_t size, int32_t *distance);

  /* Return whether an instruction that ends in the byte LAST may restore
     registers from the stack, and cannot be one that saves FP below SP.  NULL:
     only CFI tells when registers are restored.  Async-signal-safe.  */
  bool (*may_pop) (uint8_t last);

  /* Return how much of its frame a function with a frame pointer has made at
     the instruction FP_FRAME_BEFORE bytes after CODE.  NULL: this is not known
     for the machine.  */
  enum arch_fp_frame (*fp_frame) (const uint8_t code[FP_FRAME_CODE]);

  /* Return how INSTRUCTION, of the smallest size, affects the register for
     return addresses.  NULL: this is not known for the machine.  */
  enum arch_ra_use (*ra_use) (const uint8_t *instruction);

  /* ---- SFrame on this machine */

  /* Rows of default FDEs store (CFA offset - cfa_bias) / cfa_scale.  */
  int16_t cfa_bias;
  uint8_t cfa_scale;
  bool flexible_fdes; /* readers on this machine accept flexible FDEs */
  /* Specification V3, section 1.3, for errata 1 of V2; V2, section 2.3.3.  */
  bool needs_pcrel;    /* only versions with PC-relative FDEs support it */
  bool register_words; /* V2: odd words of default rows are registers */
  bool ra_padding;     /* a default row's RA word may be 0: RA not saved */
  /* The most rows in an FDE that --compact makes of several functions: readers
     search as many in the time that they take without --compact.  */
  uint16_t rows_max_across;

  /* ---- PLTs */

  /* Kinds of entry 0 of .plt, and of other entries; ended by name NULL.  */
  const struct plt_stub *plt_headers, *plt_stubs;
  /* Properties of binutils' output for PLTs.  */
  bool plt_expressions; /* the CFI of .plt computes the CFA from the PC */
  bool plt_got_defect;  /* in SFrame rows of .plt.got the CFA is 8 too high */
};

/* Return the table of an ELF machine (EM_*) and byte order, of an SFrame ABI
   identifier, or with NAME; NULL when there is none.  */
const struct arch *arch_of_machine (unsigned e_machine, bool big_endian);
const struct arch *arch_of_sframe_abi (unsigned abi);
const struct arch *arch_of_name (const char *name);

/* Return whether a relocation of TYPE refers to a thread-local variable, so
   that its addend is not an address.  False if ARCH is NULL.  */
bool arch_relocation_is_tls (const struct arch *arch, uint32_t type);

/* Return the first stub of TABLE whose bytes the SIZE BYTES begin with, or
   NULL.  Tables are ordered so that the first match is the longest.  */
const struct plt_stub *plt_stub_find (const struct plt_stub *table,
                                      const uint8_t *bytes, uint64_t size);

static inline bool
arch_tracks_ra (const struct arch *arch)
{
  return arch->fixed_ra_offset == 0;
}

/* Return whether REG is a real register.  On amd64, DWARF's number for the RA
   does not stand for one.  */
static inline bool
arch_has_register (const struct arch *arch, uint64_t reg)
{
  return arch_tracks_ra (arch) || reg != arch->ra;
}

/* All machines, each named once for each byte order.  A new machine has two
   files in this folder, and its name here and in patterns.h; both byte orders
   share what is in patterns.h.  */
#define FOR_EACH_ARCH(use) \
  use (amd64) use (aarch64) use (aarch64_be) use (s390x)
#define DECLARE_ARCH(name) extern const struct arch arch_##name;
FOR_EACH_ARCH (DECLARE_ARCH)
#undef DECLARE_ARCH

#endif /* ARCH_ARCH_H */

/* The referee: what elfutils libdw says the CFI of a file means.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Shares no code with the converter's reader (libdwarf and cfa_program).  */

#ifndef ORACLE_REFEREE_H
#define ORACLE_REFEREE_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "machine.h"
#include "sections.h"

struct referee_cie
{
  uint8_t section; /* index */
  uint64_t offset; /* in it */
  uint64_t code_alignment;
  const uint8_t *instructions, *instructions_end;
  uint8_t pointer_encoding;
  bool sized_augmentation;
  bool b_key;
};

struct referee_fde
{
  uint64_t start, end; /* [start, end); disjoint after referee_open */
  uint8_t section;     /* index */
  uint64_t offset;     /* in it */
  const uint8_t *instructions, *instructions_end;
  uint32_t cie;  /* index */
  bool overlaps; /* another FDE: which one libdw takes there is not known */
};

struct referee
{
  Elf *elf;
  struct cfi_source_section sections[SECTIONS_MAX];
  size_t n_sections;
  const struct referee_abi *abi;
  bool big_endian;
  const unsigned char *ident;
  struct referee_cie *cies;
  size_t n_cies;
  struct referee_fde *fdes; /* ascending start */
  size_t n_fdes;
  size_t n_damaged; /* entries libdw or this reader cannot make sense of */
  size_t n_empty;   /* FDEs of no bytes */
  size_t n_hidden;  /* FDEs wholly behind earlier ones */
  size_t n_aside;   /* FDEs of .debug_frame for code that other sections
                       describe, or for none */
};

/* Read the CFI of ELF and of DEBUG, its debug file or NULL, which must outlive
   REFEREE.  False (nothing to close) with a reason in *WHY; a file without CFI
   gives no FDEs.  */
bool referee_open (struct referee *referee, Elf *elf, Elf *debug,
                   const char **why);
void referee_close (struct referee *referee);

/* What libdw says at one PC.  */
struct referee_state
{
  Dwarf_Frame *frame; /* NULL: libdw refuses; the referee is silent */
  uint64_t end;       /* the state holds up to here */
  bool per_byte;      /* a rule depends on the PC itself */
  bool signal;
};

/* The state at PC of FDE.  Free with referee_state_free.  */
void referee_state_at (const struct referee *referee,
                       const struct referee_fde *fde, uint64_t pc,
                       struct referee_state *state);
void referee_state_free (struct referee_state *state);

/* Evaluate STATE at PC.  False when the referee cannot tell.  A CFA that the
   CFI leaves undefined is ANSWER_UNDEFINED.  `ra_signed` and `b_key` are left
   alone: libdw does not know them.  */
bool referee_verdict (const struct referee *referee,
                      const struct referee_state *state, uint64_t pc,
                      struct verdict *verdict);

#endif /* ORACLE_REFEREE_H */

/* sframe-prove: checks that the .sframe of a file has the rules of its CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This is a second implementation of --check, for pipelines.  section.c reads
   SFrame and was written from the specification; cfi.c reads CFI by elfutils'
   libdw.  They share no code with the converter.  Both return spans of
   addresses in ascending order, each with a rule, which main.c compares.  */

#ifndef PROVE_PROVE_H
#define PROVE_PROVE_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "rule.h"

/* Properties of a machine.  */
struct abi
{
  unsigned e_machine, id_little, id_big; /* SFrame's numbers; 0: none */
  unsigned sp, fp, ra;                   /* DWARF numbers */
  int fixed_ra;                          /* of the RA from the CFA, or 0 */
  int sp_offset;                         /* the caller's SP - CFA */
  int cfa_scale, cfa_bias;
};

/* Return the properties of a machine; NULL if SFrame does not support it.  */
const struct abi *abi_of (unsigned e_machine);

/* The part of a PT_LOAD segment that is in the file.  */
struct load
{
  uint64_t address, offset, size;
  bool code;
};

/* An ELF file in memory.  */
struct file
{
  const char *path;
  int fd;
  Elf *elf;
  const uint8_t *bytes;
  size_t size;
  GElf_Ehdr header;
  const struct abi *abi;
  /* In ascending order and disjoint; each ends before the last address.  */
  struct load *loads;
  size_t n_loads;
};

/* Return the last of the N structures at FIRST whose address is ADDRESS or
   lower, or NULL.  Each has SIZE bytes and begins with its address, a
   uint64_t; they are in ascending order.  */
const void *find_last_from (const void *first, size_t n, size_t size,
                            uint64_t address);

/* Print PATH to OUT, with backslashes and control characters as \xHH.  */
void print_path (FILE *out, const char *path);

/* Print PATH and the fault of that file, WHAT, to stderr.  */
void complain (const char *path, const char *what);

/* Open PATH.  On failure print the reason and return false.  */
bool file_open (struct file *file, const char *path);
void file_close (struct file *file);

/* Return how many bytes FILE has from ADDRESS to the end of its segment.  */
uint64_t file_bytes_from (const struct file *file, uint64_t address);

/* Return the N bytes of FILE that are loaded at ADDRESS, or NULL.  */
const uint8_t *file_at (const struct file *file, uint64_t address, uint64_t n);

/* A walk over the entries of a CFI section.  */
struct entries
{
  const unsigned char *ident; /* of the ELF file */
  bool eh_frame;
  Elf_Data *data;
  uint64_t address;
  Dwarf_Off at, next; /* offsets of the current entry and of the next one */
};

/* Open .eh_frame of FILE, or .debug_frame.  False if there is none.  */
bool entries_open (struct entries *entries, const struct file *file,
                   bool eh_frame);

/* Read the next entry.  Returns as dwarf_next_cfi: 0, -1 for an entry that
   libdw cannot read, 1 at the end.  dwarf_next_cfi ends at a zero word.  This
   function skips zero words, because libdw looks up addresses in a table that
   may refer to FDEs after one (in libc.so.6 of arm64).  */
int entries_next (struct entries *entries, Dwarf_CFI_Entry *entry);

/* Return the reason why libdw cannot be used for the CFI of FILE, or NULL.
   dwarf_begin_elf has decompressed .debug_frame.  */
const char *file_cfi_problem (const struct file *file);

/* A reader of an SFrame section.  */
struct section
{
  /* Set before section_begin: */
  const uint8_t *bytes;
  size_t size;
  uint64_t address;
  const struct abi *abi;
  uint64_t code_start, code_end; /* the range of the file's code */
  /* The header, set by section_begin: */
  bool big;
  unsigned version, flags;
  int fixed_ra;
  uint32_t n_fdes;
  uint64_t n_rows_in_header;
  size_t fdes, fres, fres_end; /* offsets */
  /* The position of section_next: */
  uint32_t next;   /* index of the next function */
  uint64_t n_rows; /* read so far */
  /* The current function: its range, its rows, the next row, and the offset of
     the current repetition of its block.  */
  uint64_t start, end, block;
  unsigned info, info2, repeat;
  size_t rows, row;
  uint32_t rows_of_function, row_index;
  /* Set by section_begin or section_next: */
  const char *fault; /* the fault of the section, or NULL; and its offset */
  size_t fault_at;
};

/* Open the .sframe of FILE.  False with section->fault if there is none, or if
   its header is malformed.  */
bool section_open (struct section *section, const struct file *file);

/* Read the header of SECTION, whose first members are set.  */
bool section_begin (struct section *section);

/* Read the next span, in ascending order.  False at the end, and with
   section->fault if the section is malformed.  */
bool section_next (struct section *section, struct span *span);

/* The signatures of return addresses, from the CFI of an aarch64 file.  */
struct signatures;

/* Read .eh_frame of FILE, or .debug_frame.  NULL when memory ran out.  */
struct signatures *signatures_open (const struct file *file, bool eh_frame);

/* Return the signature at PC.  */
enum signature signature_at (const struct signatures *signatures, uint64_t pc);

void signatures_close (struct signatures *signatures);

/* The CFI of a file.  */
struct cfi;

/* Open the CFI of FILE.  NULL when memory ran out.  */
struct cfi *cfi_open (const struct file *file);

/* Return why the comparison with CFI is impossible, or NULL: the file has no
   CFI, libdw cannot be used for it, or memory ran out since cfi_open, so that
   spans are missing or incomplete.  */
const char *cfi_problem (const struct cfi *cfi);

void cfi_close (struct cfi *cfi);

/* Find the first span that ends after *AT and starts before END, and move *AT
   to its end.  False if there is none.  */
bool cfi_next (struct cfi *cfi, uint64_t *at, uint64_t end, struct span *span);

#endif /* PROVE_PROVE_H */

/* sframe-prove: is what .sframe says of a file what its CFI says?
   SPDX-License-Identifier: LGPL-2.1-or-later

   A second implementation, for pipelines: its reader of SFrame is written from
   the specification, CFI is read by elfutils' libdw, and nothing is shared
   with the converter.  Both become spans of addresses in ascending order, each
   with a rule; main.c compares them.  */

#ifndef PROVE_PROVE_H
#define PROVE_PROVE_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "rule.h"

/* What differs between machines.  */
struct abi
{
  unsigned e_machine, id_little, id_big; /* SFrame's numbers; 0: none */
  unsigned sp, fp, ra;                   /* DWARF numbers */
  int fixed_ra;                          /* bytes from the CFA, or 0 */
  int sp_offset;                         /* SP of the caller - CFA */
  int cfa_scale, cfa_bias;
};

/* NULL for a machine without SFrame.  */
const struct abi *abi_of (unsigned e_machine);

/* What a PT_LOAD segment has in the file.  */
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
  /* By address; disjoint, and each ends below the last address.  */
  struct load *loads;
  size_t n_loads;
};

/* The last of N structures at FIRST that begins at ADDRESS or in front of it,
   or NULL.  Each has SIZE bytes, and its address comes first.  Their order is
   ascending.  */
const void *last_from (const void *first, size_t n, size_t size,
                       uint64_t address);

/* Print PATH to OUT.  A backslash and what could end the line or steer a
   terminal become \xHH.  */
void print_path (FILE *out, const char *path);

/* Print a line to stderr: PATH, and WHAT is wrong with the file there.  */
void complain (const char *path, const char *what);

/* False, and a line on stderr, if PATH cannot be opened.  */
bool file_open (struct file *file, const char *path);
void file_close (struct file *file);

/* How many bytes FILE has from ADDRESS to the end of its segment.  */
uint64_t file_room (const struct file *file, uint64_t address);

/* The N bytes that FILE has for ADDRESS, or NULL.  */
const uint8_t *file_at (const struct file *file, uint64_t address, uint64_t n);

/* The entries of a section of CFI.  */
struct entries
{
  const unsigned char *ident; /* of the ELF file */
  bool eh_frame;
  Elf_Data *data;
  uint64_t address;
  Dwarf_Off at, next; /* of the entry, and of the one behind it */
};

/* Find .eh_frame of FILE, or .debug_frame.  False: there is none.  */
bool entries_open (struct entries *entries, const struct file *file,
                   bool eh_frame);

/* Read the next entry, as dwarf_next_cfi does: 0, -1 if it makes nothing of
   the entry, 1 at the end.  A zero word, at which libdw ends, is none: libdw
   looks up addresses in a table, which may have FDEs behind it (in libc.so.6
   of arm64).  */
int entries_next (struct entries *entries, Dwarf_CFI_Entry *entry);

/* Why libdw is not to be asked for the CFI of FILE, or NULL.  Sections of
   debugging data are not compressed: dwarf_begin_elf has seen to that.  */
const char *file_cfi_problem (const struct file *file);

/* The spans of a section.  */
struct section
{
  /* Input: what section_begin has to know.  */
  const uint8_t *bytes;
  size_t size;
  uint64_t address;
  const struct abi *abi;
  uint64_t code_start, code_end; /* addresses of the file's code */
  /* The header, from section_begin on.  */
  bool big;
  unsigned version, flags;
  int fixed_ra;
  uint32_t n_fdes;
  uint64_t n_rows_said;
  size_t fdes, fres, fres_end; /* offsets */
  /* What section_next has come to.  */
  uint32_t next;   /* function to come */
  uint64_t n_rows; /* seen */
  /* The function that is read: its range, the row to come and the number of
     its rows, and the block that repeats.  */
  uint64_t start, end, block;
  unsigned info, info2, repeat;
  size_t rows, row;
  uint32_t rows_of_function, row_index;
  /* From section_begin or section_next.  */
  const char *wrong; /* what is broken, or NULL; at offset */
  size_t wrong_at;
};

/* Find the section of FILE.  False, and section->wrong, if there is none that
   can be read.  */
bool section_open (struct section *section, const struct file *file);

/* Begin to read SECTION.  Its first members are set.  */
bool section_begin (struct section *section);

/* The next span in ascending order.  False at the end, and when the section is
   broken: then section->wrong says how.  */
bool section_next (struct section *section, struct span *span);

/* Which return addresses are signed according to the CFI of an aarch64
   file.  */
struct signatures;

/* Read .eh_frame of FILE, or .debug_frame.  NULL when memory ran out.  */
struct signatures *signatures_open (const struct file *file, bool eh_frame);

/* The signature at PC.  */
enum signature signature_at (const struct signatures *signatures, uint64_t pc);

void signatures_close (struct signatures *signatures);

/* The CFI of a file.  */
struct cfi;

/* NULL when memory ran out.  */
struct cfi *cfi_open (const struct file *file);

/* Why CFI cannot be compared with, or NULL: the file has none, it is not for
   libdw, or memory ran out for a part of what was asked for since CFI was
   opened, so that spans are missing, or say too little.  */
const char *cfi_problem (const struct cfi *cfi);

void cfi_close (struct cfi *cfi);

/* The first span that ends behind *AT and starts below END; *AT moves to its
   end.  False if there is none.  */
bool cfi_next (struct cfi *cfi, uint64_t *at, uint64_t end, struct span *span);

#endif /* PROVE_PROVE_H */

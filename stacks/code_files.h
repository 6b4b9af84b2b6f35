/* The files with code of one process or of several: their bytes, rows and
   symbols.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each file is read once, however many processes have mapped it.  Places in a
   file are given by their offset, which mappings have.  The program headers
   translate offsets to the file's own addresses.  */

#ifndef STACKS_CODE_FILES_H
#define STACKS_CODE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <elfutils/libdwfl.h>

#include "base/table.h"
#include "elf/notes.h"
#include "stacks/names.h"
#include "stacks/rows.h"

/* How the kernel or a recording identifies a mapped file.  */
struct mapped_identity
{
  dev_t device; /* 0: not known */
  ino_t inode;  /* likewise */
  uint8_t build_id[BUILD_ID_SIZE_MAX];
  size_t build_id_size; /* 0: not known */
};

struct code_file
{
  uint32_t number;                 /* a profile's index plus 1; 0: none yet */
  char *path;                      /* owned; "[vdso]" for the vdso */
  struct mapped_identity recorded; /* identity of the mapped file */
  bool opened;                     /* opening was tried */
  struct image image;              /* `bytes' NULL: it was not found */
  struct row_source rows;
  /* Owned: a private mapping of the file for libdw, which writes to section
     headers when it decompresses debug information; or NULL.  */
  void *private_copy;
  size_t private_size;
  /* For symbols: a session of libdwfl with this file alone.  */
  Dwfl *dwfl; /* owned */
  Dwfl_Module *module;
  uint64_t bias; /* addresses in MODULE minus those in the file */
  /* Size of the entry point's code without CFI, plus 1; 0: not known.  */
  uint64_t entry_size;
  struct symbol_index symbols; /* read at the first request */
  struct inlines inlines;
  bool is_jit; /* it stands for all code of a process that is in no file; its
                  offsets are addresses */
  struct jit_names jit_names; /* names of that code */
};

struct code_files
{
  struct code_file **files; /* owned, as each is */
  uint32_t n;
  size_t capacity;
  struct key_table numbers; /* of files, by path and identity */
  uint64_t copied;          /* bytes of memory that file_finder has copied */
  struct jit_sums jit_sums;
  size_t inline_ranges; /* of all files */
  size_t mappings;      /* entries that all lists of mappings have allocated */
};

/* Limit of `copied': a core may name thousands of files of 1 GiB.  */
#define FILES_COPIED_MAX (UINT64_C (4) << 30)

/* Return the file with PATH and IDENTITY, added if new.  NULL when memory ran
   out.  */
struct code_file *code_files_get (struct code_files *files, const char *path,
                                  const struct mapped_identity *identity);

/* Add a file that stands for the code of process PID that is in no file.
   RECORDED and DUMP: jit_names_open.  NULL when memory ran out.  */
struct code_file *code_files_add_jit (struct code_files *files, pid_t pid,
                                      bool recorded, int dump);

void code_files_free (struct code_files *files);

/* Open FILE from descriptor FD, which is closed.  -1: it was not found.  */
void code_file_open (struct code_file *file, int fd);

/* Whether FILE, which was opened, is a memfd without a program or a library.
   Just-in-time compilers keep code in such files.  */
bool code_file_is_memory (const struct code_file *file);

/* Return the file's own address of the code at OFFSET of FILE, which was
   opened.  Use the segment that contains OFFSET; if there are several, an
   executable one; if there is none, an executable segment whose last page
   contains OFFSET; otherwise return OFFSET.  */
uint64_t code_file_address (const struct code_file *file, uint64_t offset);

/* Set *SECTION to a section with the rows for OFFSET of FILE, which was
   opened, and *ADDRESS to the address of OFFSET in that section.  The first
   call finds the rows as POLICY says, unless the process is stopped.  False if
   there are none.  */
bool code_file_section (struct code_file *file,
                        const struct section_policy *policy, uint64_t offset,
                        struct sfw_section *section, uint64_t *address);

/* Return the name of FILE without its folder.  */
const char *code_file_name (const struct code_file *file);

/* ---- Names and entry points of code (code_symbols.c) */

/* Whether OFFSET of FILE is in the first code of a program or of the dynamic
   linker, which the kernel starts, if no CFI describes that code.  It extends
   to where CFI or another function begins, but to no more than 64 bytes.  */
bool code_file_is_entry (struct code_file *file, uint64_t offset);

/* Set SYMBOL to the name of the code at OFFSET of FILE: that of its symbol or,
   if there is none, the name of FILE and the address where the rows begin, as
   functions do.  Code in no file has the name that its compiler gave it.
   WANTED: what is wanted besides (names.h).  */
void code_file_symbol (struct code_file *file, uint64_t offset,
                       unsigned wanted, struct code_name *symbol);

/* Call TAKE for each function inlined at OFFSET of FILE (inlines_at).  */
bool code_file_inlines (struct code_file *file, uint64_t offset,
                        unsigned wanted,
                        bool (*take) (void *context, const char *name),
                        void *context);

/* A callback for libdwfl: as dwfl_standard_find_debuginfo, but without a
   result if the debug file that FILE names is a fifo.  The standard function
   would open the fifo and wait for ever.  */
int code_symbols_find_debuginfo (Dwfl_Module *module, void **user,
                                 const char *name, Dwarf_Addr base,
                                 const char *file, const char *link,
                                 GElf_Word crc, char **found);

#endif /* STACKS_CODE_FILES_H */

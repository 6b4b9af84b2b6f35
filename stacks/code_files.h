/* The files of code of one process or of several, each once: their bytes, rows
   and symbols.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A place in a file is its offset there, which is all that a mapping says of
   it.  The program headers say which address of the file's own it is.  */

#ifndef STACKS_CODE_FILES_H
#define STACKS_CODE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <elfutils/libdwfl.h>

#include "base/key_table.h"
#include "elf/notes.h"
#include "stacks/names.h"
#include "stacks/rows.h"

/* What is known of a file that was mapped.  */
struct mapped_identity
{
  dev_t device; /* 0: not known */
  ino_t inode;  /* likewise */
  uint8_t build_id[BUILD_ID_SIZE_MAX];
  size_t build_id_size; /* 0: not known */
};

struct code_file
{
  uint32_t number;                 /* the profile's, from 1 on; 0: none yet */
  char *path;                      /* owned; "[vdso]" for the vdso */
  struct mapped_identity recorded; /* what was mapped */
  bool opened;                     /* IMAGE was looked for */
  struct image image;              /* `bytes' NULL: it was not found */
  struct row_source rows;
  /* For libdw, which writes to section headers where it decompresses debug
     information: a mapping of its own, or NULL.  */
  void *written;
  size_t written_size;
  /* For symbols: a session with this file alone.  */
  Dwfl *dwfl; /* owned */
  Dwfl_Module *module;
  uint64_t bias; /* addresses in MODULE minus those in the file */
  /* Of the code at the entry point that no CFI describes, and one more; 0: not
     looked at yet.  */
  uint64_t entry_size;
  struct symbol_index symbols; /* read when they are asked for first */
  struct inlines inlines;
  bool is_jit; /* it is none, but all code in no file of one process ...  */
  struct jit_names jit_names; /* ... by its names; places are addresses */
};

struct code_files
{
  struct code_file **files; /* owned, as each is */
  uint32_t n;
  size_t capacity;
  struct key_table numbers; /* of files, by what code_files_get asks for */
  uint64_t copied; /* bytes of files that were not found, by file_finder */
  struct jit_sums jit_sums;
  size_t inline_ranges; /* of all files */
  size_t mappings;      /* for so many there is room in lists of processes */
};

/* No more bytes than these are copied: a core may say of thousands of files
   that a gigabyte of each was mapped.  */
#define FILES_COPIED_MAX (UINT64_C (4) << 30)

/* The file at PATH that this was called for with IDENTITY before.  It is added
   if it is new.  NULL when memory ran out.  */
struct code_file *code_files_get (struct code_files *files, const char *path,
                                  const struct mapped_identity *identity);

/* What stands for the code in no file of process PID; whether it is RECORDED,
   and DUMP: jit_names_open.  NULL when memory ran out.  */
struct code_file *code_files_add_jit (struct code_files *files, pid_t pid,
                                      bool recorded, int dump);

void code_files_free (struct code_files *files);

/* FILE has the contents of descriptor FD, which is closed; -1: it was not
   found.  */
void code_file_open (struct code_file *file, int fd);

/* Whether FILE, which was opened, is a memfd without a program or a library,
   as just-in-time compilers have for their code.  */
bool code_file_is_memory (const struct code_file *file);

/* The address that FILE, which was opened, has for the code at OFFSET: in the
   segment that has that byte, of several in the one that can be executed, or
   behind one of these, in its last page; without such a segment, OFFSET.  */
uint64_t code_file_address (const struct code_file *file, uint64_t offset);

/* Set *SECTION to the rows of the code around OFFSET of FILE, which was
   opened, and *ADDRESS to what they know that code by.  Rows are looked for as
   POLICY says when they are asked for first.  False if there are none.  */
bool code_file_section (struct code_file *file,
                        const struct section_policy *policy, uint64_t offset,
                        struct sfw_section *section, uint64_t *address);

/* The name of FILE without its folder.  */
const char *code_file_name (const struct code_file *file);

/* ---- What the code of a file is called, and where it begins
   (code_symbols.c).  */

/* Whether OFFSET of FILE is in the code where the kernel has a program, or the
   dynamic linker, begin, if no CFI describes that: it ends where CFI or
   another function begins, and after 64 bytes.  */
bool code_file_is_entry (struct code_file *file, uint64_t offset);

/* What the code at OFFSET of FILE is called: by its symbol or, where there is
   none, by FILE and the address where its rows begin, as functions do; code in
   no file, by its compiler.  WANTED: of symbols (names.h).  */
void code_file_symbol (struct code_file *file, uint64_t offset,
                       unsigned wanted, struct code_name *symbol);

/* The same of what is inlined there, as inlines_at has it.  */
bool code_file_inlines (struct code_file *file, uint64_t offset,
                        unsigned wanted,
                        bool (*take) (void *context, const char *name),
                        void *context);

/* For libdwfl: as dwfl_standard_find_debuginfo, but with no result where the
   debug file that FILE names is a fifo: the standard function would open the
   fifo and wait for ever.  */
int code_symbols_find_debuginfo (Dwfl_Module *module, void **user,
                                 const char *name, Dwarf_Addr base,
                                 const char *file, const char *link,
                                 GElf_Word crc, char **found);

#endif /* STACKS_CODE_FILES_H */

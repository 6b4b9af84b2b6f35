/* Names of code: from the symbols of its file, from debug information, from
   the just-in-time compiler that made it, and from the kernel.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_NAMES_H
#define STACKS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <elfutils/libdwfl.h>

/* ---- Maps from an address to the interval that contains it, where intervals
   may overlap (interval_map.c).  */

struct address_interval
{
  uint64_t start, end;
};

struct interval_span; /* opaque */

/* Zeroed, it is empty.  */
struct interval_map
{
  struct interval_span *spans; /* owned; ascending */
  size_t n;
};

#define INTERVAL_MAP_NONE UINT32_MAX

/* Make MAP of the N INTERVALS, fewer than 2^31.  Where intervals overlap, the
   later one in the list has the addresses.  False when memory ran out.  */
bool interval_map_make (struct interval_map *map,
                        const struct address_interval *intervals, size_t n);

/* Return the index of the interval with ADDRESS, or INTERVAL_MAP_NONE.  */
uint32_t interval_map_find (const struct interval_map *map, uint64_t address);

void interval_map_free (struct interval_map *map);

/* ---- The name of a place in code */

struct code_name
{
  char name[1024];  /* cut off if it is longer; "" if there is none */
  uint64_t offset;  /* of the address, from the symbol's start */
  bool unsized;     /* the symbol has no size */
  bool of_rows;     /* there is no symbol: the name is where rows begin */
  const char *file; /* of the source, or NULL; owned by libdwfl */
  int line;         /* 0 if not known */
};

/* What is wanted besides names: bits.  */
enum
{
  SYMBOL_SOURCE = 1,  /* the line of source */
  SYMBOL_MANGLED = 2, /* names as in the symbol table, not demangled */
  SYMBOL_INLINES = 4  /* in profiles: inlined functions, too */
};

/* Set the name of SYMBOL from NAME, which is as in the symbol table.  */
void code_name_set (struct code_name *symbol, const char *name,
                    unsigned wanted);

/* ---- Symbols of a file (symbol_index.c).

   dwfl_module_addrinfo searches all symbols for each address.  The index reads
   them once.  Its symbol tables come from libdwfl, which combines those of the
   file, of its debug file and of .gnu_debugdata.  */

struct symbol_index
{
  Dwfl_Module *module; /* not owned */
  struct interval_map by_address;
  uint32_t *numbers; /* owned: libdwfl's number of each symbol in BY_ADDRESS */
};

/* Read the symbols of MODULE, which must outlive INDEX.  False when memory ran
   out.  INDEX has to be freed in any case.  */
bool symbol_index_read (struct symbol_index *index, Dwfl_Module *module);
void symbol_index_free (struct symbol_index *index);

/* Return the name of the symbol at ADDRESS, as in the table and owned by
   libdwfl, or NULL.  Set *VALUE to where the symbol begins, and *UNSIZED to
   whether it has no size.  If several symbols contain ADDRESS, choose the one
   that begins nearest, then the one of stronger binding, then the shorter one,
   then as libdwfl does.  A symbol without a size ends where another one begins
   or its section ends, and is ignored if it begins in one with a size.  */
const char *symbol_index_find (const struct symbol_index *index,
                               uint64_t address, uint64_t *value,
                               bool *unsized);

/* ---- Functions that a compiler has inlined at an address (inlines.c).

   An inlined function is a DW_TAG_inlined_subroutine in its caller, and refers
   to its abstract instance (DWARF 5, section 3.3.8).  */

enum
{
  INLINE_RANGES_MAX = 1 << 22 /* of all modules */
};

struct inline_unit; /* opaque */

struct inline_ranges
{
  struct inline_range *list; /* owned */
  size_t n, capacity;
};

/* The compilation units of a module.  */
struct inlines
{
  size_t *sum;               /* borrowed: how many ranges all modules have */
  bool listed;               /* UNITS is complete */
  struct inline_unit *units; /* owned */
  size_t n, capacity;
  struct inline_ranges by_address; /* ranges of the units, ascending */
};

void inlines_free (struct inlines *inlines);

/* Call TAKE, with CONTEXT, for the name of each function that is inlined at
   ADDRESS of MODULE, the outermost one first.  MODULE is always the same for
   INLINES.  The names have the suffix "_[i]", which is the mark for inlined
   functions in tools for folded stacks.  If memory for the lists ran out,
   there are no names.  WANTED: SYMBOL_MANGLED.  False when TAKE has returned
   false.  */
bool inlines_at (struct inlines *inlines, Dwfl_Module *module,
                 uint64_t address, unsigned wanted,
                 bool (*take) (void *context, const char *name),
                 void *context);

/* ---- Names that a just-in-time compiler gives its code (jit_names.c).

   Compilers write the names to a file for perf.  Either the file is
   /tmp/perf-PID.map, a line for each function, START SIZE NAME, with numbers
   in hexadecimal (tools/perf/Documentation/jit-interface.txt of Linux).  Or
   names and code are in a file jit-PID.dump (jitdump-specification.txt there)
   in any folder; the compiler maps the first page of the file as code, so that
   it can be found.  Some compilers write the file when the program ends.  So
   the folder is opened while the program runs, and the file is read as late as
   possible.  */

struct jit_name
{
  uint64_t start, size;
  char *name; /* owned */
};

/* What the names of all processes take together.  Zeroed at first.  */
struct jit_sums
{
  size_t names, descriptors;
};

struct jit_names
{
  pid_t pid;
  pid_t own_pid; /* the PID inside the process's container */
  int folder;    /* descriptor of the process's /tmp, or -1 */
  int dump;      /* descriptor of its jit-PID.dump, or -1 */
  uid_t user;    /* the process's */
  bool read;
  struct jit_name *names; /* owned; in the order of the file */
  size_t n, capacity;
  struct interval_map by_address; /* of NAMES */
  struct jit_sums *sums;          /* borrowed */
};

/* Whether PATH has the name of a dump: jit-NUMBER.dump.  */
bool jit_names_is_dump (const char *path);

/* Remember where process PID has its names.  If the process was RECORDED or
   has ended, look only in this system's /tmp.  NAMES own the descriptor DUMP
   of the process's dump; -1: there is none.  SUMS must outlive NAMES; names
   and descriptors beyond its limits are dropped.  */
void jit_names_open (struct jit_names *names, pid_t pid, bool recorded,
                     int dump, struct jit_sums *sums);

/* Return the name of the code at ADDRESS, or NULL.  If code was replaced by
   other code, the later name counts.  The first call reads the names, from the
   dump and from a regular file of root or of the process's user.  */
const struct jit_name *jit_names_at (struct jit_names *names,
                                     uint64_t address);

/* NAMES may be zeroed.  */
void jit_names_free (struct jit_names *names);

/* ---- The kernel's functions (kernel_names.c).

   /proc/kallsyms has a line for each symbol: ADDRESS TYPE NAME, and the module
   in brackets.  For users without permission all addresses are 0
   (kptr_restrict in Documentation/admin-guide/sysctl/kernel.rst of Linux).  */

struct kernel_name; /* opaque */

struct kernel_names
{
  struct kernel_name *names; /* owned; ascending */
  size_t n, capacity;
  bool read;
  /* The addresses are from a recording.  The kernel may have been restarted
     since, at other addresses.  They get names only if the symbol REFERENCE is
     still at REFERENCE_ADDRESS.  */
  bool recorded;
  char reference[32];
  uint64_t reference_address;
};

/* Return the name of the function at ADDRESS, or NULL.  The first call reads
   the names.  */
const char *kernel_names_at (struct kernel_names *names, uint64_t address);

void kernel_names_free (struct kernel_names *names);

#endif /* STACKS_NAMES_H */

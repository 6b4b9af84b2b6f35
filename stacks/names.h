/* What code is called: by the symbols of its file, by debug information, by
   the compiler that made it at run time, by the kernel.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_NAMES_H
#define STACKS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <elfutils/libdwfl.h>

/* ---- Intervals of addresses that may overlap, and which one has an address
   (interval_map.c).  */

struct address_interval
{
  uint64_t start, end;
};

struct interval_span; /* opaque */

/* All zeros: no interval has an address.  */
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

/* The number of the interval that has ADDRESS, or INTERVAL_MAP_NONE.  */
uint32_t interval_map_find (const struct interval_map *map, uint64_t address);

void interval_map_free (struct interval_map *map);

/* ---- What code is called */

struct code_name
{
  char name[1024];  /* cut off if it is longer; "" if there is none */
  uint64_t offset;  /* of the address in the symbol */
  bool unsized;     /* the symbol has no size */
  bool of_rows;     /* there is none: the name says where rows begin */
  const char *file; /* of its source, or NULL; it is libdwfl's */
  int line;         /* 0 if not known */
};

/* What is wanted of a symbol.  */
enum
{
  SYMBOL_SOURCE = 1,  /* its line of source */
  SYMBOL_MANGLED = 2, /* its name as the symbol table has it */
  SYMBOL_INLINES = 4  /* of profiles: what is inlined at the address, too */
};

/* Set SYMBOL's name from NAME, as the symbol table has it.  */
void code_name_set (struct code_name *symbol, const char *name,
                    unsigned wanted);

/* ---- Symbols of a file (symbol_index.c).

   dwfl_module_addrinfo goes through all symbols for one address; the index
   goes through them once.  It takes the tables from libdwfl, which puts those
   of the file, of its debug file and of .gnu_debugdata together.  */

struct symbol_index
{
  Dwfl_Module *module; /* not owned */
  struct interval_map by_address;
  uint32_t *numbers; /* owned: libdwfl's, of the symbols in BY_ADDRESS */
};

/* Read the symbols of MODULE, which must outlive INDEX.  False when memory ran
   out.  INDEX is to be freed in any case.  */
bool symbol_index_read (struct symbol_index *index, Dwfl_Module *module);
void symbol_index_free (struct symbol_index *index);

/* The name of the symbol at ADDRESS, as the table has it (libdwfl's), or NULL.
   Of symbols that reach there it is the one that begins nearest, of those the
   one of stronger binding, then the shorter one, then as libdwfl has it.
   One without a size ends where another symbol begins or its section ends, and
   names nothing in one with a size.  *VALUE: where the symbol begins;
   *UNSIZED: it has no size.  */
const char *symbol_index_find (const struct symbol_index *index,
                               uint64_t address, uint64_t *value,
                               bool *unsized);

/* ---- Functions that a compiler has inlined at an address (inlines.c).

   DWARF 5, section 3.3.8: what is inlined is a DW_TAG_inlined_subroutine in
   the subroutine that it is inlined into, and refers to its abstract instance.
 */

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

/* What is known of a module's units.  */
struct inlines
{
  size_t *sum;               /* borrowed: ranges of the units of all modules */
  bool listed;               /* the units are */
  struct inline_unit *units; /* owned */
  size_t n, capacity;
  struct inline_ranges by_address; /* of units; ascending */
};

void inlines_free (struct inlines *inlines);

/* Give TAKE, with CONTEXT, the names of the functions that are inlined at
   ADDRESS of MODULE, which is always the same one for INLINES, from the
   outermost function on, each with what tools for folded stacks mark such a
   name by, "_[i]".  There are none where memory for their list runs out.
   WANTED: SYMBOL_MANGLED.  False when TAKE has returned false.  */
bool inlines_at (struct inlines *inlines, Dwfl_Module *module,
                 uint64_t address, unsigned wanted,
                 bool (*take) (void *context, const char *name),
                 void *context);

/* ---- Names that a just-in-time compiler gives its code (jit_names.c).

   Compilers write them for perf: to /tmp/perf-PID.map, a line for each
   function, START SIZE NAME, the numbers in hexadecimal
   (tools/perf/Documentation/jit-interface.txt of Linux); or with the code to a
   file jit-PID.dump (jitdump-specification.txt there), wherever that is: they
   map its first page as code, so that it is found.  Some write a file when the
   program ends.  So it is read as late as it can be, when the program may have
   ended: where it is must be known before.  */

struct jit_name
{
  uint64_t start, size;
  char *name; /* owned */
};

/* What the names of all processes take in sum; all zeros: nothing.  */
struct jit_sums
{
  size_t names, descriptors;
};

struct jit_names
{
  pid_t pid;
  pid_t own_pid; /* that the process itself knows, in a container */
  int folder;    /* descriptor of the process's /tmp, or -1 ... */
  int dump;      /* ... and of its jit-PID.dump */
  uid_t user;    /* the process's */
  bool read;
  struct jit_name *names; /* owned; as they were written */
  size_t n, capacity;
  struct interval_map by_address; /* of NAMES */
  struct jit_sums *sums;          /* borrowed */
};

/* Whether the file at PATH is called as dumps are.  */
bool jit_names_is_dump (const char *path);

/* Remember where process PID has its names.  If it is RECORDED, or has ended,
   they are looked for in this system's own /tmp alone.  DUMP is closed with
   NAMES; -1: there is none.  SUMS must outlive NAMES; beyond its bounds names
   and places are not kept.  */
void jit_names_open (struct jit_names *names, pid_t pid, bool recorded,
                     int dump, struct jit_sums *sums);

/* The name of the code at ADDRESS, or NULL.  Where code was made in the place
   of other code, the later name counts.  The names are read when one is
   asked for first: from a regular file that belongs to the process's user or
   to root, and from the dump.  */
const struct jit_name *jit_names_at (struct jit_names *names,
                                     uint64_t address);

/* Does nothing to NAMES that are zeroed.  */
void jit_names_free (struct jit_names *names);

/* ---- The kernel's functions (kernel_names.c).

   /proc/kallsyms has a line for each symbol: ADDRESS TYPE NAME, and the module
   in brackets.  Without permission all addresses are 0 (kptr_restrict in
   Documentation/admin-guide/sysctl/kernel.rst of Linux).  */

struct kernel_name; /* opaque */

struct kernel_names
{
  struct kernel_name *names; /* owned; ascending */
  size_t n, capacity;
  bool read;
  /* Addresses are of a recording: they are named only if the symbol REFERENCE
     is at REFERENCE_ADDRESS now, too.  A kernel that was started again has
     other addresses.  */
  bool recorded;
  char reference[32];
  uint64_t reference_address;
};

/* The function that ADDRESS is in, or NULL; the names are read at the first
   call.  */
const char *kernel_names_at (struct kernel_names *names, uint64_t address);

void kernel_names_free (struct kernel_names *names);

#endif /* STACKS_NAMES_H */

/* An index of the symbols of a file by address, and demangling.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A large library has hundreds of thousands of symbols, and a walk asks for
   the names of some dozens.  So the index stores numbers of symbols.  A name
   is read when it is asked for, because names are large: those of
   librustc_driver are 20 MB.

   Names are hostile input.  A mangled name can refer to its own parts, so that
   two hundred characters stand for gigabytes.  libiberty passes the demangled
   text in pieces to a callback, and the callback cannot tell it to stop.  So
   the callback leaves libiberty by longjmp when the text is long enough.  What
   libiberty has allocated by then is on the stack, except for a few bytes that
   decoding a Rust identifier in Punycode takes.  */

#include <config.h>

#include "stacks/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBIBERTY
#  include <setjmp.h>
#  ifdef HAVE_LIBIBERTY_DEMANGLE_H
#    include <libiberty/demangle.h>
#  else
#    include <demangle.h>
#  endif
#endif

#include "base/array.h"
#include "base/radix.h"
#include "stacks/shortage.h"

/* A symbol, while the index is made.  */
struct entry
{
  uint64_t value, end;
  uint32_t number;
  /* The name with the highest rank is chosen: a symbol with a size has a
     higher rank than one without, and then one with a stronger binding.  */
  uint32_t rank;
};

struct entries
{
  struct entry *list; /* owned */
  size_t n, capacity;
};

enum
{
  RANK_SIZED = 4 /* added to the rank of symbols with a size */
};

/* Whether SYMBOL can give an address its name.  */
static bool
names_code (const GElf_Sym *symbol, const char *name)
{
  unsigned type = GELF_ST_TYPE (symbol->st_info);
  return name != NULL && symbol->st_name != 0 && symbol->st_shndx != SHN_UNDEF
         && type != STT_SECTION && type != STT_FILE && type != STT_TLS;
}

/* Return the end of the section of SYMBOL, which has no size and is at VALUE.
   An absolute symbol ends behind its address.  */
static uint64_t
section_end (const GElf_Sym *symbol, uint64_t value, GElf_Word section,
             Elf *elf)
{
  GElf_Shdr header;
  if (section >= SHN_LORESERVE)
    return value + 1;
  Elf_Scn *found = elf != NULL ? elf_getscn (elf, section) : NULL;
  if (found == NULL || gelf_getshdr (found, &header) == NULL)
    return value;
  return header.sh_addr + header.sh_size + (value - symbol->st_value);
}

/* Add symbol NUMBER of MODULE.  False when memory ran out.  */
static bool
add_symbol (struct entries *entries, Dwfl_Module *module, int number)
{
  static const uint8_t strengths[16]
      = { [STB_GLOBAL] = 3, [STB_WEAK] = 2, [STB_LOCAL] = 1 };
  GElf_Sym symbol;
  GElf_Addr value;
  GElf_Word section;
  Elf *elf;
  const char *name = dwfl_module_getsym_info (module, number, &symbol, &value,
                                              &section, &elf, NULL);
  if (!names_code (&symbol, name))
    return true;
  uint64_t end;
  if (symbol.st_size == 0)
    end = section_end (&symbol, value, section, elf);
  else if (__builtin_add_overflow (value, symbol.st_size, &end))
    end = UINT64_MAX;
  if (end <= value)
    return true;
  if (!ARRAY_ROOM (entries->list, entries->n + 1, &entries->capacity))
    return false;
  entries->list[entries->n++]
      = (struct entry){ value, end, (uint32_t)number,
                        strengths[GELF_ST_BIND (symbol.st_info)]
                            + (symbol.st_size != 0 ? RANK_SIZED : 0) };
  return true;
}

/* Order symbols that begin at the same address, the best one last.  If several
   are equally good, the first one of the table is the best one if they have a
   size, and the last one otherwise, as in libdwfl.  */
static int
compare_entries (const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1;
  int order = (x->number > y->number) - (x->number < y->number);
  return x->rank < RANK_SIZED ? order : -order;
}

/* Sort the symbols by address.  Few share one, so qsort sorts only these.  */
static bool
sort_entries (struct entries *entries)
{
  _Static_assert(offsetof (struct entry, value) == 0, "RADIX_SORT");
  if (!RADIX_SORT (entries->list, entries->n))
    return false;
  for (size_t i = 0, end; i < entries->n; i = end)
    {
      for (end = i + 1; end < entries->n
                        && entries->list[end].value == entries->list[i].value;
           end++)
        continue;
      if (end - i > 1)
        qsort (entries->list + i, end - i, sizeof *entries->list,
               compare_entries);
    }
  return true;
}

/* Fill INDEX from the sorted ENTRIES.  In the interval map, later intervals
   have precedence.  So symbols with a size come behind those without.  A
   symbol without a size ends where the next symbol begins, and is left out if
   it begins inside a symbol with a size.  */
static bool
make_index (struct symbol_index *index, const struct entries *entries)
{
  size_t n = 0;
  uint64_t sized_end = 0;
  struct address_interval *intervals
      = calloc (entries->n + 1, sizeof *intervals);
  index->numbers = calloc (entries->n + 1, sizeof *index->numbers);
  if (intervals == NULL || index->numbers == NULL)
    {
      free (intervals);
      return false;
    }
  for (unsigned sized = 0; sized < 2; sized++)
    for (size_t i = 0; i < entries->n; i++)
      {
        const struct entry *entry = &entries->list[i];
        bool cut = i + 1 < entries->n && entry[1].value < entry->end;
        if (entry->rank >= RANK_SIZED && entry->end > sized_end)
          sized_end = entry->end;
        if ((entry->rank >= RANK_SIZED) != sized
            || (!sized && entry->value < sized_end))
          continue;
        intervals[n] = (struct address_interval){
          entry->value, cut && !sized ? entry[1].value : entry->end
        };
        index->numbers[n++] = entry->number;
      }
  bool made = interval_map_make (&index->by_address, intervals, n);
  free (intervals);
  return made;
}

bool
symbol_index_read (struct symbol_index *index, Dwfl_Module *module)
{
  struct entries entries = { 0 };
  *index = (struct symbol_index){ .module = module };
  int n = dwfl_module_getsymtab (module);
  bool done = true;
  /* Symbol 0 is a placeholder.  */
  for (int i = 1; done && i < n; i++)
    done = add_symbol (&entries, module, i);
  done = done && sort_entries (&entries) && make_index (index, &entries);
  free (entries.list);
  return done;
}

void
symbol_index_free (struct symbol_index *index)
{
  interval_map_free (&index->by_address);
  free (index->numbers);
  *index = (struct symbol_index){ 0 };
}

const char *
symbol_index_find (const struct symbol_index *index, uint64_t address,
                   uint64_t *value, bool *unsized)
{
  GElf_Sym symbol;
  uint32_t at = interval_map_find (&index->by_address, address);
  if (at == INTERVAL_MAP_NONE)
    return NULL;
  const char *name
      = dwfl_module_getsym_info (index->module, (int)index->numbers[at],
                                 &symbol, value, NULL, NULL, NULL);
  *unsized = symbol.st_size == 0;
  return name;
}

/* ---- Demangling by libiberty */

#ifdef HAVE_LIBIBERTY

struct text
{
  char *to;
  size_t size, used;
  jmp_buf full;
};

static void
append (const char *piece, size_t length, void *argument)
{
  struct text *text = argument;
  size_t room = text->size - 1 - text->used;
  size_t taken = length < room ? length : room;
  memcpy (text->to + text->used, piece, taken);
  text->used += taken;
  if (taken < length)
    longjmp (text->full, 1);
}

typedef int language (const char *name, int options,
                      demangle_callbackref callback, void *argument);

static bool
demangle_as (language *language, const char *name, struct text *text)
{
  text->used = 0;
  if (setjmp (text->full) == 0
      && language (name, DMGL_PARAMS | DMGL_ANSI, append, text) == 0)
    return false;
  text->to[text->used] = '\0';
  return true;
}

/* Write the demangled NAME to the SIZE bytes at TO, and cut it off if it is
   longer.  False if NAME is not mangled, or if this build lacks libiberty; TO
   is undefined then.  */
static bool
demangle (const char *name, char *to, size_t size)
{
  struct text text = { .to = to, .size = size };
  /* Names in Rust's legacy mangling are C++ names, too: try Rust first.  */
  return name[0] == '_'
         && (demangle_as (rust_demangle_callback, name, &text)
             || demangle_as (cplus_demangle_v3_callback, name, &text));
}

#else

static bool
demangle (const char *name, char *to, size_t size)
{
  (void)name;
  (void)to;
  (void)size;
  return false;
}

#endif

void
code_name_set (struct code_name *symbol, const char *name, unsigned wanted)
{
  /* Cut off the version, as in memcpy@@GLIBC_2.14.  */
  char *plain = strndup (name, strcspn (name, "@"));
  if (plain != NULL
      && ((wanted & SYMBOL_MANGLED) != 0
          || !demangle (plain, symbol->name, sizeof symbol->name)))
    snprintf (symbol->name, sizeof symbol->name, "%s", plain);
  else if (plain == NULL)
    shortage_note ();
  free (plain);
}

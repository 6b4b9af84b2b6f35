/* The symbols of a file, by address.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A large library has hundreds of thousands of symbols, and a walk asks for
   the names of some dozens.  So the index has numbers of symbols, and no byte
   of a name is looked at before it is asked for: the names of librustc_driver
   are 20 MB.  */

#include "stacks/symbol_index.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/radix.h"
#include "base/search.h"

/* A symbol while the index is made.  */
struct entry
{
  uint64_t value, end;
  uint32_t number;
  uint32_t binding; /* the higher, the stronger */
};

struct entries
{
  struct entry *list; /* owned */
  size_t n, capacity;
};

static uint32_t
strength (const GElf_Sym *symbol)
{
  switch (GELF_ST_BIND (symbol->st_info))
    {
    case STB_GLOBAL:
      return 3;
    case STB_WEAK:
      return 2;
    case STB_LOCAL:
      return 1;
    default:
      return 0;
    }
}

/* Whether SYMBOL can be what an address is called.  */
static bool
names_code (const GElf_Sym *symbol, const char *name)
{
  unsigned type = GELF_ST_TYPE (symbol->st_info);
  return name != NULL && symbol->st_name != 0 && symbol->st_shndx != SHN_UNDEF
         && type != STT_SECTION && type != STT_FILE && type != STT_TLS;
}

/* Where the section ends that SYMBOL without a size, at VALUE, is in; an
   absolute symbol is of one address.  */
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

static uint64_t
sum (uint64_t a, uint64_t b)
{
  return a + b >= a ? a + b : UINT64_MAX;
}

/* Add symbol NUMBER of MODULE to the entries of its layer.  */
static bool
add_symbol (struct entries *layers, Dwfl_Module *module, int number)
{
  GElf_Sym symbol;
  GElf_Addr value;
  GElf_Word section;
  Elf *elf;
  const char *name = dwfl_module_getsym_info (module, number, &symbol, &value,
                                              &section, &elf, NULL);
  if (!names_code (&symbol, name))
    return true;
  bool sized = symbol.st_size != 0;
  bool local = GELF_ST_BIND (symbol.st_info) == STB_LOCAL;
  uint64_t end = sized ? sum (value, symbol.st_size)
                       : section_end (&symbol, value, section, elf);
  if (end <= value)
    return true;
  struct entries *entries = &layers[!sized  ? SYMBOLS_UNSIZED
                                    : local ? SYMBOLS_LOCAL
                                            : SYMBOLS_GLOBAL];
  if (!ARRAY_ROOM (entries->list, entries->n + 1, &entries->capacity))
    return false;
  entries->list[entries->n++] = (struct entry){
    .value = value,
    .end = end,
    .number = (uint32_t)number,
    .binding = strength (&symbol),
  };
  return true;
}

/* Of symbols that begin at one address, the best one last: that of stronger
   binding, then the shorter one, then the later one in the tables.  */
static int
compare_entries (const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  if (x->binding != y->binding)
    return x->binding < y->binding ? -1 : 1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* The same with the earlier one in the tables last.  As libdwfl has it, this
   is for symbols with a size.  */
static int
compare_sized (const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  bool alike = x->binding == y->binding && x->end == y->end;
  return alike ? compare_entries (b, a) : compare_entries (a, b);
}

/* Sort by where symbols begin, and those that begin at one address by
   COMPARE.  */
static bool
sort_entries (struct entries *entries,
              int (*compare) (const void *, const void *))
{
  void *list = entries->list;
  if (entries->n == 0)
    return true;
  _Static_assert(offsetof (struct entry, value) == 0, "radix_sort");
  if (!radix_sort (&list, entries->n, sizeof *entries->list))
    return false;
  entries->list = list;
  for (size_t i = 0, end; i < entries->n; i = end)
    {
      for (end = i + 1; end < entries->n
                        && entries->list[end].value == entries->list[i].value;
           end++)
        continue;
      if (end - i > 1)
        qsort (entries->list + i, end - i, sizeof *entries->list, compare);
    }
  return true;
}

static bool
add_span (struct symbol_layer *layer, uint64_t start, uint64_t end,
          const struct entry *entry)
{
  if (!ARRAY_ROOM (layer->spans, layer->n + 1, &layer->capacity))
    return false;
  layer->spans[layer->n++] = (struct symbol_span){ start, end, entry->number };
  return true;
}

/* Make spans of sorted ENTRIES, which may lie in each other.  STACK has room
   for all of them: those that have begun, the nearest one on top.  */
static bool
flatten (const struct entries *entries, const struct entry **stack,
         struct symbol_layer *layer)
{
  size_t depth = 0;
  uint64_t at = 0;
  for (size_t i = 0; i <= entries->n; i++)
    {
      uint64_t next = i < entries->n ? entries->list[i].value : UINT64_MAX;
      while (depth > 0 && at < next)
        {
          const struct entry *top = stack[depth - 1];
          uint64_t end = top->end < next ? top->end : next;
          if (end > at && !add_span (layer, at, end, top))
            return false;
          at = end > at ? end : at;
          depth -= top->end <= at;
        }
      at = next;
      if (i < entries->n)
        stack[depth++] = &entries->list[i];
    }
  return true;
}

static bool
add_sized (const struct entries *entries, struct symbol_layer *layer)
{
  const struct entry **stack = calloc (entries->n + 1, sizeof *stack);
  bool added = stack != NULL && flatten (entries, stack, layer);
  free (stack);
  return added;
}

/* The index of the first span of LAYER that ends behind ADDRESS.  */
static size_t
span_behind (const struct symbol_layer *layer, uint64_t address)
{
  return SEARCH_FIRST (layer->n, i, layer->spans[i].end > address);
}

/* How far a symbol without a size goes from START, at most to END: to the next
   span of LAYER, and nowhere if that one has START.  */
static uint64_t
room_before (const struct symbol_layer *layer, uint64_t start, uint64_t end)
{
  size_t next = span_behind (layer, start);
  if (next == layer->n || layer->spans[next].start >= end)
    return end;
  return layer->spans[next].start;
}

/* Add the sorted ENTRIES without a size to LAYER of INDEX.  Those with a size
   are there.  */
static bool
add_unsized (struct symbol_index *index, const struct entries *entries,
             struct symbol_layer *layer)
{
  for (size_t i = 0; i < entries->n; i++)
    {
      const struct entry *entry = &entries->list[i];
      uint64_t end = entry->end;
      if (i + 1 < entries->n && entry[1].value < end)
        end = entry[1].value;
      for (int sized = SYMBOLS_GLOBAL; sized <= SYMBOLS_LOCAL; sized++)
        end = room_before (&index->layers[sized], entry->value, end);
      if (end > entry->value && !add_span (layer, entry->value, end, entry))
        return false;
    }
  return true;
}

static bool
add_layers (struct symbol_index *index, struct entries *layers)
{
  for (int i = 0; i < SYMBOL_LAYERS; i++)
    {
      struct entries *entries = &layers[i];
      bool sized = i != SYMBOLS_UNSIZED;
      if (!sort_entries (entries, sized ? compare_sized : compare_entries)
          || !(sized ? add_sized (entries, &index->layers[i])
                     : add_unsized (index, entries, &index->layers[i])))
        return false;
    }
  return true;
}

bool
symbol_index_read (struct symbol_index *index, Dwfl_Module *module)
{
  struct entries layers[SYMBOL_LAYERS] = { 0 };
  *index = (struct symbol_index){ .module = module };
  int n = dwfl_module_getsymtab (module);
  bool done = true;
  /* The first symbol is none.  */
  for (int i = 1; done && i < n; i++)
    done = add_symbol (layers, module, i);
  done = done && add_layers (index, layers);
  for (int i = 0; i < SYMBOL_LAYERS; i++)
    free (layers[i].list);
  return done;
}

void
symbol_index_free (struct symbol_index *index)
{
  for (int i = 0; i < SYMBOL_LAYERS; i++)
    free (index->layers[i].spans);
  *index = (struct symbol_index){ 0 };
}

const char *
symbol_index_find (const struct symbol_index *index, uint64_t address,
                   uint64_t *value, bool *unsized)
{
  for (int i = 0; i < SYMBOL_LAYERS; i++)
    {
      GElf_Sym ignored;
      const struct symbol_layer *layer = &index->layers[i];
      size_t at = span_behind (layer, address);
      *unsized = i == SYMBOLS_UNSIZED;
      if (at < layer->n && layer->spans[at].start <= address)
        return dwfl_module_getsym_info (index->module,
                                        (int)layer->spans[at].number, &ignored,
                                        value, NULL, NULL, NULL);
    }
  return NULL;
}

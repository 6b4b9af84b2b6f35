/* Reading facts from sections, segments and the dynamic section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Relocations are taken from the dynamic section, because the dynamic linker
   uses those, and because files without section headers have them, too.  */

#include "analysis/image_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/prefix.h"
#include "base/search.h"
#include "elf/dynamic.h"
#include "elf/symbols.h"

/* Imported functions that never return, by name.  A function of the image
   itself needs no name: its code shows it (noreturn.h).  */
static const char *const never_return[] = {
  "Perl_croak",
  "Perl_croak_memory_wrap",
  "Perl_croak_no_modify",
  "Perl_croak_nocontext",
  "Perl_croak_popstack",
  "Perl_croak_xs_usage",
  "Py_Exit",
  "Py_FatalError",
  "_Exit",
  "_ITM_error",
  "_Py_FatalErrorFunc",
  "_Unwind_Resume",
  "__assert",
  "__assert_fail",
  "__assert_perror_fail",
  "__assertion_failure",
  "__chk_fail",
  "__cxa_bad_cast",
  "__cxa_bad_typeid",
  "__cxa_call_terminate",
  "__cxa_call_unexpected",
  "__cxa_deleted_virtual",
  "__cxa_pure_virtual",
  "__cxa_rethrow",
  "__cxa_throw",
  "__cxa_throw_bad_array_length",
  "__cxa_throw_bad_array_new_length",
  "__fortify_fail",
  "__gnat_last_chance_handler",
  "__gnat_raise_exception",
  "__gnat_raise_from_controlled_operation",
  "__gnat_reraise_zcx",
  "__libc_fatal",
  "__libc_start_main",
  "__longjmp_chk",
  "__stack_chk_fail",
  "_exit",
  "_longjmp",
  "abort",
  "err",
  "errx",
  "exit",
  "g_assertion_message",
  "g_assertion_message_cmpint",
  "g_assertion_message_cmpnum",
  "g_assertion_message_cmpstr",
  "g_assertion_message_error",
  "g_assertion_message_expr",
  "log_assert_failed", /* systemd */
  "log_assert_failed_unreachable",
  "longjmp",
  "pthread_exit",
  "quick_exit",
  "siglongjmp",
  "system__assertions__raise_assert_failure",
  "thrd_exit",
  "verr",
  "verrx",
  "xexit",
};

/* error (status, ...) returns only if the status is 0.  */
static const char *const may_return[] = { "error", "error_at_line" };

/* Functions that only landing pads call (Itanium C++ ABI, 1.5 and 2.5.3).  */
static const char *const after_landing[]
    = { "_Unwind_Resume", "__cxa_begin_catch" };

static int
compare_names (const void *a, const void *b)
{
  return strcmp (a, *(const char *const *)b);
}

#define IS_NAMED(name, names)                                               \
  (bsearch (name, names, sizeof (names) / sizeof *(names), sizeof *(names), \
            compare_names)                                                  \
   != NULL)

/* Whether a function called NAME never returns.  Its name is in the list, or
   it is one of C++ that throws (std::terminate, std::__throw_bad_alloc,
   __gnu_cxx::__throw_..., mangled), or one that GNAT's compiler calls after a
   failed check: __gnat_rcheck_, the exception's kind and the reason.  The
   runtime's sources declare these No_Return (libgnat/a-except.adb in GCC).  */
static bool
is_exit (const char *name)
{
  bool is_std = strncmp (name, "_ZSt", 4) == 0;
  return IS_NAMED (name, never_return)
         || (is_std && strncmp (name + 4, "9terminatev", 11) == 0)
         || (is_std && strstr (name, "__throw_") && name[4] >= '0'
             && name[4] <= '9')
         || strncmp (name, "__gnat_rcheck_", 14) == 0;
}

/* Whether GHC gives NAME to functions of Haskell or its runtime.  Such a
   function is jumped to, and ends by a jump; meanwhile SP points to a frame of
   StgRun.  Some functions of C have such a name, too: their callers lose a
   proof, and get no wrong row.  */
static bool
is_haskell (const char *name)
{
  return has_prefix (name, "stg_") || has_suffix (name, "_info");
}

/* Reading the dynamic relocations.  */
struct reader
{
  struct image_facts *facts;
  struct dynamic_symbols symbols;
  bool failed; /* memory ran out */
};

/* Set the fields of WORD that depend on the symbol of RELOCATION.  */
static void
set_symbol (const struct reader *reader,
            const struct dynamic_relocation *relocation,
            struct relocated *word)
{
  const struct image *image = reader->facts->image;
  const struct arch_relocations *types = &image->arch->relocations;
  struct symbol symbol;
  if (!dynamic_symbols_get (&reader->symbols, (uint32_t)relocation->symbol,
                            &symbol))
    return;
  const char *name = dynamic_symbols_name (&reader->symbols, &symbol);
  if (name == NULL)
    return;
  if (symbol.st_shndx != SHN_UNDEF && symbol.value != 0)
    word->value = symbol.value + relocation->addend;
  word->is_got = relocation->type == types->glob_dat
                 || relocation->type == types->jump_slot;
  /* Even if the image defines the function, another one may replace it.  */
  word->exits = word->is_got && is_exit (name);
  word->may_exit = word->is_got && IS_NAMED (name, may_return);
  word->is_for_pads = IS_NAMED (name, after_landing);
  word->frameless = is_haskell (name);
}

static void
add_word (void *data, const struct dynamic_relocation *relocation)
{
  struct reader *reader = data;
  struct image_facts *facts = reader->facts;
  const struct image *image = facts->image;
  struct relocated word = { .place = relocation->place };
  bool is_relative = relocation->type == 0
                     || relocation->type == image->arch->relocations.relative;
  if (relocation->symbol != 0)
    set_symbol (reader, relocation, &word);
  else if (relocation->has_addend && !relocation->is_tls)
    {
      const GElf_Phdr *relro = image_find_segment (image, PT_GNU_RELRO);
      word.value = relocation->addend;
      word.is_fixed = is_relative && relro && word.place >= relro->p_vaddr
                      && word.place - relro->p_vaddr < relro->p_memsz;
    }
  if (ARRAY_ROOM (facts->relocated, facts->n_relocated + 1,
                  &facts->relocated_capacity))
    facts->relocated[facts->n_relocated++] = word;
  else
    reader->failed = true;
}

static int
compare_relocated (const void *a, const void *b)
{
  const struct relocated *left = a, *right = b;
  return (left->place > right->place) - (left->place < right->place);
}

static int
compare_stretches (const void *a, const void *b)
{
  const struct code_stretch *left = a, *right = b;
  return (left->start > right->start) - (left->start < right->start);
}

static void
add_stretch (struct image_facts *facts, uint64_t start, uint64_t size)
{
  const uint8_t *bytes = image_bytes_at (facts->image, start, size);
  if (bytes && size > 0)
    facts->stretches[facts->n_stretches++]
        = (struct code_stretch){ start, size, bytes };
}

/* Collect the ranges of code: sections, or segments in files without sections.
   Executable segments can have constants in them (ld -z noseparate-code), to
   which many pointers lead.  */
static bool
read_stretches (struct image_facts *facts)
{
  const struct image *image = facts->image;
  facts->stretches = calloc (image->n_segments + image->n_sections + 1,
                             sizeof *facts->stretches);
  if (!facts->stretches)
    return false;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (header->sh_type == SHT_PROGBITS && (header->sh_flags & SHF_EXECINSTR)
          && image_is_executable (image, header->sh_addr, header->sh_size))
        add_stretch (facts, header->sh_addr, header->sh_size);
    }
  bool has_sections = facts->n_stretches > 0;
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *load = &image->segments[i];
      if (!has_sections && load->p_type == PT_LOAD && (load->p_flags & PF_X))
        add_stretch (facts, load->p_vaddr, load->p_filesz);
    }
  size_t n = 0; /* those kept: they do not overlap */
  qsort (facts->stretches, facts->n_stretches, sizeof *facts->stretches,
         compare_stretches);
  for (size_t i = 0; i < facts->n_stretches; i++)
    if (n == 0
        || facts->stretches[i].start - facts->stretches[n - 1].start
               >= facts->stretches[n - 1].size)
      facts->stretches[n++] = facts->stretches[i];
  facts->n_stretches = n;
  return true;
}

bool
facts_read (struct image_facts *facts, const struct image *image,
            struct error *err)
{
  *facts = (struct image_facts){ .image = image,
                                 .decoder = insn_decoder_new (image->arch) };
  struct reader reader = { .facts = facts };
  dynamic_symbols_find (&reader.symbols, image);
  if (!read_stretches (facts))
    return error_set_no_memory (err);
  dynamic_relocations_walk (image, add_word, &reader);
  if (facts->n_relocated > 0)
    qsort (facts->relocated, facts->n_relocated, sizeof *facts->relocated,
           compare_relocated);
  for (size_t i = 0; i < facts->n_relocated; i++)
    reader.failed
        |= !address_list_add (&facts->pointed, facts->relocated[i].value);
  return (!reader.failed && address_list_sort (&facts->pointed))
         || error_set_no_memory (err);
}

void
facts_free (struct image_facts *facts)
{
  insn_decoder_free (facts->decoder);
  free (facts->stretches);
  free (facts->relocated);
  address_list_free (&facts->pointed);
  address_list_free (&facts->referenced);
  address_list_free (&facts->table_ends);
  *facts = (struct image_facts){ 0 };
}

const uint8_t *
facts_code (const struct image_facts *facts, uint64_t address, uint64_t *size)
{
  const struct code_stretch *all = facts->stretches;
  size_t at = SEARCH_FIRST (facts->n_stretches, i,
                            all[i].start + all[i].size > address);
  if (at == facts->n_stretches || address < all[at].start)
    return NULL;
  *size = all[at].size - (address - all[at].start);
  return all[at].bytes + (address - all[at].start);
}

bool
facts_insn (const struct image_facts *facts, uint64_t address,
            struct insn *insn)
{
  uint64_t size;
  const uint8_t *bytes = facts_code (facts, address, &size);
  return bytes && insn_decode (facts->decoder, bytes, size, address, insn);
}

bool
facts_step (const struct image_facts *facts, uint64_t address,
            struct insn_step *step)
{
  uint64_t size;
  const uint8_t *bytes = facts_code (facts, address, &size);
  return bytes
         && insn_decode_step (facts->decoder, bytes, size, address, step);
}

const struct relocated *
facts_relocated (const struct image_facts *facts, uint64_t place)
{
  struct relocated key = { .place = place };
  return place == 0 || facts->n_relocated == 0
             ? NULL
             : bsearch (&key, facts->relocated, facts->n_relocated, sizeof key,
                        compare_relocated);
}

void
facts_resolve (const struct image_facts *facts, uint64_t place, uint8_t *flow,
               uint64_t *target)
{
  bool calls = *flow == FLOW_CALL_INDIRECT;
  if (!calls && *flow != FLOW_JUMP_INDIRECT)
    return;
  const struct relocated *word = facts_relocated (facts, place);
  uint64_t size;
  if (!word || !word->is_fixed || !facts_code (facts, word->value, &size))
    return;
  *flow = calls ? FLOW_CALL : FLOW_JUMP;
  *target = word->value;
}

bool
facts_call_returns (const struct image_facts *facts, uint64_t place,
                    bool argument_is_set)
{
  const struct relocated *word = facts_relocated (facts, place);
  return !word || !(word->exits || (word->may_exit && argument_is_set));
}

bool
facts_initial_word (const struct image_facts *facts, uint64_t address,
                    unsigned width, bool is_signed, uint64_t *value)
{
  bool big_endian = facts->image->big_endian;
  const uint8_t *bytes = image_bytes_at (facts->image, address, width);
  if (!bytes)
    return false;
  const struct relocated *word
      = width == 8 ? facts_relocated (facts, address) : NULL;
  if (word && word->value != 0)
    *value = word->value;
  else
    *value = width == 8   ? load_u64 (bytes, big_endian)
             : width == 4 ? load_u32 (bytes, big_endian)
             : width == 2 ? load_u16 (bytes, big_endian)
                          : bytes[0];
  unsigned unused = 64 - 8 * width;
  if (is_signed)
    *value = (uint64_t)((int64_t)(*value << unused) >> unused);
  return true;
}

bool
facts_word (const struct image_facts *facts, uint64_t address, unsigned width,
            bool is_signed, uint64_t *value)
{
  return (width == 8 || !image_is_writable (facts->image, address, width))
         && facts_initial_word (facts, address, width, is_signed, value);
}

bool
facts_sort_references (struct image_facts *facts)
{
  bool sorted = address_list_sort (&facts->referenced);
  facts->n_references_sorted = facts->referenced.n;
  return sorted;
}

uint64_t
facts_next_reference (const struct image_facts *facts, uint64_t address)
{
  const struct address_list sorted
      = { .list = facts->referenced.list, .n = facts->n_references_sorted };
  return address_list_next (&sorted, address);
}

bool
facts_find_table_ends (struct image_facts *facts)
{
  uint64_t referenced;
  for (size_t k = 0; k < facts->n_stretches; k++)
    {
      const struct code_stretch *stretch = &facts->stretches[k];
      for (uint64_t i = 0; i < stretch->size; i++)
        if (insn_may_reference (facts->decoder, stretch->bytes + i,
                                stretch->size - i, stretch->start + i,
                                &referenced)
            && image_bytes_at (facts->image, referenced, 1)
            && !address_list_add (&facts->table_ends, referenced))
          return false;
    }
  for (size_t i = 0; i < facts->n_relocated; i++)
    if (facts->relocated[i].value != 0
        && !address_list_add (&facts->table_ends, facts->relocated[i].value))
      return false;
  return address_list_sort (&facts->table_ends);
}

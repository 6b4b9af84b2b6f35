/* Questions about the old file: its page size, whether it is a dynamic loader,
   what may move, and which section, segment or table owns which bytes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "place/facts.h"

#include <string.h>

#include "base/bytes.h"
#include "base/prefix.h"
#include "elf/dynamic.h"
#include "elf/sframe_place.h"
#include "elf/symbols.h"

uint64_t
image_page (const struct image *image)
{
  uint64_t page = PAGE_MIN;
  FOR_EACH_LOAD (load, image)
    if (load->p_align > page)
      page = load->p_align;
  return page <= PAGE_MAX ? page : image->arch->max_page_size;
}

/* ---- Dynamic loaders */

/* Whether NAME begins like ld64-uClibc.so.1, ld-linux-x86-64.so.2, ld64.so.1
   or libc.musl-x86_64.so.1.  */
static bool
is_loader_name (const char *name)
{
  return has_prefix (name, "ld-") || has_prefix (name, "ld64.so")
         || has_prefix (name, "ld64-") || has_prefix (name, "ld.so")
         || has_prefix (name, "libc.musl-");
}

bool
loader_is_name (const char *path)
{
  const char *slash = strrchr (path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  return is_loader_name (name) && strstr (name, ".so") != NULL;
}

bool
loader_may_be (const struct image *image)
{
  return image->header.e_type == ET_DYN && image->header.e_entry != 0
         && image_find_segment (image, PT_INTERP) == NULL;
}

/* Whether IMAGE defines the dynamic symbol NAME, or may define it, because
   there is no section of dynamic symbols.  The first step searches the string
   table for NAME, because few files have a name that loader_is looks for.  */
static bool
has_dynamic (const struct image *image, const char *strings, uint64_t size,
             const char *name)
{
  struct symbol_walk walk = symbol_walk_over (image, true);
  struct symbol symbol;
  const char *found = memmem (strings, size, name, strlen (name) + 1);
  if (found == NULL || (found > strings && found[-1] != '\0'))
    return false;
  while (symbol_walk_next (&walk, &symbol))
    {
      const char *own = symbol.st_shndx == SHN_UNDEF
                            ? NULL
                            : symbols_name (&walk.table, &symbol);
      if (own != NULL && strcmp (own, name) == 0)
        return true;
    }
  return walk.table.section == 0;
}

bool
loader_is (const struct image *image)
{
  uint64_t size;
  const char *strings, *soname;
  if (!loader_may_be (image)
      || (strings = dynamic_strings (image, &size)) == NULL)
    return false;
  soname = dynamic_soname (image);
  if (soname != NULL && is_loader_name (soname))
    return true;
  return has_dynamic (image, strings, size, "__tls_get_addr")
         && (has_dynamic (image, strings, size, "_r_debug")
             || has_dynamic (image, strings, size, "_dl_debug_addr"));
}

bool
image_is_library (const struct image *image)
{
  uint64_t value;
  if (image->header.e_type != ET_DYN
      || image_find_segment (image, PT_INTERP) != NULL
      || (dynamic_find (image, DT_FLAGS_1, &value)
          && (value & FLAG_1_PIE) != 0))
    return false;
  return image->header.e_entry == 0 || dynamic_find (image, DT_SONAME, &value);
}

/* ---- What may move */

/* The dynamic linker finds tables of these types by these dynamic entries.  */
static const struct
{
  uint32_t type;
  int64_t tag;
} tables[] = {
  { SHT_DYNSYM, DT_SYMTAB },     { SHT_STRTAB, DT_STRTAB },
  { SHT_HASH, DT_HASH },         { SHT_GNU_HASH, DT_GNU_HASH },
  { SHT_GNU_versym, DT_VERSYM }, { SHT_GNU_verneed, DT_VERNEED },
  { SHT_GNU_verdef, DT_VERDEF },
};

int64_t
dynamic_tag_of (uint32_t section_type)
{
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (tables[i].type == section_type)
      return tables[i].tag;
  return DT_NULL;
}

bool
dynamic_is_table (int64_t tag)
{
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (tables[i].tag == tag)
      return true;
  return false;
}

static bool
is_interpreter (const struct image *image, const GElf_Shdr *header)
{
  const GElf_Phdr *interp = image_find_segment (image, PT_INTERP);
  return interp != NULL && interp->p_offset == header->sh_offset
         && interp->p_filesz == header->sh_size
         && interp->p_vaddr == header->sh_addr;
}

bool
section_kind_may_move (const struct image *image, const GElf_Shdr *header)
{
  return (header->sh_flags & SHF_ALLOC)
         && !(header->sh_flags & (SHF_WRITE | SHF_EXECINSTR))
         && (header->sh_type == SHT_NOTE
             || dynamic_tag_of (header->sh_type) != DT_NULL
             || (header->sh_type == SHT_PROGBITS
                 && is_interpreter (image, header)));
}

bool
symbol_is_in_section (const GElf_Shdr *header, uint64_t value)
{
  return value >= header->sh_addr
         && value - header->sh_addr <= header->sh_size;
}

/* Some symbols do not count, because no program reads the bytes at their
   addresses: __abi_tag, which glibc's start files put on the ABI note;
   __dso_handle, whose address stands for a library in calls of __cxa_atexit,
   and which mold puts at the first section; mapping symbols of ARM ($d).  */
bool
section_has_symbol (const struct image *image, size_t index)
{
  const GElf_Shdr *header = &image->sections[index].header;
  struct symbol_walk walk = symbol_walk_over (image, false);
  struct symbol symbol;
  while (symbol_walk_next (&walk, &symbol))
    {
      if (ELF64_ST_TYPE (symbol.info) == STT_SECTION || symbol.section != index
          || !symbol_is_in_section (header, symbol.value))
        continue;
      const char *name = symbols_name (&walk.table, &symbol);
      if (name == NULL
          || (strcmp (name, "__abi_tag") != 0
              && strcmp (name, "__dso_handle") != 0 && name[0] != '$'))
        return true;
    }
  return false;
}

bool
segment_kind_may_move (uint32_t type)
{
  return type == PT_NOTE || type == PT_INTERP || type == PT_GNU_PROPERTY;
}

void
segment_move (GElf_Phdr *segment, uint64_t offset, uint64_t address)
{
  if (segment->p_paddr == segment->p_vaddr)
    segment->p_paddr += address;
  segment->p_vaddr += address;
  segment->p_offset += offset;
}

/* ---- Who owns which bytes of the file */

struct interval
segment_table_range (const struct image *image)
{
  return interval_at (image->header.e_phoff,
                      image->n_segments * sizeof (Elf64_Phdr));
}

struct interval
section_table_range (const struct image *image)
{
  return interval_at (image->header.e_shoff,
                      image->n_sections * sizeof (Elf64_Shdr));
}

struct interval
section_range (const struct image_section *section)
{
  const GElf_Shdr *header = &section->header;
  if (!image_section_has_bytes (header))
    return (struct interval){ 0, 0 };
  uint64_t size = header->sh_size;
  if (size == 0 && (header->sh_flags & SHF_ALLOC)
      && !section_is_sframe (section))
    size = 1;
  return interval_at (header->sh_offset, size);
}

/* Return the first PT_LOAD with bytes at addresses of SEGMENT, if these are
   not the bytes at the offset of SEGMENT.  NULL if they are, and for types of
   segments that readers find by their offset.  */
static const GElf_Phdr *
load_instead_of_offset (const struct image *image, const GElf_Phdr *segment)
{
  uint32_t type = segment->p_type;
  if (type == PT_LOAD || type == PT_NOTE || type == PT_INTERP
      || type == PT_DYNAMIC || type == PT_GNU_PROPERTY || type == PT_PHDR)
    return NULL;
  FOR_EACH_LOAD (load, image)
    if (segment->p_vaddr < load->p_vaddr + load->p_filesz
        && segment->p_vaddr + segment->p_filesz > load->p_vaddr)
      return segment->p_vaddr - segment->p_offset
                     != load->p_vaddr - load->p_offset
                 ? load
                 : NULL;
  return NULL;
}

bool
segment_has_offset (const struct image *image, const GElf_Phdr *segment)
{
  return load_instead_of_offset (image, segment) == NULL;
}

struct interval
segment_range (const struct image *image, const GElf_Phdr *segment)
{
  struct interval range = interval_at (segment->p_offset, segment->p_filesz);
  if (!image_segment_has_bytes (segment))
    return (struct interval){ 0, 0 };
  const GElf_Phdr *load = load_instead_of_offset (image, segment);
  if (load == NULL)
    return range;
  uint64_t end = segment->p_vaddr + segment->p_filesz;
  uint64_t last = load->p_vaddr + load->p_filesz;
  uint64_t first
      = segment->p_vaddr > load->p_vaddr ? segment->p_vaddr : load->p_vaddr;
  range.begin = load->p_offset + (first - load->p_vaddr);
  range.end = load->p_offset + ((end < last ? end : last) - load->p_vaddr);
  return range;
}

bool
segment_is_overwritten (const struct image *image, const GElf_Phdr *segment)
{
  struct interval table = segment_table_range (image);
  return (segment->p_type == PT_NOTE || segment->p_type == PT_GNU_PROPERTY)
         && segment->p_offset >= table.begin && segment->p_offset < table.end;
}

/* Let *BEST be CANDIDATE, without its bytes in front of FROM, if it is not
   empty and begins earlier, or at the same offset and is longer.  */
static void
range_nearest (struct interval *best, struct interval candidate, uint64_t from)
{
  if (candidate.end <= from || candidate.begin >= candidate.end)
    return;
  if (candidate.begin < from)
    candidate.begin = from;
  if (candidate.begin < best->begin
      || (candidate.begin == best->begin && candidate.end > best->end))
    *best = candidate;
}

struct interval
owner_next (const struct image *image, uint64_t from, unsigned left_out)
{
  struct interval best = { UINT64_MAX, UINT64_MAX };
  range_nearest (&best, (struct interval){ 0, sizeof (Elf64_Ehdr) }, from);
  range_nearest (&best, segment_table_range (image), from);
  if (!(left_out & LEAVE_OUT_SECTION_TABLE))
    range_nearest (&best, section_table_range (image), from);
  FOR_EACH_SECTION (section, image)
    range_nearest (&best, section_range (section), from);
  FOR_EACH_SEGMENT (segment, image)
    {
      /* PT_PHDR is the program header table, which was looked at above.  lld
         makes PT_PHDR one entry too large when it drops a segment late.  */
      if (segment->p_type != PT_LOAD && segment->p_type != PT_PHDR
          && !segment_is_overwritten (image, segment)
          && !(segment->p_type == PT_NOTE && (left_out & LEAVE_OUT_NOTES)))
        range_nearest (&best, segment_range (image, segment), from);
    }
  return best;
}

static void
raise_to (uint64_t *last, struct interval range)
{
  if (range.end > *last)
    *last = range.end;
}

uint64_t
owned_end (const struct image *image)
{
  uint64_t last = sizeof (Elf64_Ehdr);
  raise_to (&last, segment_table_range (image));
  raise_to (&last, section_table_range (image));
  FOR_EACH_SECTION (section, image)
    raise_to (&last, section_range (section));
  FOR_EACH_LOAD (load, image)
    raise_to (&last, segment_range (image, load));
  return last;
}

enum
{
  LOOKS_MAX = 1 << 25 /* headers to look at: files may have millions */
};

bool
owners_account_for_all (const struct image *image, uint64_t from)
{
  size_t looks = LOOKS_MAX / (image->n_sections + image->n_segments + 1);
  for (uint64_t at = from; at < image->size; looks--)
    {
      struct interval next = owner_next (image, at, 0);
      FOR_EACH_LOAD (load, image)
        range_nearest (&next, segment_range (image, load), at);
      uint64_t end = next.begin < image->size ? next.begin : image->size;
      /* Padding is filler, or bytes that are all the same, such as the trap
         instructions that lld puts behind code.  */
      const uint8_t *gap = image->bytes + at;
      bool padding = end - at < 2 || memcmp (gap, gap + 1, end - at - 1) == 0
                     || range_is_filler (image, at, end);
      if (looks == 0 || !padding)
        return false;
      at = next.end;
    }
  return true;
}

const GElf_Phdr *
load_of (const struct image *image, struct interval range)
{
  FOR_EACH_LOAD (load, image)
    if (range.begin >= load->p_offset
        && range.end - load->p_offset <= load->p_filesz)
      return load;
  return NULL;
}

const GElf_Phdr *
owner_of_table (const struct image *image)
{
  return load_of (image, segment_table_range (image));
}

/* ---- Bytes that nothing owns */

bool
range_is_filler (const struct image *image, uint64_t begin, uint64_t end)
{
  while (begin < end && byte_is_filler (image->bytes[begin]))
    begin++;
  return begin >= end;
}

bool
range_is_zero (const struct image *image, uint64_t offset, uint64_t size)
{
  return offset <= image->size && size <= image->size - offset
         && bytes_are_zero (image->bytes + offset, size);
}

/* The first PT_LOAD must not grow.  From its end libdwfl (open_elf in
   elfutils' libdwfl/dwfl_module_getdwarf.c) computes the difference between
   addresses in the file and in its debug file.  If the ends differ, libdwfl
   gives wrong functions and lines without a warning.  */
bool
slack_next (const struct image *image, size_t *at, size_t *index)
{
  const GElf_Phdr *first = image_first_load (image);
  size_t n = image->n_segments;
  while (*at < 2 * n)
    {
      unsigned code = *at >= n ? PF_X : 0;
      *index = (*at)++ % n;
      const GElf_Phdr *load = &image->segments[*index];
      if (load > first && load->p_type == PT_LOAD
          && (load->p_flags & (PF_R | PF_W | PF_X)) == (PF_R | code)
          && load->p_filesz == load->p_memsz && load->p_filesz > 0)
        return true;
    }
  return false;
}

/* Return the address up to which LOAD may grow in memory: the beginning of the
   next segment's first page, in pages of image_page.  0 if LOAD may not grow,
   because it is the last segment, or because its last page has bytes of a
   segment in front of it, and a loader may map either segment there.  */
static uint64_t
memory_limit (const struct image *image, const GElf_Phdr *load)
{
  uint64_t page = image_page (image);
  uint64_t last_page = (load->p_vaddr + load->p_memsz) & ~(page - 1);
  FOR_EACH_LOAD (other, image)
    if (other < load && other->p_vaddr + other->p_memsz > last_page)
      return 0;
    else if (other > load)
      return other->p_vaddr & ~(page - 1);
  return 0;
}

/* The checks that take longest come last.  */
bool
slack_reaches (const struct image *image, size_t index, uint64_t end)
{
  const GElf_Phdr *grown = &image->segments[index];
  uint64_t begin = grown->p_offset + grown->p_filesz;
  uint64_t address = grown->p_vaddr + grown->p_memsz;
  uint64_t limit = memory_limit (image, grown);
  if (end < begin || limit < address || end - begin > limit - address
      || end > image->size)
    return false;
  FOR_EACH_LOAD (load, image)
    if (load->p_offset < end && load->p_offset + load->p_filesz > begin)
      return false;
  return range_is_zero (image, begin, end - begin)
         && owner_next (image, begin, 0).begin >= end;
}

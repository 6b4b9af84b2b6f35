/* Which files must not be changed, and why.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One function for each reason.  image_open already refuses files that no ELF
   reader accepts, and kernels with unsorted segments.  */

#include "place/refusals.h"

#include <string.h>

#include "base/bytes.h"
#include "elf/dynamic.h"
#include "elf/notes.h"
#include "place/facts.h"
#include "place/layout.h"

enum
{
  /* Far above anything real.  Later steps compare each with all sections.  */
  DYNAMIC_ENTRIES_MAX = 65536,
  DYNAMIC_TABLES_MAX = 64
};

static bool
refuse (struct error *err, enum error_word word, const char *reason)
{
  return error_set_word (err, CFI2SFRAME_REFUSED, word, "%s", reason);
}

/* Whether SEGMENT has a note that names another operating system than Linux.
   Libraries of NetBSD have no other mark.  */
static bool
names_other_system (const struct image *image, const GElf_Phdr *segment)
{
  static const char *const systems[]
      = { "NetBSD", "OpenBSD", "FreeBSD", "DragonFly" };
  struct note_walk walk = note_walk_segment (image, segment, true);
  struct note note;
  while (note_next (&walk, &note))
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
      if (note.type == NT_VERSION && note.name_size == strlen (systems[i]) + 1
          && memcmp (note.name, systems[i], note.name_size) == 0)
        return true;
  return false;
}

static bool
check_type (const struct image *image, struct error *err)
{
  unsigned type = image->header.e_type;
  /* image_expect_linked has refused objects and core files.  */
  if (type != ET_EXEC && type != ET_DYN)
    return error_set (err, CFI2SFRAME_UNSUPPORTED, "unknown ELF type %u",
                      type);
  if (!image_expect_machine (image, err))
    return false;
  /* Loaders of other systems accept fewer files than those of Linux.  NetBSD's
     accepts no library with more than two PT_LOADs (map_object.c in
     libexec/ld.elf_so), and the kernels of FreeBSD and DragonFly no module
     (link_elf.c).  */
  uint8_t abi = image->header.e_ident[EI_OSABI];
  bool other = abi != ELFOSABI_NONE && abi != ELFOSABI_GNU;
  FOR_EACH_SEGMENT (segment, image)
    other |= segment->p_type == PT_NOTE && names_other_system (image, segment);
  return !other
         || refuse (err, WORD_NONE,
                    "made for another system than Linux, whose loaders may "
                    "not take the new file");
}

static bool
has_contents (const struct image *image)
{
  FOR_EACH_LOAD (load, image)
    if (load->p_filesz > 0)
      return true;
  return false;
}

bool
refusals_check_debug_file (const struct image *image, struct error *err)
{
  return !(image->debug_only
           || (image->n_segments > 0 && !has_contents (image)))
         || error_set_word (err, CFI2SFRAME_NOTHING, WORD_DEBUG_FILE,
                            "debug file: the code is not in it");
}

/* Whether the first BYTES of the file have a boot loader's header: N words
   that begin with MAGIC, and whose sum is 0 by a checksum among them.  */
static bool
has_boot_header (const struct image *image, uint64_t bytes, uint32_t magic,
                 uint64_t n)
{
  uint64_t end = image->size < bytes ? image->size : bytes;
  for (uint64_t offset = 0; offset + 4 * n <= end; offset += 4)
    {
      const uint8_t *at = image->bytes + offset;
      if (load_u32 (at, false) != magic)
        continue;
      uint32_t sum = 0;
      for (uint64_t i = 0; i < n; i++)
        sum += load_u32 (at + 4 * i, false);
      if (sum == 0)
        return true;
    }
  return false;
}

/* Whether SEGMENT has a note with Xen's entry of a kernel
   (public/elfnote.h).  */
static bool
has_xen_entry (const struct image *image, const GElf_Phdr *segment)
{
  const uint32_t entry = 1, entry_of_pvh = 18;
  struct note_walk walk = note_walk_segment (image, segment, true);
  struct note note;
  while (note_next (&walk, &note))
    if (note_is (&note, "Xen", entry) || note_is (&note, "Xen", entry_of_pvh))
      return true;
  return false;
}

/* Refuse kernels and other images that a boot loader loads, at addresses that
   their linker script has chosen.  PT_INTERP or DT_NEEDED do not show that a
   file is no kernel: Linux for s390x has PT_INTERP, and user-mode Linux (6.1)
   needs the C library.  */
static bool
check_kernel (const struct image *image, struct error *err)
{
  /* The magic numbers, sizes and places of the headers are from Multiboot
     0.6.96 and Multiboot2 2.0, both section 3.1.  */
  bool kernel = image_find_section (image, "__ksymtab") != NULL
                || image_find_section (image, ".init.text") != NULL
                || (image_find_segment (image, PT_INTERP) == NULL
                    && (has_boot_header (image, 8192, 0x1badb002, 3)
                        || has_boot_header (image, 32768, 0xe85250d6, 4)));
  FOR_EACH_SEGMENT (segment, image)
    if (segment->p_type != PT_LOAD)
      kernel |= has_xen_entry (image, segment);
    else
      /* Boot loaders and emulators put a segment at its physical address
         (u-boot's load_elf64_image_phdr, Linux' remoteproc_elf_loader.c,
         QEMU's elf_ops.h).  No header tells what memory is behind it there.
         Linkers for Linux make it equal to the virtual one, or 0.  */
      kernel |= segment->p_vaddr >> 63 != 0
                || (segment->p_memsz > 0 && segment->p_paddr != 0
                    && segment->p_paddr != segment->p_vaddr);
  return !kernel
         || refuse (err, WORD_KERNEL_IMAGE,
                    "kernel image: its linker script and boot loader own "
                    "the layout");
}

/* The loader of an enclave compares a digest of all loaded bytes with a
   signature: get_meta_property in the signing tool of Intel's SGX SDK, and
   OE_INFO_SECTION_BEGIN in Open Enclave's bits/sgx/sgxtypes.h.  */
static bool
check_enclave (const struct image *image, struct error *err)
{
  return (image_find_section (image, ".note.sgxmeta") == NULL
          && image_find_section (image, ".oeinfo") == NULL)
         || refuse (err, WORD_SIGNED, "enclave: what it loads is signed");
}

/* Whether SECTION has the memory of a program that ran, saved by unexec of GNU
   Emacs and XEmacs (unexelf.c) or of GNU Common Lisp.  unexec makes .bss a
   section with bytes, or puts a second .data in its place.  A .bss that has
   only zero bytes was made so by a conversion or another tool.  */
static bool
is_dumped (const struct image *image, const struct image_section *section)
{
  const GElf_Shdr *header = &section->header;
  if (header->sh_type != SHT_PROGBITS || !(header->sh_flags & SHF_WRITE))
    return false;
  if (strcmp (section->name, ".data") == 0)
    return section != image_find_section (image, ".data");
  const uint8_t *bytes = strcmp (section->name, ".bss") == 0
                             ? image_section_bytes (image, section)
                             : NULL;
  return bytes != NULL && !bytes_are_zero (bytes, header->sh_size);
}

/* Refuse a program that unexec has made.  Its data has the beginning of its
   heap, and the heap continues at the program break, which the kernel puts
   behind the last segment.  So no other segment may follow.  unexec, which
   reads the program's own file, demands the same.  */
static bool
check_dump (const struct image *image, struct error *err)
{
  FOR_EACH_SECTION (section, image)
    if (is_dumped (image, section))
      return refuse (err, WORD_NONE,
                     "memory of a program that ran is in it (unexec): its "
                     "heap goes on behind its data");
  return true;
}

static bool
check_section_table (const struct image *image, struct error *err)
{
  /* Without section headers it is not known which bytes may move.  */
  if (image->n_sections == 0)
    return refuse (err, WORD_NO_SECTION_HEADERS, "it has no section headers");
  if (image_find_section (image, ".gnu.prelink_undo") != NULL)
    return refuse (err, WORD_PRELINKED,
                   "prelinked: undo that first (prelink -u)");
  /* The new file gets a longer copy of the section name table.  */
  const struct image_section *names = &image->sections[image->section_names];
  if (image->section_names == 0)
    return image->header.e_shstrndx == SHN_UNDEF
           || refuse (err, WORD_NONE, "the section name table does not exist");
  if (names->header.sh_type != SHT_STRTAB
      || image_section_bytes (image, names) == NULL)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "the table of section names is not a string table");
  if (names->header.sh_flags & SHF_ALLOC)
    return refuse (err, WORD_NONE,
                   "the section name table is loaded with the program");
  return true;
}

/* Refuse a file with a segment whose offset and address differ modulo the
   smallest page size, as loaders do.  */
static bool
check_congruence (const struct image *image, struct error *err)
{
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *load = &image->segments[i];
      if (load->p_type != PT_LOAD || load->p_filesz == 0)
        continue;
      if ((load->p_align & (load->p_align - 1)) != 0
          || ((load->p_vaddr - load->p_offset) & (PAGE_MIN - 1)) != 0)
        return error_set (err, CFI2SFRAME_REFUSED,
                          "segment %zu: address and file offset do not agree",
                          i);
    }
  return true;
}

/* Linux before 6.17 starts no program with more program headers than fit into
   a page (load_elf_phdrs in fs/binfmt_elf.c).  */
static bool
check_counts (const struct image *image, struct error *err)
{
  if ((image->n_segments + NEW_HEADERS_MAX) * sizeof (Elf64_Phdr) > PAGE_MIN)
    return refuse (err, WORD_NONE, "too many program headers");
  if (image->header.e_phoff < sizeof (Elf64_Ehdr))
    return refuse (err, WORD_NONE,
                   "the program headers lie in the ELF header");
  return true;
}

/* Refuse a file whose table has overwritten the beginning of a section, as
   patchelf 0.11 may do: a longer table would overwrite more of it.  */
static bool
check_table_owner (const struct image *image, struct error *err)
{
  FOR_EACH_SECTION (section, image)
    if (intervals_meet (section_range (section), segment_table_range (image))
        && section->header.sh_size > 0)
      return error_set (err, CFI2SFRAME_REFUSED,
                        "the program headers overlap %.40s", section->name);
  return true;
}

static bool
check_dynamic_counts (const struct image *image, struct error *err)
{
  uint64_t at = 0, value;
  int64_t tag;
  size_t n_entries = 0, n_tables = 0;
  while (dynamic_next (image, &at, &tag, &value))
    {
      n_tables += dynamic_is_table (tag);
      if (++n_entries > DYNAMIC_ENTRIES_MAX || n_tables > DYNAMIC_TABLES_MAX)
        return error_set_at (err, CFI2SFRAME_MALFORMED, at,
                             "too many dynamic entries");
    }
  return true;
}

/* ---- Data that a program looks for in its own file

   Self-extracting archives, game engines and bundled scripts look for their
   data at the end of the file, where a conversion adds bytes.  Such data often
   has no header at all.  Or it is in a section that is not loaded, so that
   strip and objcopy keep it.  Then other sections, names and headers may stand
   behind it, and the program searches the last bytes of the file.  So each
   section that is not loaded has to be of a known kind, wherever it is.  Known
   kinds are tables that linkers and strip make anew; debugging information,
   which strip takes away; and formats that a look at the bytes can verify.  */

enum
{
  LLVM_TYPES = 0x6fff4c00,        /* and the next 255: llvm's ELF.h */
  MACHINE_ATTRIBUTES = 0x70000003 /* of ARM, AArch64 and RISC-V */
};

/* Known sections of type SHT_PROGBITS; "*" stands for any end.  */
static const char *const known_names[] = {
  /* DWARF 2 to 5, additions of GNU and LLVM, and the old compressed form.  */
  ".debug_abbrev*", ".debug_addr*", ".debug_aranges", ".debug_cu_index",
  ".debug_frame", ".debug_funcnames", ".debug_gdb_scripts", ".debug_gnu_pub*",
  ".debug_info*", ".debug_line*", ".debug_loc*", ".debug_mac*", ".debug_names",
  ".debug_pubnames", ".debug_pubtypes", ".debug_ranges", ".debug_rnglists*",
  ".debug_str*", ".debug_sup", ".debug_tu_index", ".debug_typenames",
  ".debug_types*", ".debug_varnames", ".debug_weaknames", ".zdebug_*", ".stab",
  ".stab.*", ".gdb_index", ".gnu_debugaltlink", ".gnu_debugdata",
  ".gnu_debuglink", ".ctf", ".BTF*",
  /* Information of compilers and assemblers for tools that run later.  */
  ".gnu.debuglto_*", ".gnu.lto_*", ".gnu.warning*", ".gnu.build.attributes*",
  ".annobin*", ".GCC.command.line", ".llvmbc", ".llvmcmd", ".rustc",
  ".stack_sizes", ".sframe"
};

static bool
is_known_name (const char *name)
{
  for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++)
    {
      size_t length = strlen (known_names[i]) - 1;
      if (known_names[i][length] == '*'
              ? strncmp (name, known_names[i], length) == 0
              : strcmp (name, known_names[i]) == 0)
        return true;
    }
  return false;
}

/* Whether the bytes are strings, such as names of compilers.  */
static bool
is_text (const uint8_t *bytes, uint64_t size)
{
  for (uint64_t i = 0; i < size; i++)
    if (bytes[i] < ' ' && bytes[i] != '\0' && bytes[i] != '\n'
        && bytes[i] != '\t')
      return false;
  return bytes[size - 1] == '\0';
}

/* Whether the section of HEADER has notes and nothing else.  */
static bool
has_notes (const struct image *image, const GElf_Shdr *header)
{
  struct note_walk walk = note_walk_over (
      image, header->sh_offset, header->sh_size, header->sh_addralign);
  struct note note;
  while (note_next (&walk, &note))
    continue;
  return walk.at >= walk.size;
}

static bool
has_entries (const GElf_Shdr *header, uint64_t size)
{
  return header->sh_entsize == size && header->sh_size % size == 0;
}

/* Whether SECTION, which is not empty, is of a known kind.  */
static bool
is_known (const struct image *image, const struct image_section *section)
{
  const GElf_Shdr *header = &section->header;
  const uint8_t *bytes = image->bytes + header->sh_offset;
  if ((header->sh_flags & SHF_STRINGS)
      || strcmp (section->name, ".comment") == 0)
    return is_text (bytes, header->sh_size) || is_known_name (section->name);
  switch (header->sh_type)
    {
    case SHT_SYMTAB:
      return has_entries (header, sizeof (Elf64_Sym));
    case SHT_SYMTAB_SHNDX:
      return has_entries (header, sizeof (Elf64_Word));
    case SHT_RELA:
      return has_entries (header, sizeof (Elf64_Rela));
    case SHT_REL:
      return has_entries (header, sizeof (Elf64_Rel));
    case SHT_STRTAB:
      return section == &image->sections[image->section_names]
             || strcmp (section->name, ".strtab") == 0
             || strcmp (section->name, ".stabstr") == 0;
    case SHT_NOTE:
      return has_notes (image, header);
    case SHT_GNU_ATTRIBUTES:
    case MACHINE_ATTRIBUTES:
      return bytes[0] == 'A'; /* the version of the format */
    case SHT_GNU_SFRAME:
      return true;
    case SHT_PROGBITS:
      return is_known_name (section->name);
    default:
      return (header->sh_type & ~0xffu) == LLVM_TYPES;
    }
}

static bool
check_section_kinds (const struct image *image, struct error *err)
{
  FOR_EACH_SECTION (section, image)
    {
      struct interval range = section_range (section);
      if (section->header.sh_size > 0 && range.begin < range.end
          && load_of (image, range) == NULL && !is_known (image, section))
        return error_set_word (
            err, CFI2SFRAME_REFUSED, WORD_APPENDED_DATA,
            "section %.40s is not loaded and of no known kind; "
            "programs look for such data at their end",
            section->name);
    }
  return true;
}

/* Refuse a file with data that its program looks for, or may look for.  */
static bool
check_own_data (const struct image *image, struct error *err)
{
  /* By the gABI these bytes of the ELF header are zero.  Runtimes of AppImage
     have "AI" there, those of RunImage "RI".  They look for a file system
     where their section headers end, which may be appended later.  */
  if (!bytes_are_zero (image->header.e_ident + EI_PAD, EI_NIDENT - EI_PAD))
    return refuse (
        err, WORD_APPENDED_DATA,
        "marked as an AppImage is: a file system belongs at its end");
  uint64_t last = owned_end (image);
  if (last > image->size || range_is_zero (image, last, image->size - last))
    return check_section_kinds (image, err);
  if (image_has_module_signature (image))
    return refuse (err, WORD_SIGNED, "signed: a module signature is appended");
  /* Go leaves up to a page of zeros.  */
  return error_set_word (err, CFI2SFRAME_REFUSED, WORD_APPENDED_DATA,
                         "%llu bytes of unknown data are appended",
                         (unsigned long long)(image->size - last));
}

/* ---- All reasons */

bool
refusals_check (const struct image *image, struct error *err)
{
  return check_type (image, err) && refusals_check_debug_file (image, err)
         && (has_contents (image)
             || refuse (err, WORD_NONE, "no loadable segment"))
         && check_counts (image, err) && check_kernel (image, err)
         && check_enclave (image, err) && check_section_table (image, err)
         && check_dump (image, err) && check_table_owner (image, err)
         && check_dynamic_counts (image, err) && check_congruence (image, err)
         && check_own_data (image, err);
}

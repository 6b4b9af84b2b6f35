/* Where functions may start.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/seeds.h"

#include "base/bytes.h"
#include "base/elf_sframe.h"
#include "elf/dynamic.h"
#include "elf/sframe_place.h"

bool
seeds_from_pointers (const struct image_facts *facts,
                     bool (*found) (void *argument, uint64_t address),
                     void *argument)
{
  for (size_t i = 0; i < facts->n_relocated; i++)
    if (facts->relocated[i].value != 0
        && !found (argument, facts->relocated[i].value))
      return false;
  for (size_t i = 0; i < facts->n_named_sorted; i++)
    if (!found (argument, facts->named.list[i]))
      return false;
  return true;
}

/* The words of SEGMENT, but for those of .sframe.  A conversion adds .sframe
   and leaves the code as it was, so the code has to be judged as before.  */
static bool
words_of_segment (const struct image_facts *facts, const GElf_Phdr *segment,
                  bool (*found) (void *argument, uint64_t address),
                  void *argument)
{
  const struct image *image = facts->image;
  const GElf_Phdr *sframe = sframe_place_find (image).segment;
  const uint8_t *bytes = image->bytes + segment->p_offset;
  uint64_t size;
  for (uint64_t i = (0 - segment->p_vaddr) % 8; i + 8 <= segment->p_filesz;
       i += 8)
    {
      uint64_t word = load_u64 (bytes + i, image->big_endian);
      if (sframe && segment->p_vaddr + i - sframe->p_vaddr < sframe->p_memsz)
        continue;
      if (facts_code (facts, word, &size) && !found (argument, word))
        return false;
    }
  return true;
}

bool
seeds_from_words (const struct image_facts *facts,
                  bool (*found) (void *argument, uint64_t address),
                  void *argument)
{
  const struct image *image = facts->image;
  for (size_t i = 0; i < image->n_segments; i++)
    if (image->segments[i].p_type == PT_LOAD
        && !(image->segments[i].p_flags & PF_X)
        && !words_of_segment (facts, &image->segments[i], found, argument))
      return false;
  return true;
}

/* The functions that the SIZE bytes at ADDRESS point to.  */
static bool
words_of_array (const struct image_facts *facts, uint64_t address,
                uint64_t size,
                bool (*found) (void *argument, uint64_t address),
                void *argument)
{
  uint64_t function, n = size / sizeof (Elf64_Addr);
  for (uint64_t i = 0; i < n
                       && facts_word (facts, address + i * sizeof (Elf64_Addr),
                                      sizeof (Elf64_Addr), false, &function);
       i++)
    if (!found (argument, function))
      return false;
  return true;
}

/* Static programs have no dynamic section, but sections of these types.  */
static bool
words_of_sections (const struct image_facts *facts,
                   bool (*found) (void *argument, uint64_t address),
                   void *argument)
{
  for (size_t i = 1; i < facts->image->n_sections; i++)
    {
      const GElf_Shdr *header = &facts->image->sections[i].header;
      if (header->sh_type >= SHT_INIT_ARRAY
          && header->sh_type <= SHT_PREINIT_ARRAY
          && !words_of_array (facts, header->sh_addr, header->sh_size, found,
                              argument))
        return false;
    }
  return true;
}

bool
seeds_from_initialisers (const struct image_facts *facts,
                         bool (*found) (void *argument, uint64_t address),
                         void *argument)
{
  static const int64_t functions[] = { DT_INIT, DT_FINI };
  static const int64_t arrays[][2] = {
    { DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ },
    { DT_INIT_ARRAY, DT_INIT_ARRAYSZ },
    { DT_FINI_ARRAY, DT_FINI_ARRAYSZ },
  };
  const struct image *image = facts->image;
  uint64_t address, size;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (dynamic_find (image, functions[i], &address)
        && !found (argument, address))
      return false;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (dynamic_find (image, arrays[i][0], &address)
        && dynamic_find (image, arrays[i][1], &size)
        && !words_of_array (facts, address, size, found, argument))
      return false;
  return words_of_sections (facts, found, argument);
}

/* Whether ENTRY was chosen as the entry of a shared object, as that of a
   dynamic linker is.  Linkers of old have put the beginning of the code there
   otherwise.  */
static bool
is_chosen_entry (const struct image *image, uint64_t entry)
{
  for (size_t i = 1; i < image->n_sections; i++)
    if (image->sections[i].header.sh_addr == entry)
      return false;
  return image->n_sections > 1;
}

/* Static programs that can be loaded anywhere are shared objects by their
   type.  */
uint64_t
seeds_program_entry (const struct image *image)
{
  uint64_t flags = 0;
  bool is_program
      = image->header.e_type == ET_EXEC
        || image_find_segment (image, PT_INTERP) != NULL
        || (dynamic_find (image, DT_FLAGS_1, &flags) && (flags & DF_1_PIE))
        || is_chosen_entry (image, image->header.e_entry);
  return is_program ? image->header.e_entry : 0;
}

/* The FDEs of an .eh_frame section, through libdwarf in batches.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One walk over the section counts its entries, a second one looks at the
   CIEs.  Then slice_reader.c reads the FDEs, of large sections in two threads,
   each of which has one half.  */

#include "cfi/eh_frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/background.h"
#include "base/bytes.h"
#include "cfi/cfa_opcode.h"
#include "cfi/entry_walk.h"
#include "cfi/fde_head.h"
#include "cfi/slice_reader.h"

enum
{
  /* Real CIEs have about 30 bytes; without a limit a huge one would be copied
     again for every slice.  */
  CIE_SIZE_MAX = 4096,
  /* libdwarf 20210528 keeps the factor in eight bits.  */
  CODE_ALIGNMENT_MAX = 255,
  /* Sections with more CIEs, and smaller ones, are not worth a thread.  */
  CIES_TO_HALVE = 4096,
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  SIZE_TO_HALVE = 256, /* fuzzers' inputs are small, and shall go both ways */
#else
  SIZE_TO_HALVE = 512 * 1024,
#endif
  /* More make no difference for C and C++ programs.  */
  CHAINS_MAX = 8
};

/* What the first walk finds.  */
struct census
{
  size_t n_cies, n_fdes;
  uint64_t middle;      /* end of the entry in the middle of the section */
  size_t n_fdes_before; /* the middle */
};

/* One half of a section.  */
struct half
{
  struct cfi_section section; /* with CIEs of its own */
  uint64_t begin, end;
  size_t n_expected; /* FDEs */
  struct error err;
  bool read;
};

static struct entry
section_entry (const struct cfi_section *section, uint64_t offset)
{
  return entry_at (section->bytes, section->size, section->arch->big_endian,
                   offset);
}

static struct census
take_census (const struct cfi_section *section)
{
  struct census census = { 0 };
  struct entry entry;
  for (uint64_t offset = 0;
       (entry = section_entry (section, offset)).kind != ENTRY_END;
       offset += entry.size)
    {
      if (census.middle == 0 && offset >= section->size / 2)
        {
          census.middle = offset;
          census.n_fdes_before = census.n_fdes;
        }
      census.n_cies += entry.kind == ENTRY_CIE;
      census.n_fdes += entry.kind == ENTRY_FDE;
    }
  return census;
}

/* Check the augmentation letters that follow an initial z.  */
static enum frame_reason
scan_augmentation (struct cfi_cie *cie, const char *letters,
                   uint32_t letters_offset)
{
  for (uint32_t i = 0; letters[i] != '\0'; i++)
    switch (letters[i])
      {
      case 'z':
        if (i != 0)
          return REASON_AUGMENTATION;
        break;
      case 'S':
        cie->signal = true;
        break;
      case 'B':
        cie->b_key = true;
        cie->signed_letter = letters_offset + i;
        break;
      case 'G': /* aarch64 memory tagging: no influence on frames */
        if (cie->signed_letter != 0)
          return REASON_AUGMENTATION;
        cie->signed_letter = letters_offset + i;
        break;
      case 'R':
      case 'L':
      case 'P':
        break;
      default:
        return REASON_AUGMENTATION;
      }
  return letters[0] == '\0' || letters[0] == 'z' ? REASON_NONE
                                                 : REASON_AUGMENTATION;
}

/* Look at the head of the CIE in ENTRY: would libdwarf understand it?  */
static enum frame_reason
scan_cie (const struct cfi_section *section, const struct entry *entry,
          struct cfi_cie *cie)
{
  if (entry->size > CIE_SIZE_MAX)
    return REASON_BAD_ENTRY;
  const uint8_t *bytes = section->bytes + entry->offset;
  struct cursor cursor
      = cursor_over (bytes, entry->size, section->arch->big_endian);
  cursor_take (&cursor, 8);
  uint8_t version = cursor_u8 (&cursor);
  const uint8_t *nul = memchr (cursor.at, '\0', cursor_left (&cursor));
  if (nul == NULL || (version != 1 && version != 3 && version != 4))
    return REASON_BAD_ENTRY;
  const char *letters = (const char *)cursor.at;
  cursor_take (&cursor, (uint64_t)(nul - cursor.at) + 1);
  cie->has_augmentation_data = letters[0] == 'z';
  enum frame_reason reason = scan_augmentation (
      cie, letters, (uint32_t)((const uint8_t *)letters - bytes));
  if (reason != REASON_NONE)
    return reason;
  if (version == 4)
    {
      uint8_t address_size = cursor_u8 (&cursor);
      uint8_t segment_size = cursor_u8 (&cursor);
      if (address_size != 8 || segment_size != 0)
        return REASON_BAD_ENTRY;
    }
  uint64_t code_alignment = cursor_uleb (&cursor);
  return cursor.failed || code_alignment > CODE_ALIGNMENT_MAX
             ? REASON_BAD_ENTRY
             : REASON_NONE;
}

/* Make room for all entries, and no more: a damaged section may consist of
   them.  */
static bool
reserve_entries (struct cfi_section *section, const struct census *census,
                 struct error *err)
{
  if (census->n_fdes >= UINT32_MAX)
    return error_set (err, CFI2SFRAME_UNSUPPORTED, "more than 4 billion FDEs");
  section->cies
      = reallocarray (NULL, census->n_cies + 1, sizeof *section->cies);
  section->fdes
      = reallocarray (NULL, census->n_fdes + 1, sizeof *section->fdes);
  return (section->cies != NULL && section->fdes != NULL)
         || error_set_no_memory (err);
}

static void
collect_cies (struct cfi_section *section, size_t n_cies)
{
  struct entry entry;
  for (uint64_t offset = 0; section->n_cies < n_cies; offset += entry.size)
    {
      entry = section_entry (section, offset);
      if (entry.kind != ENTRY_CIE)
        continue;
      struct cfi_cie *cie = &section->cies[section->n_cies++];
      *cie = (struct cfi_cie){ .offset = entry.offset,
                               .entry_size = entry.size };
      cie->unusable = scan_cie (section, &entry, cie);
    }
}

/* Whether A comes before B or is at the same place.  */
static bool
fdes_in_order (const struct cfi_fde *a, const struct cfi_fde *b)
{
  return a->address < b->address
         || (a->address == b->address && a->offset <= b->offset);
}

/* The end of the longest run in order that begins at FDE.  */
static struct cfi_fde *
run_end (struct cfi_fde *fde, const struct cfi_fde *end)
{
  while (++fde < end && fdes_in_order (fde - 1, fde))
    ;
  return fde;
}

/* Merge the runs from TO to SECOND and from there to END.  */
static bool
merge_runs (struct cfi_fde *to, struct cfi_fde *second,
            const struct cfi_fde *end, struct error *err)
{
  while (to < second && fdes_in_order (to, second))
    to++;
  size_t n_waiting = (size_t)(second - to);
  struct cfi_fde *copy = reallocarray (NULL, n_waiting + 1, sizeof *copy);
  if (copy == NULL)
    return error_set_no_memory (err);
  memcpy (copy, to, n_waiting * sizeof *copy);
  const struct cfi_fde *first = copy, *first_end = copy + n_waiting;
  while (first < first_end)
    if (second == end || fdes_in_order (first, second))
      *to++ = *first++;
    else
      *to++ = *second++;
  free (copy);
  return true;
}

/* Compilers put the cold parts of functions, and what runs at startup, into
   sections of their own, but write FDEs as they come: a few ascending chains,
   interleaved.  Put one behind the other; FDEs that fit none go to the last
   one.  */
static bool
split_into_chains (struct cfi_section *section, struct error *err)
{
  struct cfi_fde *fdes = section->fdes;
  const struct cfi_fde *tails[CHAINS_MAX] = { NULL };
  size_t places[CHAINS_MAX + 1] = { 0 };
  uint8_t *chains = malloc (section->n_fdes + 1);
  struct cfi_fde *copy = reallocarray (NULL, section->n_fdes, sizeof *copy);
  bool enough = chains != NULL && copy != NULL;
  for (size_t i = 0; enough && i < section->n_fdes; i++)
    {
      uint8_t chain = 0;
      while (chain < CHAINS_MAX - 1 && tails[chain] != NULL
             && !fdes_in_order (tails[chain], &fdes[i]))
        chain++;
      tails[chain] = &fdes[i];
      chains[i] = chain;
      places[chain + 1]++;
    }
  for (size_t i = 1; i < CHAINS_MAX; i++)
    places[i] += places[i - 1];
  for (size_t i = 0; enough && i < section->n_fdes; i++)
    copy[places[chains[i]]++] = fdes[i];
  if (enough)
    memcpy (fdes, copy, section->n_fdes * sizeof *copy);
  free (chains);
  free (copy);
  return enough || error_set_no_memory (err);
}

/* Natural merge sort, which is done soon with a few chains.  */
static bool
sort_fdes (struct cfi_section *section, struct error *err)
{
  struct cfi_fde *begin = section->fdes, *end = begin + section->n_fdes;
  if (begin == end || run_end (begin, end) == end)
    return true;
  if (!split_into_chains (section, err))
    return false;
  while (run_end (begin, end) < end)
    for (struct cfi_fde *run = begin; run < end;)
      {
        struct cfi_fde *second = run_end (run, end);
        struct cfi_fde *next = second < end ? run_end (second, end) : end;
        if (second < end && !merge_runs (run, second, next, err))
          return false;
        run = next;
      }
  return true;
}

/* Reading in halves.  */

static void
half_read (void *argument)
{
  struct half *half = argument;
  half->read = slice_reader_run (&half->section, half->begin, half->end,
                                 half->n_expected, &half->err)
               && sort_fdes (&half->section, &half->err);
}

/* A second half of SECTION, whose FDEs will be in the same array.  */
static bool
half_prepare (struct half *half, const struct cfi_section *section,
              const struct census *census, struct error *err)
{
  half->begin = census->middle;
  half->end = section->size;
  half->n_expected = census->n_fdes - census->n_fdes_before;
  half->section = *section;
  half->section.fdes = section->fdes + census->n_fdes_before;
  half->section.cies
      = reallocarray (NULL, section->n_cies + 1, sizeof *section->cies);
  if (half->section.cies == NULL)
    return error_set_no_memory (err);
  memcpy (half->section.cies, section->cies,
          section->n_cies * sizeof *section->cies);
  return true;
}

/* What OTHER knows of CIEs.  */
static void
take_cies (struct cfi_section *section, const struct cfi_section *other)
{
  for (size_t i = 0; i < section->n_cies; i++)
    if (section->cies[i].instructions == NULL
        && other->cies[i].instructions != NULL)
      section->cies[i] = other->cies[i];
}

static void
take_damages (struct cfi_section *section, struct cfi_section *other)
{
  section->n_damaged += other->n_damaged;
  if (section->damages == NULL)
    {
      section->damages = other->damages;
      section->n_damages = other->n_damages;
      other->damages = NULL;
      return;
    }
  for (size_t i = 0;
       i < other->n_damages && section->n_damages < CFI_DAMAGES_MAX; i++)
    section->damages[section->n_damages++] = other->damages[i];
}

/* Put OTHER's FDEs, which are in the same array, behind SECTION's.  Programs
   of one half are not compared with those of the other.  */
static void
take_fdes (struct cfi_section *section, const struct cfi_section *other)
{
  struct cfi_fde *to = section->fdes + section->n_fdes;
  for (size_t i = 0; i < other->n_fdes; i++)
    {
      to[i] = other->fdes[i];
      to[i].program += (uint32_t)section->n_programs;
    }
  section->n_fdes += other->n_fdes;
  section->n_programs += other->n_programs;
}

static bool
read_in_halves (struct cfi_section *section, const struct census *census,
                struct error *err)
{
  struct half first = { .section = *section,
                        .end = census->middle,
                        .n_expected = census->n_fdes_before };
  struct half second = { 0 };
  struct background background = { 0 };
  if (!half_prepare (&second, section, census, err))
    return false;
  background_start (&background, half_read, &second);
  half_read (&first);
  background_wait (&background);

  *section = first.section;
  take_cies (section, &second.section);
  take_damages (section, &second.section);
  free (second.section.cies);
  free (second.section.damages);
  if (!first.read || !second.read)
    {
      *err = first.read ? second.err : first.err;
      return false;
    }
  take_fdes (section, &second.section);
  return merge_runs (section->fdes, section->fdes + first.section.n_fdes,
                     section->fdes + section->n_fdes, err);
}

bool
cfi_section_read (struct cfi_section *section, const struct arch *arch,
                  const uint8_t *bytes, uint64_t size, uint64_t address,
                  struct error *err)
{
  *section = (struct cfi_section){
    .arch = arch, .address = address, .bytes = bytes, .size = size
  };
  struct census census = take_census (section);
  bool read = reserve_entries (section, &census, err);
  if (read)
    collect_cies (section, census.n_cies);
  if (read && size >= SIZE_TO_HALVE && census.n_cies <= CIES_TO_HALVE)
    read = read_in_halves (section, &census, err);
  else if (read)
    read = slice_reader_run (section, 0, size, census.n_fdes, err)
           && sort_fdes (section, err);
  if (!read)
    cfi_section_free (section);
  return read;
}

bool
cfi_fde_lsda (const struct cfi_section *section, const struct cfi_fde *fde,
              uint64_t *lsda)
{
  const struct cfi_cie *cie = &section->cies[fde->cie];
  uint8_t encoding = cie->lsda_encoding;
  uint8_t application = encoding & (PE_APPLICATION | PE_INDIRECT);
  *lsda = 0;
  if (encoding == PE_OMIT)
    return true;
  if (application != 0 && application != PE_PCREL)
    return false;
  uint64_t entry_size = section_entry (section, fde->offset).size;
  struct fde_head head;
  if (!fde_head_read (section, cie, fde->offset, entry_size, &head))
    return false;
  struct cursor cursor
      = cursor_over (section->bytes + fde->offset + head.augmentation,
                     head.augmentation_size, section->arch->big_endian);
  return cfa_read_nullable (&cursor, encoding,
                            section->address + fde->offset + head.augmentation,
                            lsda);
}

void
cfi_section_keep_code (struct cfi_section *section, const struct image *image)
{
  size_t kept = 0;
  for (size_t i = 0; i < section->n_fdes; i++)
    if (image_is_executable (image, section->fdes[i].address,
                             section->fdes[i].size))
      section->fdes[kept++] = section->fdes[i];
  section->n_fdes = kept;
}

void
cfi_section_free (struct cfi_section *section)
{
  free (section->cies);
  free (section->fdes);
  free (section->damages);
  section->cies = NULL;
  section->fdes = NULL;
  section->damages = NULL;
  section->n_cies = section->n_fdes = section->n_damages = 0;
}

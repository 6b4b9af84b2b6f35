/* The referee: what elfutils libdw says the CFI of a file means.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "expression.h"
#include "pointer.h"
#include "referee.h"

/* Take what we need from the augmentation of RAW.  libdw gives the letters and
   the data but not their meaning.  */
static void
read_augmentation (const struct referee *referee, const Dwarf_CIE *raw,
                   struct referee_cie *cie)
{
  const char *letter = raw->augmentation;
  const uint8_t *at = raw->augmentation_data;
  if (!letter || *letter != 'z' || !at)
    return;
  cie->sized_augmentation = true;
  const uint8_t *end = at + raw->augmentation_data_size;
  for (letter++; *letter && at <= end; letter++)
    {
      uint64_t ignored;
      if (*letter == 'B')
        cie->b_key = true;
      else if (*letter == 'R' && at < end)
        cie->pointer_encoding = *at++;
      else if (*letter == 'L' && at < end)
        at++;
      else if (*letter == 'P' && at < end)
        {
          uint8_t format = *at++ & 0x0f; /* only its size matters here */
          if (!pointer_read (&at, end, format, 0, 0, referee->big_endian,
                             &ignored))
            return;
        }
      else if (*letter != 'S' && *letter != 'G')
        return;
    }
}

static bool
add_cie (struct referee *referee, size_t section, uint64_t offset,
         const Dwarf_CIE *raw)
{
  struct referee_cie *grown = reallocarray (referee->cies, referee->n_cies + 1,
                                            sizeof *referee->cies);
  if (!grown)
    return false;
  referee->cies = grown;
  struct referee_cie *cie = &grown[referee->n_cies++];
  *cie = (struct referee_cie){
    .section = (uint8_t)section,
    .offset = offset,
    .code_alignment = raw->code_alignment_factor,
    .instructions = raw->initial_instructions,
    .instructions_end = raw->initial_instructions_end,
    .pointer_encoding = DW_EH_PE_absptr,
  };
  read_augmentation (referee, raw, cie);
  return true;
}

/* The index of the CIE at OFFSET of SECTION; reads it when it comes later
   there.  False when there is none.  */
static bool
find_cie (struct referee *referee, size_t section, uint64_t offset,
          uint32_t *index)
{
  const struct cfi_source_section *from = &referee->sections[section];
  for (size_t i = referee->n_cies; i-- > 0;)
    if (referee->cies[i].offset == offset
        && referee->cies[i].section == section)
      {
        *index = (uint32_t)i;
        return true;
      }
  Dwarf_CFI_Entry entry;
  Dwarf_Off next;
  if (offset >= from->data->d_size
      || dwarf_next_cfi (referee->ident, from->data, from->eh, offset, &next,
                         &entry)
             != 0
      || !dwarf_cfi_cie_p (&entry)
      || !add_cie (referee, section, offset, &entry.cie))
    return false;
  *index = (uint32_t)(referee->n_cies - 1);
  return true;
}

static bool
read_fde (struct referee *referee, const Dwarf_FDE *raw,
          struct referee_fde *fde)
{
  if (!find_cie (referee, fde->section, raw->CIE_pointer, &fde->cie))
    return false;
  const struct referee_cie *cie = &referee->cies[fde->cie];
  const struct cfi_source_section *from = &referee->sections[fde->section];
  const uint8_t *section = from->data->d_buf, *at = raw->start;
  uint64_t here = from->address + (uint64_t)(at - section), size, skip;
  if (!pointer_read (&at, raw->end, cie->pointer_encoding, here, 0,
                     referee->big_endian, &fde->start)
      || !pointer_read (&at, raw->end, cie->pointer_encoding & 0x0f, 0, 0,
                        referee->big_endian, &size))
    return false;
  if (cie->sized_augmentation)
    {
      if (!uleb_read (&at, raw->end, &skip)
          || skip > (uint64_t)(raw->end - at))
        return false;
      at += skip;
    }
  fde->end = fde->start + size;
  fde->instructions = at;
  fde->instructions_end = raw->end;
  return fde->end >= fde->start;
}

static bool
add_fde (struct referee *referee, size_t section, uint64_t offset,
         const Dwarf_FDE *raw, size_t *capacity)
{
  struct referee_fde fde = { .section = (uint8_t)section, .offset = offset };
  if (!read_fde (referee, raw, &fde))
    {
      referee->n_damaged++;
      return true;
    }
  if (fde.start == fde.end)
    {
      referee->n_empty++;
      return true;
    }
  if (referee->n_fdes == *capacity)
    {
      *capacity = *capacity ? *capacity * 2 : 256;
      struct referee_fde *grown
          = reallocarray (referee->fdes, *capacity, sizeof *grown);
      if (!grown)
        return false;
      referee->fdes = grown;
    }
  referee->fdes[referee->n_fdes++] = fde;
  return true;
}

/* dwarf_next_cfi takes a zero word for the end of the section.  More entries
   may follow (libc.so.6 of arm64 has one), so look behind it.  */
static bool
skip_terminators (const Elf_Data *data, uint64_t *offset)
{
  const uint8_t *bytes = data->d_buf;
  while (*offset + 4 <= data->d_size
         && memcmp (bytes + *offset, "\0\0\0\0", 4) == 0)
    *offset += 4;
  return *offset + 4 <= data->d_size;
}

static bool
read_entries (struct referee *referee, size_t section, size_t *capacity)
{
  const struct cfi_source_section *from = &referee->sections[section];
  Dwarf_Off offset = 0, next;
  while (skip_terminators (from->data, &offset))
    {
      Dwarf_CFI_Entry entry;
      next = offset;
      int result = dwarf_next_cfi (referee->ident, from->data, from->eh,
                                   offset, &next, &entry);
      if (result == 0 && !dwarf_cfi_cie_p (&entry))
        {
          if (!add_fde (referee, section, offset, &entry.fde, capacity))
            return false;
        }
      else if (result != 0)
        referee->n_damaged++;
      /* Without a following entry the walk ends.  */
      if (result == 1 || next == (Dwarf_Off)-1 || next <= offset)
        break;
      offset = next;
    }
  return true;
}

static int
compare_fdes (const void *a, const void *b)
{
  const struct referee_fde *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->section != y->section)
    return x->section < y->section ? -1 : 1;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Whether [START, END) is code: a linker leaves entries in .debug_frame for
   functions it dropped.  */
static bool
is_code (Elf *elf, uint64_t start, uint64_t end)
{
  GElf_Shdr header;
  if (start == 0)
    return false;
  for (Elf_Scn *scn = NULL; (scn = elf_nextscn (elf, scn)) != NULL;)
    if (gelf_getshdr (scn, &header) && (header.sh_flags & SHF_ALLOC)
        && (header.sh_flags & SHF_EXECINSTR) && start >= header.sh_addr
        && end <= header.sh_addr + header.sh_size)
      return true;
  return false;
}

/* Whether FDE describes code that FDEs of earlier sections describe, too; they
   are the first N, in order.  */
static bool
is_described (const struct referee *referee, size_t n,
              const struct referee_fde *fde)
{
  size_t low = 0, high = n;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (referee->fdes[middle].start < fde->end)
        low = middle + 1;
      else
        high = middle;
    }
  /* Where they overlap each other, one in front may reach further.  */
  for (size_t i = low; i-- > 0 && low - i <= 64;)
    if (referee->fdes[i].end > fde->start)
      return true;
  return false;
}

/* Read the FDEs of SECTION.  One of .debug_frame that overlaps an earlier
   section's is not heard.  */
static bool
read_section (struct referee *referee, size_t section, size_t *capacity)
{
  size_t before = referee->n_fdes, kept = before;
  qsort (referee->fdes, before, sizeof *referee->fdes, compare_fdes);
  if (!read_entries (referee, section, capacity))
    return false;
  if (referee->sections[section].eh)
    return true;
  for (size_t i = before; i < referee->n_fdes; i++)
    {
      const struct referee_fde fde = referee->fdes[i];
      if (is_code (referee->elf, fde.start, fde.end)
          && !is_described (referee, before, &fde))
        referee->fdes[kept++] = fde;
      else
        referee->n_aside++;
    }
  referee->n_fdes = kept;
  return true;
}

/* Of overlapping FDEs the first one keeps the bytes.  */
static void
make_disjoint (struct referee *referee)
{
  if (referee->n_fdes == 0)
    return;
  qsort (referee->fdes, referee->n_fdes, sizeof *referee->fdes, compare_fdes);
  size_t kept = 0;
  uint64_t end = 0;
  for (size_t i = 0; i < referee->n_fdes; i++)
    {
      struct referee_fde fde = referee->fdes[i];
      if (fde.end <= end)
        {
          referee->n_hidden++;
          referee->fdes[kept - 1].overlaps = true;
          continue;
        }
      if (fde.start < end)
        {
          fde.overlaps = true;
          referee->fdes[kept - 1].overlaps = true;
          fde.start = end;
        }
      end = fde.end;
      referee->fdes[kept++] = fde;
    }
  referee->n_fdes = kept;
}

bool
referee_open (struct referee *referee, Elf *elf, Elf *debug, const char **why)
{
  GElf_Ehdr header;
  size_t capacity = 0;
  *referee = (struct referee){ .elf = elf };
  *why = "not an ELF file";
  if (elf_kind (elf) != ELF_K_ELF || !gelf_getehdr (elf, &header))
    return false;
  *why = "no SFrame ABI for this machine";
  referee->abi = referee_abi_of (header.e_machine);
  if (!referee->abi || header.e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  referee->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
  referee->ident = (const unsigned char *)elf_getident (elf, NULL);
  int n = sections_find (referee->sections, elf, debug);
  *why = "libdw finds no CFI";
  if (n < 0)
    return false;
  referee->n_sections = (size_t)n;
  *why = "out of memory";
  for (size_t i = 0; i < referee->n_sections; i++)
    if (!read_section (referee, i, &capacity))
      {
        referee_close (referee);
        return false;
      }
  make_disjoint (referee);
  return true;
}

void
referee_close (struct referee *referee)
{
  sections_free (referee->sections, referee->n_sections);
  free (referee->cies);
  free (referee->fdes);
}

/* Whether some rule of interest in FRAME depends on the PC.  */
static bool
depends_on_pc (const struct referee *referee, Dwarf_Frame *frame)
{
  int pc_register = referee->abi->pc_register;
  int numbers[] = { referee->abi->fp, referee->abi->ra, referee->abi->sp };
  Dwarf_Op *ops, memory[3];
  size_t n_ops;
  if (pc_register < 0)
    return false;
  if (dwarf_frame_cfa (frame, &ops, &n_ops) == 0
      && expression_uses_register (ops, n_ops, pc_register))
    return true;
  for (size_t i = 0; i < 3; i++)
    if (dwarf_frame_register (frame, numbers[i], memory, &ops, &n_ops) == 0
        && ((n_ops == 0 && ops == NULL && numbers[i] == pc_register)
            || expression_uses_register (ops, n_ops, pc_register)))
      return true;
  return false;
}

void
referee_state_at (const struct referee *referee, const struct referee_fde *fde,
                  uint64_t pc, struct referee_state *state)
{
  *state = (struct referee_state){ .end = fde->end };
  if (dwarf_cfi_addrframe (referee->sections[fde->section].cfi, pc,
                           &state->frame)
      != 0)
    {
      /* Perhaps only this row: try again a little further on.  */
      state->frame = NULL;
      state->end = pc + 1;
      return;
    }
  Dwarf_Addr start, end;
  dwarf_frame_info (state->frame, &start, &end, &state->signal);
  /* A row that begins at or past the end of the FDE moves libdw's end there.
   */
  if (end > pc && end < fde->end)
    state->end = end;
  state->per_byte = depends_on_pc (referee, state->frame);
}

void
referee_state_free (struct referee_state *state)
{
  free (state->frame);
  state->frame = NULL;
}

/* The caller's register REGNO.  */
static struct answer
evaluate_register (const struct machine *machine, Dwarf_Frame *frame,
                   int regno, uint64_t cfa, bool *same)
{
  Dwarf_Op *ops, memory[3];
  size_t n_ops;
  *same = false;
  if (dwarf_frame_register (frame, regno, memory, &ops, &n_ops) != 0)
    return (struct answer){ .kind = ANSWER_UNKNOWN };
  if (n_ops > 0)
    return expression_evaluate (machine, ops, n_ops, &cfa, true);
  if (ops != NULL)
    return (struct answer){ .kind = ANSWER_UNDEFINED };
  *same = true;
  return answer_of (machine_register (machine, (uint64_t)regno));
}

/* Whether the CFI computes the caller's SP (instead of loading it).  */
static bool
sp_is_computed (Dwarf_Frame *frame, int sp)
{
  Dwarf_Op *ops, memory[3];
  size_t n_ops;
  return dwarf_frame_register (frame, sp, memory, &ops, &n_ops) == 0
         && n_ops > 0 && ops[n_ops - 1].atom == DW_OP_stack_value;
}

static bool
evaluate_on (const struct referee *referee, const struct referee_state *state,
             const struct machine *machine, size_t i, struct verdict *verdict)
{
  const struct referee_abi *abi = referee->abi;
  Dwarf_Op *ops;
  size_t n_ops;
  if (dwarf_frame_cfa (state->frame, &ops, &n_ops) != 0)
    return false;
  verdict->cfa[i]
      = n_ops == 0 ? (struct answer){ .kind = ANSWER_UNDEFINED }
                   : expression_evaluate (machine, ops, n_ops, NULL, false);
  uint64_t cfa = verdict->cfa[i].value;
  bool same;
  int column = dwarf_frame_info (state->frame, NULL, NULL, NULL);
  verdict->fp[i]
      = evaluate_register (machine, state->frame, abi->fp, cfa, &same);
  verdict->ra[i]
      = evaluate_register (machine, state->frame, column, cfa, &same);
  verdict->sp[i]
      = evaluate_register (machine, state->frame, abi->sp, cfa, &same);
  if (abi->sp_by_convention && !sp_is_computed (state->frame, abi->sp))
    verdict->sp[i] = answer_of (cfa + (uint64_t)abi->caller_sp);
  return verdict->cfa[i].kind != ANSWER_UNKNOWN
         && verdict->fp[i].kind != ANSWER_UNKNOWN
         && verdict->ra[i].kind != ANSWER_UNKNOWN
         && verdict->sp[i].kind != ANSWER_UNKNOWN;
}

bool
referee_verdict (const struct referee *referee,
                 const struct referee_state *state, uint64_t pc,
                 struct verdict *verdict)
{
  if (!state->frame)
    return false;
  for (size_t i = 0; i < MACHINE_SEEDS; i++)
    {
      struct machine machine = { i, pc, referee->abi->pc_register };
      if (!evaluate_on (referee, state, &machine, i, verdict))
        return false;
    }
  verdict->signal = state->signal;
  return true;
}

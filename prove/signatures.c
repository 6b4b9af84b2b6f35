/* The signatures of return addresses on aarch64, which libdw does not track.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For each row, execute its FDE from the first instruction on, as libdw does,
   but only for the location and the signature state.  The result is unknown
   for entries with an unknown augmentation or instruction.

   Sources: DWARF 5, section 6.4.2; DWARF for the Arm 64-bit Architecture,
   sections 4.1 and 4.4 (call frame instructions); LSB Core, section 10.6.  */

#include "prove.h"

#include <dwarf.h>
#include <stdlib.h>

enum
{
  RA_SIGN_STATE = 34, /* DWARF number */
  NEGATE_RA_STATE = 0x2d,
  STATES_MAX = 64
};

struct cie
{
  Dwarf_Off offset;
  uint64_t code_alignment;
  uint8_t encoding; /* encoding of pointers */
  bool sized;       /* FDEs have augmentation data with a size */
  bool b_key;
  enum signature initial; /* after the CIE's instructions */
};

struct bytes
{
  const uint8_t *at, *end;
  bool big;
};

struct fde
{
  uint64_t start, end;
  uint64_t reach; /* the largest end of this FDE and those before it */
  struct bytes instructions;
  const struct cie *cie;
};

struct signatures
{
  struct cie *cies; /* by ascending offset */
  size_t n_cies;
  struct fde *fdes; /* by ascending start */
  size_t n_fdes;
};

/* ---- Reading numbers */

static bool
read_number (struct bytes *bytes, unsigned size, uint64_t *value)
{
  if ((size_t)(bytes->end - bytes->at) < size)
    return false;
  *value = 0;
  for (unsigned i = 0; i < size; i++)
    *value |= (uint64_t)bytes->at[i] << 8 * (bytes->big ? size - 1 - i : i);
  bytes->at += size;
  return true;
}

/* Read a LEB128 number as unsigned.  */
static bool
read_leb (struct bytes *bytes, uint64_t *value)
{
  *value = 0;
  for (unsigned shift = 0; bytes->at < bytes->end; shift += 7)
    {
      uint8_t byte = *bytes->at++;
      if (shift < 64)
        *value |= (uint64_t)(byte & 0x7f) << shift;
      if (byte < 0x80)
        return true;
    }
  return false;
}

static bool
skip_block (struct bytes *bytes)
{
  uint64_t size;
  if (!read_leb (bytes, &size) || size > (uint64_t)(bytes->end - bytes->at))
    return false;
  bytes->at += size;
  return true;
}

/* Return the size of a pointer in ENCODING, in bytes; 0 for other forms.  */
static unsigned
pointer_size (uint8_t encoding)
{
  switch (encoding & 0x07)
    {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
      return 8;
    case DW_EH_PE_udata2:
      return 2;
    case DW_EH_PE_udata4:
      return 4;
    default:
      return 0;
    }
}

/* Read a pointer in ENCODING from BYTES, which are at the address HERE.  */
static bool
read_pointer (struct bytes *bytes, uint8_t encoding, uint64_t here,
              uint64_t *value)
{
  unsigned size = pointer_size (encoding);
  unsigned unused = (64 - 8 * size) & 63;
  unsigned relative = encoding & 0xf0;
  if (size == 0 || (relative != DW_EH_PE_absptr && relative != DW_EH_PE_pcrel)
      || !read_number (bytes, size, value))
    return false;
  if (encoding & DW_EH_PE_signed)
    *value = (uint64_t)((int64_t)(*value << unused) >> unused);
  *value += relative == DW_EH_PE_pcrel ? here : 0;
  return true;
}

/* ---- Executing instructions */

struct execution
{
  struct bytes bytes;
  const struct cie *cie;
  uint64_t location;
  enum signature state, states[STATES_MAX];
  unsigned depth;
};

/* The operands of an opcode: numbers of 1, 2 or 4 bytes or in LEB128 (n), and
   blocks (b).  */
static const char *const operands[0x40]
    = { [DW_CFA_nop] = "",
        [DW_CFA_advance_loc1] = "1",
        [DW_CFA_advance_loc2] = "2",
        [DW_CFA_advance_loc4] = "4",
        [DW_CFA_offset_extended] = "nn",
        [DW_CFA_restore_extended] = "n",
        [DW_CFA_undefined] = "n",
        [DW_CFA_same_value] = "n",
        [DW_CFA_register] = "nn",
        [DW_CFA_remember_state] = "",
        [DW_CFA_restore_state] = "",
        [DW_CFA_def_cfa] = "nn",
        [DW_CFA_def_cfa_register] = "n",
        [DW_CFA_def_cfa_offset] = "n",
        [DW_CFA_def_cfa_expression] = "b",
        [DW_CFA_expression] = "nb",
        [DW_CFA_offset_extended_sf] = "nn",
        [DW_CFA_def_cfa_sf] = "nn",
        [DW_CFA_def_cfa_offset_sf] = "n",
        [DW_CFA_val_offset] = "nn",
        [DW_CFA_val_offset_sf] = "nn",
        [DW_CFA_val_expression] = "nb",
        [NEGATE_RA_STATE] = "",
        [DW_CFA_GNU_args_size] = "n",
        [DW_CFA_GNU_negative_offset_extended] = "nn" };

/* Read the operands of OPCODE, and set *FIRST to the first one.  */
static bool
read_operands (struct bytes *bytes, uint8_t opcode, uint64_t *first)
{
  const char *operand = operands[opcode];
  bool done = operand != NULL;
  for (; done && *operand != '\0'; operand++)
    {
      uint64_t value = 0;
      done = *operand == 'b'   ? skip_block (bytes)
             : *operand == 'n' ? read_leb (bytes, &value)
                               : read_number (bytes, *operand - '0', &value);
      if (operand == operands[opcode])
        *first = value;
    }
  return done;
}

static bool
step_extended (struct execution *execution, uint8_t opcode)
{
  uint64_t value = 0;
  if (!read_operands (&execution->bytes, opcode, &value))
    return false;
  switch (opcode)
    {
    case DW_CFA_advance_loc1:
    case DW_CFA_advance_loc2:
    case DW_CFA_advance_loc4:
      execution->location += value * execution->cie->code_alignment;
      return true;
    case DW_CFA_restore_extended:
      /* The instruction restores the initial rule of a register, and the
         initial value of RA_SIGN_STATE.  */
      if (value == RA_SIGN_STATE)
        execution->state = execution->cie->initial;
      return true;
    case DW_CFA_remember_state:
      if (execution->depth == STATES_MAX)
        return false;
      execution->states[execution->depth++] = execution->state;
      return true;
    case DW_CFA_restore_state:
      if (execution->depth == 0)
        return false;
      execution->state = execution->states[--execution->depth];
      return true;
    case NEGATE_RA_STATE:
      execution->state = execution->state != SIGNATURE_NONE ? SIGNATURE_NONE
                         : execution->cie->b_key            ? SIGNATURE_B
                                                            : SIGNATURE_A;
      return true;
    default:
      return true;
    }
}

static bool
step (struct execution *execution)
{
  uint8_t opcode = *execution->bytes.at++;
  uint64_t ignored;
  switch (opcode & 0xc0)
    {
    case DW_CFA_advance_loc:
      execution->location += (opcode & 0x3f) * execution->cie->code_alignment;
      return true;
    case DW_CFA_offset:
      return read_leb (&execution->bytes, &ignored);
    case DW_CFA_restore:
      if ((opcode & 0x3f) == RA_SIGN_STATE)
        execution->state = execution->cie->initial;
      return true;
    default:
      return step_extended (execution, opcode);
    }
}

/* Execute INSTRUCTIONS with CIE from START on, and return the state at PC.  */
static enum signature
state_at (struct bytes instructions, const struct cie *cie, uint64_t start,
          uint64_t pc)
{
  struct execution execution = {
    .bytes = instructions, .cie = cie, .location = start, .state = cie->initial
  };
  while (execution.location <= pc && execution.bytes.at < execution.bytes.end)
    if (!step (&execution))
      return SIGNATURE_UNKNOWN;
  return execution.state;
}

/* ---- Reading CIEs and FDEs */

/* Set CIE by the augmentation of RAW.  False if it has an unknown letter.  */
static bool
read_augmentation (struct cie *cie, const Dwarf_CIE *raw, bool big)
{
  const char *letter = raw->augmentation;
  struct bytes data
      = { raw->augmentation_data,
          raw->augmentation_data + raw->augmentation_data_size, big };
  uint64_t value = 0;
  cie->sized = *letter == 'z';
  for (letter += cie->sized; *letter != '\0'; letter++)
    switch (*letter)
      {
      case 'B':
        cie->b_key = true;
        break;
      case 'G':
      case 'S':
        break;
      case 'L':
      case 'P':
      case 'R':
        if (!cie->sized || !read_number (&data, 1, &value)
            || (*letter == 'P'
                && !read_pointer (&data, value & 0x0f, 0, &value)))
          return false;
        if (*letter == 'R')
          cie->encoding = (uint8_t)value;
        break;
      default:
        return false;
      }
  return true;
}

static void
add_cie (struct signatures *signatures, Dwarf_Off offset, const Dwarf_CIE *raw,
         bool big)
{
  struct cie *cie = &signatures->cies[signatures->n_cies++];
  struct bytes instructions
      = { raw->initial_instructions, raw->initial_instructions_end, big };
  *cie = (struct cie){ .offset = offset,
                       .code_alignment = raw->code_alignment_factor,
                       .encoding = DW_EH_PE_absptr,
                       .initial = SIGNATURE_NONE };
  cie->initial = read_augmentation (cie, raw, big)
                     ? state_at (instructions, cie, 0, UINT64_MAX)
                     : SIGNATURE_UNKNOWN;
}

static int
compare_offsets (const void *a, const void *b)
{
  const struct cie *x = a, *y = b;
  return (x->offset > y->offset) - (x->offset < y->offset);
}

static int
compare_starts (const void *a, const void *b)
{
  const struct fde *x = a, *y = b;
  return (x->start > y->start) - (x->start < y->start);
}

static void
add_fde (struct signatures *signatures, const struct entries *entries,
         const Dwarf_FDE *raw, bool big)
{
  struct fde *fde = &signatures->fdes[signatures->n_fdes];
  struct cie wanted = { .offset = raw->CIE_pointer };
  const struct cie *cie
      = bsearch (&wanted, signatures->cies, signatures->n_cies, sizeof wanted,
                 compare_offsets);
  struct bytes bytes = { raw->start, raw->end, big };
  uint64_t size;
  uint64_t here = entries->address
                  + (uint64_t)(bytes.at - (uint8_t *)entries->data->d_buf);
  if (cie == NULL || cie->initial == SIGNATURE_UNKNOWN
      || !read_pointer (&bytes, cie->encoding, here, &fde->start)
      || !read_pointer (&bytes, cie->encoding & 0x0f, 0, &size)
      || (cie->sized && !skip_block (&bytes)))
    return;
  fde->end = fde->start + size;
  fde->instructions = bytes;
  fde->cie = cie;
  signatures->n_fdes++;
}

/* Read ENTRIES in two passes, because an FDE may precede its CIE.  */
static void
read_entries (struct signatures *signatures, struct entries *entries)
{
  bool big = entries->ident[EI_DATA] == ELFDATA2MSB;
  struct entries again = *entries;
  Dwarf_CFI_Entry entry;
  int result;
  while ((result = entries_next (entries, &entry)) != 1)
    if (result == 0 && dwarf_cfi_cie_p (&entry))
      add_cie (signatures, entries->at, &entry.cie, big);
  while ((result = entries_next (&again, &entry)) != 1)
    if (result == 0 && !dwarf_cfi_cie_p (&entry))
      add_fde (signatures, &again, &entry.fde, big);
  qsort (signatures->fdes, signatures->n_fdes, sizeof *signatures->fdes,
         compare_starts);
  uint64_t reach = 0;
  for (size_t i = 0; i < signatures->n_fdes; i++)
    {
      struct fde *fde = &signatures->fdes[i];
      fde->reach = reach = fde->end > reach ? fde->end : reach;
    }
}

struct signatures *
signatures_open (const struct file *file, bool eh_frame)
{
  struct signatures *signatures = calloc (1, sizeof *signatures);
  struct entries entries, counted;
  Dwarf_CFI_Entry entry;
  if (signatures == NULL || file->header.e_machine != EM_AARCH64
      || !entries_open (&entries, file, eh_frame))
    return signatures;
  size_t n = 1;
  for (counted = entries; entries_next (&counted, &entry) != 1;)
    n++;
  signatures->cies = calloc (n, sizeof *signatures->cies);
  signatures->fdes = calloc (n, sizeof *signatures->fdes);
  if (signatures->cies == NULL || signatures->fdes == NULL)
    {
      signatures_close (signatures);
      return NULL;
    }
  read_entries (signatures, &entries);
  return signatures;
}

void
signatures_close (struct signatures *signatures)
{
  if (signatures == NULL)
    return;
  free (signatures->cies);
  free (signatures->fdes);
  free (signatures);
}

/* If FDEs overlap, libdw's choice between them depends on earlier look-ups.
   So the result is known only if all FDEs that contain PC agree.  */
enum signature
signature_at (const struct signatures *signatures, uint64_t pc)
{
  enum
  {
    TRIED_MAX = 16 /* a hostile file has any number of FDEs around PC */
  };
  _Static_assert(offsetof (struct fde, start) == 0, "find_last_from");
  const struct fde *last = find_last_from (
      signatures->fdes, signatures->n_fdes, sizeof *signatures->fdes, pc);
  size_t n = last == NULL ? 0 : (size_t)(last - signatures->fdes) + 1;
  enum signature result = SIGNATURE_UNKNOWN;
  for (size_t n_tried = 0; n > 0 && pc < signatures->fdes[n - 1].reach;
       n_tried++)
    {
      const struct fde *fde = &signatures->fdes[--n];
      if (n_tried == TRIED_MAX)
        return SIGNATURE_UNKNOWN;
      if (pc >= fde->end)
        continue;
      enum signature state
          = state_at (fde->instructions, fde->cie, fde->start, pc);
      if (state == SIGNATURE_UNKNOWN
          || (result != SIGNATURE_UNKNOWN && result != state))
        return SIGNATURE_UNKNOWN;
      result = state;
    }
  return result;
}

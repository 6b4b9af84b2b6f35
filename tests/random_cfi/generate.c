/* Random call-frame programs as assembler source.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: generate amd64|aarch64|s390x SEED COUNT
   Prints COUNT functions, each with CFI that an assembler accepts and hardly
   any compiler would write.  The same arguments give the same text.  */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machine
{
  const char *name;
  unsigned step;        /* bytes of an instruction */
  unsigned n_registers; /* general ones that rules may be given for */
  unsigned sp, fp, ra;
  int data_alignment;
  int cfa_bias; /* offset of the CFA at a function's entry */
  bool signing;
};

static const struct machine machines[] = {
  { "amd64", 1, 16, 7, 6, 16, -8, 8, false },
  { "aarch64", 4, 31, 31, 29, 30, -8, 0, true },
  { "s390x", 2, 16, 15, 11, 14, -8, 160, false },
};

static uint64_t state;

static unsigned
below (unsigned n)
{
  /* splitmix64 (Steele, Lea, Flood 2014).  */
  state += UINT64_C (0x9e3779b97f4a7c15);
  uint64_t z = state;
  z = (z ^ z >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C (0x94d049bb133111eb);
  return (unsigned)((z ^ z >> 31) % n);
}

/* Code: most steps are short, some need each width of an advance.  */
static void
print_code (const struct machine *machine)
{
  static const unsigned lengths[]
      = { 1, 1, 2, 3, 5, 15, 63, 64, 65, 255, 260 };
  unsigned n;
  switch (below (24))
    {
    case 0:
      n = 65536 + below (200);
      break;
    case 1:
      n = 16000 + below (1000);
      break;
    default:
      n = lengths[below (sizeof lengths / sizeof lengths[0])];
    }
  printf ("\t.skip %u\n", n * machine->step);
}

/* One of the registers that matter, or any.  */
static unsigned
some_register (const struct machine *machine)
{
  switch (below (5))
    {
    case 0:
      return machine->fp;
    case 1:
      return machine->ra;
    case 2:
      return machine->sp;
    default:
      return below (machine->n_registers);
    }
}

static unsigned
base_register (const struct machine *machine)
{
  switch (below (6))
    {
    case 0:
      return below (machine->n_registers);
    case 1:
    case 2:
      return machine->fp;
    default:
      return machine->sp;
    }
}

/* A slot's offset from the CFA.  */
static int
slot (const struct machine *machine)
{
  static const int slots[] = { 1, 2, 2, 3, 4, 10, 16, 17, 32, 512, 5000 };
  int n = slots[below (sizeof slots / sizeof slots[0])];
  return (below (12) ? n : -n) * machine->data_alignment;
}

static int
cfa_offset (const struct machine *machine)
{
  static const int steps[] = { 0, 0, 8, 8, 16, 24, 48, 120, 128, 1000, 40000 };
  int n = steps[below (sizeof steps / sizeof steps[0])];
  return machine->cfa_bias + (below (16) ? n : 3 * n + 1);
}

/* One byte of a signed LEB128 number.  */
static unsigned
small_signed (int n)
{
  return (unsigned)n & 0x7f;
}

static void
print_expression (const struct machine *machine)
{
  unsigned base = base_register (machine);
  unsigned breg = 0x70 + (base < 32 ? base : 31);
  int offset = (int)below (64) - 32;
  unsigned reg = some_register (machine);
  switch (below (6))
    {
    case 0: /* CFA = *(reg + n) */
      printf ("\t.cfi_escape 0x0f, 3, %u, %u, 6\n", breg,
              small_signed (offset));
      break;
    case 1: /* CFA = reg + n */
      printf ("\t.cfi_escape 0x0f, 2, %u, %u\n", breg, small_signed (offset));
      break;
    case 2: /* saved at reg + n */
      printf ("\t.cfi_escape 0x10, %u, 2, %u, %u\n", reg, breg,
              small_signed (offset));
      break;
    case 3: /* value is reg + n */
      printf ("\t.cfi_escape 0x16, %u, 2, %u, %u\n", reg, breg,
              small_signed (offset));
      break;
    case 4: /* saved at the CFA + n: lit, minus */
      printf ("\t.cfi_escape 0x10, %u, 2, %u, 0x1c\n", reg, 0x30 + below (32));
      break;
    default: /* nothing anybody knows: reg * n */
      printf ("\t.cfi_escape 0x16, %u, 4, %u, 0, 0x33, 0x1e\n", reg, breg);
    }
}

static void
print_escape (const struct machine *machine)
{
  unsigned reg = some_register (machine);
  switch (below (6))
    {
    case 0: /* GNU_args_size */
      printf ("\t.cfi_escape 0x2e, %u\n", below (128));
      break;
    case 1: /* offset_extended_sf */
      printf ("\t.cfi_escape 0x11, %u, %u\n", reg,
              small_signed ((int)below (64) - 32));
      break;
    case 2: /* val_offset_sf */
      printf ("\t.cfi_escape 0x15, %u, %u\n", reg,
              small_signed ((int)below (8) - 4));
      break;
    case 3: /* def_cfa_sf, in units of the data alignment */
      printf ("\t.cfi_escape 0x12, %u, %u\n", base_register (machine),
              small_signed (-(int)below (30)));
      break;
    default:
      print_expression (machine);
    }
}

static void
print_rule (const struct machine *machine)
{
  unsigned reg = some_register (machine);
  switch (below (8))
    {
    case 0:
    case 1:
    case 2:
      printf ("\t.cfi_offset %u, %d\n", reg, slot (machine));
      break;
    case 3:
      printf ("\t.cfi_restore %u\n", reg);
      break;
    case 4:
      printf ("\t.cfi_same_value %u\n", reg);
      break;
    case 5:
      printf ("\t.cfi_undefined %u\n", reg);
      break;
    case 6:
      printf ("\t.cfi_register %u, %u\n", reg, below (machine->n_registers));
      break;
    default:
      printf ("\t.cfi_val_offset %u, %d\n", reg, 8 * (int)below (3));
    }
}

/* What a compiler writes: so that there is something to cover.  */
static void
print_usual (const struct machine *machine)
{
  switch (below (3))
    {
    case 0:
      printf ("\t.cfi_def_cfa %u, %d\n", machine->sp,
              machine->cfa_bias + 16 * (int)below (5));
      break;
    case 1:
      printf ("\t.cfi_offset %u, %d\n", machine->fp,
              2 * machine->data_alignment);
      break;
    default:
      printf ("\t.cfi_def_cfa %u, %d\n", machine->fp, machine->cfa_bias + 8);
    }
}

static void
print_directive (const struct machine *machine, unsigned *depth, bool cfa)
{
  switch (below (14))
    {
    case 0:
      printf ("\t.cfi_def_cfa %u, %d\n", base_register (machine),
              cfa_offset (machine));
      break;
    case 1:
      if (cfa)
        printf ("\t.cfi_def_cfa_offset %d\n", cfa_offset (machine));
      break;
    case 2:
      if (cfa)
        printf ("\t.cfi_def_cfa_register %u\n", base_register (machine));
      break;
    case 3:
      if (cfa)
        printf ("\t.cfi_adjust_cfa_offset %d\n", 8 * ((int)below (5) - 1));
      break;
    case 4:
    case 5:
      printf ("\t.cfi_remember_state\n");
      ++*depth;
      break;
    case 6:
    case 7:
      if (*depth > 0)
        {
          printf ("\t.cfi_restore_state\n");
          --*depth;
        }
      break;
    case 8:
      if (machine->signing)
        printf ("\t.cfi_negate_ra_state\n");
      break;
    case 9:
      print_escape (machine);
      break;
    case 10:
    case 11:
      print_usual (machine);
      break;
    default:
      print_rule (machine);
    }
}

/* An expression for the CFA, and adding to it afterwards is an error in some
   readers and not in others, so functions with `escape` have no relative
   changes of the CFA.  */
static void
print_function (const struct machine *machine, unsigned index)
{
  unsigned depth = 0;
  bool simple = below (12) == 0, relative = below (2);
  printf ("\t.globl f%u\n\t.type f%u, %%function\nf%u:\n\t.cfi_startproc%s\n",
          index, index, index, simple ? " simple" : "");
  if (below (12) == 0)
    printf ("\t.cfi_signal_frame\n");
  if (machine->signing && below (6) == 0)
    printf ("\t.cfi_b_key_frame\n");
  if (simple)
    {
      printf ("\t.cfi_def_cfa %u, %d\n", machine->sp, machine->cfa_bias);
      if (machine->ra == 16)
        printf ("\t.cfi_offset %u, -8\n", machine->ra);
    }
  unsigned tame = below (4); /* functions with hardly an odd rule */
  for (unsigned step = 1 + below (14); step > 0; step--)
    {
      if (below (8))
        print_code (machine);
      for (unsigned n = 1 + below (3); n > 0; n--)
        if (tame && below (8))
          print_usual (machine);
        else
          print_directive (machine, &depth, relative);
    }
  print_code (machine);
  printf ("\t.cfi_endproc\n\t.size f%u, .-f%u\n", index, index);
  if (below (4) == 0)
    print_code (machine); /* without CFI */
}

int
main (int argc, char **argv)
{
  const struct machine *machine = NULL;
  for (size_t i = 0; argc == 4 && i < sizeof machines / sizeof machines[0];
       i++)
    if (strcmp (argv[1], machines[i].name) == 0)
      machine = &machines[i];
  if (machine == NULL)
    {
      fprintf (stderr, "usage: generate amd64|aarch64|s390x SEED COUNT\n");
      return 2;
    }
  state = strtoull (argv[2], NULL, 10);
  unsigned count = (unsigned)strtoul (argv[3], NULL, 10);
  printf ("\t.text\n");
  for (unsigned i = 0; i < count; i++)
    print_function (machine, i);
  printf ("\t.section .note.GNU-stack,\"\",%%progbits\n");
  return 0;
}

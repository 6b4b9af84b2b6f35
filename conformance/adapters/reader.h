/* Between host.c, which speaks the protocol of the suite, and one reader.
   SPDX-License-Identifier: 0BSD

   An adapter is host.c compiled with one file that defines `reader'.  */

#ifndef CONFORMANCE_READER_H
#define CONFORMANCE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value: base + offset, or what stands in memory there.  */
struct value
{
  enum
  {
    VALUE_SAME, /* the register still has it; the rest says nothing */
    VALUE_CFA,
    VALUE_SP,
    VALUE_FP,
    VALUE_REGISTER
  } base;
  bool load;
  unsigned reg; /* DWARF number, for VALUE_REGISTER */
  int64_t offset;
};

struct answer
{
  bool outermost; /* the rest says nothing */
  struct value cfa, ra, fp;
  bool ra_signed, key_b, signal; /* if the reader tells */
};

/* An executable segment of the file: addresses of the vector.  */
struct code_range
{
  uint64_t start, end;
};

enum
{
  CODE_RANGES_MAX = 8
};

/* What is asked about, as the vector has it.  */
struct question
{
  unsigned version, abi;
  /* The file's executable segments; none if the vector does not say.  */
  struct code_range code[CODE_RANGES_MAX];
  unsigned n_code;
  /* Where the section is loaded in the vector, and where its bytes are now:
     readers that take a section where it is see all addresses moved by the
     difference.  */
  uint64_t address;
  const uint8_t *bytes;
  size_t size;
};

/* A frame, to find the rule of.  */
struct frame
{
  uint64_t pc; /* an address of the vector */
  uint64_t fp; /* what is in the FP; few readers look at it */
};

/* A reader; its `begin' may change all members but the name.  */
struct reader
{
  const char *name;
  const char *versions; /* it claims to read, as "2,3" */
  const char *abis;     /* likewise, by their numbers in the header */
  /* What it tells besides CFA, RA and FP: "signed", "key", "signal".  */
  const char *tells;
  /* Called once with the adapter's own arguments.  */
  bool (*begin) (int argc, char **argv);
  /* NULL, and *REASON, when the reader refuses the section.  */
  void *(*open) (const struct question *question, const char **reason);
  /* 1 a rule, 0 none, -1 an error.  */
  int (*find) (void *section, const struct frame *frame,
               struct answer *answer);
  void (*close) (void *section);
};

extern struct reader reader;

/* The DWARF numbers of SP and FP for ABI; false for another one.  */
static inline bool
abi_registers (unsigned abi, unsigned *sp, unsigned *fp)
{
  static const struct
  {
    unsigned abi, sp, fp;
  } registers[] = { { 1, 31, 29 }, { 2, 31, 29 }, { 3, 7, 6 }, { 4, 15, 11 } };
  for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
    if (registers[i].abi == abi)
      {
        *sp = registers[i].sp;
        *fp = registers[i].fp;
        return true;
      }
  return false;
}

/* Register REG + OFFSET, with SP and FP of ABI told apart.  */
static inline struct value
value_of_register (unsigned abi, unsigned reg, int64_t offset, bool load)
{
  unsigned sp = 0, fp = 0;
  struct value value
      = { .base = VALUE_REGISTER, .load = load, .reg = reg, .offset = offset };
  if (abi_registers (abi, &sp, &fp))
    value.base = reg == sp ? VALUE_SP : reg == fp ? VALUE_FP : VALUE_REGISTER;
  return value;
}

#endif /* CONFORMANCE_READER_H */

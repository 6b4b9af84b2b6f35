/* A made-up machine: registers and memory that exist only as a hash.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Two rules that give the same value on two such machines are the same rule:
   with 64-bit hashes nothing agrees by accident.  */

#ifndef ORACLE_MACHINE_H
#define ORACLE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum
{
  MACHINE_SEEDS = 2
};

struct machine
{
  uint64_t seed;
  uint64_t pc;
  int pc_register; /* register that reads as the PC, -1 if there is none */
};

/* splitmix64's finaliser: every input bit changes every output bit.  */
static inline uint64_t
machine_hash (uint64_t x)
{
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/* The low bits are never zero, so that an expression that aligns a register
   is never taken for the register itself.  */
static inline uint64_t
machine_register (const struct machine *machine, uint64_t number)
{
  if (machine->pc_register >= 0 && number == (uint64_t)machine->pc_register)
    return machine->pc;
  uint64_t low = machine->seed & 1 ? 0x5 : 0xb;
  return (machine_hash (number ^ machine_hash (machine->seed)) & ~(uint64_t)15)
         | low;
}

/* The 8 bytes at ADDRESS.  */
static inline uint64_t
machine_memory (const struct machine *machine, uint64_t address)
{
  return machine_hash (address ^ machine_hash (machine->seed + 0x5eed));
}

/* What a rule gives.  */
enum answer_kind
{
  ANSWER_UNKNOWN,   /* no way to tell: the referee's own limits */
  ANSWER_BROKEN,    /* no reader could make sense of it */
  ANSWER_UNDEFINED, /* stated not to exist */
  ANSWER_VALUE
};

struct answer
{
  enum answer_kind kind;
  uint64_t value;
};

static inline struct answer
answer_of (uint64_t value)
{
  return (struct answer){ ANSWER_VALUE, value };
}

/* What one side says about the caller at a PC, on every machine.  When the
   RA is undefined nothing else is looked at.  */
struct verdict
{
  struct answer cfa[MACHINE_SEEDS];
  struct answer ra[MACHINE_SEEDS];
  struct answer fp[MACHINE_SEEDS];
  struct answer sp[MACHINE_SEEDS];
  bool ra_signed, b_key, signal;
};

#endif /* ORACLE_MACHINE_H */

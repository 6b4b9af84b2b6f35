/* Abstract values: what is known of the contents of a register or a word of
   the stack.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This is the domain of the abstract interpretation.  CFA is the canonical
   frame address of the function that is analysed, whatever it is at run time;
   every value of kind VALUE_CFA is an offset from it.

   A constant becomes less trustworthy when it is calculated with, or stored
   and loaded again, and never recovers:

     CONSTANT --multiplied, masked, added to a NUMBER--> NUMBER
        |                                                  |
        +---------------------> the stack <----------------+
        |                           |       (HALF: 4 bytes there)
        +--join of two equal--> RELOADED

                trusted for     trusted as      trusted as
                moving SP       an address      a system call's number
     CONSTANT   yes             yes             yes
     NUMBER     yes             no              yes
     RELOADED   no              from 512 on     yes  */

#ifndef ANALYSIS_VALUE_H
#define ANALYSIS_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "frame/frame.h"

enum value_kind
{
  /* Computed by this function, at least on one of the paths that met; so it is
     not the caller's value on all of them.  `number' identifies the
     instruction or join that made it: two registers with the same number hold
     the same value.  */
  VALUE_COMPUTED,
  /* Unknown, perhaps the caller's: loaded from a word of the stack that has no
     slot, for example.  Numbered, too.  */
  VALUE_UNKNOWN,
  /* The result of a system call that returns twice: 0 in the child, which has
     another stack.  Numbered, too.  */
  VALUE_FORKED,
  VALUE_MAYBE_FORKED, /* of a system call that may be such a one */
  VALUE_CFA,          /* CFA + number */
  VALUE_SAVED,        /* value of register `number' at the entry */
  /* The return address, signed with key `number' and the entry's SP.  */
  VALUE_SIGNED,
  VALUE_CONSTANT,
  /* A constant that was calculated, or stored in the stack.  It is not taken
     for an address.  As an index it is less precise than the comparison that
     bounds it: a branch is followed both ways even if a constant would decide
     it.  */
  VALUE_NUMBER,
  /* A constant that was loaded from the stack, where a callee may have changed
     it.  Programs do not change an address of a jump table there, nor the
     number of a system call, so those are trusted.  A callee may change a
     stored size by which the stack pointer is moved later, so such a constant
     does not move SP.  */
  VALUE_RELOADED,
  VALUE_HALF, /* in a slot: 4 bytes of a number, and 4 others */
  /* An unknown base + number.  `and $-n, %rsp' and `sub %rax, %rsp' turn the
     stack pointer into such a base.  A state has at most one base.  */
  VALUE_BASE,
  VALUE_TABLE_ENTRY,  /* loaded from jump table `number' */
  VALUE_TABLE_TARGET, /* the same + the table's base: an address of code */
  /* Join of several entries (targets): `number' is a mask of tables.  */
  VALUE_TABLE_ENTRIES,
  VALUE_TABLE_TARGETS,
};

enum
{
  SYSCALLS_MAX = 512,   /* Linux has fewer */
  VALUE_TABLES_MAX = 58 /* only tables with lower numbers fit into a mask */
};

/* Two fields in one word.  It is copied and compared as a whole, because a
   load that follows the store of a part stalls.  */
struct value
{
  union
  {
    struct
    {
      uint64_t kind : 4; /* enum value_kind */
      int64_t number : 60;
    };
    uint64_t word;
  };
};

static inline struct value
value_of (enum value_kind kind, int64_t number)
{
  struct value value = { .kind = kind & 0xf, .number = number };
  return (struct value){ .word = value.word };
}

/* The value of REG that the instruction, or the join, at ADDRESS makes.  */
static inline struct value
value_new (enum value_kind kind, uint64_t address, unsigned reg)
{
  return value_of (kind, (int64_t)(address << 6 | reg));
}

/* The address that was given to value_new for VALUE.  */
static inline uint64_t
value_address (struct value value)
{
  return (uint64_t)value.number >> 6;
}

static inline bool
value_equal (struct value a, struct value b)
{
  return a.word == b.word;
}

static inline bool
value_is_anonymous (struct value value)
{
  return value.kind == VALUE_COMPUTED || value.kind == VALUE_UNKNOWN
         || value.kind == VALUE_FORKED || value.kind == VALUE_MAYBE_FORKED;
}

static inline bool
value_is_constant (struct value value)
{
  return value.kind == VALUE_CONSTANT || value.kind == VALUE_NUMBER;
}

/* Whether VALUE can be an address.  Small reloaded numbers are system
   calls'.  */
static inline bool
value_is_address (struct value value)
{
  return value.kind == VALUE_CONSTANT
         || (value.kind == VALUE_RELOADED && value.number >= SYSCALLS_MAX);
}

/* Whether VALUE is known to be an address in the stack.  */
static inline bool
value_is_stack (struct value value)
{
  return value.kind == VALUE_CFA || value.kind == VALUE_BASE;
}

/* Limit of computed numbers, which have 60 bits in a value.  */
#define NUMBER_LIMIT (INT64_C (1) << 58)

/* Return VALUE + DISTANCE.  A computed value stays computed.  */
static inline struct value
value_moved (struct value value, int64_t distance)
{
  int64_t sum;
  if (value.kind == VALUE_COMPUTED)
    return value_of (VALUE_COMPUTED, 0);
  bool relative = value_is_stack (value) || value_is_constant (value)
                  || value.kind == VALUE_RELOADED;
  if (!relative || __builtin_add_overflow (value.number, distance, &sum)
      || sum >= NUMBER_LIMIT || sum < -NUMBER_LIMIT)
    return value_of (VALUE_UNKNOWN, 0);
  return value_of (value.kind, sum);
}

static inline bool
value_is_table_entry (struct value value)
{
  return value.kind == VALUE_TABLE_ENTRY || value.kind == VALUE_TABLE_ENTRIES;
}

static inline bool
value_is_table_target (struct value value)
{
  return value.kind == VALUE_TABLE_TARGET || value.kind == VALUE_TABLE_TARGETS;
}

/* Return the mask of the jump tables that VALUE can be from; 0 if a number is
   too large for a mask.  */
static inline uint64_t
value_tables (struct value value)
{
  if (value.kind == VALUE_TABLE_ENTRIES || value.kind == VALUE_TABLE_TARGETS)
    return (uint64_t)value.number;
  return value.number < VALUE_TABLES_MAX ? (uint64_t)1 << value.number : 0;
}

static const uint32_t TABLE_NONE = UINT32_MAX;

/* Set *NUMBER, at first TABLE_NONE, to the next table that VALUE, an entry or
   a target, can be from.  False: no more.  */
static inline bool
value_next_table (struct value value, uint32_t *number)
{
  uint32_t next = *number + 1;
  if (value.kind == VALUE_TABLE_ENTRY || value.kind == VALUE_TABLE_TARGET)
    {
      *number = (uint32_t)value.number;
      return next == 0;
    }
  uint64_t left
      = next < VALUE_TABLES_MAX ? (uint64_t)value.number >> next << next : 0;
  *number = left ? (uint32_t)__builtin_ctzll (left) : TABLE_NONE;
  return left != 0;
}

/* The rules of a row.  */
enum row_rule
{
  ROW_CFA,
  ROW_RA,
  ROW_FP,
  ROW_RULES
};

static inline struct frame_rule
row_rule (const struct frame_row *row, enum row_rule which)
{
  return which == ROW_CFA ? row->cfa : which == ROW_RA ? row->ra : row->fp;
}

#endif /* ANALYSIS_VALUE_H */

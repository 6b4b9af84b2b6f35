/* What is known of the contents of a register or a place in the stack.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The domain of the abstract interpretation.  CFA stands for the canonical
   frame address of the function that is being analysed, whatever it is at
   run time; every value of kind VALUE_CFA is known relative to it.

   Constants in registers lose trust on their way, and never get it back:

     CONSTANT --multiplied, masked, added to a NUMBER--> NUMBER
        |                                                  |
        +---------------------> the stack <----------------+
        |                           |       (HALF: 4 bytes there)
        +--two equal ones meet--> KEPT

                trusted for     trusted as      trusted as
                moving SP       an address      a system call's number
     CONSTANT   yes             yes             yes
     NUMBER     yes             no              yes
     KEPT       no              from 512 on     yes  */

#ifndef ANALYSIS_VALUE_H
#define ANALYSIS_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "frame/frame.h"

enum value_kind
{
  /* Computed here, or on one of the paths that met here; in no case the
     caller's on all of them.  `number` names where, so that two registers with
     the same number hold the same value.  */
  VALUE_COMPUTED,
  /* Perhaps the caller's: read from a place in the stack of which nothing is
     known, say.  Numbered, too.  */
  VALUE_UNKNOWN,
  /* What a system call returned that can return twice; 0 to the child, which
     has another stack.  Numbered, too.  */
  VALUE_FORKED,
  VALUE_MAYBE_FORKED, /* the same of one that may be of that kind */
  VALUE_CFA,          /* CFA + number */
  VALUE_SAVED,        /* what register `number` held when the function began */
  /* The return address, signed with key `number` and SP as it was then.  */
  VALUE_SIGNED,
  VALUE_CONSTANT,
  /* A constant, too, that was calculated or kept in the stack.  It is no
     address, and as an index it tells less than what it is compared with:
     conditions that a constant never meets are analysed.  */
  VALUE_NUMBER,
  /* A constant that was read from the stack, where a function that was called
     may have changed it.  No program has an address of a jump table changed,
     or the number of a system call.  A callee may change a size kept there, by
     which SP is moved later; so a constant there is not trusted for SP.  */
  VALUE_RELOADED,
  VALUE_HALF, /* in a word of the stack: 4 bytes of a number, and others */
  /* An unknown base + number.  The base is what `and $-n, %rsp' or
     `sub %rax, %rsp' leaves of the stack pointer; a state knows one.  */
  VALUE_BASE,
  VALUE_ENTRY,  /* read from jump table `number` */
  VALUE_TARGET, /* the same, with the table's base added: where code is */
  /* Read from one of several tables, when paths met: `number` is their mask.
   */
  VALUE_ENTRIES,
  VALUE_TARGETS,
};

enum
{
  SYSCALLS_MAX = 512,   /* there are fewer (Linux) */
  VALUE_TABLES_MAX = 58 /* tables with numbers below can be in a mask */
};

/* Two fields in a word, which is copied and compared as a whole: a load behind
   the store of a part has to wait for it.  */
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

/* The value that instruction or meeting point ADDRESS gives REG.  */
static inline struct value
value_new (enum value_kind kind, uint64_t address, unsigned reg)
{
  return value_of (kind, (int64_t)(address << 6 | reg));
}

/* The address that VALUE was made with.  */
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

/* Whether VALUE can be an address in the image.  Smaller numbers that are kept
   are of system calls.  */
static inline bool
value_is_address (struct value value)
{
  return value.kind == VALUE_CONSTANT
         || (value.kind == VALUE_RELOADED && value.number >= SYSCALLS_MAX);
}

/* Whether VALUE is an address in the stack, as far as it is known.  */
static inline bool
value_is_stack (struct value value)
{
  return value.kind == VALUE_CFA || value.kind == VALUE_BASE;
}

/* Numbers have 59 bits in a value.  */
#define NUMBER_LIMIT (INT64_C (1) << 58)

/* VALUE + DISTANCE.  What is computed from a computed value is computed.  */
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
value_is_entry (struct value value)
{
  return value.kind == VALUE_ENTRY || value.kind == VALUE_ENTRIES;
}

static inline bool
value_is_target (struct value value)
{
  return value.kind == VALUE_TARGET || value.kind == VALUE_TARGETS;
}

/* The jump tables that VALUE can be from, as a mask; 0 when their numbers are
   too large for it.  */
static inline uint64_t
value_tables (struct value value)
{
  if (value.kind == VALUE_ENTRIES || value.kind == VALUE_TARGETS)
    return (uint64_t)value.number;
  return value.number < VALUE_TABLES_MAX ? (uint64_t)1 << value.number : 0;
}

static const uint32_t TABLE_NONE = UINT32_MAX;

/* The table behind *NUMBER, at first TABLE_NONE, of those VALUE, an entry or a
   target, can be from.  False: there is none.  */
static inline bool
value_next_table (struct value value, uint32_t *number)
{
  uint32_t next = *number + 1;
  if (value.kind == VALUE_ENTRY || value.kind == VALUE_TARGET)
    {
      *number = (uint32_t)value.number;
      return next == 0;
    }
  uint64_t left
      = next < VALUE_TABLES_MAX ? (uint64_t)value.number >> next << next : 0;
  *number = left ? (uint32_t)__builtin_ctzll (left) : TABLE_NONE;
  return left != 0;
}

/* The rules of a row, each of which computes a value.  */
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

/* Jump tables: where `switch' goes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An indirect jump is resolved when its target was read from a table at
   a constant address.  The number of entries comes from the comparison in
   front of it (cmp and ja) and nothing else: a mask or an extension tells
   what an index can be, not what the table has.  Tables without a bound end
   where an entry leaves the function, or where any code names an address
   (facts_find_table_ends), because another table may begin there, or else
   behind the last entry that leads on in the function (routine_returns.c).
   Tables that paths with different bounds lead to end where an address is
   referenced, too: a compiler knows more of the index there than the
   comparisons tell.  */

#ifndef ANALYSIS_JUMP_TABLE_H
#define ANALYSIS_JUMP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/addresses.h"
#include "analysis/image_facts.h"

struct jump_table
{
  uint64_t reader; /* address of an instruction that reads entries */
  uint64_t address;
  uint64_t base; /* added to entries that are offsets; 0: not seen yet */
  uint64_t end;  /* where it ends at the latest, if `max` is unknown or weak */
  uint64_t max;  /* index; UINT64_MAX: unknown */
  bool is_weak;  /* paths with other values of `max' met */
  uint8_t width; /* bytes of an entry; 8: entries are addresses; 0: there is
                    no table, `address` is the target */
  uint8_t scale; /* bytes that one in an entry stands for */
  bool is_signed;       /* as it was read ... */
  bool is_signed_later; /* ... or where the base is added */
  bool is_in_data;      /* the program could write entries, but does not */
  bool is_certain; /* a jump by it is reached without tables without a bound */
  uint32_t n_confirmed; /* its last entry that is certain, + 1; 0: unknown */
};

struct jump_tables
{
  struct jump_table *tables; /* owned */
  size_t n, capacity;
  struct address_map by_key; /* the last table of each */
  bool failed;               /* memory ran out */
};

/* The number of TABLE: a new one, or the old one that is equal, with the
   weaker bound of the two.  A table with nothing but an address is in no
   memory: the address is its one target.  False when there are too many.  */
bool jump_tables_note (struct jump_tables *tables,
                       const struct jump_table *table, uint32_t *number);
void jump_tables_reset (struct jump_tables *tables);
void jump_tables_free (struct jump_tables *tables);

/* Entries of TABLE are offsets from BASE.  False when they were said to be
   from another.  */
bool jump_table_set_base (struct jump_table *table, uint64_t base,
                          unsigned scale, bool is_signed);

/* Where entry INDEX of TABLE leads.  False behind `max' and `end'.  */
bool jump_table_target (const struct jump_table *table,
                        const struct image_facts *facts, uint64_t index,
                        uint64_t *target);

#endif /* ANALYSIS_JUMP_TABLE_H */

/* Jump tables of switch statements.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An indirect jump is resolved if its target was loaded from a table at a
   constant address.  The number of entries is taken from the comparison in
   front of the jump (cmp and ja), and from nothing else: a mask or an
   extension limits the index, but not the table.

   A table without such a bound ends where an entry leaves the function; or at
   an address that any code references, where another table may begin
   (facts_find_table_ends); or behind its last entry that stays in the function
   (routine_returns.c).  A table whose paths have different bounds also ends at
   a referenced address: the compiler knows more about the index there than the
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
  uint64_t reader; /* address of an instruction that loads entries */
  uint64_t address;
  uint64_t base;  /* added to entries that are offsets; 0: not known yet */
  uint64_t end;   /* the latest end, if `max' is unknown or weak */
  uint64_t max;   /* highest index; UINT64_MAX: unknown */
  bool is_weak;   /* paths with other values of `max' were joined */
  uint8_t width;  /* bytes of an entry; 8: addresses; 0: `address' alone */
  uint8_t scale;  /* factor of entries that are offsets */
  bool is_signed; /* entries are signed, by the load ... */
  bool is_signed_later; /* ... or by the addition of the base */
  bool is_in_data;      /* in writable memory, but not written to */
  bool is_certain;      /* jumped by from code that is surely reached */
  uint32_t n_confirmed; /* entries that certainly belong to it; 0: unknown */
};

struct jump_tables
{
  struct jump_table *tables; /* owned */
  size_t n, capacity;
  struct address_map by_key; /* address and width to the table added last */
  bool failed;               /* memory ran out */
};

/* Add TABLE, and set *NUMBER.  If an equal table exists, it is kept with the
   weaker bound of the two.  A `table' of width 0 is not in memory: its address
   is its only target.  False: there are too many.  */
bool jump_tables_add (struct jump_tables *tables,
                      const struct jump_table *table, uint32_t *number);
void jump_tables_reset (struct jump_tables *tables);
void jump_tables_free (struct jump_tables *tables);

/* Set the BASE of the offsets in TABLE.  False if TABLE has another base.  */
bool jump_table_set_base (struct jump_table *table, uint64_t base,
                          unsigned scale, bool is_signed);

/* Set *TARGET to that of entry INDEX.  False behind `max' or `end'.  */
bool jump_table_target (const struct jump_table *table,
                        const struct image_facts *facts, uint64_t index,
                        uint64_t *target);

#endif /* ANALYSIS_JUMP_TABLE_H */

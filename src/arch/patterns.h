/* What code of a machine looks like without being decoded: padding, and the
   addresses that instructions have.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ARCH_PATTERNS_H
#define ARCH_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a file, and the address they are loaded at.  */
struct loaded_bytes
{
  const uint8_t *bytes;
  uint64_t size, address;
};

/* A search for the addresses in a range that code refers to.  At every
   position where an instruction could begin, the fields that it would have are
   looked at, whatever is really there.  So no reference is missed, and some
   that are found are none.  Where two instructions make an address (ADRP and
   ADD), the second is looked for along all paths from the first; if the search
   cannot follow a path, it says `unknown'.  */
struct address_search
{
  uint64_t begin, end; /* the range; at most half of 4 GiB */
  bool has_base;       /* offsets may count from BASE: */
  uint64_t base;       /* the global offset table, or 0 for addresses */

  /* Called for each TARGET in the range, several times for some.  */
  void (*found) (void *context, uint64_t target);
  void *context;

  /* Set when code refers to the range in a way that does not tell where.  */
  bool unknown;
};

struct arch_patterns
{
  unsigned e_machine; /* EM_* */

  /* The size of the padding instruction at AT, where LEFT bytes are left; 0
     when it is another instruction.  */
  size_t (*padding) (const uint8_t *at, size_t left);

  void (*find_addresses) (struct address_search *search,
                          const struct loaded_bytes *code);
};

/* The patterns of an ELF machine (EM_*), or NULL.  */
const struct arch_patterns *arch_patterns_of (unsigned e_machine);

/* The machines; both byte orders of one share its patterns.  */
#define FOR_EACH_PATTERNS(use) use (amd64) use (aarch64) use (s390x)
#define DECLARE_PATTERNS(name) \
  extern const struct arch_patterns name##_patterns;
FOR_EACH_PATTERNS (DECLARE_PATTERNS)
#undef DECLARE_PATTERNS

/* Report TARGET if it is in the range.  */
static inline void
address_search_note (struct address_search *search, uint64_t target)
{
  if (target >= search->begin && target < search->end)
    search->found (search->context, target);
}

/* Look at the field at offset AT of BYTES, all of which lies in them.  */
typedef void field_visitor (struct address_search *search,
                            const struct loaded_bytes *bytes, uint64_t at);

/* Show VISITOR every field, at any byte, that may be, modulo 4 GiB: a distance
   to the range of SEARCH from the place of the field, from 4 bytes in front of
   that or from up to 8 behind it; or an offset to there from search->base.  */
void address_search_fields (struct address_search *search,
                            const struct loaded_bytes *bytes, bool big_endian,
                            field_visitor *visitor);

#endif /* ARCH_PATTERNS_H */

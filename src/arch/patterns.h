/* Padding, and addresses that code refers to, found by byte patterns.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ARCH_PATTERNS_H
#define ARCH_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a file, and the address at which they are loaded.  */
struct loaded_bytes
{
  const uint8_t *bytes;
  uint64_t size, address;
};

/* A search for all addresses in a range that code refers to.  The search
   treats every position where an instruction could begin as if one began
   there.  So it misses no reference, and reports some that do not exist.
   Where two instructions form an address (ADRP and ADD), the search follows
   all paths from the first to the second; where it cannot follow a path, it
   sets `unknown'.  */
struct address_search
{
  uint64_t begin, end; /* the range, of 2 GiB at most */
  bool has_base;       /* code may add offsets to BASE */
  uint64_t base;       /* of the global offset table; 0: none */

  /* Called for each TARGET in the range that the code refers to, for some
     targets more than once.  */
  void (*found) (void *context, uint64_t target);
  void *context;

  /* Set when the code refers to the range, but the target is not known.  */
  bool unknown;
};

struct arch_patterns
{
  unsigned e_machine; /* EM_* */

  /* Return the size of the padding instruction at AT, where LEFT bytes are
     left; 0 when the instruction is not padding.  */
  size_t (*padding) (const uint8_t *at, size_t left);

  void (*find_addresses) (struct address_search *search,
                          const struct loaded_bytes *code);
};

/* Return the patterns of an ELF machine (EM_*), or NULL.  */
const struct arch_patterns *arch_patterns_of (unsigned e_machine);

/* All machines; both byte orders of a machine share its patterns.  */
#define FOR_EACH_PATTERNS(use) use (amd64) use (aarch64) use (s390x)
#define DECLARE_PATTERNS(name) \
  extern const struct arch_patterns name##_patterns;
FOR_EACH_PATTERNS (DECLARE_PATTERNS)
#undef DECLARE_PATTERNS

/* Report TARGET if it is in the range of SEARCH.  */
static inline void
address_search_report (struct address_search *search, uint64_t target)
{
  if (target >= search->begin && target < search->end)
    search->found (search->context, target);
}

/* Looks at the field of 4 bytes at offset AT, which lies within BYTES.  */
typedef void field_visitor (struct address_search *search,
                            const struct loaded_bytes *bytes, uint64_t at);

/* Call VISITOR for every field of 4 bytes, at any offset, that may refer to
   the range of SEARCH.  Modulo 4 GiB, the field is then either an offset from
   search->base to the range, or a distance to the range from a place near the
   field: from 4 bytes before the field up to 8 after it.  */
void address_search_fields (struct address_search *search,
                            const struct loaded_bytes *bytes, bool big_endian,
                            field_visitor *visitor);

#endif /* ARCH_PATTERNS_H */

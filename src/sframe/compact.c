/* Describing neighbouring functions by one FDE, where that is smaller.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/compact.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

enum
{
  /* Readers scan the rows of an FDE one by one: keep that short.  */
  ROWS_MAX = 48,
  /* Functions whose rows all vanish do not count as rows; this bounds the
     search for them.  */
  MEMBERS_MAX = 128,
  /* How often the costs of unjoined functions are estimated anew from the
     groups found: a block is cheap only if its equals stay alone too.  */
  PASSES = 3
};

/* A row without its padding, as it waits in the buffer; its words follow.  */
struct packed_row
{
  uint32_t start;
  uint8_t n_words;
  uint8_t control;
  bool base_sp;
  bool ra_signed;
};

/* A function that waits.  */
struct member
{
  uint64_t address;
  uint32_t size;
  uint32_t n_rows;
  uint32_t last_start;  /* of its last row */
  uint32_t row_bytes;   /* of all rows without their starts */
  uint16_t first_bytes; /* of the first row without its start */
  bool flexible, pcmask, signal, b_key;
  uint8_t repeat;
  bool joins_previous; /* may be under one FDE with the member before */
  bool first_vanishes; /* its first row says what the one before it says */
  uint64_t rows;       /* offset in the buffer */
  uint64_t last_row;   /* likewise, of the last one */
  uint64_t digest;     /* of its block, to find equal ones */
};

struct compactor
{
  struct encode_options options;
  struct compact_gaps gaps;
  struct member *members;
  size_t n_members, capacity;
  struct buffer rows;
  uint64_t taken; /* bytes of rows, repeated or not */
  bool separate;  /* before the next member */
};

/* Result of the search for a member: the cheapest way to describe it and all
   before it, whose last group starts at `from`.  */
struct choice
{
  uint64_t cost;
  size_t from;
};

struct compactor *
compactor_new (const struct encode_options *options, struct compact_gaps gaps)
{
  struct compactor *compactor = calloc (1, sizeof *compactor);
  if (compactor == NULL)
    return NULL;
  compactor->options = *options;
  compactor->gaps = gaps;
  buffer_init (&compactor->rows, false);
  return compactor;
}

void
compactor_free (struct compactor *compactor)
{
  if (compactor == NULL)
    return;
  free (compactor->members);
  buffer_free (&compactor->rows);
  free (compactor);
}

/* Taking functions in.  */

static size_t
packed_size (const struct packed_row *row)
{
  return sizeof *row + row->n_words * sizeof (int32_t);
}

static void
pack_rows (struct compactor *compactor, const struct sframe_function *function,
           struct member *member)
{
  struct buffer *rows = &compactor->rows;
  member->rows = rows->size;
  for (size_t i = 0; i < function->n_rows; i++)
    {
      const struct sframe_row *row = &function->rows[i];
      struct packed_row packed = { .start = row->start,
                                   .n_words = row->n_words,
                                   .control = row->control,
                                   .base_sp = row->base_sp,
                                   .ra_signed = row->ra_signed };
      member->last_row = rows->size;
      buffer_append (rows, &packed, sizeof packed);
      buffer_append (rows, row->words, row->n_words * sizeof row->words[0]);
      uint32_t bytes = sframe_row_payload_size (&compactor->options, row);
      if (i == 0)
        member->first_bytes = (uint16_t)bytes;
      member->row_bytes += bytes;
      member->last_start = row->start;
    }
}

/* Equal blocks have equal digests (and different ones hardly ever: an error
   costs some bytes, no more).  */
static uint64_t
member_digest (const struct compactor *compactor, const struct member *member)
{
  const uint64_t multiplier = 0x9e3779b97f4a7c15u;
  uint64_t digest = member->flexible + 2 * member->signal + 4 * member->b_key
                    + 8 * (uint64_t)member->n_rows;
  const uint8_t *at = compactor->rows.bytes + member->rows;
  const uint8_t *end = compactor->rows.bytes + compactor->rows.size;
  for (; at + 4 <= end; at += 4)
    {
      uint32_t word;
      memcpy (&word, at, sizeof word);
      digest = (digest ^ word) * multiplier;
      digest ^= digest >> 29;
    }
  return digest;
}

static bool
same_rules (const struct compactor *compactor, uint64_t left, uint64_t right)
{
  const uint8_t *rows = compactor->rows.bytes;
  struct packed_row a, b;
  memcpy (&a, rows + left, sizeof a);
  memcpy (&b, rows + right, sizeof b);
  a.start = b.start;
  return memcmp (&a, &b, sizeof a) == 0
         && memcmp (rows + left + sizeof a, rows + right + sizeof b,
                    a.n_words * sizeof (int32_t))
                == 0;
}

/* Whether the last member can be under one FDE with the one before it.  */
static bool
last_joins_previous (const struct compactor *compactor)
{
  if (compactor->n_members < 2 || compactor->separate)
    return false;
  const struct member *last = &compactor->members[compactor->n_members - 1];
  const struct member *previous = last - 1;
  uint64_t gap = previous->address + previous->size;
  return !last->pcmask && !previous->pcmask
         && last->flexible == previous->flexible
         && last->signal == previous->signal && last->b_key == previous->b_key
         && last->n_rows > 0 && previous->n_rows > 0
         && last->address - previous->address <= UINT32_MAX / MEMBERS_MAX
         && last->size <= UINT32_MAX / MEMBERS_MAX
         && compactor->gaps.is_padding (compactor->gaps.context, gap,
                                        last->address - gap);
}

static bool
compactor_grow (struct compactor *compactor)
{
  size_t capacity = compactor->capacity ? compactor->capacity / 2 * 3 : 1024;
  struct member *members
      = reallocarray (compactor->members, capacity, sizeof *members);
  if (members == NULL)
    return false;
  compactor->members = members;
  compactor->capacity = capacity;
  return true;
}

/* Append MEMBER, whose rows are there.  */
static bool
compactor_append (struct compactor *compactor, const struct member *member,
                  struct error *err)
{
  if (compactor->n_members == compactor->capacity
      && !compactor_grow (compactor))
    return error_set_no_memory (err);
  if (member->n_rows > 0)
    {
      struct packed_row last_row;
      memcpy (&last_row, compactor->rows.bytes + member->last_row,
              sizeof last_row);
      compactor->taken
          += member->last_row - member->rows + packed_size (&last_row);
    }
  if (compactor->options.rows_max != 0
      && compactor->taken / 4 > compactor->options.rows_max)
    return error_set (err, CFI2SFRAME_REFUSED,
                      "the CFI asks for unreasonably many rows");
  struct member *last = &compactor->members[compactor->n_members++];
  *last = *member;
  last->joins_previous = last_joins_previous (compactor);
  last->first_vanishes
      = last->joins_previous
        && same_rules (compactor, last[-1].last_row, last->rows);
  compactor->separate = false;
  return true;
}

bool
compactor_add (struct compactor *compactor,
               const struct sframe_function *function, struct error *err)
{
  struct member member = { .address = function->address,
                           .size = function->size,
                           .n_rows = (uint32_t)function->n_rows,
                           .flexible = function->flexible,
                           .pcmask = function->pcmask,
                           .signal = function->signal,
                           .b_key = function->b_key,
                           .repeat = function->repeat };
  pack_rows (compactor, function, &member);
  if (compactor->rows.failed)
    return error_set_no_memory (err);
  member.digest = member_digest (compactor, &member);
  return compactor_append (compactor, &member, err);
}

bool
compactor_repeat (struct compactor *compactor, size_t index, uint64_t address,
                  uint32_t size, struct error *err)
{
  struct member member = compactor->members[index];
  member.address = address;
  member.size = size;
  return compactor_append (compactor, &member, err);
}

size_t
compactor_n_functions (const struct compactor *compactor)
{
  return compactor->n_members;
}

void
compactor_separate (struct compactor *compactor)
{
  compactor->separate = true;
}

/* Choosing groups.  */

static unsigned
start_width (uint64_t last_start)
{
  return last_start <= UINT8_MAX ? 1 : last_start <= UINT16_MAX ? 2 : 4;
}

/* What a block of N_ROWS rows costs, without its index entry.  */
static uint64_t
block_cost (const struct compactor *compactor, uint64_t n_rows,
            uint64_t row_bytes, uint64_t last_start)
{
  uint64_t attribute
      = compactor->options.variant.version >= 3 ? SFRAME_V3_ATTRIBUTE_SIZE : 0;
  return attribute + row_bytes + n_rows * start_width (last_start);
}

/* Costs are in 1/COST_UNIT bytes, so that shares of a block are exact
   enough.  */
enum
{
  COST_UNIT = 256
};

/* The cost of describing the member alone, when N_EQUAL members in all use
   the same block.  */
static uint64_t
alone_cost (const struct compactor *compactor, const struct member *member,
            uint32_t n_equal)
{
  uint64_t block = block_cost (compactor, member->n_rows, member->row_bytes,
                               member->last_start);
  return block * COST_UNIT / (n_equal > 0 ? n_equal : 1);
}

/* The first member whose rows are not all the continuation of rows before it,
   looking back from LAST to FIRST.  Its last row is the group's.  */
static size_t
last_with_row (const struct member *members, size_t first, size_t last)
{
  while (last > first && members[last].n_rows == 1
         && members[last].first_vanishes)
    last--;
  return last;
}

/* Find the cheapest last group of the members up to LAST.  CHOICES are one
   further: choices[i + 1] is about member i.  */
static void
choose_last_group (const struct compactor *compactor, struct choice *choices,
                   size_t last, uint32_t n_equal)
{
  const struct member *members = compactor->members;
  uint64_t entry_cost
      = COST_UNIT * (uint64_t)sframe_index_entry_size (&compactor->options);
  struct choice best = { choices[last].cost + entry_cost
                             + alone_cost (compactor, &members[last], n_equal),
                         last };
  uint64_t n_rows = members[last].n_rows;
  uint64_t row_bytes = members[last].row_bytes;
  size_t with_row = last_with_row (
      members, last < MEMBERS_MAX ? 0 : last - MEMBERS_MAX, last);
  for (size_t first = last;
       members[first].joins_previous && last - first + 1 < MEMBERS_MAX;)
    {
      n_rows -= members[first].first_vanishes;
      row_bytes
          -= members[first].first_vanishes ? members[first].first_bytes : 0;
      first--;
      n_rows += members[first].n_rows;
      row_bytes += members[first].row_bytes;
      if (n_rows > ROWS_MAX)
        break;
      const struct member *tail
          = &members[with_row > first ? with_row : first];
      uint64_t last_start
          = tail->address + tail->last_start - members[first].address;
      uint64_t cost
          = choices[first].cost + entry_cost
            + COST_UNIT
                  * block_cost (compactor, n_rows, row_bytes, last_start);
      if (cost < best.cost)
        best = (struct choice){ cost, first };
    }
  choices[last + 1] = best;
}

/* How many of the members that are alone (all of them when ALONE is NULL) use
   each one's block.  */
struct digest_place
{
  uint64_t digest;
  size_t member;
};

static int
compare_digests (const void *a, const void *b)
{
  const struct digest_place *left = a, *right = b;
  return (left->digest > right->digest) - (left->digest < right->digest);
}

/* N_EQUAL of every member among those with IS_ALONE.  A member that is not
   alone would be one more.  */
static void
count_equals (const struct digest_place *places, size_t n,
              const bool *is_alone, uint32_t *n_equal)
{
  for (size_t begin = 0, end; begin < n; begin = end)
    {
      uint32_t count = 0;
      for (end = begin; end < n && places[end].digest == places[begin].digest;
           end++)
        count += is_alone[places[end].member];
      for (size_t i = begin; i < end; i++)
        n_equal[places[i].member] = count + !is_alone[places[i].member];
    }
}

struct search
{
  struct digest_place *places; /* ascending digest */
  struct choice *choices;      /* one more than members */
  uint32_t *n_equal;
  bool *is_alone;
};

static void
search_free (struct search *search)
{
  free (search->places);
  free (search->choices);
  free (search->n_equal);
  free (search->is_alone);
}

static bool
search_init (struct search *search, const struct compactor *compactor,
             struct error *err)
{
  size_t n = compactor->n_members;
  search->places = calloc (n + 1, sizeof *search->places);
  search->choices = calloc (n + 1, sizeof *search->choices);
  search->n_equal = calloc (n + 1, sizeof *search->n_equal);
  search->is_alone = calloc (n + 1, sizeof *search->is_alone);
  if (search->places == NULL || search->choices == NULL
      || search->n_equal == NULL || search->is_alone == NULL)
    return error_set_no_memory (err);
  for (size_t i = 0; i < n; i++)
    {
      search->places[i]
          = (struct digest_place){ compactor->members[i].digest, i };
      search->is_alone[i] = true;
      search->n_equal[i] = 1;
    }
  qsort (search->places, n, sizeof *search->places, compare_digests);
  return true;
}

static void
search_groups (struct search *search, const struct compactor *compactor)
{
  size_t n = compactor->n_members;
  for (unsigned pass = 0; pass < PASSES; pass++)
    {
      if (compactor->options.share)
        count_equals (search->places, n, search->is_alone, search->n_equal);
      for (size_t i = 0; i < n; i++)
        choose_last_group (compactor, search->choices, i, search->n_equal[i]);
      memset (search->is_alone, 0, n * sizeof *search->is_alone);
      for (size_t end = n; end > 0; end = search->choices[end].from)
        if (search->choices[end].from == end - 1)
          search->is_alone[end - 1] = true;
    }
}

/* Writing groups.  */

struct group_rows
{
  struct sframe_row *rows;
  size_t n, capacity;
};

static bool
append_member (const struct compactor *compactor, const struct member *member,
               uint32_t shift, bool skip_first, struct group_rows *out)
{
  if (out->n + member->n_rows > out->capacity)
    {
      size_t capacity = 2 * (out->n + member->n_rows);
      struct sframe_row *rows
          = reallocarray (out->rows, capacity, sizeof *rows);
      if (rows == NULL)
        return false;
      out->rows = rows;
      out->capacity = capacity;
    }
  const uint8_t *at = compactor->rows.bytes + member->rows;
  for (uint32_t i = 0; i < member->n_rows; i++)
    {
      struct packed_row packed;
      memcpy (&packed, at, sizeof packed);
      if (i > 0 || !skip_first)
        {
          struct sframe_row *row = &out->rows[out->n++];
          *row = (struct sframe_row){ .start = packed.start + shift,
                                      .base_sp = packed.base_sp,
                                      .ra_signed = packed.ra_signed,
                                      .n_words = packed.n_words,
                                      .control = packed.control };
          memcpy (row->words, at + sizeof packed,
                  packed.n_words * sizeof row->words[0]);
        }
      at += packed_size (&packed);
    }
  return true;
}

/* Add the members from FIRST to LAST, as one function, to ENCODER.  */
static bool
write_group (const struct compactor *compactor, size_t first, size_t last,
             struct group_rows *rows, struct sframe_encoder *encoder,
             struct error *err)
{
  const struct member *head = &compactor->members[first];
  const struct member *tail = &compactor->members[last];
  rows->n = 0;
  for (size_t i = first; i <= last; i++)
    {
      const struct member *member = &compactor->members[i];
      if (!append_member (compactor, member,
                          (uint32_t)(member->address - head->address),
                          i > first && member->first_vanishes, rows))
        return error_set_no_memory (err);
    }
  struct sframe_function function
      = { .address = head->address,
          .size = (uint32_t)(tail->address + tail->size - head->address),
          .flexible = head->flexible,
          .pcmask = head->pcmask,
          .repeat = head->repeat,
          .signal = head->signal,
          .b_key = head->b_key,
          .n_rows = rows->n,
          .rows = rows->rows };
  return sframe_encoder_add (encoder, &function, err);
}

bool
compactor_finish (struct compactor *compactor, struct sframe_encoder *encoder,
                  struct error *err)
{
  struct search search = { 0 };
  struct group_rows rows = { 0 };
  size_t n = compactor->n_members;
  bool done = search_init (&search, compactor, err);
  if (done)
    {
      search_groups (&search, compactor);
      /* The choices lead backwards; turn them round in place.  */
      for (size_t end = n; end > 0; end = search.choices[end].from)
        search.choices[search.choices[end].from].cost = end;
      for (size_t first = 0; done && first < n;)
        {
          size_t end = search.choices[first].cost;
          done = write_group (compactor, first, end - 1, &rows, encoder, err);
          first = end;
        }
    }
  free (rows.rows);
  search_free (&search);
  return done;
}

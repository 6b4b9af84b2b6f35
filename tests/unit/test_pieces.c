/* Unit tests of src/sframe/pieces.c: which ranges of rows become FDEs.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "sframe/decode.h"
#include "sframe/pieces.h"
#include "sframe/segments.h"
#include "tests/sframe_lookup.h"
#include "tests/encoded.h"

#define SECTION_ADDRESS 0x10000000

/* Running out of memory: the allocation with this number fails.  This
   definition comes before that of the C library.  */
static size_t allocations_left = SIZE_MAX;

void *
reallocarray (void *items, size_t n, size_t size)
{
  size_t bytes;
  if (allocations_left == 0 || __builtin_mul_overflow (n, size, &bytes))
    return NULL;
  allocations_left--;
  return realloc (items, bytes);
}

enum mode
{
  WHOLE,  /* every function an FDE */
  INSIDE, /* cut, but every piece in one function */
  JOINED, /* not cut, but several functions under one FDE */
  ACROSS, /* both */
  N_MODES
};

/* What a test makes pieces of.  */
static struct
{
  struct encode_options encode;
  struct rule_table rules;
  struct pieces *pieces;
  struct sframe_encoder *encoder;
  struct buffer section;
  struct sframe_decoder decoder;
} f;

static void
end (void)
{
  if (f.pieces == NULL)
    return;
  buffer_free (&f.section);
  pieces_free (f.pieces);
  rule_table_free (&f.rules);
  sframe_encoder_free (f.encoder);
  f.pieces = NULL;
}

static int
tear_down (void **state)
{
  (void)state;
  end ();
  return 0;
}

#define PIECES_TEST(name) TEST_BETWEEN (NULL, tear_down, name)

/* FUNCTION with numbers for its rows; valid until the next call.  */
static bool
take (struct pieces *pieces, struct rule_table *rules,
      const struct sframe_fde *function, struct error *err)
{
  static struct numbered_row rows[1 << 17];
  const struct numbered_function numbered = { .address = function->address,
                                              .size = function->size,
                                              .n_rows = function->n_rows,
                                              .rows = rows };
  const uint32_t flags = (function->flexible ? FDE_FLEXIBLE : 0)
                         | (function->signal ? FDE_SIGNAL : 0)
                         | (function->b_key ? FDE_B_KEY : 0)
                         | (uint32_t)function->repeat << FDE_REPEAT_SHIFT;
  assert_true (function->n_rows <= N_OF (rows));
  for (size_t i = 0; i < function->n_rows; i++)
    {
      rows[i].start = function->rows[i].start;
      if (!rule_table_number (rules, flags, &function->rows[i], &rows[i].rule))
        return error_set_no_memory (err);
    }
  return pieces_add (pieces, &numbered, err);
}

static struct pieces *
new_pieces (const struct encode_options *encode, enum mode mode,
            const struct rule_table *rules)
{
  const struct pieces_options options
      = { .cut = mode == INSIDE || mode == ACROSS,
          .across = mode == JOINED || mode == ACROSS };
  return pieces_new (encode, &options, rules);
}

static void
begin_with (enum mode mode, const struct encode_options *encode)
{
  end (); /* what the test has begun before */
  memset (&f, 0, sizeof f);
  f.encode = *encode;
  assert_true (rule_table_init (&f.rules, encode));
  f.pieces = new_pieces (encode, mode, &f.rules);
  f.encoder = sframe_encoder_new (encode);
  assert_non_null (f.pieces);
  assert_non_null (f.encoder);
}

static struct encode_options
options_of (uint8_t version)
{
  return (struct encode_options){ .arch = &arch_amd64,
                                  .variant = { version, version > 1 },
                                  .sorted = true,
                                  .share = true };
}

static void
begin (enum mode mode)
{
  struct encode_options options = options_of (3);
  begin_with (mode, &options);
}

static void
add_function (const struct sframe_fde *function)
{
  struct error err = { 0 };
  assert_true (take (f.pieces, &f.rules, function, &err));
}

/* Add a function with N rows; DURATIONS and CFA offsets, from SP, as given.
   Its size.  */
static uint32_t
add_rows (uint64_t address, unsigned n, const uint32_t *durations,
          const int32_t *offsets)
{
  struct sframe_row rows[80] = { 0 };
  uint32_t size = 0;
  for (unsigned i = 0; i < n; size += durations[i++])
    rows[i] = (struct sframe_row){
      .start = size, .base_sp = true, .n_words = 1, .words = { offsets[i] }
    };
  add_function (&(struct sframe_fde){
      .address = address,
      .size = size,
      .n_rows = n,
      .rows = rows,
  });
  return size;
}

/* A function with N rows SP+8, SP+16, ... one byte apart.  With CLOSED, the
   last row says SP+8 again.  */
static void
add (uint64_t address, uint32_t size, unsigned n, bool closed)
{
  uint32_t durations[80];
  int32_t offsets[80];
  for (unsigned i = 0; i < n; i++)
    {
      durations[i] = i + 1 == n ? size - n + 1 : 1;
      offsets[i] = closed && i + 1 == n ? 8 : (int32_t)(8 + 8 * i);
    }
  add_rows (address, n, durations, offsets);
}

static void
write_section (void)
{
  struct error err = { 0 };
  buffer_init (&f.section, false);
  assert_true (
      sframe_encoder_write (f.encoder, SECTION_ADDRESS, &f.section, &err));
  assert_int_equal (f.section.size, sframe_encoder_size (f.encoder));
  f.decoder = decoder_on (&f.section, SECTION_ADDRESS);
}

static void
finish (void)
{
  struct error err = { 0 };
  assert_true (pieces_finish (f.pieces, f.encoder, &err));
  write_section ();
}

/* The decoder must find CFA = SP + OFFSET at PC, or nothing when OFFSET is
   0.  */
static void
expect_row (uint64_t pc, int32_t offset)
{
  struct sframe_fde function;
  struct sframe_row row;
  struct error err = { 0 };
  int found = sframe_decoder_lookup (&f.decoder, pc, &function, &row, &err);
  assert_int_equal (found, offset != 0);
  if (found)
    {
      assert_true (row.base_sp);
      assert_int_equal (row.words[0], offset);
    }
}

/* Cutting.  */

/* push, push, sub; a body that differs in length; add, pop, pop, ret.  */
static void
add_usual (uint64_t address, uint32_t body, int32_t locals)
{
  const uint32_t durations[] = { 1, 1, 4, body, 1, 1, 1 };
  const int32_t offsets[] = { 8, 16, 24, 24 + locals, 24, 16, 8 };
  add_rows (address, 7, durations, offsets);
}

enum
{
  N_PUSHES = 6,
  N_RETURNS = 3
};

/* Six times push; then, three times, a body, whose length differs, six times
   pop, and ret.  */
static void
add_returns (uint64_t address, uint32_t body)
{
  uint32_t durations[80];
  int32_t offsets[80];
  unsigned n = 0;
  for (int i = 0; i < N_PUSHES; i++, n++)
    durations[n] = 2, offsets[n] = 8 + 8 * i;
  for (unsigned k = 0; k < N_RETURNS; k++)
    {
      durations[n] = body + 10 * k, offsets[n++] = 8 + 8 * N_PUSHES;
      for (int i = N_PUSHES; i-- > 0; n++)
        durations[n] = 2, offsets[n] = 8 + 8 * i;
    }
  add_rows (address, n, durations, offsets);
}

PIECES_TEST (prologues_and_epilogues_are_shared)
{
  enum
  {
    N = 20
  };
  begin (INSIDE);
  for (unsigned i = 0; i < N; i++)
    add_returns (0x1000 + 0x100 * i, 20 + i);
  finish ();
  /* Each is the prologue with the first body, two epilogues with a body behind
     them, and the last epilogue: the last row of a piece lasts as long as the
     piece.  */
  uint64_t blocks = 5 + 7 * 3 + 5 + 7 * 3 + 5 + 6 * 3;
  assert_int_equal (f.decoder.n_functions, N * (1 + N_RETURNS));
  assert_int_equal (f.section.size, 28 + N * (1 + N_RETURNS) * 16 + blocks);
  for (unsigned i = 0; i < N; i++)
    {
      uint64_t at = 0x1000 + 0x100 * i + 2 * N_PUSHES;
      expect_row (at - 1, 8 * N_PUSHES);
      for (unsigned k = 0; k < N_RETURNS; k++, at += 2 * N_PUSHES)
        {
          expect_row (at, 8 + 8 * N_PUSHES);
          at += 20 + i + 10 * k;
          expect_row (at - 1, 8 + 8 * N_PUSHES);
          expect_row (at, 8 * N_PUSHES);
          expect_row (at + 2 * N_PUSHES - 1, 8);
        }
      expect_row (at, 0);
    }
}

/* The example of partition.h: N functions, each of ten rows that all have, a
   row of its own, and ten more rows that all have.  */
static void
add_example (unsigned n)
{
  begin (INSIDE);
  for (unsigned i = 0; i < n; i++)
    {
      uint32_t durations[21];
      int32_t offsets[21];
      for (int row = 0; row < 21; row++)
        {
          durations[row] = row == 9 || row == 10 ? 20 : 1;
          offsets[row] = row == 10 ? 100 + (int32_t)i : 8 + 2 * row;
        }
      add_rows (0x1000 + 0x100 * i, 21, durations, offsets);
    }
  finish ();
}

PIECES_TEST (a_cut_pays_if_enough_functions_share_the_pieces)
{
  add_example (2);
  assert_int_equal (f.decoder.n_functions, 2);
  assert_int_equal (f.section.size, 28 + 2 * 84);
  add_example (4);
  assert_int_equal (f.decoder.n_functions, 4 * 3);
  assert_int_equal (2 * (f.section.size - 28), 4 * (2 * 73 + 1));
}

static uint32_t
n_rows_max (void)
{
  uint32_t most = 0;
  for (uint32_t i = 0; i < f.decoder.n_functions; i++)
    {
      struct sframe_fde function;
      struct error err = { 0 };
      assert_true (sframe_decoder_function (&f.decoder, i, &function, &err));
      if (function.n_rows > most)
        most = (uint32_t)function.n_rows;
    }
  return most;
}

/* What many functions have as a whole is not cut: each would need another
   index entry.  */
PIECES_TEST (shared_functions_stay_whole)
{
  begin (INSIDE);
  for (unsigned i = 0; i < 30; i++)
    add_usual (0x1000 + 0x100 * i, 40, 56);
  add_usual (0x9000, 40, 24);
  finish ();
  assert_int_equal (f.decoder.n_functions, 31);
  assert_int_equal (f.section.size, 28 + 31 * 16 + 2 * (5 + 7 * 3));
}

/* The last row's duration is not a part of the block.  */
PIECES_TEST (the_last_row_may_last_longer)
{
  begin (WHOLE);
  add (0x1000, 16, 4, false);
  add (0x2000, 90, 4, false);
  finish ();
  assert_int_equal (f.section.size, 28 + 2 * 16 + 5 + 4 * 3);
  expect_row (0x2000 + 89, 32);
  expect_row (0x2000 + 90, 0);
}

/* Joining.  */

PIECES_TEST (neighbours_join)
{
  begin (ACROSS);
  add (0x1000, 16, 3, true);
  add (0x1010, 16, 2, false);
  add (0x1020, 16, 2, false);
  finish ();
  assert_int_equal (f.decoder.n_functions, 1);
  /* The second function's first row continues the first one's last.  */
  assert_int_equal (f.decoder.n_rows, 3 + 1 + 2);
  expect_row (0xfff, 0);
  expect_row (0x1000, 8);
  expect_row (0x1001, 16);
  expect_row (0x100f, 8);
  expect_row (0x1010, 8);
  expect_row (0x1011, 16);
  expect_row (0x1020, 8);
  expect_row (0x102f, 16);
  expect_row (0x1030, 0);
}

PIECES_TEST (leaves_become_one_row)
{
  begin (ACROSS);
  for (unsigned i = 0; i < 200; i++)
    add (0x1000 + 16 * i, 16, 1, false);
  finish ();
  assert_int_equal (f.decoder.n_functions, 1);
  assert_int_equal (f.decoder.n_rows, 1);
  expect_row (0x1000 + 16 * 199, 8);
}

/* The first function ends at 0x1010, and the third one begins where the second
   one ends.  */
PIECES_TEST (what_keeps_functions_apart)
{
  static const struct
  {
    enum mode mode;
    uint64_t second; /* its address */
    bool separate;   /* code in front of it was left out */
    unsigned n_pieces;
  } cases[] = {
    { ACROSS, 0x1010, false, 1 }, { ACROSS, 0x1020, false, 2 },
    { ACROSS, 0x1011, false, 2 }, { ACROSS, 0x1010, true, 2 },
    { INSIDE, 0x1010, false, 3 }, /* pieces that stay inside functions */
  };
  FOR_EACH_ROW (given, cases)
    {
      begin (given->mode);
      add (0x1000, 16, 2, true);
      if (given->separate)
        pieces_separate (f.pieces);
      add (given->second, 16, 2, true);
      add (given->second + 16, 16, 2, true);
      finish ();
      assert_int_equal (f.decoder.n_functions, given->n_pieces);
      for (uint64_t gap = 0x1010; gap < given->second; gap++)
        expect_row (gap, 0);
    }
}

PIECES_TEST (flags_keep_functions_apart)
{
  static const struct sframe_fde flags[] = { { .size = 16 },
                                             { .size = 16, .signal = true },
                                             { .size = 16, .b_key = true },
                                             { .size = 16, .flexible = true },
                                             { .size = 16, .repeat = 16 },
                                             { .size = 16, .repeat = 16 },
                                             { .size = 16 } };
  struct sframe_row row = { .base_sp = true, .n_words = 1, .words = { 8 } };
  uint64_t address = 0x1000;
  begin (ACROSS);
  FOR_EACH_ROW (given, flags)
    {
      struct sframe_fde function = *given;
      function.address = address;
      function.n_rows = 1;
      function.rows = &row;
      add_function (&function);
      address += function.size;
    }
  finish ();
  assert_int_equal (f.decoder.n_functions, N_OF (flags));
  /* Two repeating blocks are the same, also in a section; and so are the
     first and the last function.  */
  assert_int_equal (f.section.size, 28 + N_OF (flags) * 16 + 5 * (5 + 3));
}

/* An FDE's size has 32 bits.  */
PIECES_TEST (joined_functions_have_32_bits)
{
  begin (ACROSS);
  for (uint64_t i = 0; i < 3; i++)
    add (0x1000 + i * 0x60000000, 0x60000000, 1, false);
  finish ();
  assert_int_equal (f.decoder.n_functions, 2);
  expect_row (0x1000 + 3 * UINT64_C (0x60000000) - 1, 8);
  expect_row (0x1000 + 3 * UINT64_C (0x60000000), 0);
}

PIECES_TEST (one_entry_has_few_rows)
{
  static const struct
  {
    const struct arch *arch;
    uint32_t n_max;
  } machines[] = { { &arch_amd64, 28 }, { &arch_aarch64, 40 } };
  for (unsigned m = 0; m < 2; m++)
    for (unsigned share = 0; share < 2; share++)
      {
        struct encode_options options = options_of (3);
        options.arch = machines[m].arch;
        options.share = share;
        begin_with (ACROSS, &options);
        for (unsigned i = 0; i < 40; i++)
          add (0x1000 + 16 * i, 16, 5 + i % 3, false);
        add (0x1000 + 16 * 40, 100, 60, false);
        add (0x1064 + 16 * 40, 16, 3, false);
        finish ();
        /* Without sharing nothing is cut.  */
        if (share)
          assert_true (n_rows_max () <= machines[m].n_max);
        else
          assert_int_equal (n_rows_max (), 60);
        assert_true (f.decoder.n_functions < 20);
      }
}

/* Blocks that many functions share are cheaper alone than joined.  */
PIECES_TEST (sharing_is_weighed)
{
  begin (JOINED);
  for (unsigned i = 0; i < 300; i++)
    add (0x1000 + 64 * i, 64, 30, false);
  finish ();
  assert_int_equal (f.decoder.n_functions, 300);
  assert_true (f.section.size < 300 * 16 + 300);
}

/* Hashes only steer.  */

enum
{
  COLLIDING_ROWS = 6
};

/* The rules of two functions, one byte of code each, that have one hash: the
   differences are a short vector of the lattice of all vectors whose hash is 0
   modulo 2 to the power of 64, found by lattice reduction.  */
static const uint32_t colliding[2][COLLIDING_ROWS]
    = { { 0, 1, 2, 3, 4, 900 }, { 307, 832, 509, 731, 756, 143 } };

static uint64_t
hash_of_colliding (unsigned function)
{
  uint64_t hash = 0;
  for (uint32_t i = 0; i < COLLIDING_ROWS; i++)
    hash = segment_hash_add (hash, colliding[function][i], i);
  return hash;
}

static int32_t
offset_of_rule (uint32_t rule)
{
  return 8 + 8 * (int32_t)rule;
}

PIECES_TEST (equal_hashes_of_other_rows_are_told_apart)
{
  enum
  {
    N = 1024
  };
  static const uint32_t durations[COLLIDING_ROWS] = { 1, 1, 1, 1, 1, 10 };
  static const uint64_t addresses[] = { 0x100000, 0x100020 };
  assert_true (hash_of_colliding (0) == hash_of_colliding (1));
  for (enum mode mode = WHOLE; mode < N_MODES; mode++)
    {
      begin (mode);
      /* Rules get their numbers one after the other.  */
      for (unsigned i = 0; i < N; i++)
        {
          pieces_separate (f.pieces);
          add_rows (0x1000 + 16 * i, 1, (const uint32_t[]){ 16 },
                    (const int32_t[]){ offset_of_rule (i) });
        }
      for (unsigned i = 0; i < 2; i++)
        {
          int32_t offsets[COLLIDING_ROWS];
          for (unsigned r = 0; r < COLLIDING_ROWS; r++)
            offsets[r] = offset_of_rule (colliding[i][r]);
          pieces_separate (f.pieces);
          add_rows (addresses[i], COLLIDING_ROWS, durations, offsets);
        }
      finish ();
      for (unsigned i = 0; i < 2; i++)
        for (unsigned r = 0; r < COLLIDING_ROWS; r++)
          expect_row (addresses[i] + r, offset_of_rule (colliding[i][r]));
    }
}

/* All ways to make a segment's hash come to one: row by row, and in two parts,
   wherever the second begins and whether or not its first row, or the
   segment's, continues the row before.  */
PIECES_TEST (hashes_of_parts_are_those_of_the_whole)
{
  static const struct numbered_row rows[]
      = { { 3, 1 },
          { 9, 2 | ROW_CONTINUES },
          { 300, 3 },
          { 301, 4 | ROW_BEGINS },
          { 309, 4 | ROW_CONTINUES | ROW_BEGINS },
          { 70000, 1 },
          { 70001, 5 } };
  enum
  {
    N = N_OF (rows)
  };
  for (unsigned begin = 0; begin < N; begin++)
    for (unsigned middle = begin + 1; middle < N; middle++)
      {
        uint64_t expected
            = segment_hash_add (0, rows[begin].rule & ROW_RULE, 0);
        for (unsigned i = begin + 1; i < N; i++)
          if (!(rows[i].rule & ROW_CONTINUES))
            expected = segment_hash_add (expected, rows[i].rule & ROW_RULE,
                                         rows[i].start - rows[begin].start);
        struct segment_tail front
            = segment_tail_of (&rows[begin], &rows[middle]);
        struct segment_tail back = segment_tail_of (&rows[middle], &rows[N]);
        uint64_t hash = segment_hash_extend (
            segment_hash_begin (&front, &rows[begin]), &back,
            rows[middle].start - rows[begin].start);
        assert_true (hash == expected);
      }
}

/* How the functions of many_functions_that_differ_are_read_back do.  */
enum difference
{
  LAST_RULE,
  FIRST_RULE,
  DURATION,
  N_DIFFERENCES
};

/* Function number I: its rows, and the numbers their rules get.  */
struct differing
{
  unsigned n_rows;
  uint32_t durations[3];
  int32_t offsets[3];
  uint32_t rules[3];
};

static struct differing
differing_function (enum difference kind, uint32_t i)
{
  int32_t offset = 16 + 8 * (int32_t)i;
  switch (kind)
    {
    case LAST_RULE:
      return (struct differing){ 1, { 1, 0 }, { offset, 0 }, { i, 0 } };
    case FIRST_RULE:
      return (struct differing){
        2, { 1, 1 }, { offset, 8 }, { i > 0 ? i + 1 : 0, 1 }
      };
    default:
      return (
          struct differing){ 3, { i + 1, 1, 1 }, { 8, 16, 24 }, { 0, 1, 2 } };
    }
}

static uint32_t
hash_in_table (const struct differing *function)
{
  uint64_t hash = 0;
  uint32_t start = 0;
  for (unsigned r = 0; r < function->n_rows; r++)
    {
      hash = segment_hash_add (hash, function->rules[r], start);
      start += function->durations[r];
    }
  return segment_hash_for_table (hash);
}

/* That of a distinct function.  */
static uint32_t
hash_of_run (const struct differing *function)
{
  struct numbered_row rows[3];
  uint32_t start = 0;
  for (unsigned r = 0; r < function->n_rows; r++)
    {
      uint32_t flags = r == 0 ? ROW_BEGINS : 0;
      rows[r] = (struct numbered_row){ start, function->rules[r] | flags };
      start += function->durations[r];
    }
  return hash_for_table ((const uint8_t *)rows,
                         function->n_rows * sizeof *rows);
}

static int
compare_numbers (const void *a, const void *b)
{
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return (left > right) - (left < right);
}

/* In so many there are some whose hashes in a table are equal.  */
PIECES_TEST (many_functions_that_differ_are_read_back)
{
  enum
  {
    N = 200000,
    DISTANCE = 1 << 18
  };
  static uint32_t hashes[N];
  static const enum mode modes[] = { WHOLE, ACROSS };
  for (unsigned m = 0; m < 2; m++)
    for (enum difference kind = LAST_RULE; kind < N_DIFFERENCES; kind++)
      {
        begin (modes[m]);
        for (uint32_t i = 0; i < N; i++)
          {
            struct differing d = differing_function (kind, i);
            hashes[i]
                = modes[m] == WHOLE ? hash_of_run (&d) : hash_in_table (&d);
            add_rows ((uint64_t)(i + 1) * DISTANCE, d.n_rows, d.durations,
                      d.offsets);
          }
        finish ();
        for (uint32_t i = 0; i < N; i++)
          {
            struct differing d = differing_function (kind, i);
            uint64_t second = (uint64_t)(i + 1) * DISTANCE + d.durations[0];
            expect_row (second - 1, d.offsets[0]);
            expect_row (second, d.n_rows > 1 ? d.offsets[1] : 0);
          }
        qsort (hashes, N, sizeof hashes[0], compare_numbers);
        unsigned n_equal = 0;
        for (uint32_t i = 1; i < N; i++)
          n_equal += hashes[i] == hashes[i - 1];
        assert_true (n_equal > 0);
      }
}

/* Random rows.  */

enum
{
  N_FUNCTIONS = 300,
  N_ROWS_MAX = 40
};

/* Functions that resemble each other, most of them close together.  */
struct program
{
  struct sframe_fde functions[N_FUNCTIONS];
  struct sframe_row rows[N_FUNCTIONS][N_ROWS_MAX];
  unsigned repeats[N_FUNCTIONS]; /* function to repeat; its own number: none */
  uint32_t begins[N_FUNCTIONS];  /* from this byte of it on */
  bool separate[N_FUNCTIONS];
};

static unsigned
next_random (unsigned *state, unsigned n)
{
  *state = *state * 1103515245 + 12345;
  return (*state >> 8) % n;
}

static void
make_rows (struct program *p, unsigned i, uint8_t version, unsigned *random)
{
  static const uint32_t durations[] = { 1, 2, 4, 7, 8, 30, 300, 70000 };
  struct sframe_fde *function = &p->functions[i];
  struct sframe_row *rows = p->rows[i];
  unsigned n = 1 + next_random (random, N_ROWS_MAX);
  uint32_t size = 0;
  function->signal = version >= 3 && next_random (random, 20) == 0;
  function->b_key = version >= 2 && next_random (random, 20) == 0;
  for (unsigned r = 0; r < n; r++)
    {
      unsigned same = next_random (random, 4);
      int32_t offset = same ? (int32_t)(8 + 8 * (r % 6))
                            : (int32_t)next_random (random, 400) - 200;
      rows[r] = (struct sframe_row){ .start = size,
                                     .base_sp = next_random (random, 8) > 0,
                                     .n_words = 1,
                                     .words = { offset } };
      size += durations[same ? r % 4 : next_random (random, 8)];
    }
  function->rows = rows;
  function->n_rows = n;
  function->size = size;
}

/* Function number I, which repeats another one, repeats a part of it.  */
static void
make_part (struct program *p, unsigned i, unsigned *random)
{
  struct sframe_fde *function = &p->functions[i];
  const struct sframe_row *whole = function->rows;
  size_t n_rows = function->n_rows;
  size_t first = next_random (random, (unsigned)n_rows);
  size_t last = first + next_random (random, (unsigned)(n_rows - first));
  uint32_t begin = whole[first].start;
  uint32_t last_size
      = (last + 1 < n_rows ? whole[last + 1].start : function->size)
        - whole[last].start;
  uint32_t skipped = next_random (random, 3);
  function->size
      = whole[last].start - begin + 1 + next_random (random, last_size);
  function->rows = p->rows[i];
  function->n_rows = 0;
  if (first < last ? begin + skipped < whole[first + 1].start
                   : skipped < function->size)
    {
      begin += skipped;
      function->size -= skipped;
    }
  for (size_t r = first; r <= last; r++)
    {
      p->rows[i][function->n_rows] = whole[r];
      p->rows[i][function->n_rows++].start
          = r > first ? whole[r].start - begin : 0;
    }
  p->begins[i] = begin;
}

static void
make_program (struct program *p, uint8_t version, unsigned seed)
{
  unsigned random = seed;
  uint64_t address = 0x1000;
  *p = (struct program){ 0 };
  for (unsigned i = 0; i < N_FUNCTIONS; i++)
    {
      struct sframe_fde *function = &p->functions[i];
      unsigned other = i > 0 ? next_random (&random, i) : 0;
      p->repeats[i] = i;
      if (i > 0 && next_random (&random, 3) == 0)
        {
          *function = p->functions[other];
          function->size += next_random (&random, 5);
          p->repeats[i] = p->repeats[other] == other ? other : i;
          if (function->size <= function->rows[function->n_rows - 1].start)
            function->size++;
          if (p->repeats[i] != i && next_random (&random, 2) == 0)
            make_part (p, i, &random);
        }
      else
        make_rows (p, i, version, &random);
      p->separate[i] = next_random (&random, 10) == 0;
      function->address = address;
      address += function->size;
      if (next_random (&random, 8) == 0)
        address += 1 + next_random (&random, 16);
    }
}

/* REPEAT: use pieces_repeat where it can be used.  */
static void
add_program (const struct program *p, bool repeat)
{
  struct error err = { 0 };
  for (unsigned i = 0; i < N_FUNCTIONS; i++)
    {
      const struct sframe_fde *function = &p->functions[i];
      if (p->separate[i])
        pieces_separate (f.pieces);
      if (repeat && p->repeats[i] != i)
        assert_true (pieces_repeat (f.pieces, p->repeats[i], p->begins[i],
                                    function->address, function->size, &err));
      else
        add_function (function);
      assert_int_equal (pieces_n_functions (f.pieces), i + 1);
    }
}

/* The section must say at every PC of FUNCTION what its row says.  First and
   last PC of each row are enough: what says something else begins or ends
   between them, or holds a boundary of another function's row; so look at
   some more.  */
static void
expect_function (const struct sframe_fde *function)
{
  struct error err = { 0 };
  for (size_t r = 0; r < function->n_rows; r++)
    {
      const struct sframe_row *row = &function->rows[r];
      uint32_t stop = r + 1 < function->n_rows ? row[1].start : function->size;
      uint32_t step = stop - row->start > 600 ? 97 : 1;
      for (uint32_t at = row->start; at < stop;
           at += at + step < stop || at + 1 == stop ? step : stop - 1 - at)
        {
          struct sframe_fde found_in;
          struct sframe_row found;
          assert_int_equal (sframe_decoder_lookup (&f.decoder,
                                                   function->address + at,
                                                   &found_in, &found, &err),
                            1);
          assert_int_equal (found.base_sp, row->base_sp);
          assert_int_equal (found.n_words, row->n_words);
          assert_int_equal (found.words[0], row->words[0]);
          assert_int_equal (found_in.signal, function->signal);
          assert_int_equal (found_in.b_key, function->b_key);
        }
    }
}

/* Nothing is said about what lies between two functions.  */
static void
expect_gap (const struct sframe_fde *function)
{
  uint64_t gap = function->address + function->size;
  uint64_t size = function[1].address - gap;
  struct sframe_fde found_in;
  struct sframe_row found;
  struct error err = { 0 };
  if (size == 0)
    return;
  assert_int_equal (
      sframe_decoder_lookup (&f.decoder, gap, &found_in, &found, &err), 0);
  assert_int_equal (sframe_decoder_lookup (&f.decoder, gap + size - 1,
                                           &found_in, &found, &err),
                    0);
}

static void
expect_program (const struct program *p)
{
  struct sframe_fde found_in;
  struct sframe_row found;
  struct error err = { 0 };
  for (unsigned i = 0; i < N_FUNCTIONS; i++)
    {
      expect_function (&p->functions[i]);
      if (i + 1 < N_FUNCTIONS)
        expect_gap (&p->functions[i]);
    }
  const struct sframe_fde *last = &p->functions[N_FUNCTIONS - 1];
  assert_int_equal (
      sframe_decoder_lookup (&f.decoder, 0xfff, &found_in, &found, &err), 0);
  assert_int_equal (sframe_decoder_lookup (&f.decoder,
                                           last->address + last->size,
                                           &found_in, &found, &err),
                    0);
}

static uint64_t
plain_size (const struct encode_options *options, const struct program *p)
{
  struct error err = { 0 };
  struct sframe_encoder *encoder = sframe_encoder_new (options);
  for (unsigned i = 0; i < N_FUNCTIONS; i++)
    assert_true (sframe_encoder_add (encoder, &p->functions[i], &err));
  uint64_t size = sframe_encoder_size (encoder);
  sframe_encoder_free (encoder);
  return size;
}

static void
check_program (const struct program *p, uint8_t version, bool share)
{
  struct encode_options options = options_of (version);
  options.share = share;
  uint64_t plain = plain_size (&options, p);
  for (enum mode mode = WHOLE; mode < N_MODES; mode++)
    {
      begin_with (mode, &options);
      add_program (p, false);
      finish ();
      expect_program (p);
      assert_true (f.section.size <= plain);
      /* Neither chance nor how functions come in changes a bit.  */
      struct buffer first = f.section;
      buffer_init (&f.section, false);
      begin_with (mode, &options);
      add_program (p, true);
      finish ();
      assert_int_equal (f.section.size, first.size);
      assert_memory_equal (f.section.bytes, first.bytes, first.size);
      buffer_free (&first);
    }
}

PIECES_TEST (random_rows_are_read_back)
{
  static struct program program;
  for (unsigned seed = 1; seed <= 3; seed++)
    for (uint8_t version = 1; version <= 3; version++)
      {
        make_program (&program, version, seed);
        check_program (&program, version, true);
        check_program (&program, version, false);
      }
}

/* Limits.  */

/* The copy begins 2 GiB behind the beginning of its original, which is 2 GiB
   behind the beginning of its run.  */
PIECES_TEST (copies_may_begin_far_behind)
{
  for (enum mode mode = JOINED; mode <= ACROSS; mode++)
    {
      struct error err = { 0 };
      begin (mode);
      add (0x1000, 0x80000000, 1, false);
      add (0x80001000, 64, 3, false);
      pieces_separate (f.pieces);
      assert_true (
          pieces_repeat (f.pieces, 1, 0x80000010, 0x200000000, 64, &err));
      finish ();
      expect_row (0x200000000, 24);
      expect_row (0x20000003f, 24);
    }
}

/* Rows that are taken again count for the limit nevertheless.  */
PIECES_TEST (repeated_rows_are_limited)
{
  for (enum mode mode = WHOLE; mode < N_MODES; mode++)
    {
      struct error err = { 0 };
      struct encode_options options = options_of (3);
      options.rows_max = 1000;
      begin_with (mode, &options);
      add (0x1000, 64, 20, false);
      unsigned n = 1;
      while (
          pieces_repeat (f.pieces, 0, 0, 0x1000 + 64 * (uint64_t)n, 64, &err))
        n++;
      assert_int_equal (err.status, CFI2SFRAME_REFUSED);
      assert_true (n > 1 && n <= 1000 / (20 * 2));
    }
}

PIECES_TEST (unsound_rows_are_refused)
{
  static const struct
  {
    uint32_t size, starts[2], repeat;
    size_t n_rows;
  } cases[] = {
    { 8, { 0, 4 }, 0, 2 }, /* sound */
    { 8, { 0, 4 }, 0, 0 }, { 4, { 0, 4 }, 0, 2 }, { 8, { 0, 4 }, 4, 2 },
    { 8, { 0, 0 }, 0, 2 }, { 8, { 1, 4 }, 0, 2 },
  };
  FOR_EACH_ROW (given, cases)
    {
      struct error err = { 0 };
      struct sframe_row rows[]
          = { { .start = given->starts[0], .n_words = 1 },
              { .start = given->starts[1], .n_words = 1 } };
      const struct sframe_fde function = { .address = 0x1000,
                                           .size = given->size,
                                           .repeat = given->repeat,
                                           .n_rows = given->n_rows,
                                           .rows = rows };
      begin (INSIDE);
      assert_int_equal (take (f.pieces, &f.rules, &function, &err),
                        given == cases);
      assert_int_equal (err.status,
                        given == cases ? CFI2SFRAME_OK : CFI2SFRAME_INVALID);
    }
}

/* In every place.  */
PIECES_TEST (memory_runs_out_in_every_place)
{
  static struct program program;
  struct encode_options options = options_of (3);
  make_program (&program, 3, 77);
  for (enum mode mode = WHOLE; mode < N_MODES; mode++)
    for (size_t n = 0;; n++)
      {
        struct error err = { 0 };
        struct sframe_encoder *encoder = sframe_encoder_new (&options);
        allocations_left = n;
        struct rule_table rules;
        struct pieces *pieces = NULL;
        if (rule_table_init (&rules, &options))
          pieces = new_pieces (&options, mode, &rules);
        bool done = pieces != NULL;
        for (unsigned i = 0; done && i < N_FUNCTIONS; i++)
          done = take (pieces, &rules, &program.functions[i], &err);
        done = done && pieces_finish (pieces, encoder, &err);
        allocations_left = SIZE_MAX;
        assert_true (done || pieces == NULL
                     || err.status == CFI2SFRAME_NO_MEMORY);
        pieces_free (pieces);
        rule_table_free (&rules);
        sframe_encoder_free (encoder);
        if (done)
          {
            assert_true (n > 10);
            break;
          }
      }
}

/* Inputs for which a careless search would take quadratic time, or much
   memory: they take as long as others.  */
PIECES_TEST (worst_cases_take_as_long_as_others)
{
  enum
  {
    N = 20000
  };
  static struct sframe_row rows[N];
  static const unsigned periods[] = { 1, 2, 3, 13, N };
  static const unsigned widths[] = { 1, 8, 70 };
  for (enum mode mode = WHOLE; mode < N_MODES; mode++)
    for (unsigned p = 0; p < 5; p++)
      for (unsigned w = 0; w < 3; w++)
        {
          for (unsigned i = 0; i < N; i++)
            rows[i] = (struct sframe_row){
              .start = i * widths[w],
              .base_sp = true,
              .n_words = 1,
              .words = { (int32_t)(8 + 8 * (i % periods[p]) + i % 2) }
            };
          begin (mode);
          add_function (&(struct sframe_fde){ .address = 0x1000,
                                              .size = N * widths[w],
                                              .n_rows = N,
                                              .rows = rows });
          finish ();
          for (unsigned i = 0; i < N; i += N / 7)
            expect_row (0x1000 + (uint64_t)i * widths[w], rows[i].words[0]);
        }
}

/* The starts of LIST, as text.  */
static void
print_starts (const struct repeat *list, char *to)
{
  *to = '\0';
  for (; list->start != UINT32_MAX; list++)
    to += sprintf (to, "%u ", list->start);
}

/* Rows of 4 bytes are atoms: a letter is a rule, and a run begins behind a
   slash.  Which atoms, and pairs of them, occur more than once?  */
PIECES_TEST (what_occurs_more_than_once_is_found)
{
  static const struct
  {
    const char *rows;
    uint32_t rows_max;
    const char *atoms, *pairs;
    size_t n_patterns;
  } cases[] = {
    { "ABAB", 9, "0 1 2 3 ", "0 2 ", 4 },
    { "AB/AB/AB", 9, "0 1 2 3 4 5 ", "0 2 4 ", 3 }, /* no BA */
    { "ABCAB", 9, "0 1 3 4 ", "0 3 ", 4 },          /* C is alone */
    { "ABAB", 2, "0 1 2 3 ", "0 2 ", 4 },
    { "ABAB", 1, "0 1 2 3 ", "", 2 },
  };
  FOR_EACH_ROW (given, cases)
    {
      struct numbered_row rows[9] = { { 0 } };
      struct cut cuts[9] = { { 0 } };
      char found[64];
      uint32_t n = 0, start = 0, last = 0;
      bool begins = true;
      for (const char *at = given->rows;; at++)
        {
          bool is_row = *at != '/' && *at != '\0';
          if (!is_row)
            begins = true;
          if (*at == '/')
            continue;
          start = begins ? 0 : start + 4;
          cuts[n] = (struct cut){ .start = start,
                                  .last = last,
                                  .bytes = 2 * n,
                                  .row = n,
                                  .n_rows = n,
                                  .begins_run = begins };
          if (!is_row)
            break;
          rows[n++] = (struct numbered_row){ .start = start,
                                             .rule = (uint32_t)(*at - 'A') };
          begins = false;
          last = start;
        }
      const struct repeats_input input = { .rows = rows,
                                           .cuts = cuts,
                                           .n_cuts = n,
                                           .atoms_max = 2,
                                           .rows_max = given->rows_max };
      struct repeats repeats;
      assert_true (repeats_find (&repeats, &input));
      print_starts (repeats.of_atoms[0], found);
      assert_string_equal (found, given->atoms);
      print_starts (repeats.of_atoms[1], found);
      assert_string_equal (found, given->pairs);
      assert_int_equal (repeats.n_patterns, given->n_patterns);
      repeats_free (&repeats);
    }
}

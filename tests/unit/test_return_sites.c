/* Unit tests of src/cfi/return_sites.c: places with a row that readers would
   take for that of a call in front.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>
#include <string.h>

#include "cfi/return_sites.h"
#include "tests/unit/elf_builder.h"
#include "tests/unit/failing_allocations.h"
#include "tests/unit_test.h"

#define CODE UINT64_C (0x400000)

enum
{
  CODE_SIZE = 64,
  ROWS_MAX = 3
};

/* Instructions: call to the start of all code, from its end at 8; nop; mov to
   %eax of what looks like a call.  */
#define CALL "\xe8\xf8\xff\xff\xff"
#define NOP "\x90"
#define MOV "\xb8\x90\x90\xff\xd0"

/* Code as the walk hands it out.  Its rows are as many as have a CFA.  */
struct part
{
  uint64_t offset, size; /* from CODE */
  enum cfi_code_kind kind;
  enum frame_reason reason;
  struct
  {
    uint32_t start;
    int32_t cfa;
    bool in_register; /* RA */
    bool outermost;   /* the stack ends: RA is undefined */
  } rows[ROWS_MAX];
  bool signal, b_key; /* of the function */
  /* "start CFA" of the rows it shall have, "" where it has no rows.  */
  const char *expected;
};

/* The code that the walk hands out, and what is asked of it.  */
static struct
{
  struct cfi_source source;
  struct cfi_walk walk;
  struct padding_finder padding;
  struct return_sites sites;
  struct code_image code;
  uint8_t bytes[CODE_SIZE];
  char name[64];
} f;

static int
tear_down (void **state)
{
  (void)state;
  if (f.source.image == NULL)
    return 0;
  return_sites_free (&f.sites);
  padding_finder_free (&f.padding);
  f.source.image = NULL;
  return 0;
}

#define FIXTURE_TEST(name) TEST_BETWEEN (NULL, tear_down, name)

/* The code is BYTES, SIZE of them, and zeros; nothing is padding.  */
static void
begin (const struct arch *arch, const char *bytes, size_t size)
{
  struct error err = { 0 };
  assert_true (size <= CODE_SIZE);
  tear_down (NULL);
  memset (&f, 0, sizeof f);
  memcpy (f.bytes, bytes, size);
  code_image_init (&f.code, arch->e_machine, f.bytes, CODE_SIZE, CODE);
  f.source.image = &f.code.image;
  f.walk = (struct cfi_walk){ .source = &f.source, .claimed_end = UINT64_MAX };
  assert_true (padding_finder_init (&f.padding, &f.code.image, &err));
  assert_true (return_sites_init (&f.sites, &f.source, &f.padding, &err));
}

#define BEGIN(bytes) begin (&arch_amd64, bytes, sizeof (bytes) - 1)

/* Behind the rows of PART others stand, which are not rows of it.  */
static size_t
make_rows (const struct part *part, struct frame_row rows[ROWS_MAX + 1])
{
  size_t n = 0;
  for (size_t i = 0; i <= ROWS_MAX; i++)
    {
      bool is_row = i < ROWS_MAX && part->rows[i].cfa != 0;
      n += is_row;
      rows[i] = (struct frame_row){
        .start = is_row ? part->rows[i].start : 8,
        .cfa
        = { RULE_REG, 0, arch_amd64.sp, is_row ? part->rows[i].cfa : 1024 },
        .ra = { RULE_DEREF_CFA, 0, 0, -8 },
        .fp = { .kind = RULE_SAME },
      };
      if (is_row && part->rows[i].in_register)
        rows[i].ra = (struct frame_rule){ .kind = RULE_SAME };
      if (is_row && part->rows[i].outermost)
        rows[i].ra = (struct frame_rule){ .kind = RULE_UNDEFINED };
    }
  return n;
}

/* Append "START CFA" of ROW to TEXT, or that it has no rules for REASON.  */
static void
put_row (char *text, size_t size, uint32_t start, enum frame_reason reason,
         const struct frame_row *row)
{
  size_t used = strlen (text);
  const char *space = used > 0 ? " " : "";
  if (reason != REASON_NONE)
    snprintf (text + used, size - used, "%s%u %s", space, start,
              frame_reason_name (reason));
  else
    snprintf (text + used, size - used, "%s%u %d", space, start,
              row->cfa.offset);
}

/* The rows of CODE without its places are EXPECTED.  */
static void
expect_rows (const struct cfi_code *code, const char *expected)
{
  const struct frame_function *function = code->function;
  const struct return_places *places = code->places;
  char rows[200] = "";
  size_t n = 0;
  for (size_t i = 0; i < function->n_rows; i++)
    {
      const struct frame_row *row = &function->rows[i];
      uint32_t start = row->start;
      uint32_t end = i + 1 < function->n_rows ? row[1].start : function->size;
      if (n < places->n && places->offsets[n] == start)
        {
          put_row (rows, sizeof rows, start, REASON_RETURN_ADDRESS, row);
          start += f.code.image.arch->smallest_instruction;
          n++;
        }
      if (start < end)
        put_row (rows, sizeof rows, start, REASON_NONE, row);
    }
  assert_int_equal (n, places->n);
  assert_string_equal (rows, expected);
}

static struct cfi_code
code_of (const struct part *part)
{
  return (struct cfi_code){ .kind = part->kind,
                            .address = CODE + part->offset,
                            .size = part->size,
                            .is_code = part->reason != REASON_NOT_EXECUTABLE,
                            .reason = part->reason };
}

static struct frame_function
function_of (const struct part *part, struct frame_row rows[ROWS_MAX + 1])
{
  return (struct frame_function){ .address = CODE + part->offset,
                                  .size = (uint32_t)part->size,
                                  .signal = part->signal,
                                  .b_key = part->b_key,
                                  .rows = rows,
                                  .n_rows = make_rows (part, rows) };
}

/* The walk hands out PART.  */
static void
apply (const struct part *part)
{
  struct error err = { 0 };
  struct frame_row rows[ROWS_MAX + 1];
  struct frame_function function = function_of (part, rows);
  struct cfi_code code = code_of (part);
  code.function = function.n_rows > 0 ? &function : NULL;
  assert_true (return_sites_apply (&f.sites, &f.walk, &code, &err));
  if (code.function == NULL)
    {
      assert_false (f.sites.can_keep);
      return;
    }
  expect_rows (&code, part->expected);
  assert_ptr_equal (code.function, &function);
  assert_int_equal (f.sites.can_keep, part->kind != CODE_OF_STUB);
}

/* A row with the return address in the stack.  */
#define AT(start, cfa)       \
  {                          \
    start, cfa, false, false \
  }

/* Code that ends in the call of NOP NOP NOP CALL.  */
#define CALLING                                                     \
  {                                                                 \
    0, 8, .rows = { AT (0, 8), AT (3, 32) }, .expected = "0 8 3 32" \
  }
static const struct part calling = CALLING;

/* Two bytes behind it with a CFA, and what they shall have.  */
#define BEHIND(cfa, text)                           \
  {                                                 \
    8, 2, .rows = { AT (0, cfa) }, .expected = text \
  }

/* What the walk hands out of code.  */
struct handed_out
{
  const char *name, *code;
  size_t size;
  struct part parts[4];
  const struct arch *arch; /* NULL: amd64 */
  bool keep_all_rows;
};

#define BYTES(code) code, sizeof (code) - 1
#define CALLS BYTES (NOP NOP NOP CALL NOP NOP)
#define CALLS_3 BYTES (NOP NOP NOP CALL NOP NOP NOP)
#define MOVES BYTES (NOP NOP NOP MOV NOP NOP)
#define CALL_AT_10 "\xe8\xf1\xff\xff\xff"

static const struct handed_out handed_out[] = {
  { "what_follows_a_call_begins_later", CALLS,
    .parts = { CALLING, BEHIND (8, "0 return-address 1 8") } },
  /* Rows that say the same as the call's are right for both.  */
  { "equal_rules_stay", CALLS, .parts = { CALLING, BEHIND (32, "0 32") } },
  /* A reader has more from a row than its rules.  */
  { "equal_rules_of_a_signal_frame_do_not_stay", CALLS,
    .parts = { CALLING,
               { 8, 2, .rows = { AT (0, 32) }, .signal = true,
                 .expected = "0 return-address 1 32" },
               { 10, 2, .rows = { AT (0, 32) }, .expected = "0 32" } } },
  { "equal_rules_with_another_key_do_not_stay", CALLS,
    .parts = { CALLING,
               { 8, 2, .rows = { AT (0, 32) }, .b_key = true,
                 .expected = "0 return-address 1 32" },
               { 10, 2, .rows = { AT (0, 32) }, .expected = "0 32" } } },
  /* Of the code with the call nothing is known; what is known of the code in
     front of it is no matter.  */
  { "code_without_rows_can_call", CALLS,
    .parts = { { 0, 3, .rows = { AT (0, 8) }, .expected = "0 8" },
               { 3, 5, .reason = REASON_BAD_ENTRY, .expected = "" },
               BEHIND (8, "0 return-address 1 8") } },
  /* Neither an FDE of which nothing is left nor one that is not about code
     stands between a call and what follows it.  */
  { "what_is_no_code_stands_between_nothing", CALLS,
    .parts = { CALLING,
               { 8, 0, .expected = "" },
               { 5, 5, .reason = REASON_NOT_EXECUTABLE, .expected = "" },
               BEHIND (8, "0 return-address 1 8") } },
  /* What looks like a call at a stub's end is an operand: no stub calls.  */
  { "stubs_make_no_calls", CALLS,
    .parts = { { 0, 8, CODE_OF_STUB, .rows = { AT (0, 8), AT (3, 32) },
                 .expected = "0 8 3 32" },
               BEHIND (8, "0 8") } },
  /* And a stub's own rows stay, whatever is in front of it.  */
  { "stubs_keep_their_rows", CALLS,
    .parts
    = { CALLING,
        { 8, 2, CODE_OF_STUB, .rows = { AT (0, 8) }, .expected = "0 8" } } },
  { "only_what_is_directly_behind_a_call_follows_it", CALLS_3,
    .parts = { CALLING, { 9, 2, .rows = { AT (0, 8) }, .expected = "0 8" } } },
  /* A function whose beginning has no rows has none for a reader to take.  */
  { "a_first_row_in_the_middle_follows_nothing",
    BYTES (NOP NOP NOP CALL NOP NOP NOP NOP),
    .parts = { CALLING, { 8, 4, .rows = { AT (2, 8) }, .expected = "2 8" } } },
  { "rows_behind_its_own_calls_are_left_out_nevertheless",
    BYTES (NOP NOP NOP CALL NOP CALL NOP NOP),
    .parts = { CALLING,
               { 8, 8, .rows = { AT (1, 8), AT (6, 32) },
                 .expected = "1 8 6 return-address 7 32" } } },

  /* Code is decoded from where its last row begins, or it itself does.  */
  { "an_operand_is_no_call", MOVES, .parts = { CALLING, BEHIND (8, "0 8") } },
  { "an_operand_that_a_row_cuts_is_a_call", MOVES,
    .parts
    = { { 0, 8, .rows = { AT (0, 8), AT (6, 32) }, .expected = "0 8 6 32" },
        BEHIND (8, "0 return-address 1 8") } },
  { "an_operand_is_no_call_in_unknown_code", MOVES,
    .parts = { { 0, 3, .rows = { AT (0, 8) }, .expected = "0 8" },
               { 3, 5, .reason = REASON_BAD_ENTRY, .expected = "" },
               BEHIND (8, "0 8") } },

  /* The call is inside: a row ends behind it.  */
  { "rows_inside_begin_later_too", CALLS_3,
    .parts = { { 0, 11, .rows = { AT (0, 8), AT (8, 32) },
                 .expected = "0 8 8 return-address 9 32" } } },
  { "a_third_row_inside_stays", CALLS_3,
    .parts = { { 0, 11, .rows = { AT (0, 8), AT (8, 32), AT (10, 8) },
                 .expected = "0 8 8 return-address 9 32 10 8" } } },
  { "nothing_is_left_of_a_row_of_one_byte", CALLS_3,
    .parts = { { 0, 11, .rows = { AT (0, 8), AT (8, 32), AT (9, 8) },
                 .expected = "0 8 8 return-address 9 8" } } },
  { "nothing_is_left_of_a_last_row_of_one_byte", CALLS_3,
    .parts = { { 0, 9, .rows = { AT (0, 8), AT (8, 32) },
                 .expected = "0 8 8 return-address" },
               { 9, 2, .rows = { AT (0, 8) }, .expected = "0 8" } } },
  /* call *%rax */
  { "no_call_is_shorter_than_two_bytes", BYTES ("\xff\xd0" NOP NOP),
    .parts = { { 0, 4, .rows = { AT (0, 8), AT (2, 32) },
                 .expected = "0 8 2 return-address 3 32" } } },

  /* One function has several places; those of the function before it are
     forgotten.  */
  { "all_places_of_a_function_are_left_out",
    BYTES (NOP NOP NOP CALL NOP NOP CALL_AT_10 NOP
           "\xe8\xeb\xff\xff\xff" NOP NOP NOP),
    .parts
    = { { 0, 21, .rows = { AT (0, 8), AT (8, 16), AT (15, 32) },
          .expected = "0 8 8 return-address 9 16 15 return-address 16 32" },
        { 21, 3, .rows = { AT (0, 8) },
          .expected = "0 return-address 1 8" } } },
  { "places_behind_an_unknown_beginning_are_left_out",
    BYTES (
        NOP NOP NOP CALL NOP NOP CALL_AT_10 NOP NOP NOP NOP NOP NOP NOP NOP NOP
        "\xe8\xe3\xff\xff\xff" NOP NOP NOP NOP),
    .parts
    = { { 0, 21, .rows = { AT (0, 8), AT (8, 16), AT (15, 32) },
          .expected = "0 8 8 return-address 9 16 15 return-address 16 32" },
        { 21, 12, .rows = { AT (2, 16), AT (8, 32) },
          .expected = "2 16 8 return-address 9 32" } } },
  { "places_are_those_where_rules_differ",
    BYTES (NOP NOP NOP CALL NOP NOP CALL_AT_10 NOP NOP),
    .parts = { { 0, 17, .rows = { AT (0, 8), AT (8, 8), AT (15, 32) },
                 .expected = "0 8 8 8 15 return-address 16 32" } } },
  /* nop; bl .-4; nop; nop; nop: an instruction of aarch64 has four bytes.  */
  { "an_instruction_is_left_out",
    BYTES ("\x1f\x20\x03\xd5\xff\xff\xff\x97\x1f\x20\x03\xd5\x1f\x20\x03\xd5"
           "\x1f\x20\x03\xd5"),
    .parts
    = { { 0, 8, .rows = { AT (0, 8), AT (4, 32) }, .expected = "0 8 4 32" },
        { 8, 8, .rows = { AT (0, 8) }, .expected = "0 return-address 4 8" },
        { 16, 4, .rows = { AT (0, 32) }, .expected = "0 32" } },
    .arch = &arch_aarch64 },
  { "with_rows_that_stay_nothing_is_left_out",
    BYTES (NOP NOP NOP CALL NOP NOP "\xe8\xef\xff\xff\xff" NOP NOP),
    .parts
    = { CALLING,
        BEHIND (8, "0 8"),
        { 10, 7, .rows = { AT (0, 8), AT (5, 32) }, .expected = "0 8 5 32" } },
    .keep_all_rows = true },

  /* A row that leaves the return address in its register is for a reader none
     of a function that has called.  */
  { "rows_with_the_address_in_its_register_stay", CALLS,
    .parts = { CALLING,
               { 8, 2, .rows = { { 0, 8, .in_register = true } },
                 .expected = "0 8" } } },
  { "rows_inside_with_the_address_in_its_register_stay", CALLS_3,
    .parts
    = { { 0, 11,
          .rows = { AT (0, 8), { 8, 32, .in_register = true }, AT (10, 64) },
          .expected = "0 8 8 32 10 64" } } },
  /* Readers stop at a row that says so, whatever led them there.  */
  { "rows_where_the_stack_ends_stay", CALLS,
    .parts = { CALLING,
               { 8, 2, .rows = { { 0, 8, .outermost = true } },
                 .expected = "0 8" } } },
  { "rows_inside_where_the_stack_ends_stay", CALLS_3,
    .parts
    = { { 0, 11,
          .rows = { AT (0, 8), { 8, 32, .outermost = true }, AT (10, 64) },
          .expected = "0 8 8 32 10 64" } } },
  /* Rows may begin where only a register changes that SFrame does not know. */
  { "rows_with_equal_rules_stay", CALLS_3,
    .parts = { { 0, 11, .rows = { AT (0, 8), AT (8, 8), AT (10, 64) },
                 .expected = "0 8 8 8 10 64" } } },
};

TEST_ROWS (handed_out, const struct handed_out *given, NULL, tear_down,
           gets_the_rows_that_are_expected)
{
  begin (given->arch != NULL ? given->arch : &arch_amd64, given->code,
         given->size);
  f.sites.keep_all_rows = given->keep_all_rows;
  for (size_t i = 0;
       i < N_OF (given->parts) && given->parts[i].expected != NULL; i++)
    apply (&given->parts[i]);
}

/* Whichever allocation fails, a place is left out or the lack of memory is an
   error: places that are forgotten would mislead readers.  The first one
   follows a call of the code before, if that is there, or else one of its
   own.  */
FIXTURE_TEST (without_memory_no_place_is_forgotten)
{
  static const struct part second
      = { 8, 21, .rows = { AT (0, 16), AT (8, 24), AT (15, 32) } };
  static const char *const expected[]
      = { "0 16 8 return-address 9 24 15 return-address 16 32",
          "0 return-address 1 16 8 return-address 9 24 15 return-address "
          "16 32" };
  unsigned n_failed = 0, follows = 0;
  for (bool failed = true; follows < 2; n_failed += failed)
    {
      struct error err = { 0 };
      struct frame_row rows[ROWS_MAX + 1];
      struct frame_function function = function_of (&second, rows);
      struct cfi_code code = code_of (&second);
      BEGIN (NOP NOP NOP CALL NOP NOP NOP CALL NOP NOP
             "\xe8\xe9\xff\xff\xff" NOP);
      if (follows)
        apply (&calling);
      code.function = &function;
      allocation_failed = false;
      allocations_granted = n_failed;
      bool done = return_sites_apply (&f.sites, &f.walk, &code, &err);
      allocations_granted = UINT_MAX;
      failed = allocation_failed;
      assert_int_equal (done, !failed);
      if (done)
        expect_rows (&code, expected[follows]);
      else
        assert_int_equal (err.status, CFI2SFRAME_NO_MEMORY);
      if (done)
        {
          assert_true (n_failed >= 1);
          n_failed = 0;
          follows++;
        }
    }
}

/* What looks like the call of an FDE's first byte, or of a PLT's entry, counts
   as one, though it is an operand.  */
FIXTURE_TEST (what_looks_like_the_call_of_a_function)
{
  enum
  {
    TARGET = 17 /* from CODE */
  };
  static const struct
  {
    const char *plt; /* section name */
    int fde, at;     /* from TARGET, of FDE and section; 99: no FDE */
    bool counts;
  } cases[] = {
    { "", 0, 0, true },          { "", 1, 0, false },
    { "", -1, 0, false },        { "", 99, 0, false },
    { ".plt", 99, 0, true },     { ".plt", 99, -8, true },
    { ".plt", 99, -4, false },   { ".plt", 0, -4, false },
    { ".plt", 99, -16, false },  { ".plt", 99, 8, false },
    { ".plt.sec", 99, 0, true }, { ".text", 99, 0, false },
    { ".plt", 99, -9, false },
  };
  for (size_t i = 0; i < N_OF (cases); i++)
    {
      struct error err = { 0 };
      /* movabs, the last bytes of which are a call of TARGET.  */
      BEGIN ("\x48\xb8\0\0\0\xe8\x07\0\0\0" NOP NOP);
      struct cfi_fde fdes[]
          = { { .address = CODE - 16 },
              { .address = CODE + TARGET + (uint64_t)cases[i].fde },
              { .address = CODE + 256 } };
      struct image_section sections[]
          = { { .name = "" },
              { .header = { .sh_addr = CODE + TARGET + (uint64_t)cases[i].at,
                            .sh_size = 16 },
                .name = cases[i].plt } };
      const struct part code[]
          = { { 0, 10, .rows = { AT (0, 8) }, .expected = "0 8" },
              { 10, 2, .rows = { AT (0, 32) },
                .expected
                = cases[i].counts ? "0 return-address 1 32" : "0 32" } };
      f.source.cfi.fdes = fdes;
      f.source.cfi.n_fdes = cases[i].fde == 99 ? 0 : 3;
      f.code.image.sections = sections;
      f.code.image.n_sections = 2;
      return_sites_free (&f.sites);
      assert_true (return_sites_init (&f.sites, &f.source, &f.padding, &err));
      apply (&code[0]);
      apply (&code[1]);
    }
}

/* Behind code that ends at the offset SIZE is padding up to 16; whether a call
   ends in front of the padding matters to who covers it.  With
   ONLY_BEHIND_CALLS there is no padding unless one does.  */
static void
expect_padding_of (bool only_behind_calls, uint64_t size, uint32_t padding,
                   bool call_at_end, const char *bytes, size_t n_bytes)
{
  struct error err = { 0 };
  struct cfi_fde next = { .address = CODE + 16 };
  const struct part part
      = { 0, size, .rows = { AT (0, 8) }, .expected = "0 8" };
  struct frame_row rows[ROWS_MAX + 1];
  struct frame_function function = function_of (&part, rows);
  struct cfi_code code = code_of (&part), again = code;
  begin (&arch_amd64, bytes, n_bytes);
  f.source.cfi.fdes = &next;
  f.source.cfi.n_fdes = 1;
  f.walk.claimed_end = 0;
  f.sites.only_behind_calls = only_behind_calls;
  code.function = &function;
  assert_true (return_sites_apply (&f.sites, &f.walk, &code, &err));
  assert_int_equal (code.padding, padding);
  assert_int_equal (code.call_at_end, call_at_end);
  size_t kept = return_sites_keep (&f.sites);
  assert_true (return_sites_repeat (&f.sites, &f.walk, &again, kept, &err));
  assert_int_equal (again.padding, padding);
  assert_int_equal (again.call_at_end, call_at_end);
  f.source.cfi.n_fdes = 0;
}

static void
expect_padding (uint64_t size, uint32_t padding, bool call_at_end,
                const char *bytes, size_t n_bytes)
{
  expect_padding_of (false, size, padding, call_at_end, bytes, n_bytes);
  expect_padding_of (true, size, call_at_end ? padding : 0, call_at_end, bytes,
                     n_bytes);
}

#define EXPECT_PADDING(size, padding, call_at_end, bytes) \
  expect_padding (size, padding, call_at_end, bytes, sizeof (bytes) - 1)

FIXTURE_TEST (padding_tells_whether_a_call_ends_there)
{
#define NOPS_8 NOP NOP NOP NOP NOP NOP NOP NOP
  EXPECT_PADDING (8, 8, true, NOP NOP NOP CALL NOPS_8 NOPS_8);
  EXPECT_PADDING (8, 8, false, NOP NOP NOP MOV NOPS_8 NOPS_8);
  EXPECT_PADDING (15, 1, true, NOPS_8 NOP NOP "\xe8\xf1\xff\xff\xff" NOPS_8);
  EXPECT_PADDING (16, 0, false,
                  NOPS_8 NOP NOP NOP "\xe8\xf0\xff\xff\xff" NOPS_8);
  EXPECT_PADDING (8, 0, false, NOP NOP NOP CALL "\xc3" NOPS_8);
}

/* Rules that depend on the address' last digits are of no row.  What such code
   calls counts.  */
FIXTURE_TEST (code_of_a_plt_stays)
{
  struct error err = { 0 };
  struct frame_row rows[ROWS_MAX + 1];
  /* Its rules are in one row; what follows has those of the other.  */
  const struct part part
      = { 8, 8, .rows = { AT (0, 8), AT (4, 32) }, .expected = "" };
  const struct part next
      = { 16, 2, .rows = { AT (0, 32) }, .expected = "0 return-address 1 32" };
  struct frame_function function = function_of (&part, rows);
  struct cfi_code code = code_of (&part);
  BEGIN (NOP NOP NOP CALL NOP NOP NOP "\xe8\xf0\xff\xff\xff" NOP NOP);
  apply (&calling);
  rows[0].cfa = (struct frame_rule){ .kind = RULE_PLT, .offset = 11 };
  code.function = &function;
  assert_true (return_sites_apply (&f.sites, &f.walk, &code, &err));
  assert_ptr_equal (code.function, &function);
  assert_false (f.sites.can_keep);
  apply (&next);
}

/* The SIZE bytes at OFFSET, which have the rows with number KEPT, have none at
   PLACES, offsets in these bytes.  */
static void
expect_places (size_t kept, uint64_t offset, uint64_t size, const char *places)
{
  char found[100] = "";
  struct error err = { 0 };
  struct cfi_code code
      = { .address = CODE + offset, .size = size, .is_code = true };
  assert_true (return_sites_repeat (&f.sites, &f.walk, &code, kept, &err));
  for (size_t i = 0; i < code.places->n; i++)
    snprintf (found + strlen (found), sizeof found - strlen (found), "%s%u",
              i > 0 ? " " : "", code.places->offsets[i]);
  assert_string_equal (found, places);
}

/* Which rows have no place depends on what stands in front of the code and in
   it; what is repeated counts for what follows.  */
FIXTURE_TEST (equal_rows_have_places_of_their_own)
{
  const struct part leaf = { 0, 2, .rows = { AT (0, 8) }, .expected = "0 8" };
  const struct part three
      = { 2, 15, .rows = { AT (0, 8), AT (5, 32), AT (10, 16) },
          .expected = "0 8 5 32 10 16" };
#define NOPS_5 NOP NOP NOP NOP NOP
  static const char bytes[] = NOP NOP           /* 0: leaf */
      MOV NOPS_5 NOPS_5                         /* 2: three */
          NOP NOP                               /* 17: leaf */
              MOV NOPS_5 "\xe8\xde\xff\xff\xff" /* 19: three */
      NOP NOP                                   /* 34: leaf */
                         "\xe8\xd7\xff\xff\xff" /* 36: three */
                         "\xe8\xd2\xff\xff\xff"
                         "\xe8\xcd\xff\xff\xff" /* ends at 51 */;
  BEGIN (bytes);
  apply (&leaf);
  size_t first = return_sites_keep (&f.sites);
  apply (&three);
  size_t second = return_sites_keep (&f.sites);
  assert_true (first != second);
  expect_places (first, 17, 2, "");
  expect_places (second, 19, 15, "");
  expect_places (first, 34, 2, "0");
  expect_places (second, 36, 15, "5 10");
  expect_places (second, 51, 13, "0");
  /* Now the code in front is not adjacent.  */
  expect_places (second, 36, 15, "5 10");
  f.sites.keep_all_rows = true;
  expect_places (second, 51, 13, "");
}

/* Each of several keeps the places where its own rows begin.  */
FIXTURE_TEST (kept_rows_are_apart)
{
  enum
  {
    CODES = 12,
    SIZE = 32
  };
  size_t kept[CODES];
  BEGIN (NOP);
  /* Code number I has rows at 0, I + 1 and I + 14.  */
  for (uint32_t i = 0; i < CODES; i++)
    {
      const struct part part
          = { 0, SIZE, .rows = { AT (0, 8), AT (i + 1, 16), AT (i + 14, 8) },
              .expected = f.name };
      snprintf (f.name, sizeof f.name, "0 8 %u 16 %u 8", i + 1, i + 14);
      apply (&part);
      kept[i] = return_sites_keep (&f.sites);
    }
  for (uint32_t call_end = 5; call_end < 26; call_end++)
    {
      memset (f.bytes, 0x90, CODE_SIZE);
      memcpy (f.bytes + call_end - 2, "\xff\xd0", 2);
      for (uint32_t i = 0; i < CODES; i++)
        {
          bool is_place = call_end == i + 1 || call_end == i + 14;
          snprintf (f.name, sizeof f.name, "%u", call_end);
          expect_places (kept[i], 0, SIZE, is_place ? f.name : "");
        }
    }
}

/* Without places nothing else asks whether a call ends.  */
FIXTURE_TEST (equal_rows_behind_their_own_call_stay)
{
  const struct part call = { 0, 8, .rows = { AT (0, 8) }, .expected = "0 8" };
  BEGIN (NOP NOP NOP CALL NOP NOP);
  apply (&call);
  size_t kept = return_sites_keep (&f.sites);
  expect_places (kept, 8, 2, "");
}

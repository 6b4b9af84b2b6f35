/* How long a routine is analysed, and its addresses looked up
   (analysis/routine, addresses).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <string.h>

#include "analysis/addresses.h"
#include "analysis/routine.h"
#include "base/bytes.h"
#include "tests/unit/elf_builder.h"
#include "tests/unit_test.h"

enum
{
  ENTRY = 0x1000,
  BRANCHES = 40
};

/* A function of aarch64 code, and what following it needs.  */
struct fixture
{
  struct elf_builder elf;
  struct image image;
  struct image_facts facts;
  struct functions *functions;
  struct covered_code covered_code;
  struct routine_context context;
  struct routine *routine;
};

static void
prepare (struct fixture *f, const uint32_t *code, size_t n)
{
  struct error err = { 0 };
  if (code_machine_of (&arch_aarch64) == NULL)
    skip ();
  memset (f, 0, sizeof *f);
  elf_builder_program (&f->elf, EM_AARCH64, false);
  for (size_t i = 0; i < n; i++)
    store_u32 (f->elf.bytes + ENTRY + 4 * i, code[i], false);
  elf_builder_finish (&f->elf);
  assert_true (image_open_memory (&f->image, f->elf.bytes, f->elf.size, &err));
  assert_true (facts_read (&f->facts, &f->image, &err));
  f->functions = functions_new (&f->image);
  assert_true (f->facts.decoder != NULL && f->functions != NULL);
  assert_true (functions_add (f->functions, ENTRY, true) != FUNCTION_NONE);
  static const struct code_request request;
  f->context = (struct routine_context){
    .request = &request,
    .machine = code_machine_of (f->image.arch),
    .facts = &f->facts,
    .functions = f->functions,
    .covered_code = &f->covered_code,
  };
  f->routine = routine_new (&f->context);
  assert_non_null (f->routine);
}

static void
finish (struct fixture *f)
{
  routine_free (f->routine);
  functions_free (f->functions);
  facts_free (&f->facts);
  image_close (&f->image);
}

static enum routine_failure
follow (struct fixture *f, uint64_t steps)
{
  f->routine->steps_left = steps;
  return routine_analyse (f->routine, ENTRY, ENTRY + 0x400,
                          DOUBTFUL_CALLS_RETURN, false)
      ->failure;
}

/* With the last step nothing may be left: nobody could tell whether another
   one was missing.  */
TEST (steps_are_counted_and_the_last_one_is_too_many)
{
  static const uint32_t code[] = { 0xd503201f, 0xd65f03c0 }; /* nop; ret */
  enum
  {
    STEPS = 2
  };
  static const struct
  {
    uint64_t steps, left;
    enum routine_failure failure;
  } cases[] = {
    { 1000, 1000 - STEPS, ROUTINE_SOUND },
    { STEPS + 1, 1, ROUTINE_SOUND },
    { STEPS, 0, ROUTINE_TOO_MUCH },
    { STEPS - 1, 0, ROUTINE_TOO_MUCH },
  };
  struct fixture f;
  prepare (&f, code, 2);
  FOR_EACH_ROW (given, cases)
    {
      assert_int_equal (follow (&f, given->steps), given->failure);
      assert_int_equal (f.routine->steps_left, given->left);
    }
  finish (&f);
}

/* Each branch leads to the next instruction, where two paths meet.  */
TEST (following_stops_when_no_steps_are_left)
{
  uint32_t code[BRANCHES + 1];
  struct fixture f;
  for (unsigned i = 0; i < BRANCHES; i++)
    code[i] = 0x34000020; /* cbz w0, .+4 */
  code[BRANCHES] = 0xd65f03c0;
  prepare (&f, code, BRANCHES + 1);
  assert_int_equal (follow (&f, 10000), ROUTINE_SOUND);
  assert_true (f.routine->steps > BRANCHES);
  assert_int_equal (follow (&f, 10), ROUTINE_TOO_MUCH);
  assert_in_range (f.routine->steps, 10, 20);
  finish (&f);
}

/* The slots that are probed for ADDRESS, which has an entry in MAP.  */
static size_t
count_probes (const struct address_map *map, uint64_t address)
{
  size_t i = address_map_hash (map, address), probed = 1;
  while (address_slot_address (&map->slots[i]) != address)
    i = address_map_next (map, address, i, probed++);
  return probed;
}

/* Kilobytes with an entry for each address overlap in the table of a map for
   one seed in seven.  A file of one megabyte took ten seconds then.  */
TEST (full_kilobytes_are_looked_up_in_few_steps)
{
  const uint64_t last = 5 * 1024;
  for (unsigned seed = 1; seed <= 200; seed++)
    {
      struct address_map map = { 0 };
      size_t most = 0;
      assert_true (address_map_set (&map, 0, 0));
      map.seed = seed;
      address_map_clear (&map);
      for (uint64_t address = 1; address <= last; address++)
        assert_true (address_map_set (&map, address, 7));
      for (uint64_t address = 1; address <= last; address++)
        {
          size_t probes = count_probes (&map, address);
          most = probes > most ? probes : most;
          assert_int_equal (address_map_get (&map, address), 7);
        }
      assert_int_equal (address_map_get (&map, last + 1), UINT32_MAX);
      assert_in_range (most, 1, 48 * ADDRESS_MAP_RUN);
      address_map_free (&map);
    }
}

/* Unit tests of stacks/profile.c: what becomes of the kernel's addresses.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The names of the kernel's functions are those of this file, whatever machine
   the addresses are of.  */

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "stacks/profile.h"
#include "tests/unit_test.h"

/* The address as a name.  */
const char *
kernel_names_at (struct kernel_names *names, uint64_t address)
{
  static char text[32];
  (void)names;
  snprintf (text, sizeof text, "%llx", (unsigned long long)address);
  return text;
}

void
kernel_names_free (struct kernel_names *names)
{
  (void)names;
}

/* Count a stack of a program without modules, below the CHAIN of N words.  */
static void
take (struct profile *profile, struct member *member, const uint64_t *chain,
      size_t n)
{
  const struct registers registers = { .pc = 0x1000 };
  const struct profile_moment moment = { .tid = member->process.pid,
                                         .registers = &registers,
                                         .chain = (const uint8_t *)chain,
                                         .n_chain = n };
  struct profile_sample sample = profile_place (profile, member, &moment);
  profile_count (profile, &sample);
}

static void
assert_name (const struct named_profile *named, uint32_t node,
             const char *wanted)
{
  assert_string_equal (named->names[named->calls.nodes[node].key], wanted);
}

/* Virtual addresses of 48, 52, 57 and 39 bits, of which all higher bits are 1;
   s390x has the kernel at low ones.  */
TEST (test_kernel_addresses)
{
  static const struct
  {
    uint64_t inner, behind_call;
    const char *names[2];
  } rows[] = {
    { 0xffff800080012340,
      0xffff80008001ab04,
      { "ffff800080012340_[k]", "ffff80008001ab03_[k]" } },
    { 0xfff0000000001000,
      0xfff0000000002000,
      { "fff0000000001000_[k]", "fff0000000001fff_[k]" } },
    { 0xff11000000000000,
      0xff11000000000010,
      { "ff11000000000000_[k]", "ff1100000000000f_[k]" } },
    { 0xffffff8008080000,
      0xffffffc010000abc,
      { "ffffff8008080000_[k]", "ffffffc010000abb_[k]" } },
    { 0xffffffff81000123,
      0xffffffffc0001234,
      { "ffffffff81000123_[k]", "ffffffffc0001233_[k]" } },
    { 0x123456, 0x123460, { "123456_[k]", "12345f_[k]" } },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    {
      const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, rows[i].inner,
                                 rows[i].behind_call };
      struct profile profile;
      struct named_profile named;
      struct error err;
      assert_true (profile_init (&profile));
      profile.family.recorded = true;
      struct member *member = family_add (&profile.family, 7, &err);
      assert_non_null (member);
      take (&profile, member, chain, sizeof chain / sizeof *chain);
      assert_true (profile_name (&profile, 0, &named));
      assert_int_equal (named.n_log, 1);
      uint32_t node = named.log[0].node;
      assert_name (&named, node, rows[i].names[0]);
      assert_name (&named, named.calls.nodes[node].parent, rows[i].names[1]);
      assert_int_equal (named.calls.nodes[node].self, 1);
      named_profile_free (&named);
      profile_free (&profile);
    }
}

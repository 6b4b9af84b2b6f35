/* Where calls end.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cfi/calls.h"

#define CODE 0x400000

/* Whether the first SIZE bytes of a segment with BYTES end in a call.  One
   more byte follows them: string literals have it.  */
static bool
ends_in_call (const struct arch *arch, unsigned machine, const char *bytes,
              size_t size)
{
  GElf_Phdr load = { .p_type = PT_LOAD,
                     .p_flags = PF_R | PF_X,
                     .p_vaddr = CODE,
                     .p_filesz = size + 1,
                     .p_memsz = size + 1 };
  struct image image = { .bytes = (const uint8_t *)bytes,
                         .size = size + 1,
                         .arch = arch,
                         .header = { .e_machine = (uint16_t)machine },
                         .segments = &load,
                         .n_segments = 1 };
  struct call_finder finder;
  struct error err;
  assert_true (call_finder_init (&finder, &image, &err));
  bool is_call = call_finder_ends_at (&finder, CODE, CODE + size);
  call_finder_free (&finder);
  return is_call;
}

#define ENDS(machine, arch, bytes) \
  ends_in_call (arch, machine, bytes, sizeof bytes - 1)
#define AMD64(bytes) ENDS (EM_X86_64, &arch_amd64, bytes)
#define AARCH64(bytes) ENDS (EM_AARCH64, &arch_aarch64, bytes)
#define S390X(bytes) ENDS (EM_S390, &arch_s390x, bytes)

static void
test_amd64 (void **state)
{
  (void)state;
  if (!insn_decoder_exists (&arch_amd64))
    skip ();
  assert_true (AMD64 ("\xe8\xfb\xff\xff\xff"));         /* call . */
  assert_true (AMD64 ("\x90\xff\x15\x00\x00\x00\x00")); /* call *(%rip) */
  assert_true (AMD64 ("\xff\xd0"));                     /* call *%rax */
  assert_true (AMD64 ("\x41\xff\xd4"));                 /* call *%r12 */
  assert_true (AMD64 ("\xff\x14\xd8"));             /* call *(%rax,%rbx,8) */
  assert_true (AMD64 ("\xff\x50\x18"));             /* call *24(%rax) */
  assert_true (AMD64 ("\xff\x54\x24\x08"));         /* call *8(%rsp) */
  assert_true (AMD64 ("\xff\x90\0\x01\0\0"));       /* call *256(%rax) */
  assert_true (AMD64 ("\x41\xff\x94\x24\0\1\0\0")); /* call *256(%r12) */
  assert_true (AMD64 ("\xff\x14\xc5\0\1\0\0"));     /* call *256(,%rax,8) */
  assert_false (AMD64 (""));
  assert_false (AMD64 ("\x90"));
  assert_false (AMD64 ("\xff\xe0"));             /* jmp *%rax */
  assert_false (AMD64 ("\xe9\xfb\xff\xff\xff")); /* jmp . */
  assert_false (AMD64 ("\xe8\0\0\0\x40"));       /* to no code */
  assert_false (AMD64 ("\x48\x83\xc4\x08"));     /* add $8, %rsp */
}

/* glibc's __stack_chk_fail ends in a call of the next function.  */
static void
test_amd64_call_of_what_comes_next (void **state)
{
  (void)state;
  if (!insn_decoder_exists (&arch_amd64))
    skip ();
  assert_true (AMD64 ("\xe8\0\0\0\0"));
}

/* What looks like a call is the end of something else.  */
static void
test_amd64_immediates (void **state)
{
  (void)state;
  if (!insn_decoder_exists (&arch_amd64))
    skip ();
  /* movabs $..., %rax; mov $0xd0ff0000, %eax.  */
  assert_false (AMD64 ("\x48\xb8\x00\x00\x00\xe8\xf0\xff\xff\xff"));
  assert_false (AMD64 ("\xb8\x00\x00\xff\xd0"));
  /* Cannot be decoded: to be careful, it is one.  */
  assert_true (AMD64 ("\x06\xb8\x00\x00\xff\xd0"));
}

static void
test_aarch64 (void **state)
{
  (void)state;
  assert_true (AARCH64 ("\x01\x00\x00\x94"));                 /* bl */
  assert_true (AARCH64 ("\x1f\x20\x03\xd5\x00\x00\x3f\xd6")); /* blr x0 */
  assert_true (AARCH64 ("\x1f\x08\x3f\xd6"));                 /* blraaz x0 */
  assert_false (AARCH64 ("\x01\x00\x00\x14"));                /* b */
  assert_false (AARCH64 ("\x00\x00\x1f\xd6"));                /* br x0 */
  assert_false (AARCH64 ("\xc0\x03\x5f\xd6"));                /* ret */
  assert_false (AARCH64 (""));
}

static void
test_s390x (void **state)
{
  (void)state;
  assert_true (S390X ("\xc0\xe5\0\0\0\0"));          /* brasl %r14 */
  assert_true (S390X ("\x07\x07\x0d\xe1"));          /* basr %r14,%r1 */
  assert_true (S390X ("\xa7\xe5\0\0"));              /* bras %r14 */
  assert_false (S390X ("\x0d\xd0"));                 /* basr %r13,0 */
  assert_false (S390X ("\x07\xfe"));                 /* br %r14 */
  assert_false (S390X ("\xc0\xf4\0\0\0\0"));         /* jg */
  assert_false (S390X ("\xc0\x01\x00\x00\x0d\xe1")); /* lgfi %r0 */
  assert_false (S390X (""));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_amd64),
    cmocka_unit_test (test_amd64_call_of_what_comes_next),
    cmocka_unit_test (test_amd64_immediates),
    cmocka_unit_test (test_aarch64),
    cmocka_unit_test (test_s390x),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}

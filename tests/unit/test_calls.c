/* Unit tests of src/cfi/return_sites.c: where instructions that call end.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "cfi/return_sites.h"
#include "tests/guarded.h"
#include "tests/unit/elf_builder.h"

#define CODE 0x400000

/* Whether, of the first SIZE bytes of a segment with BYTES, the last ones from
   START on end in a call.  One more byte follows them: string literals have
   it.  */
static bool
ends_in_call (const struct arch *arch, const uint8_t *bytes, size_t size,
              size_t start)
{
  struct code_image code;
  code_image_init (&code, arch->e_machine, bytes, size + 1, CODE);
  code.image.arch = arch; /* may be that of the other byte order */
  struct call_finder finder = { .image = &code.image };
  return call_finder_ends_at (&finder, CODE + start, CODE + size);
}

#define ENDS(arch, bytes) \
  ends_in_call (arch, (const uint8_t *)(bytes), sizeof (bytes) - 1, 0)
#define AMD64(bytes) ENDS (&arch_amd64, bytes)
#define AARCH64(bytes) ENDS (&arch_aarch64, bytes)
#define S390X(bytes) ENDS (&arch_s390x, bytes)

TEST (amd64_calls_are_told_by_their_end)
{
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
  assert_true (AMD64 ("\xe8\0\0\0\0"));          /* to the last byte */
  assert_false (AMD64 ("\xe8\1\0\0\0"));         /* behind it */
  assert_false (AMD64 ("\x48\x83\xc4\x08"));     /* add $8, %rsp */
  /* What is in front of call *%rax may look like a call to no code.  */
  assert_true (AMD64 ("\x04\xe8\x90\x90\xff\xd0"));
  assert_true (AMD64 ("\xe8\xfb\xff\xff\xff"));
}

/* glibc's __stack_chk_fail ends in a call of the next function.  */
TEST (amd64_calls_of_what_comes_next_are_found)
{
  assert_true (AMD64 ("\xe8\0\0\0\0"));
}

/* What looks like a call is the end of something else.  */
TEST (amd64_immediates_are_no_calls)
{
  /* movabs $..., %rax; mov $0xd0ff0000, %eax.  */
  assert_false (AMD64 ("\x48\xb8\x00\x00\x00\xe8\xf0\xff\xff\xff"));
  assert_false (AMD64 ("\xb8\x00\x00\xff\xd0"));
  /* Cannot be decoded: to be careful, it is one.  */
  assert_true (AMD64 ("\x06\xb8\x00\x00\xff\xd0"));
  /* An operand that the code has no room for.  */
  assert_true (AMD64 ("\x90\xb8\x00\xff\xd0"));
}

/* Indirect calls of x86-64 in every form (Intel SDM volume 2, CALL and tables
   2-2 and 2-3), put together from their parts.  */

struct form
{
  uint8_t bytes[16];
  size_t size;
};

static void
append (struct form *form, const void *bytes, size_t size)
{
  memcpy (form->bytes + form->size, bytes, size);
  form->size += size;
}

/* ff /REG with the addressing MODE and RM; SIB, if there is one; DISPLACEMENT,
   as many of its bytes as there have to be.  */
static struct form
group_5 (unsigned reg, unsigned mode, unsigned rm, uint8_t sib,
         const uint8_t *displacement)
{
  struct form form = { { 0 }, 0 };
  uint8_t modrm = (uint8_t)(mode << 6 | reg << 3 | rm);
  append (&form, "\xff", 1);
  append (&form, &modrm, 1);
  bool has_sib = mode != 3 && rm == 4;
  if (has_sib)
    append (&form, &sib, 1);
  if (mode == 1)
    append (&form, displacement, 1);
  else if (mode == 2 || (mode == 0 && (rm == 5 || (has_sib && sib % 8 == 5))))
    append (&form, displacement, 4);
  return form;
}

static const uint8_t displacements[][4] = {
  { 0, 0, 0, 0 },
  { 0xff, 0xff, 0xff, 0xff },
  { 0x10, 0xff, 0x10, 0xff },
  { 0xe8, 0xe8, 0xe8, 0xe8 },
  { 0xd0, 0x08, 0x2e, 0x48 },
};

enum
{
  N_DISPLACEMENTS = sizeof displacements / sizeof *displacements,
  RET = 0xc3
};

/* Call VISIT with all forms of ff /REG.  */
static void
each_form (unsigned reg, void (*visit) (const struct form *form))
{
  for (unsigned mode = 0; mode <= 3; mode++)
    for (unsigned rm = 0; rm <= 7; rm++)
      for (unsigned sib = 0; sib <= (mode < 3 && rm == 4 ? 255 : 0); sib++)
        for (unsigned i = 0; i < N_DISPLACEMENTS; i++)
          {
            struct form form
                = group_5 (reg, mode, rm, (uint8_t)sib, displacements[i]);
            visit (&form);
          }
}

/* Instructions that may stand in front of a call; the ends of many look like
   the begin of one, or of a longer one.  */
static const struct
{
  const char *bytes;
  size_t size;
} before[] = {
#define BEFORE(bytes)       \
  {                         \
    bytes, sizeof bytes - 1 \
  }
  BEFORE (""),
  BEFORE ("\x90"),
  BEFORE ("\xb8\xff\xff\xff\xff"), /* mov $-1, %eax */
  BEFORE ("\x6a\xff"),             /* push $-1 */
  BEFORE ("\x83\xc0\xff"),         /* add $-1, %eax */
  BEFORE ("\xff\x75\xe8"),         /* push -24(%rbp) */
  BEFORE ("\x48\x8d\x45\xe8"),     /* lea -24(%rbp), %rax */
  BEFORE ("\x48\xb8\xff\xff\xff\xff\xff\xff\xff\xff"),
  BEFORE ("\xb8\0\0\xff\x90"),             /* mov $0x90ff0000, %eax */
  BEFORE ("\xb8\0\0\xff\x14"),             /* mov $0x14ff0000, %eax */
  BEFORE ("\xff\xd0"),                     /* call *%rax */
  BEFORE ("\xe8\0\0\xff\x94"),             /* call */
  BEFORE ("\xc5\xf9\x70\xc1\xff"),         /* vpshufd */
  BEFORE ("\x62\xf1\x7c\x48\x10\x47\xff"), /* vmovups, EVEX */
#undef BEFORE
};

static const char *const prefixes[] = {
  "",     "\x41", "\x43", "\x48",     "\x4f", "\x3e",     "\x3e\x41",
  "\xf2", "\x2e", "\x64", "\x65\x41", "\x67", "\x67\x43", "\x66\x66\x48",
};

/* The form is a call, whatever stands in front of it; what comes next is
   none.  */
static void
is_call_everywhere (const struct form *call)
{
  FOR_EACH_ROW (given, before)
    for (size_t j = 0; j < sizeof prefixes / sizeof *prefixes; j++)
      {
        uint8_t bytes[48] = { 0 };
        size_t size = given->size;
        memcpy (bytes, given->bytes, size);
        memcpy (bytes + size, prefixes[j], strlen (prefixes[j]));
        size += strlen (prefixes[j]);
        memcpy (bytes + size, call->bytes, call->size);
        size += call->size;
        assert_true (ends_in_call (&arch_amd64, bytes, size, 0));
        assert_true (ends_in_call (&arch_amd64, bytes, size, given->size));
        bytes[size] = RET;
        assert_false (ends_in_call (&arch_amd64, bytes, size + 1, 0));
      }
}

TEST (amd64_indirect_calls_are_found_in_every_form)
{
  each_form (2, is_call_everywhere);
}

/* There is no byte to spare in front of it, not even in the segment.  */
static void
is_call_alone (const struct form *call)
{
  assert_true (ends_in_call (&arch_amd64, call->bytes, call->size, 0));
}

static void
is_none (const struct form *form)
{
  assert_false (ends_in_call (&arch_amd64, form->bytes, form->size, 0));
}

TEST (amd64_far_calls_are_calls)
{
  for (unsigned rm = 0; rm < 3; rm++)
    {
      struct form far = group_5 (3, 1, rm, 0, displacements[0]);
      is_call_alone (&far);
    }
}

/* inc, dec, jmp, far jmp, push.  */
TEST (amd64_what_is_beside_calls_is_none)
{
  each_form (0, is_none);
  each_form (1, is_none);
  each_form (4, is_none);
  each_form (6, is_none);
  for (unsigned rm = 0; rm < 3; rm++)
    {
      struct form far = group_5 (5, 0, rm, 0, displacements[0]);
      is_none (&far);
    }
}

/* movabs with the call as the end of its operand.  */
static void
is_none_in_an_operand (const struct form *call)
{
  uint8_t bytes[11] = { 0x48, 0xb8 };
  memcpy (bytes + 10 - call->size, call->bytes, call->size);
  assert_false (ends_in_call (&arch_amd64, bytes, 10, 0));
  /* From there on it is one.  */
  assert_true (ends_in_call (&arch_amd64, bytes, 10, 10 - call->size));
}

TEST (amd64_operands_are_no_calls)
{
  static const struct form direct = { { 0xe8, 0xfb, 0xff, 0xff, 0xff }, 5 };
  each_form (2, is_none_in_an_operand);
  is_none_in_an_operand (&direct);
}

/* A call that begins in front of where instructions are known to begin is
   none.  */
TEST (amd64_a_call_begins_where_an_instruction_does)
{
  static const uint8_t direct[] = { 0xe8, 0xfb, 0xff, 0xff, 0xff, 0 };
  static const uint8_t indirect[] = { 0xff, 0x94, 0x24, 0, 1, 0, 0, 0 };
  for (size_t start = 1; start < 5; start++)
    assert_false (ends_in_call (&arch_amd64, direct, 5, start));
  for (size_t start = 1; start < 7; start++)
    assert_false (ends_in_call (&arch_amd64, indirect, 7, start));
}

/* Places in a segment.  */

struct segment
{
  struct image image;
  GElf_Phdr loads[2];
  uint8_t bytes[64];
};

/* Two segments of 32 bytes, a page apart; the first bytes of each are `call
 *%rax'.  */
static void
make_segments (struct segment *segment)
{
  *segment = (struct segment){ 0 };
  memcpy (segment->bytes, "\xff\xd0", 2);
  memcpy (segment->bytes + 32, "\xff\xd0", 2);
  for (unsigned i = 0; i < 2; i++)
    segment->loads[i] = (GElf_Phdr){ .p_type = PT_LOAD,
                                     .p_flags = PF_R | PF_X,
                                     .p_offset = i * 32,
                                     .p_vaddr = CODE + i * 0x1000,
                                     .p_filesz = 32,
                                     .p_memsz = 64 };
  segment->image = (struct image){ .bytes = segment->bytes,
                                   .size = 64,
                                   .arch = &arch_amd64,
                                   .header = { .e_machine = EM_X86_64 },
                                   .segments = segment->loads,
                                   .n_segments = 2 };
}

TEST (calls_are_looked_for_in_all_segments)
{
  struct segment segment;
  make_segments (&segment);
  struct call_finder finder = { .image = &segment.image };
  for (unsigned i = 0; i < 3; i++)
    {
      assert_true (
          call_finder_ends_at (&finder, CODE + 0x1000, CODE + 0x1002));
      assert_true (call_finder_ends_at (&finder, CODE, CODE + 2));
      assert_false (call_finder_ends_at (&finder, CODE + 64, CODE + 66));
      assert_false (call_finder_ends_at (&finder, CODE - 2, CODE));
    }
}

/* Up to the last byte of the file's part of a segment, and not beyond.  */
TEST (calls_end_in_their_segment)
{
  struct segment segment;
  make_segments (&segment);
  memcpy (segment.bytes + 30, "\xff\xd0", 2);
  segment.loads[0].p_memsz = 32;
  struct call_finder finder = { .image = &segment.image };
  assert_true (call_finder_ends_at (&finder, CODE + 30, CODE + 32));
  assert_false (call_finder_ends_at (&finder, CODE + 31, CODE + 33));
  assert_false (call_finder_ends_at (&finder, CODE + 32, CODE + 34));
  assert_false (call_finder_ends_at (&finder, CODE, CODE + 0x1002));
  assert_false (call_finder_ends_at (&finder, CODE + 2, CODE));
  assert_false (call_finder_ends_at (&finder, CODE + 2, CODE + 2));
  memcpy (segment.bytes + 31, "\xff\xd0\xff\xd0", 4);
  for (unsigned i = 0; i < 3; i++)
    assert_false (call_finder_ends_at (&finder, CODE + 31 + i, CODE + 33 + i));
}

/* Where a function starts is not decoded up to the call.  */
TEST (a_call_of_a_known_function_is_one)
{
  struct segment segment;
  make_segments (&segment);
  /* mov $0x0ffb00e8, ...: no call, but if its end is taken for one, it leads
     16 bytes in front of the other segment.  */
  struct cfi_fde function = { .address = CODE + 0x1000 };
  const struct cfi_section functions = { .fdes = &function, .n_fdes = 1 };
  memcpy (segment.bytes, "\x48\xb8\0\0\0\xe8\xf6\x0f\0\0", 10);
  struct call_finder finder = { .image = &segment.image };
  assert_false (call_finder_ends_at (&finder, CODE, CODE + 10));
  finder.functions = &functions;
  assert_true (call_finder_ends_at (&finder, CODE, CODE + 10));
  segment.bytes[6]--;
  assert_false (call_finder_ends_at (&finder, CODE, CODE + 10));
}

TEST (the_first_of_several_places_is_found)
{
  static const uint32_t offsets[] = { 0, 2, 6, 8, 13 };
  struct segment segment;
  make_segments (&segment);
  /* nops; call *%rax at 6, and a direct call at 8.  */
  memcpy (segment.bytes,
          "\x66\x90\x90\x90\x90\x90\xff\xd0\xe8\x01\x00\x00\x00", 13);
  struct call_finder finder = { .image = &segment.image };
  assert_int_equal (call_finder_first (&finder, CODE, offsets, 5), 3);
  assert_int_equal (call_finder_first (&finder, CODE, offsets, 3), 3);
  assert_int_equal (call_finder_first (&finder, CODE, offsets, 1), 1);
  assert_int_equal (call_finder_first (&finder, CODE, offsets, 0), 0);
  assert_int_equal (call_finder_first (&finder, CODE + 25, offsets, 4), 4);
  assert_int_equal (call_finder_first (&finder, CODE + 8, offsets, 2), 2);
  segment.bytes[7] = 0xe0;
  assert_int_equal (call_finder_first (&finder, CODE, offsets, 5), 4);
  memcpy (segment.bytes, "\xff\xd0", 2);
  assert_int_equal (call_finder_first (&finder, CODE, offsets, 5), 1);
  assert_int_equal (call_finder_first (&finder, CODE, offsets, 2), 1);
  /* What the first offset is behind does not count: a row begins there.  */
  assert_int_equal (call_finder_first (&finder, CODE, offsets + 1, 3), 3);
  assert_int_equal (call_finder_first (&finder, CODE, offsets + 4, 1), 1);
  /* The last place is behind the segment, where the bytes of another are.  */
  static const uint32_t beyond[] = { 0, 8 };
  assert_int_equal (call_finder_first (&finder, CODE + 26, beyond, 2), 2);
  /* Instructions begin at the offset in front: from the first one on the call
     would be the operand of a mov.  */
  static const uint32_t in_pieces[] = { 0, 2, 4 };
  memcpy (segment.bytes, "\x66\xb8\xff\xd0", 4);
  assert_int_equal (call_finder_first (&finder, CODE, in_pieces, 3), 2);
}

/* Segments without a gap, and headers of other kinds over them.  */
TEST (segments_that_touch_are_told_apart)
{
  struct segment segment;
  make_segments (&segment);
  segment.loads[1].p_vaddr = CODE + 32;
  segment.loads[0].p_memsz = 32;
  struct call_finder finder = { .image = &segment.image };
  assert_true (call_finder_ends_at (&finder, CODE + 32, CODE + 34));
  assert_true (call_finder_ends_at (&finder, CODE, CODE + 2));
  assert_true (call_finder_ends_at (&finder, CODE + 32, CODE + 34));
  make_segments (&segment);
  memcpy (segment.bytes, "\x90\x90\xff\xd0", 4);
  segment.loads[1] = segment.loads[0];
  segment.loads[0].p_type = PT_NOTE;
  segment.loads[0].p_filesz = 2;
  finder = (struct call_finder){ .image = &segment.image };
  assert_true (call_finder_ends_at (&finder, CODE, CODE + 4));
}

/* Only a call with a distance has a target: what follows an operand that looks
   like `call *%rax' is none.  */
TEST (an_indirect_call_has_no_target)
{
  struct segment segment;
  make_segments (&segment);
  struct cfi_fde function = { .address = CODE + 10 };
  const struct cfi_section functions = { .fdes = &function, .n_fdes = 1 };
  memcpy (segment.bytes, "\x48\xb8\0\0\0\0\0\0\xff\xd0", 10);
  struct call_finder finder
      = { .image = &segment.image, .functions = &functions };
  assert_false (call_finder_ends_at (&finder, CODE, CODE + 10));
}

static bool
looks_like_call (const void *code, size_t size)
{
  int32_t distance;
  return arch_amd64.may_end_call (code, size, &distance);
}

/* The last bytes alone, as walks ask.  */
TEST (amd64_what_ends_like_a_call_begins_like_one)
{
  assert_true (looks_like_call ("\x90\x90\x90\x90\x90\x90\xff\xd0", 8));
  assert_false (looks_like_call ("\x90\x90\x90\x90\x90\x90\x90\xd0", 8));
  assert_false (looks_like_call ("\xff\x90\x90\x90\x90\x90\x90\xd0", 8));
  assert_false (looks_like_call ("\x90\x90\x90\x90\xff\x90\x90\xd0", 8));
  assert_false (AMD64 ("\xff\xd8")); /* a far call of a register: none */
  /* REX counts right before the opcode: mov $0xd0ff, %ax.  */
  assert_false (AMD64 ("\x48\x66\xb8\xff\xd0"));
}

/* Nothing in front of the code is read, nor behind it.  */
TEST (amd64_code_ends_where_it_ends)
{
  static const uint8_t call[] = { 0xff, 0x94, 0x24, 0, 1, 0, 0 };
  struct guarded memory = guarded_memory (sizeof call);
  uint8_t *code = memory.begin, *end = memory.end;
  memcpy (code, call, sizeof call);
  assert_true (looks_like_call (code, sizeof call));
  for (size_t size = 0; size < sizeof call; size++)
    assert_false (looks_like_call (code, size));
  code[0] = 0;
  assert_false (looks_like_call (code, 4));
  memcpy (end - 2, "\xff\x14", 2);
  assert_false (looks_like_call (end - 2, 2));
  guarded_free (memory);
}

TEST (aarch64_calls_are_told_by_their_end)
{
  assert_true (AARCH64 ("\x01\x00\x00\x94"));                 /* bl */
  assert_true (AARCH64 ("\x1f\x20\x03\xd5\x00\x00\x3f\xd6")); /* blr x0 */
  assert_true (AARCH64 ("\x1f\x08\x3f\xd6"));                 /* blraaz x0 */
  assert_true (AARCH64 ("\x01\x08\x3f\xd7"));  /* blraa x0, x1 */
  assert_false (AARCH64 ("\x01\x00\x00\x14")); /* b */
  assert_false (AARCH64 ("\x00\x00\x1f\xd6")); /* br x0 */
  assert_false (AARCH64 ("\xc0\x03\x5f\xd6")); /* ret */
  assert_false (AARCH64 (""));
  /* No instruction begins two bytes after another one.  */
  assert_false (AARCH64 ("\0\0\x01\x00\x00\x94"));
}

TEST (s390x_calls_are_told_by_their_end)
{
  assert_true (S390X ("\xc0\xe5\0\0\0\0"));          /* brasl %r14 */
  assert_true (S390X ("\x07\x07\x0d\xe1"));          /* basr %r14,%r1 */
  assert_true (S390X ("\xa7\xe5\0\0"));              /* bras %r14 */
  assert_false (S390X ("\x0d\xd0"));                 /* basr %r13,0 */
  assert_false (S390X ("\x07\xfe"));                 /* br %r14 */
  assert_false (S390X ("\xc0\xf4\0\0\0\0"));         /* jg */
  assert_false (S390X ("\xc0\x01\x00\x00\x0d\xe1")); /* lgfi %r0 */
  assert_false (S390X (""));
}

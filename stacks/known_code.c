/* Code that is known by its bytes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The numbers of system calls and what the kernel saves are the kernel's
   interface (Linux, arch/.../include/uapi/asm/unistd.h, sigcontext.h,
   ucontext.h).  */

#include "stacks/known_code.h"

#include <elf.h>
#include <string.h>

#include "base/bytes.h"

enum
{
  CODE_MAX = 9,
  SAVED_MAX = 34,
  IS_PC = 0xff, /* in place of a register's number */
  IS_OTHER = 0xfe
};

struct code_bytes
{
  uint16_t machine; /* EM_* */
  uint8_t size;
  uint8_t last; /* where the last instruction begins; 0: PC is at the first */
  uint8_t bytes[CODE_MAX];
  /* Of rt_sigreturn: where the kernel saved registers, in bytes above SP,
     which is what it is when the handler has returned.  */
  uint16_t saved;
};

/* rt_sigreturn.  In front of what is saved are: of x86-64, struct ucontext up
   to uc_mcontext; of AArch64, struct siginfo (128), struct ucontext up to
   uc_mcontext (176), fault_address; of s390x, what the handler may save (160),
   the system call, struct siginfo (128), struct ucontext up to uc_mcontext
   (40), or a struct sigcontext (16).  */
static const struct code_bytes returns[] = {
  /* mov $15, %rax; syscall */
  { EM_X86_64, 9, 7, { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 }, 40 },
  /* mov $15, %eax; syscall */
  { EM_X86_64, 7, 5, { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 }, 40 },
  /* mov x8, #139; svc #0 */
  { EM_AARCH64, 8, 4, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }, 312 },
  /* svc 173; svc 119, which is sigreturn */
  { EM_S390, 2, 0, { 0x0a, 173 }, 160 + 8 + 128 + 40 },
  { EM_S390, 2, 0, { 0x0a, 119 }, 160 + 16 },
};

/* exit, with what the call in front of it returned.  */
static const struct code_bytes ends[] = {
  /* mov %eax, %edi; xor %eax, %eax; mov $60, %al; syscall */
  { EM_X86_64, 8, 0, { 0x89, 0xc7, 0x31, 0xc0, 0xb0, 60, 0x0f, 0x05 }, 0 },
  /* mov %eax, %edi; mov $60, %eax; syscall */
  { EM_X86_64, 9, 0, { 0x89, 0xc7, 0xb8, 60, 0, 0, 0, 0x0f, 0x05 }, 0 },
  /* mov x8, #93; svc #0 */
  { EM_AARCH64, 8, 0, { 0xa8, 0x0b, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }, 0 },
  /* svc 1 */
  { EM_S390, 2, 0, { 0x0a, 1 }, 0 },
};

/* What the kernel saves, in words.  */
static const struct saved_layout
{
  uint16_t machine, n;
  uint8_t numbers[SAVED_MAX]; /* of DWARF */
} layouts[] = {
  /* r8 to r15, rdi rsi rbp rbx rdx rax rcx rsp rip */
  { EM_X86_64,
    17,
    { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, IS_PC } },
  { EM_AARCH64, 33, { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                      11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                      22, 23, 24, 25, 26, 27, 28, 29, 30, 31, IS_PC } },
  { EM_S390,
    18,
    { IS_OTHER, IS_PC, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
      15 } },
};

static bool
has_bytes (struct process *process, const struct code_bytes *code,
           uint64_t address)
{
  uint8_t bytes[CODE_MAX];
  return process_read_code (process, address, bytes, code->size)
         && memcmp (bytes, code->bytes, code->size) == 0;
}

/* That of the N CODES at whose first or last instruction PC is, or NULL.  */
static const struct code_bytes *
code_at (struct process *process, uint64_t pc, const struct code_bytes *codes,
         size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (codes[i].machine == process->arch->e_machine
        && (has_bytes (process, &codes[i], pc)
            || (codes[i].last > 0
                && has_bytes (process, &codes[i], pc - codes[i].last))))
      return &codes[i];
  return NULL;
}

static bool
read_saved (struct process *process, const struct saved_layout *layout,
            unsigned offset, struct registers *registers)
{
  uint8_t words[SAVED_MAX * sizeof (uint64_t)];
  uint64_t sp = registers->values[process->arch->sp];
  if (!memory_read (&process->memory, sp + offset, words,
                    layout->n * sizeof (uint64_t)))
    return false;
  for (unsigned i = 0; i < layout->n; i++)
    {
      unsigned number = layout->numbers[i];
      uint64_t word
          = load_u64 (words + sizeof word * i, process->arch->big_endian);
      if (number == IS_PC)
        registers->pc = word;
      else if (number < registers->n)
        registers->values[number] = word;
    }
  return true;
}

bool
known_code_step (struct process *process, struct registers *registers)
{
  const struct arch *arch = process->arch;
  const struct code_bytes *code = code_at (process, registers->pc, returns,
                                           sizeof returns / sizeof *returns);
  for (size_t i = 0; code != NULL && i < sizeof layouts / sizeof *layouts; i++)
    if (layouts[i].machine == arch->e_machine
        && read_saved (process, &layouts[i], code->saved, registers))
      {
        /* On amd64 the PC has a number, too.  */
        if (!arch_tracks_ra (arch) && arch->ra < registers->n)
          registers->values[arch->ra] = registers->pc;
        return true;
      }
  return false;
}

bool
known_code_ends (struct process *process, uint64_t pc)
{
  return code_at (process, pc, ends, sizeof ends / sizeof *ends) != NULL;
}

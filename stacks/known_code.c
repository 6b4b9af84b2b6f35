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
};

/* rt_sigreturn.  */
static const struct code_bytes returns[] = {
  /* mov $15, %rax; syscall */
  { EM_X86_64, 9, 7, { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 } },
  /* mov $15, %eax; syscall */
  { EM_X86_64, 7, 5, { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 } },
  /* mov x8, #139; svc #0 */
  { EM_AARCH64, 8, 4, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 } },
  /* svc 173 */
  { EM_S390, 2, 0, { 0x0a, 173 } },
};

/* exit, with what the call in front of it returned.  */
static const struct code_bytes ends[] = {
  /* mov %eax, %edi; xor %eax, %eax; mov $60, %al; syscall */
  { EM_X86_64, 8, 0, { 0x89, 0xc7, 0x31, 0xc0, 0xb0, 60, 0x0f, 0x05 } },
  /* mov %eax, %edi; mov $60, %eax; syscall */
  { EM_X86_64, 9, 0, { 0x89, 0xc7, 0xb8, 60, 0, 0, 0, 0x0f, 0x05 } },
  /* mov x8, #93; svc #0 */
  { EM_AARCH64, 8, 0, { 0xa8, 0x0b, 0x80, 0xd2, 0x01, 0, 0, 0xd4 } },
  /* svc 1 */
  { EM_S390, 2, 0, { 0x0a, 1 } },
};

/* What the kernel saves, in words, from so many bytes above SP on, which is
   what it is when the handler has returned.  */
static const struct saved_layout
{
  uint16_t machine, offset, n;
  uint8_t numbers[SAVED_MAX]; /* of DWARF */
} layouts[] = {
  /* struct ucontext up to uc_mcontext; r8 to r15, rdi rsi rbp rbx rdx rax rcx
     rsp rip */
  { EM_X86_64,
    40,
    17,
    { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, IS_PC } },
  /* struct siginfo (128), struct ucontext up to uc_mcontext (176),
     fault_address */
  { EM_AARCH64, 128 + 176 + 8, 33, { 0,  1,  2,  3,  4,  5,    6,  7,  8,
                                     9,  10, 11, 12, 13, 14,   15, 16, 17,
                                     18, 19, 20, 21, 22, 23,   24, 25, 26,
                                     27, 28, 29, 30, 31, IS_PC } },
  /* what the handler may save (160), the system call, struct siginfo (128),
     struct ucontext up to uc_mcontext (40) */
  { EM_S390,
    160 + 8 + 128 + 40,
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

/* Whether PC is at the first or at the last instruction of one of the N
   CODES.  */
static bool
is_at (struct process *process, uint64_t pc, const struct code_bytes *codes,
       size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (codes[i].machine == process->arch->e_machine
        && (has_bytes (process, &codes[i], pc)
            || (codes[i].last > 0
                && has_bytes (process, &codes[i], pc - codes[i].last))))
      return true;
  return false;
}

static bool
read_saved (struct process *process, const struct saved_layout *layout,
            struct registers *registers)
{
  uint8_t words[SAVED_MAX * sizeof (uint64_t)];
  uint64_t sp = registers->values[process->arch->sp];
  if (!memory_read (&process->memory, sp + layout->offset, words,
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
  if (!is_at (process, registers->pc, returns,
              sizeof returns / sizeof *returns))
    return false;
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    if (layouts[i].machine == arch->e_machine
        && read_saved (process, &layouts[i], registers))
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
  return is_at (process, pc, ends, sizeof ends / sizeof *ends);
}

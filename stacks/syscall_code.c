/* Code that makes a system call, recognised by its bytes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The numbers of system calls and the registers that the kernel saves for a
   signal are the kernel's interface (Linux,
   arch/.../include/uapi/asm/unistd.h, sigcontext.h, ucontext.h).  */

#include "stacks/steps.h"

#include <elf.h>
#include <string.h>

enum
{
  CODE_MAX = 21
};

struct code_bytes
{
  uint16_t machine; /* EM_* */
  uint8_t size;
  uint8_t last; /* offset of the last instruction; 0: PC is at the first one */
  uint8_t bytes[CODE_MAX];
  /* Of rt_sigreturn: where the kernel has saved the registers, in bytes above
     the SP that a handler returns with.  */
  uint16_t saved;
};

/* rt_sigreturn.  Between SP and the saved registers are: on x86-64, struct
   ucontext up to uc_mcontext; on AArch64, struct siginfo (128), struct
   ucontext up to uc_mcontext (176), fault_address; on s390x, an area where the
   handler may save registers (160), the system call, struct siginfo (128),
   struct ucontext up to uc_mcontext (40), or a struct sigcontext (16).  */
static const struct code_bytes sigreturns[] = {
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

/* exit, with the return value of the call before it.  */
static const struct code_bytes exits[] = {
  /* mov %eax, %edi; xor %eax, %eax; mov $60, %al; syscall */
  { EM_X86_64, 8, 0, { 0x89, 0xc7, 0x31, 0xc0, 0xb0, 60, 0x0f, 0x05 }, 0 },
  /* mov %eax, %edi; mov $60, %eax; syscall */
  { EM_X86_64, 9, 0, { 0x89, 0xc7, 0xb8, 60, 0, 0, 0, 0x0f, 0x05 }, 0 },
  /* mov x8, #93; svc #0 */
  { EM_AARCH64, 8, 0, { 0xa8, 0x0b, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }, 0 },
  /* svc 1 */
  { EM_S390, 2, 0, { 0x0a, 1 }, 0 },
};

/* clone and clone3, from the system call on.  The call returns in both
   threads.  The new thread gets 0, clears the frame pointer, as the ABI has it
   in the outermost frame, and calls its function.  Up to the instruction at
   LAST, the other thread may be in that code, too.  */
static const struct code_bytes clones[] = {
  /* glibc: test %rax, %rax; jl; je .+3; ret; xor %ebp, %ebp; pop %rax;
     pop %rdi; call *%rax */
  { EM_X86_64,
    16,
    10,
    { 0x0f, 0x05, 0x48, 0x85, 0xc0, 0x7c, 0x13, 0x74, 0x01, 0xc3, 0x31, 0xed,
      0x58, 0x5f, 0xff, 0xd0 },
    0 },
  /* the same with and $-16, %rsp; mov %r8, %rdi; call *%rdx instead of pop
     %rax; pop %rdi; call *%rax */
  { EM_X86_64,
    21,
    10,
    { 0x0f, 0x05, 0x48, 0x85, 0xc0, 0x7c, 0x18, 0x74, 0x01, 0xc3, 0x31,
      0xed, 0x48, 0x83, 0xe4, 0xf0, 0x4c, 0x89, 0xc7, 0xff, 0xd2 },
    0 },
  /* musl: test %eax, %eax; jne; xor %ebp, %ebp; pop %rdi; call *%r9 */
  { EM_X86_64,
    12,
    6,
    { 0x0f, 0x05, 0x85, 0xc0, 0x75, 0x0f, 0x31, 0xed, 0x5f, 0x41, 0xff, 0xd1 },
    0 },
};

/* vfork of musl, behind pop %rdx, which removes the return address from the
   stack that the child continues to use: mov $58, %eax; syscall; push %rdx */
static const struct code_bytes vforks[] = {
  { EM_X86_64, 8, 0, { 0xb8, 58, 0, 0, 0, 0x0f, 0x05, 0x52 }, 0 },
};

static bool
has_bytes (struct process *process, const struct code_bytes *code,
           uint64_t address)
{
  uint8_t bytes[CODE_MAX];
  return process_read_code (process, address, bytes, code->size)
         && memcmp (bytes, code->bytes, code->size) == 0;
}

/* Return the code with PC at its first or last instruction, or NULL.  */
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

static const struct code_bytes *
sigreturn_at (struct process *process, uint64_t pc)
{
  return code_at (process, pc, sigreturns,
                  sizeof sigreturns / sizeof *sigreturns);
}

bool
syscall_code_is_sigreturn (struct process *process, uint64_t pc)
{
  return sigreturn_at (process, pc) != NULL;
}

bool
syscall_code_step (struct process *process, struct registers *registers)
{
  const struct arch *arch = process->arch;
  const struct code_bytes *code = sigreturn_at (process, registers->pc);
  uint8_t words[REGISTER_WORDS_MAX * sizeof (uint64_t)];
  if (code == NULL
      || !memory_read (
          &process->memory, registers->values[arch->sp] + code->saved, words,
          registers_words (arch, ORDER_SIGNAL) * sizeof (uint64_t)))
    return false;
  registers_decode (arch, ORDER_SIGNAL, words, UINT64_MAX, registers);
  return true;
}

bool
syscall_code_ends_thread (struct process *process, uint64_t pc)
{
  return code_at (process, pc, exits, sizeof exits / sizeof *exits) != NULL;
}

enum
{
  /* DWARF numbers on x86-64.  */
  RAX = 0,
  RDX = 1,
  RSP = 7,
  RIP = 16,
  SYSCALL = 2 /* bytes */
};

/* Return the one of the N CODES that has PC at any of its instructions, and
   set *AT to the offset of PC; or NULL.  */
static const struct code_bytes *
code_around (struct process *process, uint64_t pc,
             const struct code_bytes *codes, size_t n, unsigned *at)
{
  for (size_t i = 0; i < n; i++)
    for (*at = 0; *at < codes[i].size; ++*at)
      if (codes[i].machine == process->arch->e_machine
          && has_bytes (process, &codes[i], pc - *at))
        return &codes[i];
  return NULL;
}

static const struct code_bytes *
clone_around (struct process *process, uint64_t pc, unsigned *at)
{
  return code_around (process, pc, clones, sizeof clones / sizeof *clones, at);
}

bool
syscall_code_begins_thread (struct process *process,
                            const struct registers *registers)
{
  unsigned at;
  return registers->values[RAX] == 0
         && clone_around (process, registers->pc, &at) != NULL
         && at >= SYSCALL;
}

bool
syscall_code_rules (struct process *process, const struct registers *registers,
                    struct register_rules *rules)
{
  unsigned at;
  if (!process_is_file_at (process, registers->pc))
    return false;
  const struct code_bytes *clone = clone_around (process, registers->pc, &at);
  bool called
      = clone != NULL && at < clone->last && registers->values[RAX] != 0;
  *rules = (struct register_rules){ .cfa = { REGISTER_SUM, .number = RSP },
                                    .ra = RIP };
  if (called)
    {
      rules->cfa.offset = sizeof (uint64_t);
      rules->registers[RIP]
          = (struct register_rule){ REGISTER_AT_CFA,
                                    .offset = -sizeof (uint64_t) };
    }
  else
    rules->registers[RIP]
        = (struct register_rule){ REGISTER_SUM, .number = RDX };
  return called
         || code_around (process, registers->pc, vforks,
                         sizeof vforks / sizeof *vforks, &at)
                != NULL;
}

/* libsframewalk: walking stacks by SFrame data.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For profilers, crash reporters and runtimes: from registers to return
   addresses, by the .sframe sections of the code, V1 to V3, of x86-64, AArch64
   and s390x.  The library needs the C library and nothing else.

   Addresses, sizes and offsets are bytes.  Sections and stacks may be hostile:
   nothing outside of them is read, and every walk ends.  A frame takes time in
   proportion to the rows of its function.  Functions marked
   "handler" are async-signal-safe: they neither allocate nor lock nor touch
   errno, and may be called in a thread, a signal handler or a child after
   fork.  Strings that are returned are constants.  */

#ifndef SFRAMEWALK_H
#define SFRAMEWALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif
#if defined __GNUC__
#  define SFW_API __attribute__ ((visibility ("default")))
#else
#  define SFW_API
#endif

  /* Why a walk, a step or a lookup ended.  */
  enum sfw_end
  {
    SFW_MORE,        /* it did not: there is a caller, or a row */
    SFW_OUTERMOST,   /* nothing called this: the row says so */
    SFW_ZERO,        /* the return address is 0 */
    SFW_NO_SECTION,  /* no module with SFrame data has this address */
    SFW_NO_ROW,      /* the section does not describe this code */
    SFW_BAD_SECTION, /* it contradicts itself, or is not known */
    SFW_REGISTER,    /* the row needs a register that is not known here */
    SFW_MEMORY,      /* the stack cannot be read */
    SFW_NO_PROGRESS, /* SP would not get nearer to the outermost frame */
    SFW_INVALID      /* wrong use of the library */
  };

  /* Explanation of an END; NULL for a number that is none.  Handler.  */
  SFW_API const char *sfw_end_text (enum sfw_end end);

  /* A .sframe section: SIZE BYTES, which the program has at ADDRESS.  */
  struct sfw_section
  {
    const void *bytes;
    size_t size;
    uint64_t address;
  };

  /* How a value of the caller is found.  */
  enum sfw_rule_kind
  {
    SFW_UNDEFINED, /* no value; of the return address: end of stack */
    SFW_SAME,      /* unchanged */
    SFW_REG,       /* register + offset */
    SFW_DEREF_REG, /* the word at register + offset */
    SFW_CFA,       /* CFA + offset */
    SFW_DEREF_CFA, /* the word at CFA + offset */
    SFW_UNKNOWN    /* in a way that is not known */
  };
  struct sfw_rule
  {
    uint8_t kind; /* enum sfw_rule_kind */
    uint16_t reg; /* DWARF number */
    int32_t offset;
  };
  struct sfw_row
  {
    struct sfw_rule cfa, ra, fp;
    uint8_t abi;    /* of the SFrame header */
    bool signal;    /* of a signal trampoline */
    bool ra_signed; /* AArch64: the return address has a signature */
  };

  /* Find the row of the code at PC: SFW_MORE, SFW_NO_ROW or SFW_BAD_SECTION,
     which a function of more than 262,144 rows is, too.  A section that is not
     sorted takes time in proportion to its functions.  Handler.  */
  SFW_API enum sfw_end sfw_lookup (const struct sfw_section *section,
                                   uint64_t pc, struct sfw_row *row);

  /* A frame.  Of an innermost one, or one that a signal interrupted, PC is the
     next instruction; otherwise it is a return address.  An FP that could not
     be read is 2^63, which is not an address: in epilogues its slot is below
     SP, where copies of stacks do not reach, and few callers need it.  */
  struct sfw_frame
  {
    uint64_t pc, sp,
        fp; /* rip, rsp, rbp; pc, sp, x29; PSW address, r15, r11 */
    bool interrupted;
    bool has_ra; /* RA (x30, r14) is known: of innermost frames only */
    uint64_t ra;
    const uint64_t
        *registers; /* by DWARF number, of innermost frames; or NULL */
    size_t n_registers;
    unsigned
        stack_changes; /* how often SP went down, behind signal handlers */
  };

  /* What can be read of the program's memory: the addresses from LOW up to
     HIGH, which are at BYTES here (the stack itself, or a copy); and what READ
     copies, unless it is NULL: also the code in front of a return address, if
     a row begins there, which tells whether a call ends there.  PAC_MASK: the
     bits of signatures in AArch64 addresses; 0 stands for 48 to 63 without 55.
   */
  struct sfw_memory
  {
    const void *bytes;
    uint64_t low, high;
    bool (*read) (void *context, uint64_t address, void *to, size_t size);
    void *context;
    uint64_t pac_mask;
  };

  /* Replace FRAME by its caller's, by the rows of SECTION, in which its code
     is.  FRAME stays as it is unless the result is SFW_MORE.  Handler, if
     memory->read may be called in one.  */
  SFW_API enum sfw_end sfw_step (const struct sfw_section *section,
                                 const struct sfw_memory *memory,
                                 struct sfw_frame *frame);

  /* Tables of modules.  Changes are made under a lock and published at once;
     walks go on with what they began with.  Sections are copied: a module that
     is unloaded takes nothing with it.  */
  struct sfw_modules;

  /* An empty table, or NULL with errno.  */
  SFW_API struct sfw_modules *sfw_modules_new (void);
  /* No walker of it may be used any more.  */
  SFW_API void sfw_modules_free (struct sfw_modules *modules);

  /* Bring the table up to date with what the dynamic linker has loaded: to be
     called after dlopen and dlclose.  Quick when there is nothing new.  What
     was added by hand stays.  False with errno.  */
  SFW_API bool sfw_modules_update (struct sfw_modules *modules);

  /* Bring the table up to date with /proc/PID/maps.  Its files are read, and
     of their sections 1 GiB in all.  */
  SFW_API bool sfw_modules_read_maps (struct sfw_modules *modules, int pid);

  /* The code from START up to END has SECTION, which may be NULL.  False with
     errno: EINVAL if the range is empty, or the section cannot be read or is
     not sorted; EEXIST if the table has code there.  */
  SFW_API bool sfw_modules_add (struct sfw_modules *modules, uint64_t start,
                                uint64_t end,
                                const struct sfw_section *section);
  /* Take out what starts at START.  False with errno: ENOENT
     if nothing does.  */
  SFW_API bool sfw_modules_remove (struct sfw_modules *modules,
                                   uint64_t start);

  /* A number that is another one after every change.  Handler.  */
  SFW_API unsigned long
  sfw_modules_generation (const struct sfw_modules *modules);

  /* Find the row of the code at PC, as sfw_lookup.  Handler.  */
  SFW_API enum sfw_end sfw_modules_lookup (struct sfw_modules *modules,
                                           uint64_t pc, struct sfw_row *row);

  /* What walks remember, in memory of the caller: of one thread each.  A walk
     that finds its walker in use, as in a handler that interrupts one,
     remembers nothing.  */
  struct sfw_walker;

  /* Called where the table has no row for FRAME: to replace FRAME by its
     caller's (by frame pointers, by a JIT's tables, by DWARF) and return true,
     or to return false.  SP must go up.  */
  typedef bool sfw_fallback (void *context, struct sfw_frame *frame,
                             const struct sfw_memory *memory);

  /* How many bytes a walker takes.  */
  SFW_API size_t sfw_walker_size (void);
  /* Make a walker of the SIZE bytes of MEMORY, aligned as malloc does; NULL if
     they are too few.  Nothing needs to be undone.  Handler.  */
  SFW_API struct sfw_walker *sfw_walker_init (void *memory, size_t size,
                                              struct sfw_modules *modules);
  /* A walker for the calling thread, which knows the limits of its stack; to
     be freed by free ().  NULL with errno.  */
  SFW_API struct sfw_walker *sfw_walker_new (struct sfw_modules *modules);
  SFW_API void sfw_walker_set_fallback (struct sfw_walker *walker,
                                        sfw_fallback *fallback, void *context);
  /* The limits of the calling thread's stack, for sfw_here and sfw_ucontext,
     which ask the kernel about every page of stacks without known limits.  Not
     in a handler.  */
  SFW_API bool sfw_walker_set_thread (struct sfw_walker *walker);

  enum
  {
    SFW_MARK_INTERRUPTED = 1, /* the address is the next instruction */
    SFW_MARK_FALLBACK = 2,    /* the fallback found this frame */
    SFW_MARK_NO_CALL = 4      /* the address is the next instruction: no call
                                 ends there, as in a coroutine's first frame */
  };

  /* Walk from FRAME on: PC and return addresses to ADDRESSES, at most MAX, and
     their marks to MARKS, unless it is NULL.  Returns their number; *END
     (which may be NULL) says why there are not more, SFW_MORE that MAX was
     reached.  FRAME is the last one then.  Handler, if what it calls may be.
   */
  SFW_API size_t sfw_walk (struct sfw_walker *walker,
                           const struct sfw_memory *memory,
                           struct sfw_frame *frame, uint64_t *addresses,
                           uint8_t *marks, size_t max, enum sfw_end *end);

  /* Walk from the caller of this function on.  Handler.  */
  SFW_API size_t sfw_here (struct sfw_walker *walker, uint64_t *addresses,
                           uint8_t *marks, size_t max, enum sfw_end *end);

  /* Walk from what a signal handler of this thread gets as its third argument.
     Handler.  */
  SFW_API size_t sfw_ucontext (struct sfw_walker *walker, const void *ucontext,
                               uint64_t *addresses, uint8_t *marks, size_t max,
                               enum sfw_end *end);

  /* As backtrace () of glibc.  The first call of a thread makes its walker,
     and the first one of all lists the modules: call it once in each thread
     before a handler does.  */
  SFW_API int sfw_backtrace (void **addresses, int max);
  /* After dlopen and dlclose.  False with errno.  */
  SFW_API bool sfw_backtrace_update (void);

#ifdef __cplusplus
}
#endif

#endif /* SFRAMEWALK_H */

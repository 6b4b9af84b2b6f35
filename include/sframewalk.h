/* libsframewalk: walking stacks by SFrame data.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The library finds the return addresses of a stack from its registers, by the
   .sframe sections of the code: versions 1 to 3, of x86-64, AArch64 and s390x.
   It is for profilers, crash reporters and runtimes, and needs nothing but the
   C library.

   Sizes and offsets are in bytes.  Sections and stacks may be hostile: nothing
   outside of them is read, and every walk ends.  A frame takes time in
   proportion to the rows of its function.  A function whose comment says
   "Handler." is async-signal-safe: it does not allocate, lock, or change
   errno, and may be called in a thread, a signal handler or a child after
   fork.  Strings that functions return are constants.  */

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
    SFW_MORE,        /* it has not ended: there is a caller or a row */
    SFW_OUTERMOST,   /* the row says that the frame has no caller */
    SFW_ZERO,        /* the return address is 0 */
    SFW_NO_SECTION,  /* no module with SFrame data has this address */
    SFW_NO_ROW,      /* the section does not describe this code */
    SFW_BAD_SECTION, /* it contradicts itself, or is of a new version */
    SFW_REGISTER,    /* the row needs a register that is not known here */
    SFW_MEMORY,      /* the stack cannot be read */
    SFW_NO_PROGRESS, /* SP would not get nearer to the outermost frame */
    SFW_INVALID      /* wrong use of the library */
  };

  /* Return an explanation of END, or NULL for any other number.  Handler.  */
  SFW_API const char *sfw_end_text (enum sfw_end end);

  /* An .sframe section: SIZE bytes at BYTES.  The program has it at ADDRESS.
   */
  struct sfw_section
  {
    const void *bytes;
    size_t size;
    uint64_t address;
  };

  /* How a value of the caller is found.  */
  enum sfw_rule_kind
  {
    SFW_UNDEFINED, /* no value; for the return address: outermost frame */
    SFW_SAME,      /* unchanged */
    SFW_REG,       /* register + offset */
    SFW_DEREF_REG, /* the word at register + offset */
    SFW_CFA,       /* CFA + offset */
    SFW_DEREF_CFA, /* the word at CFA + offset */
    SFW_UNKNOWN    /* by a rule that this library does not know */
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

  /* Find the row of the code at PC.  Return SFW_MORE, SFW_NO_ROW or
     SFW_BAD_SECTION, also for a function with more than 262,144 rows.  In a
     section that is not sorted a lookup takes time in proportion to the number
     of functions.  Handler.  */
  SFW_API enum sfw_end sfw_lookup (const struct sfw_section *section,
                                   uint64_t pc, struct sfw_row *row);

  /* A frame.  In the innermost frame, and in one that a signal interrupted, PC
     is the next instruction; in all others PC is a return address.  If FP
     could not be read, it is 2^63, which is no address.  This happens in
     epilogues, where the slot of FP is below SP and so outside of copies of
     stacks; few callers need it.  */
  struct sfw_frame
  {
    uint64_t pc, sp,
        fp; /* rip, rsp, rbp; pc, sp, x29; PSW address, r15, r11 */
    bool interrupted;
    bool has_ra; /* RA (x30, r14) is known: in innermost frames only */
    uint64_t ra;
    const uint64_t
        *registers; /* by DWARF number, in innermost frames; or NULL */
    size_t n_registers;
    unsigned stack_changes; /* how often SP was lowered: at signal handlers */
  };

  /* The memory of the program.  The addresses from LOW up to HIGH are at
     BYTES: the stack itself, or a copy.  READ, unless it is NULL, reads all
     other addresses.  It also reads the code in front of a return address
     where a row begins, which tells whether a call ends there.  PAC_MASK has
     the bits of signatures in AArch64 addresses; 0 means bits 48 to 63
     without 55.  */
  struct sfw_memory
  {
    const void *bytes;
    uint64_t low, high;
    bool (*read) (void *context, uint64_t address, void *to, size_t size);
    void *context;
    uint64_t pac_mask;
  };

  /* Replace FRAME by its caller's, by the rows of SECTION, which describes the
     code of FRAME.  FRAME is unchanged unless the result is SFW_MORE. Handler,
     if memory->read may be called in one.  */
  SFW_API enum sfw_end sfw_step (const struct sfw_section *section,
                                 const struct sfw_memory *memory,
                                 struct sfw_frame *frame);

  /* A table of modules.  Changes are made under a lock, and published as a
     whole; a walk uses the same table from its beginning to its end.  The
     table has copies of sections, so a module may be unloaded.  */
  struct sfw_modules;

  /* Return an empty table, or NULL with errno.  */
  SFW_API struct sfw_modules *sfw_modules_new (void);
  /* Free MODULES.  No walker for MODULES may be used afterwards.  */
  SFW_API void sfw_modules_free (struct sfw_modules *modules);

  /* Update the table by the list of files that the dynamic linker has loaded.
     Call it after dlopen and dlclose.  It is fast if nothing has changed.
     What sfw_modules_add has added stays.  False with errno.  */
  SFW_API bool sfw_modules_update (struct sfw_modules *modules);

  /* Update the table by /proc/PID/maps.  The sections of these files are read,
     at most 1 GiB in all.  False with errno.  */
  SFW_API bool sfw_modules_read_maps (struct sfw_modules *modules, int pid);

  /* Add the code from START up to END, which SECTION (may be NULL) describes.
     False with errno: EINVAL if the range is empty, or if the section cannot
     be read or is not sorted; EEXIST if the table has code there.  */
  SFW_API bool sfw_modules_add (struct sfw_modules *modules, uint64_t start,
                                uint64_t end,
                                const struct sfw_section *section);
  /* Remove the code that starts at START.  False with errno: ENOENT if there
     is none.  */
  SFW_API bool sfw_modules_remove (struct sfw_modules *modules,
                                   uint64_t start);

  /* Return a number that every change of the table changes.  Handler.  */
  SFW_API unsigned long
  sfw_modules_generation (const struct sfw_modules *modules);

  /* Find the row of the code at PC, as sfw_lookup.  Handler.  */
  SFW_API enum sfw_end sfw_modules_lookup (struct sfw_modules *modules,
                                           uint64_t pc, struct sfw_row *row);

  /* What a thread's walks cache for the next ones, in memory of the caller.
     Each thread has a walker of its own.  If the walker is in use, as in a
     handler that interrupts a walk, the walk caches nothing.  */
  struct sfw_walker;

  /* A function that is called where the table has no row for FRAME.  It
     replaces FRAME by its caller's (by frame pointers, by the tables of a
     just-in-time compiler, by DWARF) and returns true, or it returns false.
     SP must increase.  */
  typedef bool sfw_fallback (void *context, struct sfw_frame *frame,
                             const struct sfw_memory *memory);

  /* Return the size of a walker.  */
  SFW_API size_t sfw_walker_size (void);
  /* Make a walker in MEMORY, SIZE bytes that are aligned as those of malloc.
     NULL if SIZE is too small.  The walker need not be freed.  Handler.  */
  SFW_API struct sfw_walker *sfw_walker_init (void *memory, size_t size,
                                              struct sfw_modules *modules);
  /* Make a walker for the calling thread, with the limits of its stack.  The
     caller frees it by free ().  NULL with errno.  */
  SFW_API struct sfw_walker *sfw_walker_new (struct sfw_modules *modules);
  SFW_API void sfw_walker_set_fallback (struct sfw_walker *walker,
                                        sfw_fallback *fallback, void *context);
  /* Set the limits of the calling thread's stack, for sfw_here and
     sfw_ucontext: without known limits they ask the kernel about every page of
     a stack.  Not in a handler.  */
  SFW_API bool sfw_walker_set_thread (struct sfw_walker *walker);

  enum
  {
    SFW_MARK_INTERRUPTED = 1, /* the address is the next instruction */
    SFW_MARK_FALLBACK = 2,    /* the fallback found this frame */
    SFW_MARK_NO_CALL = 4      /* the address is the next instruction: no call
                                 ends there, as in a coroutine's first frame */
  };

  /* Walk from FRAME on.  Write PC and the return addresses to ADDRESSES, at
     most MAX of them, and their marks to MARKS, unless it is NULL.  Return
     their number.  *END (may be NULL) says why the walk ended; SFW_MORE means
     that MAX was reached.  FRAME becomes the last frame.  Handler, if
     memory->read and the fallback may be called in one.  */
  SFW_API size_t sfw_walk (struct sfw_walker *walker,
                           const struct sfw_memory *memory,
                           struct sfw_frame *frame, uint64_t *addresses,
                           uint8_t *marks, size_t max, enum sfw_end *end);

  /* Walk from the caller of this function on.  Handler.  */
  SFW_API size_t sfw_here (struct sfw_walker *walker, uint64_t *addresses,
                           uint8_t *marks, size_t max, enum sfw_end *end);

  /* Walk from UCONTEXT on, the third argument of a signal handler of this
     thread.  Handler.  */
  SFW_API size_t sfw_ucontext (struct sfw_walker *walker, const void *ucontext,
                               uint64_t *addresses, uint8_t *marks, size_t max,
                               enum sfw_end *end);

  /* As backtrace () of glibc.  The first call in a thread makes its walker,
     and the first call of all lists the modules.  So call it once in each
     thread before a handler calls it.  */
  SFW_API int sfw_backtrace (void **addresses, int max);
  /* Update the list of modules, after dlopen and dlclose.  False with errno.
   */
  SFW_API bool sfw_backtrace_update (void);

#ifdef __cplusplus
}
#endif

#endif /* SFRAMEWALK_H */

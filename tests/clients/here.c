/* Reading the stack of the program itself, in every way there is.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "here.h"
#include "sframe/decode.h"
#include "tests/sframe_lookup.h"
#include "walk/apply.h"

#ifndef PT_GNU_SFRAME
#  define PT_GNU_SFRAME 0x6474e554
#endif

enum
{
  FRAMES_MAX = 2048,
  CAUSES_MAX = 64,
  TRAP_FLAG = 0x100, /* of EFLAGS: Intel SDM volume 1, 3.4.3.3 */
  PATIENCE = 300     /* seconds until a case counts as stuck */
};

/* Where a reader could not go on.  */
struct cause
{
  uint64_t count;
  char text[96];
};

struct counts
{
  uint64_t stops;
  uint64_t glibc_equal, glibc_fallback, glibc_ended, glibc_different;
  uint64_t own_equal, own_short, own_different;
  uint64_t dwarf_short; /* a reader got further than CFI leads */
  struct cause causes[CAUSES_MAX];
};

static struct counts *counts; /* shared with the parent */
static bool with_glibc;
static volatile long steps_left;
/* A signal may come in the middle of a check, and after every one of its
   instructions.  */
static __thread volatile bool checks;

/* One list of return addresses.  */
struct trace
{
  void *pcs[FRAMES_MAX];
  int n;
};

/* A walk by rows.  */
struct walk
{
  uint64_t pcs[FRAMES_MAX];
  size_t n;
  enum sfw_end end;
};

/* Big, and one for each thread.  */
static __thread struct trace by_dwarf, by_glibc;
static __thread struct walk by_row;

/* Counting.  */

static void
count (uint64_t *counter)
{
  __atomic_fetch_add (counter, 1, __ATOMIC_RELAXED);
}

static void
count_cause (const char *format, ...)
{
  char text[sizeof counts->causes[0].text];
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (text, sizeof text, format, arguments);
  va_end (arguments);
  for (size_t i = 0; i < CAUSES_MAX; i++)
    {
      struct cause *cause = &counts->causes[i];
      if (cause->count == 0)
        strcpy (cause->text, text);
      if (strcmp (cause->text, text) == 0)
        {
          count (&cause->count);
          return;
        }
    }
}

/* The modules of this process.  */

static bool
is_program (const struct dl_find_object *object)
{
  const char *name = object->dlfo_link_map->l_name;
  return name == NULL || *name == '\0';
}

/* The program header of TYPE.  Libraries have theirs in their first mapping;
   that of a static program may begin with code.  */
static const Elf64_Phdr *
find_header (const struct dl_find_object *object, unsigned type)
{
  const Elf64_Ehdr *elf = object->dlfo_map_start;
  bool program = is_program (object);
  const Elf64_Phdr *header
      = program ? (const Elf64_Phdr *)getauxval (AT_PHDR)
                : (const Elf64_Phdr *)((const char *)elf + elf->e_phoff);
  size_t n = program ? getauxval (AT_PHNUM) : elf->e_phnum;
  for (size_t i = 0; i < n; i++)
    if (header[i].p_type == type)
      return &header[i];
  return NULL;
}

static const char *
name_of (const struct dl_find_object *object)
{
  if (is_program (object))
    return "program";
  const char *path = object->dlfo_link_map->l_name;
  const char *slash = strrchr (path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Its section as it is in memory.  */
static bool
find_section (uint64_t pc, struct sfw_section *section)
{
  struct dl_find_object object;
  if (_dl_find_object ((void *)pc, &object) != 0)
    return false;
  const Elf64_Phdr *header = find_header (&object, PT_GNU_SFRAME);
  if (header == NULL || header->p_memsz == 0)
    return false;
  uint64_t address = object.dlfo_link_map->l_addr + header->p_vaddr;
  *section = (struct sfw_section){ (const void *)address, header->p_memsz,
                                   address };
  return true;
}

static bool
read_memory (void *context, uint64_t address, void *to, size_t size)
{
  (void)context;
  struct iovec here = { to, size };
  struct iovec there = { (void *)address, size };
  return process_vm_readv (getpid (), &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* The walks.  */

static _Unwind_Reason_Code
take_frame (struct _Unwind_Context *context, void *argument)
{
  struct trace *trace = argument;
  if (trace->n == FRAMES_MAX)
    return _URC_END_OF_STACK;
  trace->pcs[trace->n++] = (void *)_Unwind_GetIP (context);
  return _URC_NO_REASON;
}

static void
walk_dwarf (struct trace *trace)
{
  trace->n = 0;
  _Unwind_Backtrace (take_frame, trace);
  /* Above the outermost frame it finds the address 0.  */
  while (trace->n > 0 && trace->pcs[trace->n - 1] == NULL)
    trace->n--;
}

/* Every frame is taken for an innermost one, so that return addresses
   themselves are looked up.  */
static void
walk_rows (struct walk *walk)
{
  const struct sfw_memory memory = { .read = read_memory };
  struct sfw_section section;
  ucontext_t context;
  getcontext (&context);
  struct sfw_frame frame
      = { .pc = (uint64_t)context.uc_mcontext.gregs[REG_RIP],
          .sp = (uint64_t)context.uc_mcontext.gregs[REG_RSP],
          .fp = (uint64_t)context.uc_mcontext.gregs[REG_RBP],
          .interrupted = true };
  walk->n = 0;
  walk->end = SFW_MORE;
  while (walk->n < FRAMES_MAX && walk->end == SFW_MORE)
    {
      walk->pcs[walk->n++] = frame.pc;
      walk->end = find_section (frame.pc, &section)
                      ? sfw_step (&section, &memory, &frame)
                      : SFW_NO_SECTION;
      frame.interrupted = true;
    }
}

/* Comparing.  Each list has an address in this file in front, or two.  */

/* The first address of a list that is not in this function.  */
static int
skip_own (void *const *pcs, int n, void *caller)
{
  int i = 0;
  while (i < n && pcs[i] != caller)
    i++;
  return i;
}

static void
describe (const char *reader, const char *what, uint64_t pc)
{
  struct dl_find_object object;
  if (_dl_find_object ((void *)pc, &object) != 0)
    count_cause ("%s:%s:none+%#lx", reader, what, pc);
  else
    count_cause ("%s:%s:%s+%#lx", reader, what, name_of (&object),
                 pc - (uint64_t)object.dlfo_map_start);
}

/* Whether PC is behind a signal handler: glibc's reader knows the trampoline
   by its instructions, mov $15,%rax; syscall.  */
static bool
is_trampoline (uint64_t pc)
{
  static const unsigned char code[]
      = { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 };
  uint64_t words[2] = { 0 };
  return read_memory (NULL, pc, words, sizeof words)
         && memcmp (words, code, sizeof code) == 0;
}

/* Whether PC, which has no row, was left out because it is a return address,
   too: there is a row for the next byte, where a function starts.  */
static bool
is_left_out (const struct sfw_section *section, uint64_t pc)
{
  struct sframe_decoder decoder;
  struct sframe_fde function;
  struct sframe_row row;
  struct error err;
  return sframe_decoder_open (&decoder, section->bytes, section->size,
                              section->address, &err)
         && sframe_decoder_lookup (&decoder, pc + 1, &function, &row, &err) > 0
         && function.address == pc + 1;
}

/* Why there is no row for PC, or NULL if there is one.  */
static const char *
why_no_row (uint64_t pc)
{
  struct dl_find_object object;
  struct sfw_section section;
  struct sfw_row row;
  if (_dl_find_object ((void *)pc, &object) != 0)
    return "no-module";
  if (strncmp (name_of (&object), "linux-vdso", 10) == 0)
    return "vdso";
  if (!find_section (pc, &section))
    return "no-section";
  if (sfw_lookup (&section, pc, &row) == SFW_MORE)
    return NULL;
  return is_left_out (&section, pc) ? "return-address" : "no-row";
}

/* Why did the reader give up?  The first frame that no row describes.  */
static void
explain_fallback (const struct trace *truth, int from)
{
  for (int i = from; i < truth->n; i++)
    {
      uint64_t pc = (uint64_t)truth->pcs[i];
      const char *why = is_trampoline (pc) ? NULL : why_no_row (pc);
      if (why != NULL)
        {
          describe ("glibc", why, pc);
          return;
        }
    }
  describe ("glibc", "other", (uint64_t)truth->pcs[from]);
}

/* How many of N addresses from both lists on are the same.  */
static int
common (void *const *a, void *const *b, int n)
{
  int i = 0;
  while (i < n && a[i] == b[i])
    i++;
  return i;
}

/* Whether there is code at PC.  */
static bool
is_code (uint64_t pc)
{
  struct dl_find_object object;
  if (_dl_find_object ((void *)pc, &object) != 0)
    return false;
  bool program = is_program (&object);
  const Elf64_Phdr *header = find_header (&object, PT_LOAD);
  const Elf64_Ehdr *elf = object.dlfo_map_start;
  const Elf64_Phdr *end
      = header + (program ? getauxval (AT_PHNUM) : elf->e_phnum);
  for (; header != NULL && header->p_type == PT_LOAD && header < end; header++)
    if ((header->p_flags & PF_X) != 0
        && pc - object.dlfo_link_map->l_addr - header->p_vaddr
               < header->p_memsz)
      return true;
  return false;
}

static void
judge_glibc (const struct trace *truth, int from, void *caller)
{
  struct trace *trace = &by_glibc;
  if (trace->n == 0)
    {
      count (&counts->glibc_fallback);
      explain_fallback (truth, from);
      return;
    }
  int first = skip_own (trace->pcs, trace->n, caller);
  int n = truth->n - from, m = trace->n - first;
  int same = common (truth->pcs + from, trace->pcs + first, n < m ? n : m);
  if (same == n && same == m)
    count (&counts->glibc_equal);
  else if (same == n || !is_code ((uint64_t)truth->pcs[from + same]))
    /* No CFI; or DWARF goes astray.  It does at the `ret' by which libgcc gets
       to a landing pad: in front of that is not a call.  */
    count (&counts->dwarf_short);
  else
    {
      /* The reader takes code without a row for the outermost frame where the
         frame pointer happens to be 0.  */
      uint64_t last = (uint64_t)truth->pcs[from + (same > 0 ? same - 1 : 0)];
      bool ended = same == m && why_no_row (last) != NULL;
      count (ended ? &counts->glibc_ended : &counts->glibc_different);
      describe ("glibc", ended ? "ended" : "different", last);
    }
}

/* Ends that a reader knows not to be the outermost frame.  Memory
   that cannot be read was a wrong row.  */
static bool
is_honest (enum sfw_end end)
{
  return end == SFW_MORE || end == SFW_NO_SECTION || end == SFW_NO_ROW
         || end == SFW_REGISTER;
}

static const char *
why_ended (const struct walk *walk)
{
  const char *why = why_no_row (walk->pcs[walk->n - 1]);
  return walk->end == SFW_MORE ? "limit"
         : why != NULL         ? why
                               : unwind_end_name (walk->end);
}

static void
judge_own (const struct trace *truth, int from, void *caller)
{
  const struct walk *walk = &by_row;
  size_t first = 0;
  while (first < walk->n && walk->pcs[first] != (uint64_t)caller)
    first++;
  size_t n = (size_t)(truth->n - from), m = walk->n - first, same = 0;
  while (same < n && same < m
         && walk->pcs[first + same] == (uint64_t)truth->pcs[from + same])
    same++;
  if (same == n && same == m)
    count (&counts->own_equal);
  else if (same == n)
    count (&counts->dwarf_short);
  else if (same == m && is_honest (walk->end))
    {
      count (&counts->own_short);
      describe ("own", why_ended (walk), walk->pcs[walk->n - 1]);
    }
  else
    {
      count (&counts->own_different);
      describe ("own", "different", walk->pcs[first + same - (same > 0)]);
    }
}

/* Compare all walks; CALLER is a return address, where their lists begin to
   be the same.  */
static __attribute__ ((noinline)) void
check (void *caller)
{
  count (&counts->stops);
  walk_dwarf (&by_dwarf);
  walk_rows (&by_row);
  if (with_glibc)
    by_glibc.n = backtrace (by_glibc.pcs, FRAMES_MAX);
  int from = skip_own (by_dwarf.pcs, by_dwarf.n, caller);
  judge_own (&by_dwarf, from, caller);
  if (with_glibc)
    judge_glibc (&by_dwarf, from, caller);
}

__attribute__ ((noinline)) void
here_check (void)
{
  void *caller = __builtin_return_address (0);
  /* Where every instruction is looked at, this one was.  */
  if (counts == NULL || checks || steps_left > 0)
    return;
  checks = true;
  check (caller);
  checks = false;
}

/* Signals.  */

void
here_last_signal (int number)
{
  (void)number;
  here_check ();
  _exit (0);
}

void
here_catch (int number)
{
  struct sigaction action = { .sa_handler = here_last_signal };
  sigaction (number, &action, NULL);
}

/* After every instruction the processor traps, as long as the flag is set.  */
static void
take_step (int number, siginfo_t *info, void *argument)
{
  (void)number;
  (void)info;
  ucontext_t *context = argument;
  if (!checks)
    {
      checks = true;
      check (__builtin_return_address (0));
      checks = false;
      steps_left--;
    }
  if (steps_left <= 0)
    context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
  else
    context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

void
here_step (void)
{
  const char *text = getenv ("CLIENTS_STEPS");
  struct sigaction action
      = { .sa_sigaction = take_step, .sa_flags = SA_SIGINFO };
  steps_left = text != NULL ? atol (text) : 0;
  if (steps_left <= 0 || sigaction (SIGTRAP, &action, NULL) != 0)
    return;
  raise (SIGTRAP);
}

/* Running cases.  Constructors may come before main.  */

__attribute__ ((constructor (101))) static void
prepare (void)
{
  void *shared = mmap (NULL, sizeof *counts, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  with_glibc = getenv ("CLIENTS_GLIBC") != NULL;
  if (shared != MAP_FAILED)
    counts = shared;
}

static int
report (const char *name, int status)
{
  int number = WIFSIGNALED (status) ? WTERMSIG (status) : WEXITSTATUS (status);
  printf ("%s status=%s%d stops=%lu glibc-equal=%lu glibc-fallback=%lu "
          "glibc-ended=%lu glibc-different=%lu own-equal=%lu own-short=%lu "
          "own-different=%lu "
          "dwarf-short=%lu",
          name, WIFSIGNALED (status) ? "signal-" : "", number, counts->stops,
          counts->glibc_equal, counts->glibc_fallback, counts->glibc_ended,
          counts->glibc_different, counts->own_equal, counts->own_short,
          counts->own_different, counts->dwarf_short);
  for (size_t i = 0; i < CAUSES_MAX && counts->causes[i].count > 0; i++)
    printf (" %s=%lu", counts->causes[i].text, counts->causes[i].count);
  printf ("\n");
  fflush (stdout);
  if (status != 0)
    return 2;
  return counts->glibc_different > 0 || counts->own_different > 0
         || counts->stops == 0;
}

static int
run_case (const struct here_case *one)
{
  int status;
  pid_t child = fork ();
  if (child == 0)
    {
      alarm (PATIENCE);
      one->run ();
      exit (0);
    }
  if (child < 0 || waitpid (child, &status, 0) != child)
    return 2;
  return report (one->name, status);
}

/* The linker's names for where the cases are.  */
extern const struct here_case __start_here_cases[], __stop_here_cases[];

int
main (int argc, char **argv)
{
  bool lists = argc < 2 || strcmp (argv[1], "list") == 0;
  for (const struct here_case *one = __start_here_cases;
       one < __stop_here_cases; one++)
    if (lists)
      puts (one->name);
    else if (strcmp (argv[1], one->name) == 0)
      _exit (run_case (one));
  fflush (stdout);
  _exit (lists ? 0 : 3);
}

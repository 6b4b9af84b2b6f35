/* living_qemu [--step=N] [--every=K] [--from=SYMBOL] [--cfi=FILE] QEMU PROGRAM
   [ARGUMENT]...: the same as living.c for a static program of another machine,
   run by qemu's user emulation and looked at through its gdb stub.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Runs to SYMBOL (default main) and executes N instructions; after every K-th
   the stack is walked with SFrame data read from the program's memory, and
   with libdwfl, and every frame is compared.  FILE is a copy of PROGRAM with
   CFI, if it has none itself.  Exit status as living's.  */

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cause.h"
#include "stacks/stack_walk.h"
#include "remote.h"

enum
{
  FRAMES_MAX = 2048
};

static struct
{
  uint64_t steps, every;
  const char *from, *cfi_path;
  struct remote remote;
  struct stack_walk sframe, cfi;
  uint64_t stops, frames, wrong, complete, same_depth, deepest;
  uint64_t shorter[CAUSES];
} session = { .steps = 10000, .every = 1, .from = "main" };

static uint64_t
find_symbol (Elf *elf, const char *wanted)
{
  for (Elf_Scn *scn = NULL; (scn = elf_nextscn (elf, scn)) != NULL;)
    {
      GElf_Shdr header;
      GElf_Sym symbol;
      if (!gelf_getshdr (scn, &header) || header.sh_type != SHT_SYMTAB)
        continue;
      Elf_Data *data = elf_getdata (scn, NULL);
      for (int i = 0; data && gelf_getsym (data, i, &symbol); i++)
        {
          const char *name = elf_strptr (elf, header.sh_link, symbol.st_name);
          if (name && strcmp (name, wanted) == 0)
            return symbol.st_value;
        }
    }
  return 0;
}

/* Or a number.  */
static uint64_t
symbol_address (const char *path, const char *wanted)
{
  if (*wanted == '0')
    return strtoull (wanted, NULL, 0);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  elf_version (EV_CURRENT);
  Elf *elf = fd < 0 ? NULL : elf_begin (fd, ELF_C_READ, NULL);
  uint64_t address = elf ? find_symbol (elf, wanted) : 0;
  elf_end (elf);
  close (fd);
  return address;
}

static bool
compare_frames (void)
{
  const struct stack_walk *cfi = &session.cfi, *sframe = &session.sframe;
  size_t both = cfi->n < sframe->n ? cfi->n : sframe->n;
  size_t same = stack_walk_same_frames (cfi, sframe);
  session.frames += (same < both ? same + 1 : both) - 1;
  if (same == both)
    return true;
  const struct frame *a = &cfi->frames[same], *b = &sframe->frames[same];
  if (session.wrong++ < 10)
    fprintf (stderr,
             "living_qemu: wrong frame %zu of %zu/%zu, from pc %#lx:"
             " pc %#lx / %#lx, sp %#lx / %#lx, fp %#lx / %#lx\n",
             same, cfi->n, sframe->n, a[-1].pc, a->pc, b->pc, a->sp, b->sp,
             a->fp, b->fp);
  return false;
}

/* Where a loop of exclusive accesses that begins at PC ends, or 0 if none
   does: behind the branch that follows its store.  Arm Architecture Reference
   Manual for A-profile, C4.1.94, "Load/store exclusive register".  */
static uint64_t
end_of_exclusive (struct process *process, uint64_t pc)
{
  enum
  {
    LOAD = 0x08400000,
    STORE = 0x08000000,
    MASK = 0x3fc00000,
    LONGEST = 16
  };
  uint32_t word;
  if (process->arch != &arch_aarch64
      || !memory_read (&process->memory, pc, &word, sizeof word)
      || (le32toh (word) & MASK) != LOAD)
    return 0;
  for (uint64_t at = pc + 4; at < pc + 4 * LONGEST; at += 4)
    if (memory_read (&process->memory, at, &word, sizeof word)
        && (le32toh (word) & MASK) == STORE)
      return at + 8;
  return 0;
}

/* Between single steps no store-exclusive succeeds.  */
static bool
step (void)
{
  struct process *process = &session.remote.process;
  uint64_t end = end_of_exclusive (process, process->threads[0].registers.pc);
  return end != 0 ? remote_run_to (&session.remote, end)
                  : remote_step (&session.remote);
}

static void
compare_stop (void)
{
  struct process *process = &session.remote.process;
  struct thread *thread = &process->threads[0];
  if (!remote_registers (&session.remote, &thread->registers)
      || !referee_walk (&session.remote.referee, thread->tid, &session.cfi))
    return;
  stack_walk_by_sframe (process, &thread->registers, &session.sframe);
  session.stops++;
  if (session.cfi.n > session.deepest)
    session.deepest = session.cfi.n;
  if (!compare_frames () || session.cfi.end != SFW_OUTERMOST)
    return;
  session.complete++;
  if (session.sframe.n == session.cfi.n)
    session.same_depth++;
  else if (session.sframe.n < session.cfi.n)
    session.shorter[cause_of (&session.remote.referee, &session.sframe)]++;
  else
    session.wrong++;
}

static pid_t
start_qemu (char **arguments, const char *socket_path)
{
  pid_t pid = fork ();
  if (pid != 0)
    return pid;
  setenv ("QEMU_GDB", socket_path, 1);
  execvp (arguments[0], arguments);
  fprintf (stderr, "living_qemu: %s: %s\n", arguments[0], strerror (errno));
  _exit (127);
}

static bool
run (const char *program, const char *socket_path)
{
  struct remote *remote = &session.remote;
  uint64_t start = symbol_address (program, session.from);
  const char *cfi_path = session.cfi_path ? session.cfi_path : program;
  if (!remote_open (remote, socket_path, program, cfi_path) || start == 0
      || !remote_run_to (remote, start)
      || !stack_walk_init (&session.sframe, FRAMES_MAX)
      || !stack_walk_init (&session.cfi, FRAMES_MAX))
    return false;
  compare_stop ();
  for (uint64_t i = 1; i <= session.steps && step (); i++)
    if (i % session.every == 0)
      compare_stop ();
  stack_walk_free (&session.sframe);
  stack_walk_free (&session.cfi);
  return true;
}

static void
print_report (const char *program)
{
  printf ("{\"program\":\"%s\",\"stops\":%lu,\"frames\":%lu,"
          "\"wrong_frames\":%lu,\"complete\":%lu,\"same_depth\":%lu,"
          "\"deepest\":%lu,\"shorter\":{",
          program, session.stops, session.frames, session.wrong,
          session.complete, session.same_depth, session.deepest);
  const char *separator = "";
  for (unsigned i = 0; i < CAUSES; i++)
    if (session.shorter[i])
      {
        printf ("%s\"%s\":%lu", separator, cause_name (i), session.shorter[i]);
        separator = ",";
      }
  printf ("}}\n");
}

int
main (int argc, char **argv)
{
  static const struct option options[]
      = { { "step", required_argument, NULL, 's' },
          { "every", required_argument, NULL, 'e' },
          { "from", required_argument, NULL, 'f' },
          { "cfi", required_argument, NULL, 'c' },
          { NULL, 0, NULL, 0 } };
  int option;
  while ((option = getopt_long (argc, argv, "+", options, NULL)) != -1)
    if (option == 's')
      session.steps = strtoull (optarg, NULL, 0);
    else if (option == 'e')
      session.every = strtoull (optarg, NULL, 0);
    else if (option == 'f')
      session.from = optarg;
    else if (option == 'c')
      session.cfi_path = optarg;
    else
      return 2;
  if (argc - optind < 2 || session.every == 0)
    return 2;
  char folder[] = "/tmp/living_qemu.XXXXXX", socket_path[64];
  if (!mkdtemp (folder))
    return 2;
  snprintf (socket_path, sizeof socket_path, "%s/socket", folder);
  pid_t pid = start_qemu (argv + optind, socket_path);
  bool ok = pid > 0 && run (argv[optind + 1], socket_path);
  remote_close (&session.remote);
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  unlink (socket_path);
  rmdir (folder);
  if (!ok || session.frames == 0)
    {
      fprintf (stderr, "living_qemu: nothing could be compared\n");
      return 2;
    }
  print_report (argv[optind + 1]);
  return session.wrong > 0;
}

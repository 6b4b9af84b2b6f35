/* Reading the stack of the program itself, in every way there is.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Linked into the programs of this folder.  At each call of here_check the
   stack is walked with
     - _Unwind_Backtrace, from the program's static copy of libgcc: the truth;
     - backtrace (), when the C library is one that reads SFrame
       (CLIENTS_GLIBC is set);
     - the library's steps, taken the way the kernel's reader does: the return
       address itself is looked up, not the address before it.
   Differences are counted in memory that survives the process.  */

#ifndef CLIENTS_HERE_H
#define CLIENTS_HERE_H

#ifdef __cplusplus
extern "C"
{
#endif

  struct here_case
  {
    const char *name;
    void (*run) (void);
  };

  /* CASE (name) { ... } makes a function a case of its program.  The section
     has all of them, one behind the other (ends.S writes into it, too).  */
#define HERE_CASES __attribute__ ((section ("here_cases"), used))
#define CASE(name)                                                          \
  static void case_##name (void);                                           \
  static struct here_case entry_##name HERE_CASES = { #name, case_##name }; \
  static void case_##name (void)

  /* Compare all walks of the stack as it is now.  Async-signal-safe.  */
  void here_check (void);

  /* A SIGABRT (SIGSEGV, ...) handler that checks and ends the process with
     success; here_catch installs it.  */
  void here_last_signal (int number);
  void here_catch (int number);

  /* Have every instruction from here on followed by here_check, if
     CLIENTS_STEPS says how many.  */
  void here_step (void);

  /* main is in here.c: NAME of a case; `list' prints the names.  The case
     runs in a child; its result is printed as one line:
       NAME status=S stops=N glibc-equal=N glibc-fallback=N glibc-ended=N
       glibc-different=N own-equal=N own-short=N own-different=N dwarf-short=N
       CAUSE...
     (fallback: glibc gave the whole trace back to DWARF; ended: it took code
     without a row for the outermost frame; short: ours stopped there.)
     Exit status 0, 1 something was different, 2 the child crashed.  */

#ifdef __cplusplus
}
#endif

#endif /* CLIENTS_HERE_H */

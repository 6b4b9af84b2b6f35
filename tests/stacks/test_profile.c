/* Unit tests of stacks/profile.c, and of the command that is sampled.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Addresses of the kernel, and recordings of very many threads, processes and
   files.

   The names of the kernel's functions are those of this file, whatever machine
   the addresses are of.  */

#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "stacks/sframe_profile.h"
#include "stacks/perf_events.h"
#include "stacks/profile.h"
#include "tests/unit_test.h"

/* The address as a name.  */
const char *
kernel_names_at (struct kernel_names *names, uint64_t address)
{
  static char text[32];
  (void)names;
  snprintf (text, sizeof text, "%llx", (unsigned long long)address);
  return text;
}

void
kernel_names_free (struct kernel_names *names)
{
  (void)names;
}

/* Count a stack of a program without modules, below the CHAIN of N words.  */
static void
take (struct profile *profile, struct member *member, const uint64_t *chain,
      size_t n)
{
  const struct registers registers = { .pc = 0x1000 };
  const struct raw_sample raw = { .tid = member->process.pid,
                                  .registers = &registers,
                                  .chain = (const uint8_t *)chain,
                                  .n_chain = n };
  struct profile_sample sample = profile_walk (profile, member, &raw);
  profile_count (profile, &sample);
}

static void
assert_name (const struct named_profile *named, uint32_t node,
             const char *wanted)
{
  assert_string_equal (named->names.list[named->calls.nodes[node].key],
                       wanted);
}

/* Virtual addresses of 48, 52, 57 and 39 bits, of which all higher bits are 1;
   s390x has the kernel at low ones.  */
TEST (test_kernel_addresses)
{
  static const struct
  {
    uint64_t inner, behind_call;
    const char *names[2];
  } rows[] = {
    { 0xffff800080012340,
      0xffff80008001ab04,
      { "ffff800080012340_[k]", "ffff80008001ab03_[k]" } },
    { 0xfff0000000001000,
      0xfff0000000002000,
      { "fff0000000001000_[k]", "fff0000000001fff_[k]" } },
    { 0xff11000000000000,
      0xff11000000000010,
      { "ff11000000000000_[k]", "ff1100000000000f_[k]" } },
    { 0xffffff8008080000,
      0xffffffc010000abc,
      { "ffffff8008080000_[k]", "ffffffc010000abb_[k]" } },
    { 0xffffffff81000123,
      0xffffffffc0001234,
      { "ffffffff81000123_[k]", "ffffffffc0001233_[k]" } },
    { 0x123456, 0x123460, { "123456_[k]", "12345f_[k]" } },
  };
  FOR_EACH_ROW (given, rows)
    {
      const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, given->inner,
                                 given->behind_call };
      struct profile profile;
      struct named_profile named;
      struct error err;
      assert_true (profile_init (&profile));
      profile.family.recorded = true;
      struct member *member = family_add (&profile.family, 7, &err);
      assert_non_null (member);
      take (&profile, member, chain, N_OF (chain));
      assert_true (profile_name (&profile, 0, &named));
      assert_int_equal (named.n_log, 1);
      uint32_t node = named.log[0].node;
      assert_name (&named, node, given->names[0]);
      assert_name (&named, named.calls.nodes[node].parent, given->names[1]);
      assert_int_equal (named.calls.nodes[node].self, 1);
      named_profile_free (&named);
      profile_free (&profile);
    }
}

enum
{
  MANY = 200000
};

/* Each search went through all threads, processes or files so far: a recording
   of a few megabytes took minutes.  */
#define TEST_OF_MANY(name) \
  TEST_ON (struct perf_events *events, begin_many, end_many, name)

static int
begin_many (void **state)
{
  static struct profile profile;
  static struct perf_events events;
  assert_true (profile_init (&profile));
  profile.family.recorded = true;
  events
      = (struct perf_events){ .profile = &profile, .waits.profile = &profile };
  *state = &events;
  limit_processor (10);
  return 0;
}

static int
end_many (void **state)
{
  struct perf_events *events = *state;
  limit_processor (0);
  profile_free (events->profile);
  return 0;
}

/* Take a record of TYPE with SIZE bytes of WORDS.  */
static void
take_record (struct perf_events *events, uint32_t type, const void *words,
             size_t size)
{
  const struct perf_record record
      = { .type = type, .bytes = words, .size = size };
  perf_events_apply (events, &record, 0, true);
}

static void
rename_task (struct perf_events *events, uint32_t pid, uint32_t tid,
             const char *name)
{
  struct
  {
    uint32_t pid, tid;
    char name[16];
  } words = { .pid = pid, .tid = tid };
  snprintf (words.name, sizeof words.name, "%s", name);
  take_record (events, PERF_RECORD_COMM, &words, sizeof words);
}

TEST_OF_MANY (many_threads_are_renamed_and_sampled)
{
  struct profile *profile = events->profile;
  struct error err;
  struct member *member = family_add (&profile->family, 1, &err);
  assert_non_null (member);
  /* Without a stack to walk.  */
  member->executing = true;
  for (uint32_t round = 0; round < 2; round++)
    for (uint32_t i = 1; i <= MANY; i++)
      {
        const struct registers registers = { .pc = 0x1000 };
        const struct raw_sample raw
            = { .tid = (pid_t)(i + 1), .registers = &registers };
        rename_task (events, 1, i + 1, round == 0 ? "before" : "after");
        struct profile_sample sample = profile_walk (profile, member, &raw);
        assert_int_equal (sample.thread, i - 1);
      }
  assert_int_equal (profile->threads.n, MANY);
  assert_string_equal (profile->threads.threads[MANY / 2].own_name, "after");
}

/* A process whose program calls itself by one name and the other is two
   threads here, and the one that was sampled last is the one that is renamed.
   It was the one that was new last.  */
TEST_OF_MANY (the_thread_that_is_sampled_is_renamed)
{
  static const char *const processes[] = { "idle", "busy", "idle" };
  struct profile *profile = events->profile;
  struct error err;
  struct member *member = family_add (&profile->family, 1, &err);
  const struct registers registers = { .pc = 0x1000 };
  const struct raw_sample raw = { .tid = 2, .registers = &registers };
  assert_non_null (member);
  member->executing = true;
  for (unsigned i = 0; i < 3; i++)
    {
      rename_task (events, 1, 1, processes[i]);
      assert_int_equal (profile_walk (profile, member, &raw).thread, i % 2);
    }
  rename_task (events, 1, 2, "worker");
  assert_string_equal (profile->threads.threads[0].own_name, "worker");
  rename_task (events, 1, 1, "busy");
  profile_walk (profile, member, &raw);
  assert_string_equal (profile->threads.threads[1].own_name, "worker");
}

TEST_OF_MANY (many_processes_begin_and_end)
{
  struct profile *profile = events->profile;
  struct family *family = &profile->family;
  struct error err;
  const struct registers registers = { .pc = 0x1000 };
  const struct raw_sample raw = { .tid = 1, .registers = &registers };
  for (uint32_t i = 1; i <= MANY; i++)
    {
      char name[16];
      struct member *member = family_get (family, (pid_t)i, &err);
      assert_non_null (member);
      member->executing = true;
      snprintf (name, sizeof name, "%x", i);
      rename_task (events, i, i, name);
      assert_string_equal (member->name, name);
      profile_walk (profile, member, &raw);
    }
  assert_int_equal (family->n, MANY);
  assert_int_equal (profile->processes.n, MANY);
  /* In another order, so that members change their places.  */
  for (uint32_t i = 0; i < MANY; i++)
    {
      uint32_t pid = 1 + (i * 7919 + 3) % MANY;
      const uint32_t words[] = { pid, 0, pid, 0 };
      assert_int_equal (family_get (family, (pid_t)pid, &err)->process.pid,
                        pid);
      take_record (events, PERF_RECORD_EXIT, words, sizeof words);
      assert_int_equal (family->n, MANY - i - 1);
    }
}

TEST_OF_MANY (many_files_are_known_by_path_inode_and_build_id)
{
  struct code_files *files = &events->profile->family.files;
  for (uint32_t round = 0; round < 2; round++)
    for (uint32_t i = 1; i <= MANY; i += 3)
      {
        char path[32];
        struct mapped_identity inode = { .inode = i };
        struct mapped_identity build_id = { .build_id_size = 20 };
        struct mapped_identity same = { .inode = 1 };
        memcpy (build_id.build_id, &i, sizeof i);
        snprintf (path, sizeof path, "/lib/%x", i);
        assert_non_null (code_files_get (files, "/same", &inode));
        assert_non_null (code_files_get (files, "/same", &build_id));
        struct code_file *file = code_files_get (files, path, &same);
        assert_non_null (file);
        assert_string_equal (file->path, path);
      }
  assert_int_equal (files->n, MANY + 1);
}

/* All mappings were sorted by file for each file that was looked for.  */
TEST_OF_MANY (many_files_are_mapped_and_not_found)
{
  struct error err;
  struct process *process
      = &family_add (&events->profile->family, 1, &err)->process;
  for (uint64_t i = 1; i <= MANY / 4; i++)
    {
      const struct mapped_identity inode = { .inode = i };
      const struct mapping mapping
          = { .start = i << 16,
              .end = (i << 16) + 0x1000,
              .file = code_files_get (process->files, "/no/file", &inode),
              .executable = true };
      uint64_t offset;
      assert_true (mappings_put (&process->mappings, &process->files->mappings,
                                 &mapping));
      assert_ptr_equal (process_file_at (process, i << 16, &offset),
                        mapping.file);
      assert_null (mapping.file->image.bytes);
    }
}

TEST_OF_MANY (many_threads_wait_and_end)
{
  struct off_cpu *waits = &events->waits;
  const struct profile_sample sample = { .thread = PROFILE_NO_THREAD };
  /* The latest thread was put in front of all others.  */
  for (uint32_t i = MANY; i > 0; i--)
    {
      off_cpu_stack (waits, 1, (pid_t)i, &sample);
      off_cpu_leave (waits, 1, (pid_t)i, 10, false);
    }
  for (uint32_t i = 1; i <= MANY; i++)
    {
      if (i % 2 == 0)
        off_cpu_return (waits, 1, (pid_t)i, 15);
      off_cpu_exit (waits, 1, (pid_t)i);
    }
  assert_int_equal (events->profile->threads.n_tasks, MANY);
  assert_int_equal (waits->switches, MANY);
  assert_int_equal (events->profile->unknown_waits, MANY / 2);
  assert_int_equal (events->profile->weight, MANY / 2 * 5);
}

/* Each record of a loss was held against each thread.  */
TEST_OF_MANY (many_records_are_lost_while_many_threads_wait)
{
  struct off_cpu *waits = &events->waits;
  const struct profile_sample sample = { .thread = PROFILE_NO_THREAD };
  const uint64_t lost[] = { 1, 2 };
  for (pid_t tid = 1; tid <= MANY; tid++)
    {
      off_cpu_stack (waits, 1, tid, &sample);
      off_cpu_leave (waits, 1, tid, 10, false);
    }
  for (unsigned i = 0; i < MANY; i++)
    take_record (events, PERF_RECORD_LOST, lost, sizeof lost);
  /* Of one thread there is a wait behind that.  */
  off_cpu_stack (waits, 1, 3, &sample);
  off_cpu_leave (waits, 1, 3, 20, false);
  off_cpu_end (waits, 25);
  assert_int_equal (events->profile->unknown_waits, MANY);
  assert_int_equal (events->profile->weight, 5);
  assert_int_equal (events->profile->lost, 2 * MANY);
}

/* Clocks of a recording may say anything.  */
TEST_OF_MANY (a_wait_that_no_sum_has_room_for_is_lost)
{
  struct off_cpu *waits = &events->waits;
  const struct profile_sample sample = { .thread = PROFILE_NO_THREAD };
  for (pid_t tid = 1; tid <= 2; tid++)
    {
      off_cpu_stack (waits, 1, tid, &sample);
      off_cpu_leave (waits, 1, tid, 0, false);
      off_cpu_return (waits, 1, tid, UINT64_MAX);
    }
  assert_int_equal (events->profile->weight, UINT64_MAX);
  assert_int_equal (events->profile->calls.nodes[0].self, UINT64_MAX);
  assert_int_equal (events->profile->lost, 1);
}

static void
ignore (int number)
{
  (void)number;
}

/* As an interrupt does that comes while the program is executed.  */
TEST (a_signal_is_no_failure_of_the_command)
{
  char name[] = "true", *arguments[] = { name, NULL };
  const struct sigaction action = { .sa_handler = ignore };
  const struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { 0 };
  unsigned failed = 0;
  assert_int_equal (sigaction (SIGALRM, &action, NULL), 0);
  for (unsigned i = 0; i < 20; i++)
    {
      struct command command;
      assert_true (command_prepare (&command, arguments));
      assert_int_equal (setitimer (ITIMER_REAL, &often, NULL), 0);
      failed += !command_start (&command);
      assert_int_equal (setitimer (ITIMER_REAL, &never, NULL), 0);
      command_end (&command);
    }
  assert_int_equal (failed, 0);
}

TEST (calls_are_counted_once_for_each_stack)
{
  struct call_tree tree;
  uint64_t totals[8];
  assert_true (call_tree_init (&tree));
  uint32_t a = call_tree_child (&tree, 0, 10);
  uint32_t b = call_tree_child (&tree, a, 20);
  uint32_t c = call_tree_child (&tree, a, 30);
  assert_int_equal (call_tree_child (&tree, 0, 10), a);
  assert_int_equal (call_tree_child (&tree, a, 20), b);
  /* The same function, called by another.  */
  uint32_t d = call_tree_child (&tree, c, 20);
  assert_int_not_equal (d, b);
  tree.nodes[b].self = 1;
  tree.nodes[c].self = 10;
  tree.nodes[d].self = 100;
  call_tree_sum (&tree, totals);
  assert_int_equal (totals[0], 111);
  assert_int_equal (totals[a], 111);
  assert_int_equal (totals[b], 1);
  assert_int_equal (totals[c], 110);
  call_tree_free (&tree);
}

TEST (callees_are_ordered_and_all_are_visited)
{
  struct call_tree tree;
  assert_true (call_tree_init (&tree));
  for (uint64_t i = 0; i < 1000; i++)
    {
      uint32_t node = call_tree_child (&tree, 0, i * 7 % 1000);
      call_tree_child (&tree, node, i % 3);
      call_tree_child (&tree, node, 10 + i % 3);
    }
  assert_true (call_tree_sort (&tree));
  uint32_t node = 0, visited = 1, callees = 0;
  while ((node = call_tree_next (&tree, node)) != 0)
    {
      const struct call_node *at = &tree.nodes[node];
      visited++;
      if (at->parent == 0)
        {
          assert_int_equal (at->key, callees);
          callees++;
        }
      else if (at->next != 0)
        assert_true (tree.nodes[at->next].key > at->key);
    }
  assert_int_equal (visited, tree.n);
  assert_int_equal (visited, 3001);
  call_tree_free (&tree);
}

/* A recording may have any addresses.  A list took a step for each pair.  */
TEST (a_function_may_call_a_hundred_thousand_others)
{
  enum
  {
    MANY = 100000
  };
  struct call_tree tree;
  assert_true (call_tree_init (&tree));
  limit_processor (20);
  for (unsigned round = 0; round < 2; round++)
    for (uint64_t i = 0; i < MANY; i++)
      assert_int_equal (call_tree_child (&tree, 0, i << 12), i + 1);
  assert_int_equal (tree.n, MANY + 1);
  /* By other keys.  */
  for (uint32_t i = 1; i <= MANY; i++)
    tree.nodes[i].key = MANY - i;
  assert_true (call_tree_sort (&tree));
  limit_processor (0);
  assert_int_equal (call_tree_find (&tree, 0, 1), MANY - 1);
  assert_int_equal (call_tree_find (&tree, 0, MANY), 0);
  assert_int_equal (tree.nodes[0].first, MANY);
  call_tree_free (&tree);
}

// throws CASE: stacks as C++ programs make them, looked at by here_check.
// SPDX-License-Identifier: LGPL-2.1-or-later

#include <algorithm>
#include <coroutine>
#include <cstdlib>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "here.h"

#define NOINLINE __attribute__ ((noinline, noclone))

namespace
{

volatile int sink;

// Its destructor looks at the stack while it is unwound.
struct watcher
{
  ~watcher () { here_check (); }
};

NOINLINE int
deeper (int depth)
{
  watcher guard;
  if (depth == 0)
    throw std::runtime_error ("bottom");
  return deeper (depth - 1) + 1;
}

CASE (cxx_catch)
{
  here_step ();
  try
    {
      deeper (3);
    }
  catch (const std::exception &)
    {
      here_check ();
    }
}

CASE (cxx_destructors)
{
  watcher outer;
  try
    {
      deeper (20);
    }
  catch (const std::runtime_error &)
    {
    }
}

NOINLINE int
rethrow (int depth)
{
  try
    {
      return depth == 0 ? deeper (1) : rethrow (depth - 1);
    }
  catch (const std::logic_error &)
    {
      return 0;
    }
  catch (...)
    {
      here_check ();
      throw;
    }
}

CASE (cxx_rethrow)
{
  try
    {
      rethrow (5);
    }
  catch (...)
    {
      here_check ();
    }
}

CASE (cxx_throw_in_catch)
{
  try
    {
      try
        {
          deeper (2);
        }
      catch (const std::exception &)
        {
          watcher guard;
          throw std::logic_error ("other");
        }
    }
  catch (const std::logic_error &)
    {
      here_check ();
    }
}

struct member
{
  watcher part;
  member () { throw 1; }
};

CASE (cxx_throw_in_constructor)
{
  try
    {
      std::unique_ptr<member> one (new member);
    }
  catch (int)
    {
      here_check ();
    }
}

[[noreturn]] void
on_terminate ()
{
  here_check ();
  _exit (0);
}

NOINLINE void
no_exceptions () noexcept
{
  deeper (1);
}

CASE (cxx_noexcept)
{
  std::set_terminate (on_terminate);
  no_exceptions ();
}

CASE (cxx_uncaught)
{
  std::set_terminate (on_terminate);
  throw 1;
}

// The call that throws is the last of the function.
[[noreturn]] NOINLINE void
fail (int depth)
{
  if (depth > 0)
    fail (depth - 1);
  throw std::out_of_range ("end");
}

struct base
{
  virtual ~base () = default;
  virtual void f () = 0;
};
struct other
{
  virtual ~other () { here_check (); }
  virtual void g () = 0;
};
struct derived final : base, other
{
  std::string text = "some text that is not short at all";
  void f () override { here_check (); }
  // Reached through a thunk.
  void g () override { here_check (); }
};

CASE (cxx_throw_last)
{
  std::set_terminate (on_terminate);
  fail (3);
}

CASE (cxx_thunk)
{
  std::unique_ptr<derived> one = std::make_unique<derived> ();
  other *volatile second = one.get ();
  base *volatile first = one.get ();
  first->f ();
  second->g ();
}

CASE (cxx_sort)
{
  std::vector<std::string> words{ "one", "two", "three", "four", "five" };
  std::sort (words.begin (), words.end (),
             [] (const std::string &a, const std::string &b) {
               here_check ();
               return a < b;
             });
}

CASE (cxx_function)
{
  std::function<int (int)> f = [&f] (int n) {
    if (n > 0)
      return f (n - 1) + 1;
    here_check ();
    return 0;
  };
  sink = sink + f (10);
}

CASE (cxx_map)
{
  auto less = [] (int a, int b) {
    here_check ();
    return a < b;
  };
  std::map<int, watcher, decltype (less)> numbers (less);
  for (int i = 0; i < 10; i++)
    numbers.try_emplace (i * 7 % 10);
}

CASE (cxx_thread)
{
  std::thread thread ([] {
    try
      {
        deeper (4);
      }
    catch (...)
      {
        here_check ();
      }
  });
  thread.join ();
}

CASE (cxx_async)
{
  auto result = std::async (std::launch::async, [] { return deeper (2); });
  try
    {
      result.get ();
    }
  catch (const std::exception &)
    {
      here_check ();
    }
}

CASE (cxx_call_once)
{
  std::once_flag once;
  std::call_once (once, [] { here_check (); });
}

NOINLINE int
with_local_static ()
{
  static int value = (here_check (), std::atoi ("3"));
  return value;
}

CASE (cxx_local_static)
{
  sink = sink + with_local_static ();
}

struct task
{
  struct promise_type
  {
    task get_return_object ()
    {
      return { std::coroutine_handle<promise_type>::from_promise (*this) };
    }
    std::suspend_always initial_suspend () { return {}; }
    std::suspend_always final_suspend () noexcept { return {}; }
    void return_void () {}
    void unhandled_exception () { here_check (); }
  };
  std::coroutine_handle<promise_type> handle;
};

task
count_up ()
{
  watcher guard;
  for (int i = 0; i < 5; i++)
    {
      here_check ();
      co_await std::suspend_always{};
    }
  throw 1;
}

CASE (cxx_coroutine)
{
  task one = count_up ();
  while (!one.handle.done ())
    one.handle.resume ();
  one.handle.destroy ();
}

bool watches_ends;

struct global
{
  global () { here_check (); }
  ~global ()
  {
    if (watches_ends)
      here_check ();
  }
} at_both_ends;

thread_local std::unique_ptr<watcher> of_thread;

CASE (cxx_globals)
{
  watches_ends = true;
}

CASE (cxx_thread_local)
{
  std::thread thread ([] { of_thread = std::make_unique<watcher> (); });
  thread.join ();
}

} // namespace

// A stack in C++, with names.
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// c++ -rdynamic -o walk_cpp walk_cpp.cc $(pkg-config --cflags --libs sframewalk)
// cfi2sframe walk_cpp && ./walk_cpp

#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <memory>
#include <sframewalk.h>

static void
print_name (void *address)
{
  Dl_info info;
  if (!dladdr (static_cast<char *> (address) - 1, &info) || !info.dli_sname)
    return;
  std::unique_ptr<char, decltype (&std::free)> name (
      abi::__cxa_demangle (info.dli_sname, nullptr, nullptr, nullptr),
      std::free);
  std::puts (name ? name.get () : info.dli_sname);
}

struct Shape
{
  virtual ~Shape () = default;
  virtual size_t draw (int depth)
  {
    if (depth > 0)
      return draw (depth - 1) + 1;
    void *addresses[64];
    int n = sfw_backtrace (addresses, 64);
    for (int i = 0; i < n; i++)
      print_name (addresses[i]);
    return 0;
  }
};

int
main ()
{
  return std::make_unique<Shape> ()->draw (2) == 2 ? 0 : 1;
}

// A stack in C++, with names.
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// c++ -rdynamic -o walk_cpp walk_cpp.cc $(pkg-config --cflags --libs sframewalk)
// cfi2sframe walk_cpp && ./walk_cpp

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <memory>
#include <sframewalk.h>
#include <string>
#include <vector>

static std::string
name_of (uint64_t address)
{
  Dl_info info;
  if (!dladdr (reinterpret_cast<void *> (address - 1), &info)
      || !info.dli_sname)
    return "?";
  std::unique_ptr<char, decltype (&std::free)> name (
      abi::__cxa_demangle (info.dli_sname, nullptr, nullptr, nullptr),
      std::free);
  return name ? name.get () : info.dli_sname;
}

// The walker of a thread, and the table of modules, which all could share.
class Walker
{
  std::unique_ptr<sfw_modules, decltype (&sfw_modules_free)> modules;
  std::vector<std::max_align_t> memory;
  sfw_walker *walker;

public:
  Walker () : modules (sfw_modules_new (), sfw_modules_free),
      memory (sfw_walker_size () / sizeof memory[0] + 1)
  {
    sfw_modules_update (modules.get ());
    walker = sfw_walker_init (memory.data (), sfw_walker_size (),
                              modules.get ());
  }
  // From the caller of this function on, which must not be inlined there.
  [[gnu::noinline]] std::vector<std::string> stack ()
  {
    uint64_t addresses[64];
    std::vector<std::string> names;
    size_t n = sfw_here (walker, addresses, nullptr, 64, nullptr);
    for (size_t i = 1; i < n; i++)
      names.push_back (name_of (addresses[i]));
    return names;
  }
};

struct Shape
{
  virtual ~Shape () = default;
  virtual size_t draw (int depth)
  {
    if (depth > 0)
      return draw (depth - 1) + 1;
    for (const std::string &name : Walker ().stack ())
      std::puts (name.c_str ());
    return 0;
  }
};

int
main ()
{
  return std::make_unique<Shape> ()->draw (2) == 2 ? 0 : 1;
}

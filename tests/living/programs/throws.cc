// Exceptions through frames with destructors, for ever.
// SPDX-License-Identifier: LGPL-2.1-or-later

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

static volatile unsigned long sink;

struct noisy
{
  std::vector<int> numbers;
  explicit noisy (int n) : numbers (n, n) {}
  ~noisy () { sink += numbers.size (); }
};

__attribute__ ((noinline)) static int
deeper (int depth, std::map<std::string, int> &counts)
{
  noisy guard (depth);
  if (depth == 0)
    throw std::runtime_error ("bottom");
  try
    {
      return deeper (depth - 1, counts) + 1;
    }
  catch (const std::logic_error &)
    {
      return 0;
    }
  catch (...)
    {
      counts[std::to_string (depth)]++;
      if (depth % 3 == 0)
        throw std::invalid_argument ("third");
      throw;
    }
}

int
main ()
{
  for (int i = 0;; i++)
    {
      std::map<std::string, int> counts;
      try
        {
          sink += deeper (i % 12, counts);
        }
      catch (const std::exception &e)
        {
          sink += std::string (e.what ()).size () + counts.size ();
        }
    }
}

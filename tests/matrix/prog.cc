/* C++ program of the matrix: exceptions through several frames.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: prog none|sframe  */

#include <stdexcept>
#include <string>
#include <vector>

#include "check_sframe.h"

static int live;

struct guard
{
  guard () { live++; }
  ~guard () { live--; }
};

static std::string created_early ("early");

__attribute__ ((noinline)) static int
sink_down (int depth)
{
  guard here;
  std::vector<std::string> frame (depth + 1, "frame");
  if (depth == 0)
    throw std::runtime_error ("bottom");
  return sink_down (depth - 1) + (int)frame.size ();
}

__attribute__ ((noinline)) static int
rethrow_some (int depth)
{
  try
    {
      return sink_down (depth);
    }
  catch (const std::logic_error &)
    {
      return -1;
    }
  catch (const std::exception &)
    {
      if (depth & 1)
        throw;
      return 1;
    }
}

int
main (int argc, char **argv)
{
  int caught = 0;
  for (int i = 0; i < 20; i++)
    try
      {
        caught += rethrow_some (i);
      }
    catch (const std::runtime_error &error)
      {
        caught += std::string (error.what ()) == "bottom" ? 10 : 0;
      }
  bool bad = caught != 110 || live != 0 || created_early != "early";
  bad |= sframe_check ("", argc > 1 && strcmp (argv[1], "sframe") == 0) != 0;
  printf ("program %s\n", bad ? "BAD" : "good");
  return bad;
}

/* Library of the matrix, to be loaded with dlopen.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdexcept>

static int zero[20000];
static thread_local int counter = 3;
static int *pointer = &zero[19999];

extern "C" int
matrix_library_check (void)
{
  int bad = *pointer;
  for (int value : zero)
    bad |= value;
  try
    {
      throw std::runtime_error ("library");
    }
  catch (const std::exception &error)
    {
      bad |= error.what ()[0] != 'l';
    }
  return bad | (counter++ != 3);
}

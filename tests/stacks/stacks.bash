# What the tests of sframe-stack and sframe-profile share.  Loaded after helpers.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash

# The programs are in $stack and $profile; processes whose numbers are in
# $children are killed at the end of the test.
setup_stacks ()
{
  own_folder || return 1
  stack=$builddir/stacks/sframe-stack
  profile=$builddir/stacks/sframe-profile
  children=()
}

setup ()
{
  setup_stacks
  needs_stack_programs
}

teardown ()
{
  [ "${#children[@]}" -eq 0 ] || kill -9 "${children[@]}" 2>/dev/null || true
}

needs_stack_programs ()
{
  [ -x "$stack" ] || skip "built without libdw"
}

# Start a program that says "ready"; its number is in $pid.
start ()
{
  # Descriptor 3 is bats's own.
  "$@" >ready 2>&1 3>&- &
  pid=$!
  children+=("$pid")
  local tries=0
  until grep -q ready ready || [ $((tries++)) -ge 200 ]; do
    sleep 0.05
  done
  sleep 0.1
  kill -0 "$pid"
}

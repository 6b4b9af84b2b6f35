# Programs in Python, run by a process that has started already (started.py), one
# for each file of tests.  Loaded after helpers.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154 # srcdir

setup_file ()
{
  local folder=$BATS_FILE_TMPDIR
  command -v python3 >/dev/null || return 0
  mkfifo "$folder/asked" "$folder/ended"
  "$(program_file python3)" "$srcdir/tests/contrib/started.py" "$folder" \
    "$srcdir"/contrib/retrofit/sframe_retrofit/*.py \
    "$srcdir"/contrib/retrofit/sframe-retrofit-{arch,deb,image,repo,rpm} \
    "$srcdir"/contrib/{system/sframe-system,attest/sframe-attest} \
    >"$folder/starter.log" 2>&1 </dev/null 3>&- &
  starter=$!
}

teardown_file ()
{
  [ -z "${starter-}" ] || kill "$starter"
  wait
}

# program FILE ARGUMENT...: run a program in Python, as "python3 FILE ARGUMENT...".
# What is to get signals is run so, and what says how Python starts is.
program ()
{
  if [ -n "${PYTHONPATH-}" ]; then
    "$(program_file python3)" "$@"
    return
  fi
  local wanted=$BATS_TEST_TMPDIR/wanted-$BASHPID names name to asked ended
  compgen -e >"$wanted"
  mapfile -t names <"$wanted"
  printf '%s\0' $# "$@" >"$wanted"
  for name in "${names[@]}"; do
    printf '%s=%s\0' "$name" "${!name}"
  done >>"$wanted"
  # While echo writes, the shell has another standard output.
  exec {to}>&1 {asked}<>"$BATS_FILE_TMPDIR/asked" {ended}<>"$BATS_FILE_TMPDIR/ended"
  echo "$BASHPID $to $wanted" >&"$asked"
  # shellcheck disable=SC2015
  [ ! -s "$BATS_FILE_TMPDIR/starter.log" ] && read -r -t 600 -u "$ended" name || {
    cat "$BATS_FILE_TMPDIR/starter.log"
    name=99
  }
  exec {to}>&- {asked}>&- {ended}>&-
  return "$name"
}

#!/bin/bash
# Whatever goes wrong while a file is rewritten, it is the old one or the
# complete new one afterwards, and no temporary file stays behind an error
# that was handled.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: faults.sh [--full] BUILDDIR
#
# strace makes the program fail: killed at a system call, or the call returns
# an error.  The short form does that for the calls that write; --full for
# every call the program makes.  Prints TAP.

full=
[ "$1" = --full ] && full=1 && shift
. "$(dirname "$0")/common.sh"
rewrite=$builddir/tests/faults/rewrite

# The calls of the writing phase.
writing='openat,ioctl,copy_file_range,sendfile,write,pwrite64,ftruncate
fallocate,fchown,fchmod,fsetxattr,fremovexattr,flistxattr,fgetxattr,fsync
fdatasync,renameat,renameat2,unlinkat,close,lseek,fstat,newfstatat'
writing=,${writing//$'\n'/,},

command -v strace >/dev/null || skip_all "strace is not installed"
strace -o /dev/null -e inject=getppid:error=EIO true 2>/dev/null \
  || skip_all "strace cannot trace here"
[ -x "$rewrite" ] || skip_all "tests/faults/rewrite is not built"

# What a run has left.  $now is the state of w/f, the file under test, by
# comparison with the references, and $left the temporary files, which are removed.
look ()
{
  now=broken left=
  if cmp -s w/f old; then
    now=old
  elif cmp -s w/f new; then
    now=new
  fi
  ! has_temporary_files || left=$(echo w/.cfi2sframe-*)
  remove_temporary_files
}

# Names and numbers of the calls that the command makes: lines "NAME COUNT".
list_calls ()
{
  cp old w/f
  strace -f -qq -o trace "$@" >/dev/null 2>&1
  sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' trace | sort | uniq -c |
    while read -r times name; do
      case $name in
        execve | exit_group | exit | rt_sigreturn) continue ;;
      esac
      if [ -n "$full" ] || [[ $writing == *,$name,* ]]; then
        echo "$name $times"
      fi
    done
}

# Run the command with one fault.  What the last run has left as the old file is
# the old file still.
inject ()
{
  local fault=$1
  shift
  [ "${now-}" = old ] || cp old w/f
  # Not with trace=none: a call that is filtered out is not tampered with.
  strace -f -qq -o /dev/null -e inject="$fault" "$@" >output 2>&1
} 2>/dev/null # the shell's own "Killed"

# kill_everywhere TITLE ALLOWED-STATES SIGNAL COMMAND...
kill_everywhere ()
{
  local title=$1 allowed=$2 signal=$3 bad= tried=0 hits=0 name times i now left
  shift 3
  while read -r name times; do
    for ((i = 1; i <= times; i++)); do
      inject "$name:signal=$signal:when=$i" "$@" || hits=$((hits + 1))
      tried=$((tried + 1))
      look
      [[ " $allowed " == *" $now "* ]] || bad+="$name $i: $now"$'\n'
      [ "$signal" = SIGKILL ] || [ -z "$left" ] || bad+="$name $i: left $left"$'\n'
    done
  done < <(list_calls "$@")
  # Close to the end, the work is done when the signal comes.
  [ $hits -gt $((tried / 2)) ] || bad+="only $hits of $tried signals had any effect"
  report "$title: $signal at each of $tried system calls" "$bad"
}

# fail_everywhere TITLE ERROR[+] COMMAND...: success means the new file, failure
# the old one; never a crash.  With + the call fails from then on, so that
# putting things right fails as well.
fail_everywhere ()
{
  local title=$1 error=${2%+} on=${2#"${2%+}"} bad= tried=0 hits=0
  local name times i now left said rc wanted
  shift 2
  while read -r name times; do
    # What the C library and the loader do with these is not ours.
    case $name in
      brk | mmap | mprotect | munmap | arch_prctl | set_* | rseq | futex | \
      prlimit64 | getrandom | rt_sig* | close | unlinkat) continue ;;
    esac
    for ((i = 1; i <= times; i++)); do
      inject "$name:error=$error:when=$i$on" "$@"
      rc=$?
      tried=$((tried + 1))
      look
      mapfile -t said <output
      wanted=old
      [ $rc -eq 0 ] && wanted=new
      [ $rc -eq 0 ] || hits=$((hits + 1))
      # The one documented exception: it is too late to turn back.
      [[ "${said[*]}" != *"written, but flushing"* ]] || wanted=new
      # No way around these: a failure that is ignored may lose the file.
      case $name in
        fsync | fdatasync | renameat* | ftruncate | pwrite64)
          [ $rc -ne 0 ] || bad+="$name $i: ignored"$'\n' ;;
      esac
      if [ "$now" != $wanted ] || [ $rc -gt 127 ]; then
        bad+="$name $i: exit status $rc, $now: ${said[*]: -1}"$'\n'
      fi
      [ -z "$left" ] || bad+="$name $i: left $left"$'\n'
    done
  done < <(list_calls "$@")
  [ $hits -gt $((tried / 4)) ] || bad+="only $hits of $tried errors had any effect"
  report "$title: $error${on:+ for good} from each of $tried system calls" "$bad"
}

# try TITLE COMMAND...: the command on w/f.  The references are made first.
try ()
{
  local title=$1 error
  local errors="ENOSPC EIO${full:+ ENOSPC+ EIO+}"
  shift
  cp old new
  "$@" new >output 2>&1 || { report "$title" "$(cat output)"; return; }
  cmp -s old new && { report "$title" "it changed nothing"; return; }
  kill_everywhere "$title" "old new" SIGKILL "$@" w/f
  kill_everywhere "$title" "old new" SIGTERM "$@" w/f
  for error in $errors; do
    fail_everywhere "$title" $error "$@" w/f
  done
}

# A file with work to do, and the same with an .sframe that has no record: as
# good as a linker's.  This system may be a converted one.
cp "$(type -P true)" old || skip_all "no program to convert"
"$program" -q --remove old || { echo "Bail out! $(type -P true): --remove failed"; exit 1; }

# The whole program.
try "cfi2sframe" "$program"
"$program" old || report "cfi2sframe" "failed"
try "cfi2sframe --undo" "$program" --undo

# A file that is copied by a thread while its section is made.
large=$(PATH=/usr/bin:/bin type -P python3 || PATH=/usr/bin:/bin type -P gdb)
large=$(readlink -f "$large")
if [ -n "$full" ] && [ "$(stat -c %s "$large")" -gt 4194304 ]; then
  full=
  cp "$large" old
  try "large file" "$program"
  full=1
  cp "$(type -P true)" old
  "$program" old
fi

# The writing alone, with more ways to write.
if [ -n "$full" ] && strip old; then
  try "replace" "$rewrite" -s 20000 replace
  try "replace in the same place" "$rewrite" -s 200 replace
  try "remove" "$rewrite" remove
fi

end_report

# shellcheck shell=sh disable=SC2034
# Functions that the scripts in tools/ and .ci/run share.  A script sources this
# file before it changes folders, and sets $top, the top of the source tree,
# before that.  Needs nothing but a POSIX shell.
# SPDX-License-Identifier: LGPL-2.1-or-later

# The script may change folders later; names that it was given are relative to this
# one.
called_in=$PWD
case $0 in
  /*) script_file=$0 ;;
  *) script_file=$PWD/$0 ;;
esac

build_packages="autoconf automake libtool pkg-config make gcc libc6-dev
  binutils libdw-dev libelf-dev libdwarf-dev libiberty-dev libjson-c-dev
  libxxhash-dev libzstd-dev libzydis-dev texinfo"

# The folders with the source of the converter and of the other products.
product_folders="src analysis relocatable walk compact-unwind stacks prove"

# bash, which configure prefers, takes twice as long as dash for libtool's part
# of each compilation.
: "${CONFIG_SHELL:=/bin/sh}"
export CONFIG_SHELL

# What a script has for its end (trap ... EXIT) is done when it is interrupted,
# too: not every sh does so by itself.
trap 'exit 2' HUP INT TERM

say ()
{
  printf '%s\n' "$*"
}

# End with a message; with the exit status $die_status where a script has others.
die ()
{
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit "${die_status:-1}"
}

# Print the comment at the head of the script, up to the licence: it is the only
# description of the script's options.
help ()
{
  sed -n '2,/SPDX-License-Identifier/{/SPDX-License-Identifier/d;s/^# \{0,1\}//p;}' \
    "$script_file"
}

# End because of a wrong call.
usage ()
{
  help >&2
  exit 2
}

if [ "${1-}" = --help ]; then
  help
  exit 0
fi

# End if the path $1 has blanks: those of $CFLAGS and the like would split it.
no_blanks ()
{
  case $1 in
    *[[:space:]]*) die "$1: a compiler cannot be given a folder with blanks" ;;
  esac
}

# no_options "$@": for scripts without options.
no_options ()
{
  case ${1-} in
    -*) usage ;;
  esac
}

# The absolute name of $1, which is relative to where the script was called.
from_caller ()
{
  case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$called_in/$1" ;;
  esac
}

# Set $build to the build tree $1, or, without it, to build/ of the source tree.
find_build ()
{
  build=$(cd "$called_in" && cd "${1:-$top/build}" 2>/dev/null && pwd) \
    || die "${1:-$top/build}: no build tree (make one: configure, make)"
}

# Set $work to a folder: $2, which is kept, or, without it, a temporary one that is
# removed at the end.  $1 is a part of the temporary folder's name.
make_work ()
{
  if [ -n "${2-}" ]; then
    work=$(from_caller "$2")
    mkdir -p "$work" || exit 2
  else
    work=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-$1.XXXXXX") || exit 2
    temporary=$work # a script may set $work to a folder in it
    trap 'rm -rf "$temporary"' EXIT
  fi
}

# Run a command and print its output only if it fails.
quietly ()
{
  quietly_log=$(mktemp "${TMPDIR:-/tmp}/cfi2sframe-log.XXXXXX") || return 1
  if "$@" >"$quietly_log" 2>&1 </dev/null; then
    rm -f "$quietly_log"
    return 0
  fi
  printf '%s: this failed: %s\n' "${0##*/}" "$*" >&2
  tail -n 60 "$quietly_log" >&2
  rm -f "$quietly_log"
  return 1
}

# The names in $*, one per line.  A|B means either of them: some names contain a
# version and differ between releases of Debian.
all_names ()
{
  printf '%s\n' "$@" | tr '|' '\n'
}

# For each of $*, A|B: the first of A and B that is a line of standard input,
# and with "missing" in front: those of $* with none there.
pick_names ()
{
  awk -v choices="$*" '
    { known[$1] = 1 }
    END {
      n = split (choices, choice, " ")
      missing = choice[1] == "missing"
      for (i = missing ? 2 : 1; i <= n; i++) {
        m = split (choice[i], name, "|")
        for (j = 1; j <= m && !(name[j] in known); j++)
          ;
        if (j <= m && !missing)
          printf " %s", name[j]
        if (j > m && missing)
          printf " %s", choice[i]
      }
    }'
}

# Those of the packages in $* that are not installed.
packages_missing ()
{
  # shellcheck disable=SC2046
  dpkg-query -W -f '${Package} ${db:Status-Status}\n' $(all_names "$@") \
    2>/dev/null | sed -n 's/ installed$//p' | pick_names missing "$@"
}

# The packages that can be installed, by what apt-cache policy prints.
packages_in_policy ()
{
  awk '/^[^ ]+:$/ { name = substr ($1, 1, length ($1) - 1) }
       /Candidate:/ && $2 != "(none)" { print name }'
}

# Those of the packages in $* that can be installed; of A|B the first one.  One
# call for all of them: apt reads its lists anew in each, which takes seconds
# if apt may not write its cache.
packages_known ()
{
  # shellcheck disable=SC2046
  apt-cache policy $(all_names "$@") 2>/dev/null | packages_in_policy \
    | pick_names "$@"
}

# End unless this is root and has the programs in $*.
needs_root ()
{
  [ "$(id -u)" -eq 0 ] || die "only root can run this"
  for needed; do
    command -v "$needed" >/dev/null \
      || die "$needed not found (Debian: apt-get install $needed)"
  done
}

# Whether this user can install packages.
may_install ()
{
  [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null
}

apt_install ()
{
  as_root=
  [ "$(id -u)" -eq 0 ] || as_root="sudo -n"
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends "$@"
}

apt_update ()
{
  as_root=
  [ "$(id -u)" -eq 0 ] || as_root="sudo -n"
  $as_root apt-get update -qq
}

# Install what is missing of the packages in $*, or at least what this release
# of Debian has of it.  The package lists are only fetched when installing
# without doing so fails.
need_packages ()
{
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null
  then
    return 0 # not Debian: configure says what it misses
  fi
  # shellcheck disable=SC2046
  set -- $(packages_missing "$@")
  [ $# -gt 0 ] || return 0
  if ! may_install; then
    say "Not installed: $*"
    say "You may not install packages; an administrator does it with"
    known=$(packages_known "$@")
    # Without lists of packages apt knows none.
    : "${known:=$(printf ' %s' "$@" | sed 's/|[^ ]*//g')}"
    say "  apt-get install$known"
    return 1
  fi
  say "Installing: $*"
  # shellcheck disable=SC2046
  apt_install $(packages_known "$@") >/dev/null 2>&1 </dev/null
  # shellcheck disable=SC2046
  set -- $(packages_missing "$@")
  [ $# -gt 0 ] || return 0
  quietly apt_update || return 1
  # shellcheck disable=SC2046
  quietly apt_install $(packages_known "$@") || return 1
  missing=$(packages_missing "$@")
  [ -n "$missing" ] || return 0
  say "Cannot be installed:$missing"
  return 1
}

needs_program ()
{
  command -v "$1" >/dev/null && return
  printf '%s: %s not found; doc/use/building.md lists what a build needs\n' \
    "${0##*/}" "$1" >&2
  return 1
}

# Configure the directory $1 with the other arguments, unless that is done.  The
# current folder is the top of the source; $1 is a folder in it, or absolute.
configure_in ()
{
  build_dir=$1
  shift
  # After an update of the sources files may be missing that only autoreconf
  # installs, so make's own remaking of configure is not enough.
  if [ ! -x configure ] || [ ! -f Makefile.in ] \
     || [ -n "$(find . -path './build*' -prune -o \( -name '*.am' -o -name configure.ac \) \
                   -newer Makefile.in -print)" ]
  then
    needs_program autoreconf && quietly autoreconf -fi || return 1
  fi
  case $build_dir in
    /*)
      configure=$PWD/configure
      # What was made of another source tree depends on files there.
      if [ -f "$build_dir/Makefile" ] \
         && ! grep -qxF "abs_top_srcdir = $PWD" "$build_dir/Makefile"
      then
        rm -rf "$build_dir"
      fi ;;
    *) configure=../configure ;;
  esac
  mkdir -p "$build_dir" || return 1
  build_arguments="$PWD $*" # the source may have moved
  if [ ! -f "$build_dir/Makefile" ] || [ ! -f "$build_dir/.arguments" ] \
     || [ "$build_arguments" != "$(cat "$build_dir/.arguments" 2>/dev/null)" ]
  then
    (cd "$build_dir" && quietly "$configure" -q "$@") || return 1
    printf '%s\n' "$build_arguments" >"$build_dir/.arguments"
  fi
}

# The same, and build there.
build_in ()
{
  configure_in "$@" || return 1
  needs_program make && quietly make -C "$build_dir" V=0 -j"$(cores)"
}

# The version of the source.
source_version ()
{
  sed -n 's/^AC_INIT(\[cfi2sframe\], \[\(.*\)\]).*/\1/p' "$top/configure.ac"
}

cores ()
{
  getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1
}

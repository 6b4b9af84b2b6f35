# shellcheck shell=sh disable=SC2154
# An apt of its own, for packages of Debian from where this system has them;
# nothing is installed.  Sourced by scripts next to this, which set $work (a folder),
# $log (a file), for packages of another machine $suite_machine (Debian's name for
# it), and for sources $suite_types (deb-src).  SUITE is a release, or "system":
# this one, with its updates.
# SPDX-License-Identifier: LGPL-2.1-or-later

# suite_apt SUITE COMMAND...: run it, for that suite and machine only.
suite_apt ()
{
  suite_state=$work/apt-$1${suite_machine:+-$suite_machine}
  suite_command=$2
  shift 2
  "$suite_command" -q -o Dir::Etc::sourcelist="$suite_state/sources.list" \
    -o Dir::Etc::sourceparts=/nonexistent -o Dir::State="$suite_state" \
    -o Dir::State::status="$suite_state/status" -o Dir::Cache="$suite_state" \
    -o APT::Sandbox::User= -o Acquire::Languages=none \
    ${suite_machine:+-o APT::Architecture="$suite_machine" \
      -o APT::Architectures="$suite_machine"} "$@"
}

# What sources.list has for the suite $1, without the type.
suite_sources ()
{
  keys=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -e $keys ] && signed="[signed-by=$keys]" || signed=
  apt-get indextargets --format "$signed \$(REPO_URI) \$(CODENAME) \$(COMPONENT)" \
    'Created-By: Packages' 'Origin: Debian' 2>>"$log" | sort -u >"$state/system"
  if [ "$1" = system ]; then
    cat "$state/system"
  elif [ -s "$state/system" ]; then
    sed "/-security /d; s/ [^ ]* [^ ]*\$/ $1 main/" "$state/system" | sort -u
  else
    echo "http://deb.debian.org/debian $1 main"
  fi
}

# Fetch the package lists of the suite $1; its folder is then $state.
suite_prepare ()
{
  state=$work/apt-$1${suite_machine:+-$suite_machine}
  [ ! -e "$state/ready" ] || return 0
  command -v apt-get >/dev/null || return 1
  rm -rf "$state"
  mkdir -p "$state/lists/partial" "$state/archives/partial" "$state/files"
  : >"$state/status"
  for type in ${suite_types:-deb}; do
    suite_sources "$1" | sed "s/^/$type /"
  done >"$state/sources.list"
  [ -s "$state/sources.list" ] && suite_apt "$1" apt-get update >>"$log" 2>&1 \
    || return 1
  : >"$state/ready"
}

# shellcheck shell=sh disable=SC2154
# Packages of another release of Debian, from this system's own mirror; nothing
# is installed.  Sourced by scripts next to this, which set $work (a folder), $log (a
# file) and, for packages of another machine, $suite_machine (Debian's name for
# it), or for sources $suite_type (deb-src).
# SPDX-License-Identifier: LGPL-2.1-or-later

# In an apt of its own that knows the suite $1 only, run the rest.
suite_apt ()
{
  apt_state=$work/apt-$1
  shift
  apt_command=$1
  shift
  "$apt_command" -q -o Dir::Etc::sourcelist="$apt_state/sources.list" \
    -o Dir::Etc::sourceparts=/nonexistent -o Dir::State="$apt_state" \
    -o Dir::State::status="$apt_state/status" -o Dir::Cache="$apt_state" \
    -o APT::Sandbox::User= \
    ${suite_machine:+-o APT::Architecture="$suite_machine" \
      -o APT::Architectures="$suite_machine"} "$@"
}

# Fetch the package lists of the suite $1; its folder is then $state.
suite_prepare ()
{
  state=$work/apt-$1
  [ ! -e "$state/ready" ] || return 0
  command -v apt-get >/dev/null || return 1
  rm -rf "$state"
  mkdir -p "$state/lists/partial" "$state/archives/partial" "$state/files"
  : >"$state/status"
  apt-get indextargets --format "\$(REPO_URI) \$(ORIGIN)" \
    'Created-By: Packages' 2>>"$log" | sort -u | while read -r uri origin; do
    case $uri:$origin in
      *security*) ;;
      *:Debian) echo "${suite_type:-deb} $uri $1 main" ;;
    esac
  done >"$state/sources.list"
  [ -s "$state/sources.list" ] \
    || echo "${suite_type:-deb} http://deb.debian.org/debian $1 main" \
      >"$state/sources.list"
  suite_apt "$1" apt-get update >>"$log" 2>&1 || return 1
  : >"$state/ready"
}

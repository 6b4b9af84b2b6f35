# shellcheck shell=sh disable=SC2154
# Debian's packages and systems for the scripts in this folder.  A script sources
# this file after common.sh, and sets $work (a folder) and $log (a file).
#
# Packages come from where this system has them, through an apt with a state of its
# own: nothing is installed.  SUITE is a release of Debian, or "system": the one that
# runs here, with its updates.  $suite_machine is Debian's name of the packages'
# machine (default: this one), $suite_types the types of sources (default: deb).
# SPDX-License-Identifier: LGPL-2.1-or-later

# suite_apt SUITE COMMAND...: run a command of apt for that suite and machine.
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

# Fetch the package lists of the suite $1; $state is then its folder.
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

# suite_download SUITE FOLDER PACKAGE...: the packages' files, in FOLDER.
suite_download ()
{
  download_suite=$1
  download_folder=$2
  shift 2
  suite_prepare "$download_suite" && mkdir -p "$download_folder" \
    && (cd "$download_folder" \
      && suite_apt "$download_suite" apt-get download "$@") >>"$log" 2>&1
}

# The Debian mirror of this system.
debian_mirror ()
{
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' \
    | grep -v security | head -n 1)
  printf '%s\n' "${mirror:-http://deb.debian.org/debian}"
}

# make_root ROOT SUITE MIRROR [OPTION]...: debootstrap with OPTIONs makes a system in
# the folder ROOT.  apt works in it and starts no service.
make_root ()
{
  new_root=$1 new_suite=$2 new_mirror=$3
  shift 3
  rm -rf "$new_root"
  quietly debootstrap "$@" "$new_suite" "$new_root" "$new_mirror" || return
  cp /etc/resolv.conf "$new_root/etc/"
  printf '#!/bin/sh\nexit 101\n' >"$new_root/usr/sbin/policy-rc.d"
  chmod +x "$new_root/usr/sbin/policy-rc.d"
}

# in_root ROOT COMMAND: run COMMAND, a text for sh, in the system ROOT; the folder
# $served, if there is one, is its /srv.  The mounts vanish with the namespace.  The
# system has a /dev of its own: what it did to the devices of this machine would last.
in_root ()
{
  unshare -m sh -ec '
    mount -t proc proc "$1/proc"
    mount -t tmpfs -o mode=755 dev "$1/dev"
    for node in "null 3" "zero 5" "full 7" "random 8" "urandom 9"; do
      mknod -m 666 "$1/dev/${node% *}" c 1 "${node#* }"
    done
    mknod -m 666 "$1/dev/tty" c 5 0
    mkdir "$1/dev/pts"
    mkdir -m 1777 "$1/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=666 devpts "$1/dev/pts"
    ln -s pts/ptmx "$1/dev/ptmx"
    ln -s /proc/self/fd "$1/dev/fd"
    ln -s fd/0 "$1/dev/stdin"
    ln -s fd/1 "$1/dev/stdout"
    ln -s fd/2 "$1/dev/stderr"
    [ -z "$3" ] || mount --bind "$3" "$1/srv"
    exec chroot "$1" env -i DEBIAN_FRONTEND=noninteractive HOME=/root \
      LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "$2"' \
    sh "$1" "$2" "${served-}" </dev/null
}

# shellcheck shell=sh disable=SC2154
# Kernels of Debian, and what the scripts have an emulated machine run on them.  A
# script sources this file after debian.sh, and sets $plan, the file that init
# (tests/kernel/init.c) reads.
# SPDX-License-Identifier: LGPL-2.1-or-later

# suite_unpack SUITE PACKAGE MEMBER: below files/ of the suite's state.
suite_unpack ()
{
  package=$2
  [ ! -e "$state/$package.done" ] || return 0
  suite_download "$1" "$state" "$package" \
    && dpkg-deb --fsys-tarfile "$state/$package"_*.deb \
    | tar -xf - -C "$state/files" "$3" 2>>"$log" \
    && : >"$state/$package.done"
}

# first_dependency SUITE PACKAGE: the package that a package without files stands for.
first_dependency ()
{
  suite_apt "$1" apt-cache depends "$2" 2>>"$log" \
    | sed -n 's/.*Depends: *//p' | head -n 1
}

# suite_kernel SUITE PACKAGE: the kernel that the package without files stands for.
suite_kernel ()
{
  suite_prepare "$1" || return
  package=$(first_dependency "$1" "$2")
  [ -n "$package" ] && suite_unpack "$1" "$package" ./boot \
    && find "$state/files/boot" -name "vmlinuz-${package#linux-image-}"
}

# plan KIND NAME ROOT EXPECTED PROGRAM [ARGUMENT...]: have init run PROGRAM in ROOT.
plan ()
{
  plan_separator=
  for field; do
    printf "$plan_separator%s" "$field"
    plan_separator='\t'
  done >>"$plan"
  echo >>"$plan"
}

# not_made NAME REASON: a line of TAP for what cannot be tried.
skipped=
not_made ()
{
  skipped="$skipped
# not tried: $1: $2"
}

# print_tap NAME TAP CONSOLE: what the machine NAME has written to TAP; fail if
# something is not well.
print_tap ()
{
  [ ! -e "$2" ] || cat "$2"
  if ! grep -qx "1\.\.$(wc -l <"$plan")" "$2" 2>>"$log"; then
    echo "Bail out! $1 did not come to an end; see $3"
    return 1
  fi
  ! grep -q '^not ok' "$2"
}

#!/bin/sh
# Run a cmocka program and mend its TAP: cmocka 1.1.5 calls a skipped test
# "not ok N # SKIP", which every TAP reader takes for a failure.
# SPDX-License-Identifier: LGPL-2.1-or-later

# Out of tree and with a read-only source directory, data files are found
# through this.
: "${srcdir:=.}"
export srcdir

# The program's own exit status has to survive the pipe.
exec 3>&1
status=$( { { "$@"; echo $? >&4; } | sed 's/^not ok \([0-9]*\) # SKIP/ok \1 # SKIP/' >&3; } 4>&1)
exit "$status"

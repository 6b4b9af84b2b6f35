# Debhelper sequence add-on: dh_sframe in front of dh_strip.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Install as Debian/Debhelper/Sequence/sframe.pm; use with `dh --with sframe`
# or Build-Depends: dh-sequence-sframe.

use strict;
use warnings;

# dh_dwz rewrites debug sections and runs right before dh_strip; what it does
# and what we do is independent, so only dh_strip matters.
insert_before('dh_strip', 'dh_sframe');

1;

# Debhelper sequence add-on: dh_sframe in front of dh_strip.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Install as Debian/Debhelper/Sequence/sframe.pm; use with `dh --with sframe`
# or Build-Depends: dh-sequence-sframe.

use strict;
use warnings;
use Debian::Debhelper::Dh_Lib qw(warning);

# dh_dwz, which runs right before dh_strip, rewrites debug sections alone: dh_sframe
# may come before or behind it.
my $inserted = insert_before('dh_strip', 'dh_sframe');

# dh_strip works on packages of an architecture alone.  For these, dh skips what a
# sequence in Build-Depends-Indep has added.
my $type = $Debian::Debhelper::DH::AddonAPI::DH_INTERNAL_ADDON_TYPE // 'both';

warning('dh_sframe will not be called: another sequence took dh_strip away')
	if not $inserted;
warning('dh_sframe will not be called: dh-sequence-sframe is in '
	. 'Build-Depends-Indep; it belongs to Build-Depends or Build-Depends-Arch')
	if $type eq 'indep';

1;

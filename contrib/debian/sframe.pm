# Debhelper sequence add-on: dh_sframe in front of dh_strip.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Install as Debian/Debhelper/Sequence/sframe.pm; use with `dh --with sframe`
# or Build-Depends: dh-sequence-sframe.

use strict;
use warnings;
use Debian::Debhelper::Dh_Lib qw(warning);

# dh_dwz rewrites debug sections and runs right before dh_strip; what it does
# and what we do is independent, so only dh_strip matters.
my $inserted = insert_before('dh_strip', 'dh_sframe');

# Of a sequence in Build-Depends-Indep dh skips what it adds when it works on
# packages of the architecture, and dh_strip works on no others.
my $type = $Debian::Debhelper::DH::AddonAPI::DH_INTERNAL_ADDON_TYPE // 'both';

warning('dh_sframe will not be called: another sequence took dh_strip away')
	if not $inserted;
warning('dh_sframe will not be called: dh-sequence-sframe is in '
	. 'Build-Depends-Indep; it belongs to Build-Depends or Build-Depends-Arch')
	if $type eq 'indep';

1;

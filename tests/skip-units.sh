#!/bin/sh
# Stands for the unit tests when they cannot be built.
# SPDX-License-Identifier: LGPL-2.1-or-later
echo "1..0 # SKIP cmocka not found (Debian: apt-get install libcmocka-dev)"

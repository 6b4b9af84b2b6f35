# SPDX-License-Identifier: LGPL-2.1-or-later
"""dpkg's list of the files of a package, with their digests."""

import hashlib
import os
from typing import Dict, Iterable, Tuple

from sframe_retrofit import checksums

# New digests, by a file's name and old digest.
Digests = Dict[Tuple[str, bytes], bytes]


def md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).hexdigest().encode()


def note(digests: Digests, names: Iterable[str], old: bytes,
         new: bytes) -> None:
    """Note that the file with these NAMES had the contents OLD, and has NEW."""
    before, after = md5(old), md5(new)
    for name in names:
        digests[checksums.installed(name), before] = after


def renewed(text: bytes, digests: Digests) -> bytes:
    """Return TEXT, a list, with new digests in the place of the old ones."""
    lines = [line.partition(b"  ") for line in text.split(b"\n")]
    return b"\n".join(
        digests.get((checksums.installed(os.fsdecode(name)), digest), digest)
        + blanks + name for digest, blanks, name in lines)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""mtree(5), by which pacman checks what it has installed: a line for each
file, of a name and keywords."""

import hashlib
import os
import re
from typing import Dict, Mapping, Optional, Tuple

from sframe_retrofit import Refused

# Keywords: digests, the best one first; and those that do not depend on contents.
DIGESTS = {"sha512": "sha512", "sha384": "sha384", "sha256": "sha256",
           "sha1": "sha1", "md5": "md5"}
STEADY = {"type", "uid", "gid", "uname", "gname", "mode", "time", "link",
          "flags", "nlink", "optional"}


def mtree_name(field: bytes) -> bytes:
    """Return the name that is in FIELD, the first of a line."""
    return re.sub(rb"\\([0-7]{3})",
                  lambda match: bytes([int(match.group(1), 8) & 255]),
                  field).removeprefix(b"./")


def algorithm_of(keyword: bytes) -> Optional[str]:
    return DIGESTS.get(keyword.decode("ascii", "replace")
                       .removesuffix("digest"))


def mtree_digests(text: bytes) -> Dict[str, Tuple[str, str]]:
    """Return, by name, the best digest of each file, with its algorithm."""
    found = {}
    for line in text.split(b"\n"):
        name, *fields = line.split(b" ")
        pairs = (field.partition(b"=") for field in fields)
        known = {algorithm_of(keyword): value.decode("ascii", "replace")
                 for keyword, _, value in pairs}
        for algorithm in DIGESTS.values():
            if algorithm in known:
                found[os.fsdecode(mtree_name(name))] = (algorithm,
                                                        known[algorithm])
                break
    return found


class Contents:
    """New contents of a file, which has a line for each of its names."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.digests: Dict[str, bytes] = {}

    def digest(self, algorithm: str) -> bytes:
        if algorithm not in self.digests:
            self.digests[algorithm] = hashlib.new(
                algorithm, self.data, usedforsecurity=False) \
                .hexdigest().encode()
        return self.digests[algorithm]


def mtree_line(line: bytes, new: Contents) -> bytes:
    """Return LINE, changed to be of a file with the contents NEW."""
    fields = line.split(b" ")
    for number, field in enumerate(fields[1:], 1):
        keyword, equals, _ = field.partition(b"=")
        algorithm = algorithm_of(keyword)
        if keyword == b"size":
            value = b"%d" % len(new.data)
        elif algorithm:
            value = new.digest(algorithm)
        elif not field or keyword.decode("ascii", "replace") in STEADY:
            continue
        else:
            raise Refused(".MTREE has %s, which is unknown"
                          % ascii(keyword.decode("ascii", "replace")))
        fields[number] = keyword + equals + value
    return b" ".join(fields)


def new_mtree(mtree: bytes, changed: Mapping[bytes, Contents]) -> bytes:
    """Return the list MTREE with new sizes and digests for the files CHANGED.

    CHANGED maps names, without "./", to new contents.
    """
    lines, missing = [], set(changed)
    for line in mtree.split(b"\n"):
        if line.endswith(b"\\"):
            raise Refused(".MTREE has lines that are continued")
        name = mtree_name(line.split(b" ", 1)[0])
        if name in changed:
            line = mtree_line(line, changed[name])
            missing.discard(name)
        lines.append(line)
    if missing:
        raise Refused("%s is not in .MTREE" % os.fsdecode(min(missing)))
    return b"\n".join(lines)

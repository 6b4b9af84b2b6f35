# SPDX-License-Identifier: 0BSD
"""Requests of the protocol (README.md), for adapters in Python."""


def parse(line):
    """File name, address and PCs of LINE.  The executable segments of the file and
    the value of the FP, which few readers use, are left out."""
    path, address, *rest = line.split()
    return path, int(address, 16), [int(word.split("/")[0], 16)
                                    for word in rest if "=" not in
                                    word.split("/")[0]]

#!/usr/bin/env python3
# SPDX-License-Identifier: 0BSD
"""The executable specification as an adapter: the smallest example of one."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
import sframe_spec  # noqa: E402
import request  # noqa: E402


def lookup(section, pc):
    try:
        return section.lookup(pc)
    except sframe_spec.Violation:
        return "error"


def answer(line):
    path, address, pcs = request.parse(line)
    with open(path, "rb") as file:
        data = file.read()
    try:
        section = sframe_spec.Section(data, address)
    except sframe_spec.Violation as violation:
        return f"refused {violation}"
    return ";".join(["accepted"]
                    + [lookup(section, pc) for pc in pcs])


print("adapter specification versions=1,2,3 abis=1,2,3,4"
      " tells=signed,key,signal", flush=True)
for asked in sys.stdin:
    print(answer(asked), flush=True)

# What the tests of sframe_retrofit share.
# SPDX-License-Identifier: LGPL-2.1-or-later

import io
import os
import sys
import tarfile

import pytest

SOURCE = os.path.join(os.path.dirname(os.path.realpath(__file__)),
                      "../../contrib/retrofit")
sys.path.insert(0, SOURCE)

from sframe_retrofit.converter import Options


@pytest.fixture
def options():
    """What all programs are asked for; a test sets the converter."""
    return Options("", [])


@pytest.fixture
def program(tmp_path):
    """program (TEXT): the path of a shell script with TEXT."""
    def write(text):
        path = tmp_path / "program"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return str(path)

    return write


@pytest.fixture
def tar():
    """tar (MEMBER...): an archive; a member is a name and its contents, or,
    for a link, its target and the type of link."""
    def pack(*members, form=tarfile.GNU_FORMAT):
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w", format=form) as archive:
            for name, data, *kind in members:
                member = tarfile.TarInfo(name)
                if kind:
                    member.type, member.linkname = kind[0], data
                    archive.addfile(member)
                else:
                    member.size = len(data)
                    archive.addfile(member, io.BytesIO(data))
        return file.getvalue()

    return pack

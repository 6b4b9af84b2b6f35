# SPDX-License-Identifier: LGPL-2.1-or-later
"""Other programs: what they print, or why they failed."""

import contextlib
import os
import subprocess
import tempfile
from typing import IO, Any, Iterator, List, Union

from sframe_retrofit import Refused

Command = List[str]
Source = Union[IO[bytes], int]


def failure(command: Command, status: int, errors: bytes) -> Refused:
    """What COMMAND complained of, on one line."""
    name = os.path.basename(command[0]) + ": "
    text = "; ".join(errors.decode(errors="replace").strip().splitlines())
    return Refused(name + (text.removeprefix(name)
                           or "exit status %d" % status))


def run(command: Command, **further: Any) -> bytes:
    """What COMMAND prints; it reads nothing, unless FURTHER says what."""
    if "input" not in further:
        further.setdefault("stdin", subprocess.DEVNULL)
    further.setdefault("stdout", subprocess.PIPE)
    try:
        done = subprocess.run(command, stderr=subprocess.PIPE, check=False,
                              **further)
    except FileNotFoundError:
        raise Refused("%s not found" % command[0]) from None
    if done.returncode != 0:
        raise failure(command, done.returncode, done.stderr)
    return done.stdout or b""


@contextlib.contextmanager
def output_of(command: Command, source: Source) -> Iterator[IO[bytes]]:
    """What COMMAND makes of the file SOURCE, as a file."""
    with tempfile.TemporaryFile() as errors, \
         subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE,
                          stderr=errors) as child:
        assert child.stdout is not None
        try:
            yield child.stdout
        except BaseException:
            child.kill()
            raise
        if child.wait() != 0:
            errors.seek(0)
            raise failure(command, child.returncode, errors.read())

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Other programs: what they print, or why they failed.

None outlives this one: a signal that ends it ends them, too.  They are asked
to, so that they clean up after themselves.
"""

import contextlib
import os
import subprocess
import tempfile
from typing import IO, Any, Iterator, List, Optional, Set, Union

from sframe_retrofit import Refused
from sframe_retrofit.ending import State, check, uninterrupted

Command = List[str]
Source = Union[IO[bytes], int]


def failure(command: Command, status: int, errors: bytes) -> Refused:
    """Return an exception with what COMMAND complained of, on one line."""
    name = os.path.basename(command[0]) + ": "
    text = "; ".join(errors.decode(errors="replace").strip().splitlines())
    return Refused(name + (text.removeprefix(name)
                           or "exit status %d" % status))


def not_found(program: str) -> Refused:
    # Debian's package, if its name is not the program's.
    package = {"apt-ftparchive": "apt-utils"}.get(program)
    return Refused("%s not found%s" % (
        program, " (package %s)" % package if package else ""))


PATIENCE = 10 # seconds that a program has to end when it was asked to

children: Set["subprocess.Popen[bytes]"] = set()


def end_children() -> None:
    for child in list(children):
        child.terminate()


State.on_signal.append(end_children)


def new_child(command: Command, further: Any) -> "subprocess.Popen[bytes]":
    try:
        child = subprocess.Popen(command, **further)
    except FileNotFoundError:
        raise not_found(command[0]) from None
    children.add(child)
    if State.signal: # it came before the child was in the list
        child.terminate()
    return child


@contextlib.contextmanager
def started(command: Command,
            **further: Any) -> Iterator["subprocess.Popen[bytes]"]:
    """Start COMMAND; at the end of the block it has ended."""
    check()
    child = None
    try:
        with uninterrupted():
            child = new_child(command, further)
        yield child
    except BaseException:
        if child is not None:
            end_child(child)
        raise
    finally:
        if child is not None:
            with child: # its pipes are closed, and it is waited for
                children.discard(child)


def end_child(child: "subprocess.Popen[bytes]") -> None:
    child.terminate()
    try:
        child.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()


def complete(command: Command, input: Optional[bytes] = None,
             **further: Any) -> "subprocess.CompletedProcess[bytes]":
    """Run COMMAND, with INPUT for it to read, and return what became of it."""
    if input is not None:
        further["stdin"] = subprocess.PIPE
    with started(command, **further) as child:
        output, errors = child.communicate(input)
    check()
    return subprocess.CompletedProcess(command, child.returncode, output,
                                       errors)


def run(command: Command, input: Optional[bytes] = None,
        **further: Any) -> bytes:
    """Return what COMMAND prints; it reads INPUT, or nothing."""
    further.setdefault("stdin", subprocess.DEVNULL)
    further.setdefault("stdout", subprocess.PIPE)
    done = complete(command, input, stderr=subprocess.PIPE, **further)
    if done.returncode != 0:
        raise failure(command, done.returncode, done.stderr)
    return done.stdout or b""


def output_text(command: Command) -> str:
    """Return what COMMAND prints, as text; bytes that are not UTF-8 survive."""
    return run(command).decode(errors="surrogateescape")


@contextlib.contextmanager
def output_of(command: Command, source: Source) -> Iterator[IO[bytes]]:
    """Give what COMMAND makes of the file SOURCE, as a file to read from."""
    with tempfile.TemporaryFile() as errors, \
         started(command, stdin=source, stdout=subprocess.PIPE,
                 stderr=errors) as child:
        assert child.stdout is not None
        yield child.stdout
        if child.wait() != 0:
            check()
            errors.seek(0)
            raise failure(command, child.returncode, errors.read())

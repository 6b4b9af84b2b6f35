# SPDX-License-Identifier: LGPL-2.1-or-later
"""cfi2sframe: what is asked for, how it is run, and what it says."""

import dataclasses
import json
import os
import re
import subprocess
import tempfile
from typing import (Any, Dict, Iterable, List, NamedTuple, Optional, Sequence,
                    Tuple, TypeVar)

from sframe_retrofit import Refused, config, counted
from sframe_retrofit.commands import complete, failure
from sframe_retrofit.config import Config

# Options of each conversion; the user's options come behind them.
DEFAULT_OPTIONS = ["--skip-unconvertible", "--replace=auto"]

Report = Dict[str, Any] # an object of --stats=json
Subject = TypeVar("Subject")


@dataclasses.dataclass
class Options:
    """What a program was asked for.

    Each program has a class of its own, which derives from this one and has a
    field for each argument, of the argument's name (arguments.parse).  What a
    run finds out is in fields that no argument sets.
    """
    cfi2sframe: str    # the converter
    further: List[str] # its options: what is behind "--"


@dataclasses.dataclass
class ConvertingOptions(Options):
    """What a program was asked for that converts by the machine's settings."""
    verbose: bool
    config: Config = dataclasses.field(init=False)
    # The converter's options: those of config, and FURTHER.
    converting: List[str] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.config = config.read(self.cfi2sframe)
        self.converting = self.config.options(self.further)


@dataclasses.dataclass
class DryRunOptions(ConvertingOptions):
    """What a program was asked for that can say what it would do."""
    dry_run: bool


class Outcome(NamedTuple):
    """What became of the files of one run."""
    well: bool            # no file failed
    messages: List[str]   # what was printed on stderr, if that was a pipe
    reports: List[Report] # of one file each


def run_converter(options: Options, arguments: List[str],
                  paths: Optional[Sequence[str]] = None,
                  **further: Any) -> Outcome:
    """Run cfi2sframe on PATHS, or on what ARGUMENTS name.

    The reports on PATHS are in their order: a report's "file" is only what
    can be shown.  FURTHER is for subprocess.Popen.
    """
    with tempfile.TemporaryFile() as names:
        # A file and not a pipe: a program that is killed while it writes to a pipe
        # may leave half a name, which can be that of another file.
        names.write(b"".join(os.fsencode(path) + b"\0"
                             for path in paths or ()))
        names.seek(0)
        done = complete(
            [options.cfi2sframe, "--stats=json"]
            + ([] if paths is None else ["--files0-from=-"]) + arguments,
            stdin=names, stdout=subprocess.PIPE, **further)
    errors = done.stderr or b""
    if done.returncode not in (0, 1):
        raise failure([options.cfi2sframe], done.returncode, errors)
    reports = [report for report in map(json.loads,
                                        done.stdout.split(b"\n")[:-1])
               if "total" not in report]
    if paths is not None and len(reports) != len(paths):
        raise Refused("%s: %s of %s"
                      % (options.cfi2sframe, counted(len(reports), "report"),
                         counted(len(paths), "file")))
    return Outcome(done.returncode == 0,
                   errors.decode(errors="replace").split("\n")[:-1], reports)


def with_status(reports: Iterable[Tuple[Subject, Report]],
                status: str) -> List[Subject]:
    """Return the subjects with a report that has this STATUS."""
    return [subject for subject, report in reports
            if report["status"] == status]


BUILD_ID = re.compile(
    rb"(?:\x04\0\0\0([\x08-\x40])\0\0\0\x03\0\0\0|"
    rb"\0\0\0\x04\0\0\0([\x08-\x40])\0\0\0\x03)GNU\0", re.DOTALL)


def build_id(data: bytes) -> Optional[str]:
    """Return what looks like the build-id of the ELF file DATA, or None.

    It is a guess by the bytes of a note; cfi2sframe reads the notes themselves.
    """
    match = BUILD_ID.search(data)
    if not match:
        return None
    size = (match.group(1) or match.group(2))[0]
    return data[match.end():match.end() + size].hex()

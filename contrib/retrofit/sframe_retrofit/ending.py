# SPDX-License-Identifier: LGPL-2.1-or-later
"""How a program ends: by itself, or by a signal; what must not outlive it."""

import contextlib
import fcntl
import os
import shutil
import signal
import sys
import tempfile
import threading
from types import FrameType
from typing import Any, Callable, Iterator, List, NoReturn, Optional, Set

from sframe_retrofit import PROGRAM, Refused, complain, reason_of

# Signals that ask a program to end; timeout(1) sends SIGTERM.
SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGXCPU)


class Ended(BaseException):
    """A signal has asked the program to end.

    Only run_program () catches this, so that all callers in between clean up.
    """


class State:
    """What the one program of this process knows of its end."""
    signal = 0            # its number, when one has come
    guarded = 0           # depth of uninterrupted ()
    leftovers: Set[str] = set()
    on_signal: List[Callable[[], None]] = []


def check() -> None:
    """Raise Ended if the program is to end."""
    if State.signal:
        raise Ended()


def on_signal(number: int, _: Optional[FrameType]) -> None:
    """Handle a signal, which Python does in the main thread.

    The first signal counts; others would interrupt the cleaning up.
    """
    if State.signal:
        return
    State.signal = number
    for function in State.on_signal:
        function()
    if State.guarded == 0:
        raise Ended()


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let no signal interrupt what the main thread does in this context."""
    main = threading.current_thread() is threading.main_thread()
    State.guarded += main
    try:
        yield
    finally:
        State.guarded -= main
    if main and State.guarded == 0:
        check()


def remove(path: str) -> None:
    """Remove PATH, a file or folder of this program, as far as possible."""
    if not os.path.isdir(path) or os.path.islink(path):
        with contextlib.suppress(OSError):
            os.unlink(path)
        return
    for folder, names, _ in os.walk(path):
        # A system that was unpacked there may have folders without permissions.
        for name in names:
            below = os.path.join(folder, name)
            if not os.path.islink(below):
                with contextlib.suppress(OSError):
                    os.chmod(below, 0o700)
    shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def short_lived(path: str) -> Iterator[None]:
    """Remove PATH, a file or folder of this program, at the end of the context,
    whatever happens, if it is still there."""
    State.leftovers.add(path)
    try:
        yield
    finally:
        remove(path)
        State.leftovers.discard(path)


def run_program(main: Callable[[], int]) -> NoReturn:
    """Call MAIN and exit with its result; end as a program would that has no
    handlers of signals.

    The status is 0 if all is well, 1 if anything failed or is missing, and 2
    for wrong usage (arguments.Parser).  No module ends the program otherwise:
    what is wrong is raised, and told here.
    """
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN: # nohup(1)
            signal.signal(number, on_signal)
    status = 1
    try:
        status = main()
    except Ended:
        pass
    except BrokenPipeError:
        State.signal = State.signal or signal.SIGPIPE
    except (Refused, OSError, MemoryError) as error:
        complain(reason_of(error))
    finally:
        for path in list(State.leftovers):
            remove(path)
    if State.signal:
        end_by(State.signal)
    try:
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            complain("standard output", reason_of(error))
        os._exit(status or 1) # or Python would complain once more
    sys.exit(status)


def end_by(number: int) -> None:
    """End as if the signal had not been caught: the parent sees it."""
    sys.stderr.flush()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


# Folders for work.

MEMORY = "/dev/shm"


def parent_for(size: int) -> str:
    """Return the folder for SIZE bytes of files that are soon removed.

    It is in memory, if there is plenty.  On a disk it takes several times as long
    to make, convert and remove a small file (2 instead of 0.3 ms).
    """
    with contextlib.suppress(OSError):
        room = os.statvfs(MEMORY)
        if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) \
           and size < room.f_bavail * room.f_frsize // 8:
            return MEMORY
    return tempfile.gettempdir()

class Workplace:
    """A folder for work, which is removed at the end.

    A lock on NAME.lock, next to the folder, says that it is in use.  Children can
    inherit the lock, because those of a program that was killed may still be at
    work.  A folder that nobody has locked any more is removed by the next program
    that makes one in the same place.
    """

    PREFIX = ".%s-" % PROGRAM

    def __init__(self, parent: str, prefix: str = PREFIX) -> None:
        remove_abandoned(parent, prefix)
        self.stack = contextlib.ExitStack()
        with uninterrupted():
            while not self._take(parent, prefix):
                pass
            os.mkdir(self.folder, 0o700)

    def _take(self, parent: str, prefix: str) -> bool:
        """Take a lock for a folder to be made; return whether it is ours.

        Another program may find the lock in the moment before it is taken, and
        remove it as abandoned.
        """
        self.stack.close()
        self.lock, path = tempfile.mkstemp(".lock", prefix, parent)
        self.stack.callback(os.close, self.lock)
        self.stack.enter_context(short_lived(path))
        self.folder = path.removesuffix(".lock")
        self.stack.enter_context(short_lived(self.folder))
        return is_free(self.lock, without_locks=True) and os.path.exists(path)

    def __enter__(self) -> "Workplace":
        return self

    def __exit__(self, *_: Any) -> None:
        self.stack.close()


def is_free(descriptor: int, without_locks: bool) -> bool:
    """Lock the file, and return whether nobody had locked it; WITHOUT_LOCKS on a
    file system that has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    except OSError:
        return without_locks


def remove_abandoned(parent: str, prefix: str) -> None:
    for name in os.listdir(parent):
        path = os.path.join(parent, name)
        if name.startswith(prefix) and name.endswith(".lock"):
            with contextlib.suppress(OSError), \
                 open(os.open(path, os.O_RDWR | os.O_NOFOLLOW), "rb") as file:
                if os.fstat(file.fileno()).st_uid == os.geteuid() \
                   and is_free(file.fileno(), without_locks=False) \
                   and os.fstat(file.fileno()).st_nlink:
                    remove(path.removesuffix(".lock"))
                    remove(path)

#!/usr/bin/env python3
# Run Python programs for tests, in processes that have started already: to start
# Python and read the modules of others takes several times as long as most of what
# tests have the programs do.
#   started.py FOLDER SOURCE...
# What the files SOURCE import is read once, and Python's module debian, if it is
# there; nothing of the project's.  programs.bash asks in FOLDER.
# SPDX-License-Identifier: LGPL-2.1-or-later

import ast
import contextlib
import gc
import importlib
import os
import resource
import select
import sys


def imported(source):
    """The names of modules that the file SOURCE imports at its beginning."""
    with open(source, encoding="utf-8") as file:
        for node in ast.parse(file.read()).body:
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module


def asked(requests, parent):
    """The process that asks, its standard output, and the file with what it wants;
    None if nobody can ask any more."""
    while not select.select([requests], [], [], 5)[0]:
        if os.getppid() != parent:
            return None
    return requests.readline().split(maxsplit=2)


def become(pid, output, parts):
    """Be a child of process PID, whose standard output is OUTPUT there, and which
    has asked for PARTS, up to its program.  The files that it has open are appended
    to."""
    with open("/proc/%s/status" % pid, encoding="ascii") as file:
        os.umask(next(int(line.split()[1], 8) for line in file
                      if line.startswith("Umask:")))
    for limit in {getattr(resource, kind) for kind in dir(resource)
                  if kind.startswith("RLIMIT_")}:
        resource.setrlimit(limit, resource.prlimit(int(pid), limit))
    for descriptor, name, how in ((0, "0", os.O_RDONLY), (1, output, os.O_WRONLY),
                                  (2, "2", os.O_WRONLY)):
        file = os.open("/proc/%s/fd/%s" % (pid, name), how | os.O_APPEND)
        os.dup2(file, descriptor)
        os.close(file)
    # As they are made at the start of Python.
    sys.stdin = open(0, closefd=False)
    sys.stdout = open(1, "w", errors=sys.stdout.errors, closefd=False)
    sys.stderr = open(2, "w", 1, errors="backslashreplace", closefd=False)
    os.chdir("/proc/%s/cwd" % pid)
    n = int(parts[0])
    sys.argv = parts[1:n + 1]
    sys.path[0] = os.path.dirname(sys.argv[0])
    os.environ.clear()
    os.environ.update(part.split("=", 1) for part in parts[n + 1:])


def next_program(folder):
    """Return, in a process of its own, what to execute."""
    parent, codes = os.getppid(), {}
    requests = os.fdopen(os.open(folder + "/asked", os.O_RDWR), "r", 1)
    while request := asked(requests, parent):
        pid, output, wanted = request
        with open(wanted.rstrip("\n"), encoding="utf-8",
                  errors="surrogateescape") as file:
            parts = file.read().split("\0")[:-1]
        if parts[1] not in codes:
            with open(parts[1], encoding="utf-8") as file:
                codes[parts[1]] = compile(file.read(), parts[1], "exec")
        child = os.fork()
        if child == 0:
            requests.close()
            become(pid, output, parts)
            return codes[parts[1]]
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        # Whoever asked may be gone.
        with contextlib.suppress(OSError):
            answer = os.open(folder + "/ended", os.O_WRONLY | os.O_NONBLOCK)
            os.write(answer, b"%d\n" % (status if status >= 0 else 128 - status))
            os.close(answer)
    sys.exit()


for path in sys.argv[2:]:
    for module in imported(path):
        if not module.startswith("sframe_retrofit"):
            importlib.import_module(module)
with contextlib.suppress(ImportError):
    importlib.import_module("debian.deb822")
gc.freeze()

code = next_program(sys.argv[1])
for name in list(globals()):
    if not name.startswith("__") and name != "code":
        del globals()[name]
__file__ = code.co_filename
exec(code)

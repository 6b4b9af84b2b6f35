# The converter and what it says, the passes over packages, control files, and
# the package's modules.
# SPDX-License-Identifier: LGPL-2.1-or-later

import ast
import dataclasses
import os
import re
import runpy
import shutil
import subprocess
import sys
import typing
from itertools import pairwise

import pytest

import sframe_retrofit
from conftest import SOURCE
from sframe_retrofit import Refused, arguments, converter, packages


class Named(packages.Package):
    """A package of one name that names others."""

    def __init__(self, name, needs=(), n_converted=0):
        super().__init__(name)
        self.name, self.number = name, "1"
        self.needs, self.n_converted = needs, n_converted

    def relations(self):
        return {(name, "1") for name in self.needs}


def test_who_names_a_renewed_package_is_renewed():
    renewed = packages.find_renewed([
        Named("a", n_converted=1), Named("b", ["a"]), Named("c", ["b"]),
        Named("d", ["e"]), Named("e")])
    assert renewed == {("a", "1"), ("b", "1"), ("c", "1")}


def test_what_cannot_be_written_is_refused_if_it_has_to_be(options):
    stuck, free = Named("b", ["a"]), Named("d", ["e"])
    stuck.unwritable = free.unwritable = "unknown"
    renewed = packages.find_renewed([
        Named("a", n_converted=1), stuck, Named("c", ["b"]), free])
    assert renewed == {("a", "1")}
    for package, renewed in ((stuck, renewed), (free, {("d", "1")})):
        with pytest.raises(Refused, match="unknown"):
            packages.write_package(options, package, renewed, "")


def test_failures_do_not_end_a_run(capsys):
    def look(name):
        if name == "bad":
            raise Refused("why")
        return name

    done, failures = packages.each(["bad", "good"], look)
    assert done == ["good"] and failures == {"bad": "why"}
    assert capsys.readouterr().err.endswith(": bad: why\n")
    assert packages.exit_status([], failures) == 1
    assert packages.exit_status([Named("a")], {}) == 0


@pytest.mark.parametrize("path, is_one", [
    ("bash-dbgsym_1_amd64.deb", True), ("x/bash-debuginfo-1.rpm", True),
    ("bash-debug.pkg.tar", True), ("libdebuginfod1_1.deb", False),
    ("a-debug_1/bash.deb", False), ("el9-debug.d/bash-1.rpm", False)])
def test_packages_of_debug_files(path, is_one):
    assert packages.has_debug_files(path) == is_one


def test_build_ids():
    note = b"\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0" + bytes(range(20))
    assert converter.build_id(b"x" * 7 + note) == bytes(range(20)).hex()
    swapped = b"\0\0\0\4\0\0\0\x08\0\0\0\3GNU\0" + b"\1" * 8
    assert converter.build_id(swapped) == "01" * 8
    assert converter.build_id(b"\4\0\0\0\x14\0\0\0\1\0\0\0GNU\0") is None


def test_reports_are_of_the_files_in_order(options, program):
    options.cfi2sframe = program(
        """tr '\\0' '\\n' >&2; echo "$@" >&2
        echo '{"status":"a"}'; echo '{"status":"b"}'; echo '{"total":{}}'""")
    outcome = converter.run_converter(options, ["-x"], ["1", "2\n"],
                                      stderr=subprocess.PIPE)
    assert outcome.well
    assert outcome.messages == ["1", "2", "", "--stats=json --files0-from=- -x"]
    assert [one["status"] for one in outcome.reports] == ["a", "b"]
    with pytest.raises(Refused, match="2 reports of 1 file$"):
        converter.run_converter(options, [], ["1"], stderr=subprocess.PIPE)


@pytest.mark.parametrize("status, well", [(0, True), (1, False)])
def test_whether_all_is_well(options, program, status, well):
    options.cfi2sframe = program("exit %d" % status)
    assert converter.run_converter(options, []).well == well


def test_a_converter_that_ends_otherwise_is_told(options, program):
    options.cfi2sframe = program("echo why >&2; exit 2")
    with pytest.raises(Refused, match="^program: why$"):
        converter.run_converter(options, [], [], stderr=subprocess.PIPE)
    options.cfi2sframe = program("kill -9 $$")
    with pytest.raises(Refused, match="exit status -9"):
        converter.run_converter(options, [], [])


# Debian's control files.

@pytest.fixture
def debian():
    pytest.importorskip("debian.deb822", reason="python3-debian not found")
    from sframe_retrofit import debian as module
    module.need_module()
    return module


def test_relations_follow(debian):
    control = debian.read_control(
        "Package: a\nDepends: b (= 1), c (>= 1), d (= 2) | b (<= 1)\n"
        "Breaks: b (= 1)\nRecommends:  b   (>> 0)\n")
    assert debian.relations(control) == {("b", "1"), ("d", "2"), ("b", "0")}
    debian.follow_versions(control, {("b", "1")}, "A")
    assert control["Depends"] == "b (= 1A), c (>= 1), d (= 2) | b (<= 1A)"
    # What is said of exactly one version holds for both.
    assert control["Breaks"] == "b (= 1), b (= 1A)"
    assert control["Recommends"] == "b   (>> 0)"
    debian.provide_original(control, "a", "1")
    debian.provide_original(control, "a", "1")
    assert control["Provides"] == "a (= 1)"


@pytest.mark.parametrize("text", ["Package: a\nPackage: b\n", "a\n",
                                  "Package: a\n\nPackage: b\n"])
def test_control_files_that_dpkg_refuses(debian, text):
    with pytest.raises(Refused):
        debian.read_control(text)


def test_new_versions_are_between_the_old_and_all_later_ones(debian):
    if shutil.which("dpkg") is None:
        pytest.skip("dpkg not found")
    for version in "1.0-1", "1.0rc", "1:2.0~beta", "5.2.15-2+b":
        new = debian.new_version(version, debian.SUFFIX.default)
        later = version + ("+deb12u1" if version[-1].isdigit() else "1")
        for less, more in pairwise([version, new, later]):
            subprocess.run(["dpkg", "--compare-versions", less, "lt", more],
                           check=True)


# A repository's packages with checksums of others' files.

@pytest.fixture
def repository(tmp_path, debian):
    from sframe_retrofit.repository_plan import RepositoryOptions
    given = {"cfi2sframe": "cfi2sframe", "further": [], "jobs": 1,
             "output": str(tmp_path), "retrofit_deb": str(tmp_path / "deb.py")}
    options = RepositoryOptions(**dict(dict.fromkeys(
        field.name for field in dataclasses.fields(RepositoryOptions)
        if field.init), **given))
    os.mkdir(options.state)
    return options


def test_a_package_that_cannot_be_had_is_not_converted_later(repository,
                                                             monkeypatch):
    """It was, and libraries that it has checksums of before it."""
    from sframe_retrofit import repository_converting, repository_groups
    there = []

    def download(_, item, path):
        if not there:
            raise Refused("no route")
        raise AssertionError(path)

    monkeypatch.setattr(repository_groups, "download", download)
    monkeypatch.setattr(repository_converting, "download", download)
    item = {"package": "a", "version": "1", "architecture": "amd64",
            "sha256": "0", "uri": "http://localhost.invalid/a"}
    repository_groups.learn_checksums(repository, [item])
    there.append(item)
    with pytest.raises(Refused, match="^no route$"):
        repository_converting.fetch(repository, [item], repository.state)


def test_whoever_looks_for_checksums_and_is_killed_has_seen_none(repository,
                                                                tmp_path):
    from sframe_retrofit import repository_groups
    (tmp_path / "deb.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    with pytest.raises(Refused, match="^deb.py: exit status -9$"):
        repository_groups.learn_checksums(
            repository, [{"sha256": "0", "path": "/dev/null"}])


# The modules.

def test_modules_import_those_above_them():
    order = re.findall(r"(?m)^  (\w+)  +", sframe_retrofit.__doc__)
    folder = os.path.join(SOURCE, "sframe_retrofit")
    there = {name[:-3] for name in os.listdir(folder) if name.endswith(".py")}
    assert set(order) == there - {"__init__"}
    for name in order:
        with open(os.path.join(folder, name + ".py"), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) \
               and node.module.startswith("sframe_retrofit"):
                used = {node.module.partition(".")[2]} \
                    | {alias.name for alias in node.names}
                assert used & there <= set(order[:order.index(name)]), name


def test_programs_end_in_one_way():
    """What would outlive a program that a signal ends is made in ending, and
    what would run on is started in commands."""
    for folder in SOURCE, os.path.join(SOURCE, "sframe_retrofit"), \
            os.path.join(SOURCE, "../system"):
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if not name.startswith("sframe-") and not name.endswith(".py"):
                continue
            with open(path, encoding="utf-8") as file:
                text = file.read()
            assert "__main__" not in text or "ending.run_program(main)" in text
            made = set(re.findall(r"tempfile\.(\w+)|(subprocess\.(?:run|Popen|"
                                  r"check_\w+))\(", text))
            assert {"".join(pair) for pair in made} <= {
                "ending.py": {"mkstemp", "gettempdir"},
                "commands.py": {"TemporaryFile", "subprocess.Popen"},
                "repository_converting.py": {"mkdtemp"}, # in a Workplace
            }.get(name, {"TemporaryFile", "gettempdir"}), name


PROGRAMS = [("attest/sframe-attest", "old", "new"),
            ("system/sframe-system", "status"),
            ("retrofit/sframe-retrofit-arch", "-n", "a"),
            ("retrofit/sframe-retrofit-deb", "-n", "a"),
            ("retrofit/sframe-retrofit-image", "-n", "--squash", "a"),
            ("retrofit/sframe-retrofit-repo", "-o", "out", "a"),
            ("retrofit/sframe-retrofit-rpm", "-n", "a")]


@pytest.mark.parametrize("command", PROGRAMS)
def test_a_missing_program_is_no_wrong_usage(command, tmp_path):
    program = os.path.join(SOURCE, "..", command[0])
    done = subprocess.run(
        ["python3", program, *command[1:], "--cfi2sframe=/none"],
        cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) \
        == (1, "%s: /none not found\n" % os.path.basename(program))


def has_type(value, hint):
    """Whether VALUE is what the annotation HINT says."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Union:
        return any(has_type(value, one) for one in inner)
    if origin is tuple:
        return isinstance(value, tuple) and len(value) == len(inner) \
            and all(map(has_type, value, inner))
    if origin is list:
        return isinstance(value, list) \
            and all(has_type(one, inner[0]) for one in value)
    return type(value) is hint


@pytest.mark.parametrize("command", PROGRAMS)
@pytest.mark.parametrize("given", [False, True])
def test_arguments_have_the_types_of_their_options(command, given, tmp_path,
                                                   monkeypatch):
    """With as few arguments as can be, and with all that take a value."""
    parse, found = arguments.parse, []

    class Found(Exception):
        pass

    def parse_and_end(parser, kind, *_):
        for action in parser._actions if given else ():
            if action.option_strings and action.nargs is None:
                value = {"--part": "1/2"}.get(action.option_strings[-1],
                                              ".1" if action.dest == "suffix"
                                              else "1")
                sys.argv[1:1] = [action.option_strings[-1], value]
        found.append(parse(parser, kind))
        raise Found

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", list(command))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(arguments, "need_programs", lambda *_: None)
    monkeypatch.setattr(arguments, "parse", parse_and_end)
    program = runpy.run_path(os.path.join(SOURCE, "..", command[0]))
    with pytest.raises(Found):
        program["main"]()
    for name, hint in typing.get_type_hints(type(found[0])).items():
        if hasattr(found[0], name):
            assert has_type(getattr(found[0], name), hint), name


def test_no_module_ends_the_program():
    """ending and arguments do, when a program has ended and for wrong usage."""
    package = os.path.join(SOURCE, "sframe_retrofit")
    ends = set()
    for name in os.listdir(package):
        if name.endswith(".py"):
            with open(os.path.join(package, name), encoding="utf-8") as file:
                if re.search(r"\bsys\.exit\b|\bSystemExit\b", file.read()):
                    ends.add(name)
    assert ends == {"ending.py", "arguments.py"}

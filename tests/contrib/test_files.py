# Files, names, commands, compression.
# SPDX-License-Identifier: LGPL-2.1-or-later

import errno
import fcntl
import io
import itertools
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import tracemalloc

import pytest

from conftest import SOURCE
from sframe_retrofit import Refused, checked_name, percent, reason_of, shown
from sframe_retrofit import commands, compression, elf, ending, files, progress


@pytest.mark.parametrize("value", [None, "", "../x", "a/b", ".x", "a b", "a\n"])
def test_names_lead_nowhere(value):
    with pytest.raises(Refused):
        checked_name("name", value, r"[a-z./]*[a-z]")


def test_a_name_is_itself():
    assert checked_name("name", "a.b", r"[a-z.]+") == "a.b"


def test_what_is_shown_is_on_one_line():
    assert shown("ä\n\u2028\x1b") == "ä\\n\\u2028\\x1b"


def test_an_output_is_of_one_package(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "link").symlink_to("in")
    outputs = files.Outputs(str(tmp_path / "in"),
                            [str(tmp_path / "link/given")])
    path = outputs.path("one", "new")
    assert outputs.path("one", "new") == path == str(tmp_path / "in/new")
    # The package itself may be written over; another's may not.
    assert outputs.path(str(tmp_path / "link/given"), "given")
    for package, name in (("two", "new"), ("two", "given"), ("two", "x/new")):
        with pytest.raises(Refused, match="would be written over"):
            outputs.path(package, name)


def test_a_file_is_complete_or_not_there(tmp_path):
    path = str(tmp_path / "file")
    with pytest.raises(KeyError):
        files.replace_file(path, lambda file: {}["x"])
    assert not os.listdir(tmp_path)
    files.replace_file(path, lambda file: file.write(b"old"))
    with pytest.raises(KeyError):
        files.replace_file(path, lambda file: {}[file.write(b"new")])
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_what_others_call_part_stays(tmp_path):
    """A browser's download has that name while it is not complete."""
    (tmp_path / "file.part").write_bytes(b"a download")
    files.replace_file(str(tmp_path / "file"), lambda file: file.write(b"new"))
    assert (tmp_path / "file.part").read_bytes() == b"a download"
    assert sorted(os.listdir(tmp_path)) == ["file", "file.part"]


def test_a_file_is_on_disk_before_it_has_its_name(tmp_path, monkeypatch):
    path = str(tmp_path / "file")
    done = []
    fsync, rename = os.fsync, os.rename

    def note_fsync(descriptor):
        done.append(os.fstat(descriptor).st_size)
        fsync(descriptor)

    def note_rename(source, target):
        done.append(target)
        rename(source, target)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(os, "rename", note_rename)
    files.replace_file(path, lambda file: file.write(b"all of it"))
    assert done == [len(b"all of it"), path]


def test_a_copy_has_the_times_and_spares_itself(tmp_path):
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    (tmp_path / "one").write_bytes(b"x")
    os.utime(one, (1, 2))
    files.copy_package(one, two)
    assert os.stat(two).st_mtime == 2
    about = os.stat(one)
    files.copy_package(one, one)
    assert os.stat(one).st_ino == about.st_ino


@pytest.mark.parametrize("start, kind", [
    (b"\x7fELF\2\1" + b"\0" * 10 + b"\3\0", elf.ET_DYN),
    (b"\x7fELF\2\2" + b"\0" * 10 + b"\0\1", elf.ET_REL),
    (b"\x7fELF\2\1" + b"\0" * 10 + b"\3", 0),
    (b"\x7fELG\2\1" + b"\0" * 10 + b"\3\0", 0), (b"", 0)])
def test_types_of_elf_files(start, kind):
    assert elf.elf_type(start) == kind


def test_program_headers():
    header = b"\x7fELF\2%c" + b"\0" * 58
    for order, letter in ((1, "<"), (2, ">")):
        start = bytearray(header % order)
        struct.pack_into(letter + "Q", start, 32, 64)
        struct.pack_into(letter + "2H", start, 54, 60, 3)
        table = struct.pack(letter + "2I6Q4x", 1, 5, 2, 3, 4, 5, 6, 7)
        # The second one is cut off, so the third is not there.
        assert list(elf.segments(bytes(start) + table + table[:39])) \
            == [elf.Segment(1, 5, 2, 3, 4, 5, 6, 7)]
    assert not list(elf.segments(b"\x7fELF"))
    assert not list(elf.segments(header % 1))


def file_of_segments(size, *ranges):
    """An ELF file of SIZE bytes with program headers for (offset, size)."""
    data = bytearray(b"\x7fELF\2\1" + bytes(size - 6))
    struct.pack_into("<Q", data, 32, 64)
    struct.pack_into("<2H", data, 54, 56, len(ranges))
    for number, (offset, length) in enumerate(ranges):
        struct.pack_into("<2I6Q", data, 64 + 56 * number, 1, 4, offset, 0, 0,
                         length, length, 1)
    return data


def test_what_runs_is_what_segments_name():
    data = file_of_segments(1000, (500, 100), (300, 50), (320, 10),
                            (340, 40), (900, 1 << 63))
    runs = elf.what_runs(bytes(data))
    for at in range(len(data)):
        other = data[:]
        other[at] ^= 1
        assert (elf.what_runs(bytes(other)) != runs) == (
            at < 40 or 48 <= at < 58 or 64 <= at < 64 + 5 * 56
            or 300 <= at < 380 or 500 <= at < 600 or at >= 900)
    # Their order counts.
    assert elf.what_runs(bytes(file_of_segments(1000, (300, 9), (500, 9)))) \
        != elf.what_runs(bytes(file_of_segments(1000, (500, 9), (300, 9))))


def test_segments_that_all_name_the_whole_file():
    data = bytes(file_of_segments(
        1 << 20, *((number, 1 << 20) for number in range(1000))))
    tracemalloc.start()
    try:
        assert elf.what_runs(data) == elf.what_runs(data)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("arguments, text", [
    ((1, 3), "33.33"), ((999999, 1000000), "99.99"), ((7, 7, 3), "100.000"),
    ((1, 2000, 3), "0.050"), ((0, 5), "0.00"), ((0, 0), "")])
def test_100_percent_are_all(arguments, text):
    assert percent(*arguments) == text


def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "file").write_bytes(b"x")
    for name, flags in (("fifo", 0), (".", 0), ("link", os.O_NOFOLLOW)):
        with pytest.raises(OSError):
            files.open_regular(str(tmp_path / name), flags)
    with files.open_regular(str(tmp_path / "link")) as file:
        assert file.read() == b"x"


@pytest.mark.parametrize("error, about, words", [
    (FileNotFoundError(2, "No such file or directory", "x"), "x",
     "No such file or directory"),
    (FileNotFoundError(2, "No such file or directory", b"y\n"), "x",
     "y\\n: No such file or directory"),
    (OSError(28, "No space left on device"), "", "No space left on device"),
    (UnicodeDecodeError("utf-8", b"", 0, 1, ""), "",
     "it has text that is not UTF-8"),
    (MemoryError(), "", "not enough memory"), (Refused("why"), "", "why")])
def test_errors_are_told_in_plain_words(error, about, words):
    assert reason_of(error, about) == words


# How a program ends.

ENDING = """
import os, signal, sys, time
# A job in the background has it ignored.
signal.signal(signal.SIGINT, signal.SIG_DFL)
sys.path.insert(0, %r)
from sframe_retrofit import commands, ending
place = ending.Workplace(sys.argv[1])
def main():
    os.makedirs(place.folder + "/full/of")
    os.chmod(place.folder + "/full", 0)
    print(place.folder, flush=True)
    with ending.short_lived(sys.argv[1] + "/part"):
        open(sys.argv[1] + "/part", "w").close()
        exec(sys.argv[2])
    return 3
ending.run_program(main)
""" % SOURCE


@pytest.mark.parametrize("text, number, status", [
    ("time.sleep(60)", signal.SIGTERM, -signal.SIGTERM),
    ("commands.run(['sleep', '60'])", signal.SIGHUP, -signal.SIGHUP),
    ("with commands.started(['sleep', '60']): os.kill(os.getpid(), 2)", 0,
     -signal.SIGINT),
    ("with ending.uninterrupted(): os.kill(os.getpid(), 15); place.x = 1\n"
     "os.kill(os.getpid(), 9)", 0, -signal.SIGTERM),
    ("raise OSError(28, 'No space')", 0, 1), ("raise BrokenPipeError", 0, -13),
    ("sys.exit(4)", 0, 4), ("raise KeyError", 0, 1), ("pass", 0, 3)])
def test_nothing_outlives_the_program(tmp_path, text, number, status):
    # Below nohup(1) SIGHUP is ignored.
    with subprocess.Popen(["env", "--default-signal=HUP", sys.executable, "-c",
                           ENDING, str(tmp_path), text],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as child:
        assert child.stdout.readline().startswith(str(tmp_path))
        while number and not (tmp_path / "part").exists():
            time.sleep(0.01)
        if number:
            time.sleep(0.1)
            child.send_signal(number)
        _, errors = child.communicate()
    assert child.returncode == status
    assert not os.listdir(tmp_path)
    assert errors == ("-c: No space\n" if "28" in text else "") \
        or "KeyError" in text


def test_what_is_around_a_removed_folder_stays(tmp_path):
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / "outside").mkdir(mode=0o755)
    (tmp_path / "a/link").symlink_to(tmp_path / "outside")
    os.chmod(tmp_path / "a/b", 0)
    before = [os.stat(path).st_mode for path in (tmp_path, tmp_path / "outside")]
    for name in "a", "a", "none/x":
        ending.remove(str(tmp_path / name))
    assert os.listdir(tmp_path) == ["outside"]
    assert before == [os.stat(path).st_mode
                      for path in (tmp_path, tmp_path / "outside")]


@pytest.mark.parametrize("error, times", [
    (errno.EWOULDBLOCK, 7), (errno.ENOLCK, 1000)])
def test_folders_are_locked_however_often_another_is_first(tmp_path, monkeypatch,
                                                           error, times):
    calls, flock = itertools.count(), fcntl.flock

    def late(*arguments):
        if next(calls) < times:
            raise OSError(error, "")
        flock(*arguments)

    monkeypatch.setattr(fcntl, "flock", late)
    with ending.Workplace(str(tmp_path)) as place:
        monkeypatch.undo()
        with open(place.folder + ".lock", "rb") as lock:
            assert error == errno.ENOLCK or not ending.is_free(lock.fileno(), True)
        assert len(list(tmp_path.iterdir())) == 2
    assert not list(tmp_path.iterdir())


def test_what_another_has_just_removed_is_nobody_s(tmp_path, monkeypatch):
    name = str(tmp_path / (ending.Workplace.PREFIX + "taken"))
    (tmp_path / (name + ".lock")).touch()

    def late(*arguments):
        """Somebody else has removed both, and a third one has the name."""
        os.unlink(name + ".lock")
        os.mkdir(name)
        (tmp_path / (name + ".lock")).touch()
        monkeypatch.undo()

    monkeypatch.setattr(fcntl, "flock", late)
    ending.remove_abandoned(str(tmp_path), ending.Workplace.PREFIX)
    assert os.path.isdir(name) and os.path.exists(name + ".lock")


def test_abandoned_folders_are_removed_and_used_ones_stay(tmp_path):
    parent = str(tmp_path)
    with ending.Workplace(parent) as used:
        for name in "abandoned", "other":
            (tmp_path / (ending.Workplace.PREFIX + name)).mkdir()
        (tmp_path / (ending.Workplace.PREFIX + "abandoned.lock")).touch()
        (tmp_path / "x.lock").touch()
        with ending.Workplace(parent):
            assert len(os.listdir(parent)) == 6
        assert sorted(os.listdir(parent)) == sorted([
            ending.Workplace.PREFIX + "other", "x.lock",
            os.path.basename(used.folder),
            os.path.basename(used.folder) + ".lock"])


def test_small_work_goes_to_memory_if_there_is_plenty(monkeypatch):
    monkeypatch.delenv("TMPDIR", raising=False)
    assert ending.parent_for(1 << 60) == tempfile.gettempdir()
    monkeypatch.setattr(ending, "MEMORY", "/")
    assert ending.parent_for(1) in ("/", tempfile.gettempdir())
    monkeypatch.setenv("TMPDIR", "/tmp")
    assert ending.parent_for(1) == tempfile.gettempdir()


def test_commands_say_what_they_complained_of(program):
    assert commands.run(["cat"], input=b"in") == b"in"
    assert commands.run(["cat"]) == b""
    with pytest.raises(Refused, match="^program: one; two$"):
        commands.run([program("printf 'one\\ntwo\\n' >&2; exit 3")])
    with pytest.raises(Refused, match="^false: exit status 1$"):
        commands.run(["false"])
    with pytest.raises(Refused, match="^/no/such not found$"):
        commands.run(["/no/such"])


def test_output_of_a_command_that_fails_later(program):
    with pytest.raises(Refused, match="^program: why$"):
        with commands.output_of([program("echo text; echo why >&2; exit 1")],
                                0) as stream:
            assert stream.read() == b"text\n"


@pytest.mark.parametrize("kind", ["", ".gz", ".xz", ".bz2", ".zst"])
def test_compression_is_undone_and_steady(kind):
    if kind == ".zst" and shutil.which("zstd") is None:
        pytest.skip("zstd not found")
    data = os.urandom(1000) * 300
    packed = compression.compress(kind, data, None, 1)
    assert compression.kind_of(packed[:6]) == kind
    assert compression.decompress(kind, packed) == data
    assert kind != ".gz" or packed[4:8] == bytes(4) # no time
    assert compression.compress(kind, data, None, 3) == packed


def test_damaged_and_unknown_data_are_refused():
    for kind in (".gz", ".xz", ".bz2"):
        with pytest.raises(Refused, match="damaged compressed data"):
            compression.decompress(kind, b"damaged")
    with pytest.raises(Refused, match="unknown compression .lz"):
        compression.decompress(".lz", b"")


def test_a_full_disk_is_no_damage_of_the_data():
    packed = compression.compress(".gz", bytes(1 << 20), None, 1)
    with open("/dev/full", "wb", buffering=0) as disk, \
         pytest.raises(OSError, match="No space left"):
        disk.writelines(compression.parts(".gz", io.BytesIO(packed),
                                          compression.Allowance(1)))


def test_what_unpacks_to_too_much_is_refused(monkeypatch):
    limits = [compression.Allowance(size).limit
              for size in (1, 1 << 30, 10 << 20)]
    assert limits == [256 << 20, 8 << 30, 2000 << 20]
    monkeypatch.setattr(compression.Allowance, "given", 10)
    allowance = compression.Allowance(1)
    assert b"".join(allowance.parts(io.BytesIO(b"x" * 10))) == b"x" * 10
    with pytest.raises(Refused, match="--unpacked-max"):
        list(allowance.parts(io.BytesIO(b"x"))) # the sum counts


# Progress.

@pytest.mark.parametrize("number, text", [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9949, "9.9 kB"),
    (9950, "10 kB"), (350e6, "350 MB"), (999.6e6, "1.0 GB"), (5e15, "5000 TB")])
def test_bytes_have_a_unit(number, text):
    assert progress.format_bytes(number) == text


def test_the_bar_is_the_converters():
    bar = progress.Progress("packages", [1000, 3000])
    bar.step(1000)
    bar.show("converting a\n")
    assert bar.text(2) == "[######..................] 1/2 packages, 1.0 kB of " \
        "4.0 kB, 500 B/s, 0:06 left, converting a\\n"
    assert not bar.on
    assert progress.format_time(3661) == "1:01:01"


def test_a_line_at_the_end_on_a_terminal_alone(capsys, monkeypatch):
    progress.Progress("packages", [1]).end("1 package")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    bar = progress.Progress("packages", [1])
    bar.end("1 package")
    assert capsys.readouterr().err.endswith(": 1 package; 0:00\n")
    assert not bar.on

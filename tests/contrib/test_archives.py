# Tar archives, what is near a file, and what is not to be converted.
# SPDX-License-Identifier: LGPL-2.1-or-later

import os
import tarfile
import tracemalloc

import pytest

from sframe_retrofit import Refused, archives, checksums, config, md5sums

ELF = b"\x7fELF\2\1" + b"\0" * 10 + b"\3\0"


def test_the_files_of_an_archive(tar):
    files = archives.TarContents(tar(
        ("./usr/lib", "", tarfile.DIRTYPE), ("./usr/lib/a.so", ELF),
        ("./usr/lib/text", b"text"), ("./usr/lib/short", b"\x7fELF"),
        ("./usr/lib/b.so", "./usr/lib/a.so", tarfile.LNKTYPE),
        ("./usr/lib/c.so", "a.so", tarfile.SYMTYPE)))
    assert files.elf_files() == [1, 3]
    assert files.names(1) == ["usr/lib/a.so", "usr/lib/b.so"]
    assert files.find("usr/lib/text") == b"text"
    assert files.find("usr/lib/c.so") is None
    assert [name for _, name in files.all_names()][0] == "usr/lib/a.so"
    assert files.link_targets() == [("usr/lib/b.so", "a.so"),
                                    ("usr/lib/c.so", "a.so")]
    assert checksums.further_names(files) == {
        "usr/lib/a.so": ["b.so", "c.so"]}


def header_of(name, kind, size):
    """A member's header that says SIZE, be it of a sparse file."""
    member = tarfile.TarInfo(name)
    member.type, member.linkname, member.size = kind, "elsewhere", size
    header = member.tobuf(tarfile.GNU_FORMAT)
    if kind != tarfile.GNUTYPE_SPARSE:
        return header
    return archives.patched_header(
        header[:483] + b"%011o\0" % size + header[495:], 0)


@pytest.mark.parametrize("kind", [
    tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.FIFOTYPE,
    tarfile.GNUTYPE_SPARSE])
def test_what_is_not_stored_is_not_read(tar, kind):
    file = tar(("lib/a.so", ELF + bytes(1 << 16)))
    lies = b"".join(header_of("%d.hmac" % number, kind, 1 << 30)
                    for number in range(300))
    files = archives.TarContents(lies + file)
    assert len(files.members) == 301
    assert sum(len(files.file(index)) for index in range(301)) < len(file)
    assert files.elf_files() == [300]
    assert sum(len(data) for _, data in checksums.candidates_in(files)) == 0


@pytest.mark.parametrize("fields", [32, 33, 20000])
def test_fields_of_all_members_are_few(tar, fields):
    records = b"".join(b"16 %010d=x\n" % number for number in range(fields))
    start = tarfile.TarInfo("all")
    start.type, start.size = tarfile.XGLTYPE, len(records)
    data = start.tobuf() + records + bytes(-len(records) % 512) \
        + tar(*((str(number), b"") for number in range(100)))
    tracemalloc.start()
    try:
        if fields > 32:
            with pytest.raises(Refused, match="too many global headers"):
                archives.TarContents(data)
        else:
            members = archives.TarContents(data).members
            assert len(members) == 100 and len(members[99].pax_headers) == 32
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_of_what_may_be_a_checksum_the_start_is_kept(tar):
    files = archives.TarContents(tar(("a.hmac", b"x" * 70000), ("b", b"y")))
    assert files.file(0, 3) == b"xxx" and files.file(1, 3) == b"y"
    assert files.file(0, 0) == b""
    assert checksums.candidates_in(files) == [("a.hmac", b"x" * 65536)]


def test_a_file_with_many_names_is_hashed_once(monkeypatch):
    hashed = []
    monkeypatch.setattr(md5sums, "md5",
                        lambda data: hashed.append(data) or data)
    digests = {}
    md5sums.note(digests, ["usr/lib/a", "b"], b"old", b"new")
    assert digests == {("lib/a", b"old"): b"new", ("b", b"old"): b"new"}
    assert sorted(hashed) == [b"new", b"old"]


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 5000])
def test_one_file_changes_and_all_else_stays(tar, size):
    old = tar(("a", b"1" * 600), ("b", b"2" * 600), ("c", b"3" * 600))
    new = archives.TarContents(old).replaced({1: b"x" * size})
    assert len(new) % 512 == 0
    again = archives.TarContents(new)
    assert [again.file(i) for i in range(3)] \
        == [b"1" * 600, b"x" * size, b"3" * 600]
    # With the old contents the archive is what it was, but for spaces in
    # the checksum.
    back = archives.TarContents(again.replaced({1: b"2" * 600}))
    assert back.data == archives.TarContents(old).replaced({1: b"2" * 600})


def test_a_file_that_is_asked_for_is_there_once(tar):
    files = archives.TarContents(tar(
        ("./a", b"1"), ("b", b"2"), ("b", "a", tarfile.SYMTYPE), ("c", b"3"),
        ("./c", b"4")))
    assert files.find("b") == b"2" and files.find("d") is None
    new = archives.TarContents(files.with_files({"a": b"5", "d": b"6"}))
    assert new.find("a") == b"5" and new.find("b") == b"2"
    for function in files.find, lambda name: files.with_files({name: b""}):
        with pytest.raises(Refused, match="c is in the archive more than once"):
            function("c")


def test_what_cannot_be_changed_is_refused(tar):
    files = archives.TarContents(tar(("a", b"1")))
    files.members[0].pax_headers = {"size": "1"}
    with pytest.raises(Refused, match="in a form that cannot be changed"):
        files.replaced({0: b""})
    with pytest.raises(Refused, match="too large"):
        archives.patched_header(b"\0" * 512, 8 ** 11)
    with pytest.raises(Refused, match="damaged tar archive"):
        archives.TarContents(b"x" * 1024)


def test_what_is_near_may_be_a_checksum():
    near = checksums.Checksums()
    near.add([("lib/x/.a.hmac", b"1"), ("usr/lib/x/hmac/b.hmac", b"2"),
              ("usr/lib/y/c.chk", b"3"), ("usr/lib/y/z/d.chk", b"4"),
              ("usr/../e.chk", b"5")])
    # /lib is /usr/lib; of a folder beside, what is in a folder of it counts.
    assert sorted(near.near("/usr/lib/x/a.so")) == [
        ("../y/z/d.chk", b"4"), ("./.a.hmac", b"1"), ("hmac/b.hmac", b"2")]
    near.add(("many/%d.chk" % i, b"") for i in range(100))
    assert len(near.near("many/a.so")) == checksums.NEAR_MAX + 1


def test_a_cache_of_julia_has_a_checksum():
    assert checksums.is_candidate("usr/share/julia/compiled/v1.12/A/a_b.ji")
    assert "a_b.so" in checksums.may_name([("./a_b.ji", b"")])


def test_a_file_is_laid_out_where_it_was(tmp_path):
    path = checksums.lay_out(str(tmp_path / "1"), "/usr/lib/a.so", b"a",
                             [("../y/c.chk", b"c")], ["b.so", "../x"])
    assert path == str(tmp_path / "1/usr/lib/a.so")
    assert os.readlink(tmp_path / "1/usr/lib/b.so") == "a.so"
    assert (tmp_path / "1/usr/y/c.chk").read_bytes() == b"c"
    assert not os.path.lexists(tmp_path / "1/usr/x")


@pytest.mark.parametrize("name", ["../a.so", "a/../../a.so", "a//a.so",
                                  "a" * 300 + "/a.so"])
def test_no_name_leads_out_of_the_folder(tmp_path, name):
    path = checksums.lay_out(str(tmp_path / "1"), name, b"a", [], [])
    assert path == str(tmp_path / "1/a.so")


def test_the_configuration():
    read = config.Config("exclude-package = linux-* # /etc/c:4\n"
                         "exclude = /usr/lib/v#1/* # /etc/c # d/conf:1\n"
                         "exclude = /opt/* # /etc/c.d/1.conf:2\n"
                         "min-coverage = 7 # /etc/c:2\n"
                         "format = 2 # /etc/c:3\n")
    assert read.value("min-coverage") == "7"
    assert read.why_file("./usr/lib/v#1/x") == "left out by /etc/c # d/conf:1"
    assert read.why_file("opt/x").endswith("1.conf:2")
    assert read.why_file("/usr/lib/x") is None
    assert read.why_package("linux-image") and not read.why_package("gnu-linux")
    assert read.options(["-q"]) == ["--min-coverage=7", "--format=2", "-q"]
    assert read.options(["--for=kernel"]) == ["--min-coverage=7",
                                              "--for=kernel"]
    assert config.Config("").settings == []


@pytest.mark.parametrize("pattern, text, fits", [
    ("/bin/[^a]*", "/bin/b", True), ("/bin/[^a]*", "/bin/a", False),
    ("/bin/[!a]*", "/bin/b", True), ("/x[[:digit:]]", "/x5", True),
    ("/x[^[:upper:]_]", "/xA", False), ("/x[[:none:]]", "/xn", False),
    ("/a?b", "/a\u00fcb", False), ("/a??b", "/a\u00fcb", True),
    ("/*", "/a/b", True), ("/\\*", "/\\z", True), ("/[", "/[", True)])
def test_patterns_fit_as_in_the_converter(pattern, text, fits):
    assert config.fits(pattern, text) is fits


def test_a_link_is_to_the_last_file_of_a_name_before_it(tar):
    files = archives.TarContents(tar(
        ("a", "none", tarfile.LNKTYPE), ("a", b"1"), ("b", "a", tarfile.LNKTYPE),
        ("a", b"2"), ("c", "./a", tarfile.LNKTYPE), ("d", "b", tarfile.LNKTYPE)))
    assert files.names(1) == ["a", "b", "d"]
    assert files.names(3) == ["a", "c"]


def test_files_lie_together_in_groups(tmp_path):
    near = checksums.Checksums()
    near.add([("p/.l.hmac", b"1"), ("q/x.chk", b"2")])
    layout = checksums.Layout(str(tmp_path), near, {
        "p/a": ["l", "m"], "p/b": ["n"], "q/a": ["x.so", "y"]})
    paths = [layout.add(name, b"") for name in ("p/a", "p/b", "q/a", "p/a")]
    assert [os.path.relpath(path, tmp_path) for path in paths] == [
        "1/p/a", "1/p/b", "1/q/a", "2/p/a"]
    for group in "1/p", "2/p":
        assert os.readlink(tmp_path / group / "l") == "a"
        assert (tmp_path / group / ".l.hmac").read_bytes() == b"1"
        assert not os.path.lexists(tmp_path / group / "m")
    assert sorted(os.listdir(tmp_path / "1/q")) == ["a", "x.chk", "x.so"]
    for number in range(layout.GROUP):
        path = layout.add("r/%d" % number, b"")
    assert path == str(tmp_path / "3/r" / str(layout.GROUP - 1))


def test_headers_for_headers_without_end_are_refused():
    name = tarfile.TarInfo("././@LongLink")
    name.type, name.size = tarfile.GNUTYPE_LONGNAME, 5
    header = name.tobuf(tarfile.GNU_FORMAT) + b"name\0".ljust(512, b"\0")
    with pytest.raises(Refused, match="damaged tar archive"):
        archives.TarContents(header * 2000 + bytes(1024))

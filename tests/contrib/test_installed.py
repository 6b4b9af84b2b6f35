# What package managers know of installed files, and the verdict on each.
# SPDX-License-Identifier: LGPL-2.1-or-later

import hashlib
import os

import pytest

from sframe_retrofit import Refused, databases, mtree
from sframe_retrofit.databases import File
from sframe_retrofit.installed import Origin, Tree, judged_file

ELF = b"\x7fELF\2\1" + b"\0" * 10 + b"\3\0"


def md5(data):
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


@pytest.fixture
def dpkg(tmp_path):
    """dpkg (STATUS, FILES): a root with these."""
    def make(status, **files):
        write(tmp_path / "var/lib/dpkg/status", status)
        for name, text in files.items():
            write(tmp_path / "var/lib/dpkg" / name.replace("__", "/")
                  .replace("_", "."), text)
        return databases.open_database(str(tmp_path))

    return make


def test_dpkg_knows_what_is_whose(dpkg):
    database = dpkg(
        "Package: a\nStatus: install ok installed\nArchitecture: amd64\n"
        "Conffiles:\n /etc/a b 0123456789abcdef0123456789abcdef\n"
        " /etc/c 0123456789abcdef0123456789abcdef obsolete\nVersion: 1\n\n"
        "Package: gone\nStatus: deinstall ok config-files\n\n"
        "Package: b\nStatus: install ok half-installed\n",
        info__a_list="/.\n/etc/a b\n/etc/c\n/usr/bin/x\n/usr/bin/y\n/z\n",
        info__a_md5sums="1  usr/bin/x\n2  ./usr/bin/y\n3  etc/a b\n"
                        "4  etc/c\n5  usr/bin/taken-over\n",
        diversions="/usr/bin/x\n/usr/bin/x.other\nb\n")
    assert [package.name for package in database.packages] == ["a", "b"]
    assert database.packages[0].names == {"a", "a:amd64"}
    assert database.interrupted().startswith("b is half installed")
    assert database.files(database.packages[0]) == [
        File("/etc/a b", "md5", ""), File("/etc/c", "md5", ""),
        File("/usr/bin/x.other", "md5", "1"), File("/usr/bin/y", "md5", "2"),
        File("/z", "md5", "")]


def test_no_database_is_said_in_a_sentence(tmp_path):
    with pytest.raises(Refused, match="neither dpkg, rpm nor pacman"):
        databases.open_database(str(tmp_path))


def test_a_lock_keeps_others_away(dpkg):
    database = dpkg("Package: a\nStatus: install ok installed\n")
    with database.locked() as locks:
        assert len(locks) == 2
        with pytest.raises(Refused, match="is running"):
            with database.locked():
                pass
    with database.locked():
        pass


def test_lines_of_mtree():
    text = b"#mtree\n/set type=file uid=0\n./usr/bin/a\\040b md5digest=1 " \
        b"sha256digest=2 size=3\n./usr type=dir\n"
    assert mtree.mtree_digests(text) == {"usr/bin/a b": ("sha256", "2")}
    new = mtree.new_mtree(text, {b"usr/bin/a b": mtree.Contents(b"x")})
    assert b"./usr/bin/a\\040b md5digest=%s sha256digest=%s size=1\n" % (
        md5(b"x").encode(), hashlib.sha256(b"x").hexdigest().encode()) in new
    with pytest.raises(Refused, match="c is not in .MTREE"):
        mtree.new_mtree(text, {b"c": mtree.Contents(b"")})
    with pytest.raises(Refused, match="which is unknown"):
        mtree.new_mtree(b"./c cksum=1", {b"c": mtree.Contents(b"")})


@pytest.mark.parametrize("digests, origin", [
    ([], Origin.UNKNOWN),
    ([("md5", md5(b"another")), ("md5", md5(ELF))], Origin.SHIPPED),
    ([("sha256", md5(ELF)), ("md5", md5(ELF))], Origin.SHIPPED),
    ([("sha256", md5(b"before"))], Origin.CHANGED),
    ([("md5", md5(b"before"))], Origin.CONVERTED)])
def test_verdicts(options, program, tmp_path, digests, origin):
    options.cfi2sframe = program("printf before; echo x: restored >&2")
    path = tmp_path / "file"
    path.write_bytes(ELF)
    assert judged_file(options, str(path), digests).origin == origin


def test_verdicts_on_what_was_never_converted(options, program, tmp_path):
    options.cfi2sframe = program("printf before")
    path = tmp_path / "file"
    for contents in ELF, b"text":
        path.write_bytes(contents)
        assert judged_file(options, str(path), [
            ("md5", md5(b"before"))]).origin == Origin.CHANGED
    path.unlink()
    assert judged_file(options, str(path), [("md5", "")]).origin \
        == Origin.MISSING


def test_links_stay_below_the_root(tmp_path):
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "bin").symlink_to("/usr/bin")
    (tmp_path / "usr/bin/x").symlink_to("../../../../bin/y")
    tree = Tree(str(tmp_path))
    assert tree.path("/bin/x") == str(tmp_path / "usr/bin/x")
    assert tree.target("/bin/x") == str(tmp_path / "usr/bin/y")

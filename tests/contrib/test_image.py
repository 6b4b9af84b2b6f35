# Damaged images, and faults of sframe-retrofit-image's own, are told apart.
# SPDX-License-Identifier: LGPL-2.1-or-later

import hashlib
import importlib.machinery
import importlib.util
import json
import os
import tarfile

import pytest

from conftest import SOURCE

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"


@pytest.fixture(scope="module")
def retrofit():
    """The program, as a module."""
    loader = importlib.machinery.SourceFileLoader(
        "retrofit_image", os.path.join(SOURCE, "sframe-retrofit-image"))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def run(retrofit, program, tmp_path, monkeypatch, capsys):
    """run (IMAGE): the exit status and standard error.  No file is converted."""
    converter = program("exit 1")

    def run_on(image):
        monkeypatch.setattr("sys.argv", [
            "sframe-retrofit-image", "--squash", "--cfi2sframe=" + converter,
            "-o", str(tmp_path / "new"), str(image)])
        return retrofit.main(), capsys.readouterr().err

    return run_on


def to_text(value):
    return value if isinstance(value, str) else json.dumps(value)


@pytest.fixture
def layout(tmp_path):
    """layout (INDEX, MANIFEST, CONFIG): an image with an empty layer; each
    argument changes what would be right."""
    def make(index=None, manifest=None, config=None):
        folder = tmp_path / "image"
        blobs = folder / "blobs/sha256"
        blobs.mkdir(parents=True)

        def blob(value):
            data = to_text(value).encode()
            digest = hashlib.sha256(data).hexdigest()
            (blobs / digest).write_bytes(data)
            return {"digest": "sha256:" + digest, "size": len(data)}

        layer = blob("\0" * 1024)
        settings = {"rootfs": {"diff_ids": [layer["digest"]]}, "history": []}
        value = {"layers": [dict(layer, mediaType=LAYER)],
                 "config": blob(config(settings) if config else settings)}
        value = {"manifests": [dict(blob(manifest(value) if manifest
                                         else value), mediaType=MANIFEST)]}
        (folder / "oci-layout").write_text("{}")
        (folder / "index.json").write_text(to_text(index(value) if index
                                                   else value))
        return folder

    return make


def first(value, **members):
    """An index with MEMBERS in its only descriptor."""
    return {"manifests": [{**value["manifests"][0], **members}]}


def test_an_image_without_programs_is_well(run, layout):
    assert run(layout()) == (0, "")


@pytest.mark.parametrize("change", [
    {"index": lambda index: []},
    {"index": lambda index: {"manifests": {}}},
    {"index": lambda index: {"manifests": [0]}},
    {"index": lambda index: first(index, digest=[])},
    {"index": lambda index: first(index, digest=None)},
    {"index": lambda index: first(index, annotations=0)},
    {"index": lambda index: "[" * 100000},
    {"manifest": lambda manifest: 0},
    {"manifest": lambda manifest: dict(manifest, layers=0.5)},
    {"manifest": lambda manifest: dict(manifest, layers=["x"])},
    {"manifest": lambda manifest: dict(manifest, layers=[{"mediaType": 0}])},
    {"manifest": lambda manifest: {"layers": manifest["layers"]}},
    {"manifest": lambda manifest: dict(manifest, config=None)},
    {"config": lambda config: []},
    {"config": lambda config: dict(config, rootfs=None)},
    {"config": lambda config: dict(config, rootfs={"diff_ids": 0})},
    {"config": lambda config: dict(config, history={})}])
def test_a_damaged_layout_is_refused_in_a_line(run, layout, change):
    status, text = run(layout(**change))
    assert status == 1
    assert text.count("\n") == 1 and text.endswith("\n"), text


def test_members_that_are_no_concern_of_ours_may_be_anything(run, layout):
    assert run(layout(
        index=lambda index: first(index, annotations={"a": [], "b": None}),
        manifest=lambda manifest: dict(manifest, annotations=0),
        config=lambda config: dict(config, history=None))) == (0, "")


def test_null_is_a_member_that_is_missing(run, layout):
    assert run(layout(index=lambda index: {"manifests": None})) == (0, "")


@pytest.mark.parametrize("images", [
    {}, [0], [{}], [{"Config": 0, "Layers": []}],
    [{"Config": "c", "Layers": None}], [{"Config": "c", "Layers": [[]]}],
    [{"Config": "c"}], [{"Config": "missing", "Layers": []}]])
def test_a_damaged_archive_is_refused_in_a_line(run, tmp_path, images):
    (tmp_path / "manifest.json").write_text(json.dumps(images))
    (tmp_path / "c").write_text("{}")
    with tarfile.open(tmp_path / "image.tar", "w") as archive:
        for name in "manifest.json", "c":
            archive.add(tmp_path / name, name)
    status, text = run(tmp_path / "image.tar")
    assert status == 1
    assert text.count("\n") == 1 and text.endswith("\n"), text


def test_text_that_is_no_unicode_is_refused(retrofit):
    with pytest.raises(retrofit.Refused, match="not Unicode"):
        retrofit.to_bytes({"a": "\ud800"})


@pytest.mark.parametrize("fault", [KeyError, AttributeError, TypeError])
def test_our_own_faults_are_no_damaged_images(run, retrofit, layout,
                                              monkeypatch, fault):
    def changed_layers(*_):
        raise fault("ours")

    monkeypatch.setattr(retrofit.Layers, "changed", changed_layers)
    with pytest.raises(fault):
        run(layout())


def test_headers_count_as_unpacked(run, tmp_path, monkeypatch, retrofit):
    monkeypatch.setattr(retrofit.Allowance, "given", 1 << 20)
    member = tarfile.TarInfo("a")
    member.pax_headers = {"comment": "x" * (4 << 20)}
    with tarfile.open(tmp_path / "image.tar.gz", "w:gz",
                      format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(member)
    status, text = run(tmp_path / "image.tar.gz")
    assert status == 1 and "unpacks to more than 1 MiB" in text


def test_damaged_compression_is_told_in_a_line(run, tmp_path):
    path = tmp_path / "image.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(__file__, "manifest.json")
    data = bytearray(path.read_bytes())
    data[40:60] = b"\xff" * 20
    path.write_bytes(data)
    status, text = run(path)
    assert status == 1 and text.count("\n") == 1, text

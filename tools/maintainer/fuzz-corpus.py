#!/usr/bin/env python3
"""Choose and pack the inputs of the fuzz targets, for tests/data/fuzz.

CORPUS has a folder for each target, as tests/fuzz/corpus of a build has.  The inputs of
each become tests/data/fuzz/TARGET.tar.xz.  With --fuzzer (fuzz-work/fuzz of the build
folder where fuzz.sh works) only those are packed that together reach every edge that all
reach; those with a name of their own are reproducers of defects and always stay, the
name of the others is a digest.  They are packed because many of them are damaged ELF
files, which programs that look through a source tree would take for programs.

  python3 tools/maintainer/fuzz-corpus.py build/tests/fuzz/corpus

Prints a line for each target, with the number of inputs before and after; seconds.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later

import concurrent.futures
import io
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
import common

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGEST = re.compile('[0-9a-f]{40}')


def edges(fuzzer, target, path):
    """The edges that one input reaches, in a process of its own.

    libFuzzer notes them in the control file of a merge, which begins with the
    number of files, how many of them come first, and their names.
    """
    with tempfile.NamedTemporaryFile('w+') as control:
        control.write(f'1\n0\n{path}\n')
        control.flush()
        subprocess.run(
            [fuzzer, '-merge_inner=1', '-use_counters=0', '-max_len=24000',
             f'-merge_control_file={control.name}'],
            env=dict(os.environ, FUZZ_TARGET=target,
                     ASAN_OPTIONS='detect_leaks=0'),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=100, check=False)
        for line in open(control.name, encoding='ascii'):
            if line.startswith('FT '):
                return frozenset(map(int, line.split()[2:]))
    sys.exit(f'{path}: {fuzzer} did not say what it reaches')


def smallest_cover(reached):
    """Names that together reach all edges: the best one again and again, and then
    without those that the others make superfluous."""
    kept = [path for path in reached if not DIGEST.fullmatch(path.name)]
    open_edges = frozenset().union(*reached.values())
    for path in kept:
        open_edges -= reached[path]
    while open_edges:
        best = max(sorted(reached), key=lambda path: (
            len(reached[path] & open_edges), -path.stat().st_size))
        kept.append(best)
        open_edges -= reached[best]
    counts = {}
    for path in kept:
        for edge in reached[path]:
            counts[edge] = counts.get(edge, 0) + 1
    for path in sorted(kept, key=lambda path: -path.stat().st_size):
        if DIGEST.fullmatch(path.name) \
           and all(counts[edge] > 1 for edge in reached[path]):
            kept.remove(path)
            for edge in reached[path]:
                counts[edge] -= 1
    return kept


def pack(paths, target, output):
    """Same inputs, same bytes: no times, no owners, sorted names."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode='w',
                      format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(paths):
            member = tarfile.TarInfo(f'{target}/{path.name}')
            data = path.read_bytes()
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    output.write_bytes(lzma.compress(plain.getvalue(),
                                     preset=9 | lzma.PRESET_EXTREME))


def main():
    parser = common.parser_of(__doc__)
    parser.add_argument('--fuzzer', metavar='PROGRAM',
                        help='keep only what it needs to reach all edges')
    parser.add_argument('corpus', type=pathlib.Path)
    arguments = parser.parse_args()
    for folder in sorted(arguments.corpus.iterdir()):
        if not folder.is_dir():
            continue
        paths = sorted(folder.iterdir())
        kept, said = paths, ''
        if arguments.fuzzer:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                found = pool.map(lambda path: edges(
                    arguments.fuzzer, folder.name, path), paths)
            reached = dict(zip(paths, found))
            kept = smallest_cover(reached)
            said = f', {len(frozenset().union(*reached.values()))} edges'
        pack(kept, folder.name, ROOT / f'tests/data/fuzz/{folder.name}.tar.xz')
        print(f'{folder.name}: {len(paths)} -> {len(kept)} inputs{said}')


if __name__ == "__main__":
    common.run(main)

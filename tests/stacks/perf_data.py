#!/usr/bin/env python3
"""Recordings of perf: an independent statement of their format.

  perf_data.py write DUMP OUT [OPTION...]
  perf_data.py read FILE

Written after perf_event_open(2) and tools/perf/Documentation/
perf.data-file-format.txt of the kernel.  DUMP is what dump.c of
perf_data.bats prints.  What is read is printed a record to a line.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later

import os
import struct
import subprocess
import sys

IP, TID, TIME, CALLCHAIN = 1, 2, 4, 0x20
REGS, STACK, IDENTIFIER = 0x1000, 0x2000, 0x10000
MMAP2, COMM, EXIT, FORK, SAMPLE, LOST, SWITCH = 10, 3, 4, 7, 9, 2, 14
OUT, PREEMPTED = 1 << 13, 1 << 14
KERNEL, USER, EXEC, WITH_BUILD_ID = 1, 2, 1 << 13, 1 << 14
REGISTERS = 0xff0fff  # as perf asks for: with flags and segments
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
SAMPLE_ID_ALL, EXCLUDE_CHAIN_USER, FREQ = 1 << 18, 1 << 22, 1 << 10


def attr(sample_type, stack, flags, config=0, period=99):
    """A perf_event_attr of 128 bytes: cpu-clock, 99 times per second."""
    fields = struct.pack('<IIQQQQQ', 1, 128, config, period, sample_type, 0,
                         flags | SAMPLE_ID_ALL | (FREQ if period > 1 else 0))
    fields = fields.ljust(80, b'\0')
    fields += struct.pack('<QI', REGISTERS if stack else 0, stack)
    return fields.ljust(128, b'\0')


def compressed(parts, kind):
    """Records of type KIND with PARTS compressed in them."""
    stream = b''.join(subprocess.run(['zstd', '-qc', '--no-check'], input=part,
                                     capture_output=True, check=True).stdout
                      for part in parts)
    records = b''
    for at in range(0, len(stream), 1000):
        chunk = stream[at:at + 1000]
        if kind == 83:
            chunk = struct.pack('<Q', len(chunk)) + chunk
            chunk += b'\xee' * (-len(chunk) % 8)
        records += struct.pack('<IHH', kind, 0, len(chunk) + 8) + chunk
    return records


class Writer:
    """Records of one recording, each with the same fields at its end."""

    def __init__(self, options):
        self.options = options
        self.type = IP | TID | CALLCHAIN | REGS | STACK
        if 'no-time' not in options:
            self.type |= TIME
        if {'two-events', 'two-stacks', 'waits'} & set(options):
            self.type |= IDENTIFIER
        self.records = []
        self.now = 1000

    def add(self, kind, misc, body, pid, tid=None):
        """A record that is not a sample."""
        if tid is None:
            tid = pid
        body += b'\0' * (-len(body) % 8) + struct.pack('<II', pid, tid)
        if self.type & TIME:
            body += struct.pack('<Q', self.now)
        if self.type & IDENTIFIER:
            body += struct.pack('<Q', 2)
        self.records.append(struct.pack('<IHH', kind, misc, len(body) + 8)
                            + body)
        self.now += 10

    def comm(self, pid, name):
        self.add(COMM, EXEC, struct.pack('<II', pid, pid) + name + b'\0', pid)

    def task(self, kind, pid, tid, parent, parent_tid, misc=0):
        self.add(kind, misc, struct.pack('<IIIIQ', pid, parent, tid, parent_tid,
                                      self.now), pid, tid)

    def fork(self, parent, pid):
        self.task(FORK, pid, pid, parent, parent)

    def map(self, pid, line, build_ids):
        """A line of /proc/PID/maps."""
        addresses, access, offset, device, inode, *path = line.split(None, 5)
        start, end = (int(n, 16) for n in addresses.split('-'))
        major, minor = (int(n, 16) for n in device.split(':'))
        path = path[0].strip() if path else '//anon'
        misc, inode = USER, int(inode)
        if 'other-inode' in self.options and inode:
            inode += 1
        which = struct.pack('<IIQQ', major, minor, inode, 0)
        if path in build_ids:
            misc |= WITH_BUILD_ID
            which = (bytes([len(build_ids[path]), 0, 0, 0])
                     + build_ids[path].ljust(20, b'\0'))
        body = struct.pack('<IIQQQ', pid, pid, start, end - start,
                           int(offset, 16)) + which
        body += struct.pack('<II', 1 | 4 * ('x' in access), 2)
        self.add(MMAP2, misc, body + path.encode() + b'\0', pid)

    def kernel_map(self, symbol, address):
        """Where the kernel is: perf has it from the symbol."""
        body = struct.pack('<IIQQQ', 2**32 - 1, 0, int(address, 16), 1 << 24,
                           int(address, 16))
        body += b'[kernel.kallsyms]' + symbol.encode() + b'\0'
        self.add(1, KERNEL, body, 2**32 - 1)

    def sample(self, pid, registers, stack, abi=2, tid=None,
               event=1):
        body = struct.pack('<Q', event) if self.type & IDENTIFIER else b''
        body += struct.pack('<QII', registers[8], pid, tid or pid)
        if self.type & TIME:
            body += struct.pack('<Q', self.now)
        chain = []
        if 'kernel' in self.options:
            chain = [CONTEXT_KERNEL, 0xffffffff81000123]
        for option in self.options:
            if option.startswith('kernel='):
                chain = [CONTEXT_KERNEL] + [int(word, 16) for word
                                            in option[7:].split(',')]
        body += struct.pack(f'<Q{len(chain)}Q', len(chain), *chain)
        body += struct.pack('<Q', abi)
        if abi:
            body += struct.pack(f'<{len(registers)}Q', *registers)
        room = len(stack) + 64
        body += struct.pack('<Q', room) + stack.ljust(room, b'\xaa')
        body += struct.pack('<Q', len(stack))
        self.records.append(struct.pack('<IHH', SAMPLE, USER, len(body) + 8)
                            + body)
        self.now += 10

    def file(self):
        """The whole file."""
        events = [attr(self.type, 8192, EXCLUDE_CHAIN_USER)]
        if 'two-stacks' in self.options:
            events.append(attr(self.type, 8192, EXCLUDE_CHAIN_USER))
        if 'waits' in self.options:
            events.append(attr(self.type, 8192, EXCLUDE_CHAIN_USER, 3, 1))
        if 'two-events' in self.options:
            # What goes along says which processes there are.
            events.append(attr(IP | TID | TIME | IDENTIFIER, 0, 0))
        ids = [struct.pack('<Q', i + 1) for i in range(len(events))]
        after = 104 + len(events) * (128 + 16)
        attrs = b''.join(e + struct.pack('<QQ', after + 8 * i, 8)
                         for i, e in enumerate(events))
        front = attrs + b''.join(ids)
        records = self.records
        if 'shuffled' in self.options:
            records = records[::-1]
        data = b''.join(records) + struct.pack('<IHH', 68, 0, 8)
        kinds = [int(option[11:]) for option in self.options
                 if option.startswith('compressed=')]
        if kinds:
            rest = data[len(records[0]):]
            # Two streams; the first one ends within a record.
            parts = [rest[:len(rest) // 2 + 1], rest[len(rest) // 2 + 1:]]
            if 'cut-stream' in self.options:
                parts.pop()
            data = records[0] + compressed(parts, kinds[0])
        texts = {4: os.uname().release.encode(),
                 6: os.uname().machine.encode()}
        if 'machine' in self.options:
            texts[6] = b'pdp11'
        features = {n: struct.pack('<I', 64) + text.ljust(64, b'\0')
                    for n, text in texts.items()}
        features[12] = struct.pack('<II', len(events), 128) + b''.join(
            e + struct.pack('<II', 1, 8) + b'clock\0\0\0' + i
            for e, i in zip(events, ids))
        if kinds:
            features[27] = struct.pack('<5I', 1, 1, 1, 8, 1 << 19)
        data_start = 104 + len(front)
        at = data_start + len(data) + 16 * len(features)
        table = b''
        for _, content in sorted(features.items()):
            table += struct.pack('<QQ', at, len(content))
            at += len(content)
        bits = sum(1 << n for n in features)
        if 'folder' in self.options:
            bits |= 1 << 24
        magic = b'2ELIFREP' if 'foreign' in self.options else b'PERFILE2'
        header = magic + struct.pack(
            '<QQQQQQQQ4Q', 104, 128 + 16, 104, len(attrs),
            data_start, 0 if 'unfinished' in self.options else len(data),
            0, 0, bits, 0, 0, 0)
        return header + front + data + table + b''.join(
            content for _, content in sorted(features.items()))


def waits(writer, pid, samples):
    """Threads that leave processors and come back, at microseconds.

    What can be known: the first stack waits 2 * 19.99 ms, the second one
    10.495 ms for a processor, the third one 24.99 ms, to the end.  Of four
    waits something is missing.
    """
    a, b, c = pid + 5, pid, pid + 2
    for time, what, tid, more in (
            (10000, 'stack', a, 0), (10010, 'out', a, OUT),
            (20000, 'stack', b, 1), (20005, 'out', b, OUT | PREEMPTED),
            (30000, 'in', a, 0), (30500, 'in', b, 0),
            # The end of one and the beginning of the next one may be lost.
            (40000, 'stack', a, 2), (40010, 'out', a, OUT),
            (45000, 'lost', a, 3), (50000, 'in', a, 0),
            # No stack; no end.
            (60000, 'out', b, OUT), (60100, 'in', b, 0),
            (70000, 'stack', b, 0), (70010, 'out', b, OUT),
            (80000, 'stack', b, 0), (80010, 'out', b, OUT),
            (90000, 'in', a, 0),
            # Of the kernel, and of a processor without work.
            (90100, 'no stack', c + 1, 0), (90110, 'out', c + 1, OUT),
            (90200, 'in', c + 1, 0), (90300, 'out', 0, OUT), (90400, 'in', 0, 0),
            (91000, 'stack', c, 0), (91010, 'out', c, OUT), (92000, 'exit', c, 0),
            (95000, 'stack', a, 2), (95010, 'out', a, OUT),
            (100000, 'in', b, 0), (120000, 'in', c, 0)):
        writer.now = time * 1000
        if what == 'stack':
            writer.sample(pid, *samples[more], tid=tid, event=2)
        elif what == 'no stack':
            writer.sample(pid, samples[0][0], b'', abi=0, tid=tid, event=2)
        elif what == 'lost':
            writer.add(LOST, 0, struct.pack('<QQ', 2, more), pid)
        elif what == 'exit':
            writer.task(EXIT, pid, tid, pid, pid)
        elif 'no-switches' not in writer.options:
            writer.add(SWITCH, more, b'', pid, tid)


def write(dump, out, *options):
    """A recording of a process with each sample that DUMP has."""
    writer = Writer(options)
    build_ids = {}
    for option in options:
        if option.startswith('build-id='):
            path, digits = option[9:].rsplit(':', 1)
            build_ids[path] = bytes.fromhex(digits)
    pid, maps, samples = 0, [], []
    with open(dump, encoding='ascii') as lines:
        for line in lines:
            word, rest = line.rstrip('\n').split(' ', 1)
            if word == 'pid':
                pid = int(rest)
            elif word == 'map':
                maps.append(rest)
            else:
                registers, stack = rest.split(' / ')
                samples.append(([int(n, 16) for n in registers.split()],
                                bytes.fromhex(stack)))
    # What an earlier program had mapped is not there any more.
    if 'exec' in options:
        writer.map(pid, maps[0].replace(maps[0].split()[0],
                                        '1000-7fffffffffff'), {})
    # As perf record --tail-synthesize has it, without a time.
    if 'maps-last' in options:
        for registers, stack in samples:
            writer.sample(pid, registers, stack)
        samples, writer.now = [], 0
    writer.comm(pid, b'recorded')
    for option in options:
        if option.startswith('kernel-map='):
            writer.kernel_map(*option[11:].split(','))
    for line in maps if 'no-maps' not in options else []:
        if 'maps-last' in options:
            writer.now = 0
        writer.map(pid, line, build_ids)
    # A process that was there before has what it has mapped itself, as perf
    # tells of it.  Its parent is told of first.
    if 'old-child' in options:
        writer.task(FORK, pid + 1, pid + 1, pid, pid, EXEC)
        writer.add(COMM, 0, struct.pack('<II', pid + 1, pid + 1) + b'old\0',
                   pid + 1)
        pid += 1
    if 'child' in options:
        writer.fork(pid, pid + 1)
        pid += 1
    for registers, stack in samples:
        writer.sample(pid, registers, stack)
    if 'waits' in options:
        waits(writer, pid, samples)
    if 'two-stacks' in options:
        writer.sample(pid, *samples[0], event=2)
        writer.sample(pid, *samples[0], event=2)
    for step in range(1, 5 if 'threads' in options else 0):
        for i in range(7):
            writer.sample(pid, *samples[0], tid=pid + i * step % 7)
    if 'thread' in options:
        writer.add(COMM, 0, struct.pack('<II', pid, pid + 5) + b'worker\0', pid)
        writer.sample(pid, *samples[0], tid=pid + 5)
    # The first thread ends, the second one goes on, and makes a third one;
    # then a fourth one has the number of the second one.
    if 'leader-ends' in options:
        writer.task(FORK, pid, pid + 5, pid, pid)
        writer.add(COMM, 0, struct.pack('<II', pid, pid + 5) + b'worker\0', pid)
        writer.task(EXIT, pid, pid, pid, pid)
        writer.sample(pid, *samples[0], tid=pid + 5)
        writer.task(FORK, pid, pid + 6, pid, pid + 5)
        writer.task(EXIT, pid, pid + 5, pid, pid)
        writer.sample(pid, *samples[0], tid=pid + 6)
        writer.task(FORK, pid, pid + 5, pid, pid)
        writer.sample(pid, *samples[0], tid=pid + 5)
        for tid in pid + 5, pid + 6:
            writer.task(EXIT, pid, tid, pid, pid)
        writer.sample(pid, *samples[0])
    if 'kernel-thread' in options:
        writer.sample(pid, samples[0][0], b'', abi=0)
    if '32-bit' in options:
        writer.sample(pid, *samples[0], abi=1)
    content = writer.file()
    if 'cut' in options:
        content = content[:len(content) - 3000]
    if 'tail' in options:
        content = content[:-100]
    with open(out, 'wb') as file:
        file.write(content)


def read(path):
    """Print what is in a recording with call chains."""
    with open(path, 'rb') as file:
        content = file.read()
    (size, attr_size, attrs, attrs_size, data, data_size, _, _,
     bits) = struct.unpack_from('<9Q', content, 8)
    assert content[:8] == b'PERFILE2' and size == 104
    sample_type = struct.unpack_from('<Q', content, attrs + 24)[0]
    for at in range(attrs, attrs + attrs_size, attr_size):
        kind, flags = (struct.unpack_from('<Q', content, at + offset)[0]
                       for offset in (24, 40))
        first, ids = struct.unpack_from('<QQ', content, at + attr_size - 16)
        assert struct.unpack_from('<QI', content, at + 80) == (0, 0)
        print('event', hex(kind), flags >> 22 & 1,
              *struct.unpack_from(f'<{ids // 8}Q', content, first))
    at = data
    while at < data + data_size:
        kind, misc, length = struct.unpack_from('<IHH', content, at)
        if kind == SAMPLE:
            body = at + 8 + 16
            body += 8 * (bool(sample_type & TIME)
                         + bool(sample_type & IDENTIFIER))
            n = struct.unpack_from('<Q', content, body)[0]
            assert body + 8 + 8 * n == at + length
            print('sample', *(hex(word) for word in struct.unpack_from(
                f'<{n}Q', content, body + 8)))
        else:
            print('record', kind, misc, length)
        at += length
    table = data + data_size
    for feature in range(256):
        if feature < 64 and bits >> feature & 1:
            place, length = struct.unpack_from('<QQ', content, table)
            table += 16
            text = content[place:place + length]
            assert len(text) == length
            if feature == 12:
                print('description', hex(struct.unpack_from('<Q', text,
                                                            8 + 24)[0]))
            else:
                print('feature', feature, text[4:].rstrip(b'\0').decode())


{'write': write, 'read': read}[sys.argv[1]](*sys.argv[2:])

# SPDX-License-Identifier: LGPL-2.1-or-later
"""A progress bar on the terminal, as cfi2sframe's own, and a line at the end.

Where standard error is not a terminal there is neither.
"""

import os
import sys
import threading
import time
from typing import List

from sframe_retrofit import before_message, complain, shown

WIDTH_MAX = 200
BAR_WIDTH = 24
# In seconds.  Work that takes less than the first shows no bar at all.
FIRST_DRAWING, BETWEEN_DRAWINGS = 1.0, 0.2


def format_bytes(number: float) -> str:
    """Return NUMBER with a decimal unit, like "350 MB"."""
    for unit in " kMGT":
        if number < 999.5 or unit == "T":
            break
        number /= 1000
    if unit == " ":
        return "%.0f B" % number
    return "%.*f %sB" % (number < 9.95, number, unit)


def format_time(seconds: float) -> str:
    whole = int(seconds + 0.5)
    hours, minutes = divmod(whole // 60, 60)
    return "%d:%02d:%02d" % (hours, minutes, whole % 60) if hours \
        else "%d:%02d" % (minutes, whole % 60)


class Progress:
    """How far the work on files of these SIZES is; WHAT, a plural, names them."""

    def __init__(self, what: str, sizes: List[int]) -> None:
        self.what, self.sizes = what, sizes
        self.all_bytes = sum(sizes)
        self.done = self.bytes = 0
        self.doing = "" # now
        self.started = time.monotonic()
        self.on = bool(sizes) and sys.stderr.isatty()
        self.visible = False
        self.lock = threading.Lock()
        if self.on:
            before_message.append(self.clear)
            threading.Thread(target=self._keep_drawing, daemon=True).start()

    def seconds(self) -> float:
        return time.monotonic() - self.started

    def text(self, seconds: float) -> str:
        part = self.bytes / self.all_bytes if self.all_bytes else 1
        filled = min(int(part * BAR_WIDTH), BAR_WIDTH)
        speed = self.bytes / seconds if seconds > 0 else 0
        left = format_time((self.all_bytes - self.bytes) / speed) \
            if speed > 0 else "?"
        return "[%s] %d/%d %s, %s of %s, %s/s, %s left%s" % (
            "#" * filled + "." * (BAR_WIDTH - filled), self.done,
            len(self.sizes), self.what, format_bytes(self.bytes),
            format_bytes(self.all_bytes), format_bytes(speed), left,
            ", " + self.doing if self.doing else "")

    def show(self, doing: str) -> None:
        self.doing = shown(doing)

    def step(self, size: int) -> None:
        """Count one more as done, of SIZE bytes."""
        self.done, self.bytes = self.done + 1, self.bytes + size

    def _keep_drawing(self) -> None:
        time.sleep(FIRST_DRAWING)
        while self.on:
            with self.lock:
                width = terminal_width() - 1
                self.visible = True
                self._put("\r%-*.*s" % (width, width,
                                        self.text(self.seconds())))
            time.sleep(BETWEEN_DRAWINGS)

    def clear(self) -> None:
        with self.lock:
            if self.visible:
                self.visible = False
                self._put("\r%*s\r" % (terminal_width() - 1, ""))

    def _put(self, text: str) -> None:
        try:
            os.write(sys.stderr.fileno(),
                     text.encode(errors="backslashreplace"))
        except OSError: # the terminal has gone
            self.on = False

    def end(self, text: str) -> None:
        """Draw no more; on a terminal print TEXT as the last line."""
        was_on, self.on = self.on, False
        if was_on:
            complain("%s; %s" % (text, format_time(self.seconds())))


def terminal_width() -> int:
    try:
        width = os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        width = 0
    return min(width, WIDTH_MAX) if width > 0 else 80

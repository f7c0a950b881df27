"""Where a script is before its time is up: whoever ends it cannot ask it any more."""

from __future__ import annotations

import os
import signal
import threading
import traceback
from contextlib import contextmanager, suppress
from typing import Any, Iterator

_MAX_FRAMES = 20
#: As much as a machine with much to do may be late with anything.
_AHEAD_SECONDS = 1


@contextmanager
def told_when_overdue(seconds: float | None, script_path: str) -> Iterator[None]:
    """Write to stderr where the script is, some time before it has had so many seconds."""
    if not seconds or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def tell(_number: int, frame: Any) -> None:
        # A script may have closed it, and must not fail for that.
        with suppress(OSError):
            os.write(2, _told(frame, script_path, after).encode("utf-8", "backslashreplace"))

    after = seconds - min(_AHEAD_SECONDS, seconds / 2)
    before = signal.signal(signal.SIGALRM, tell)
    signal.setitimer(signal.ITIMER_REAL, after)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGALRM) is tell:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def _told(frame: Any, script_path: str, after: float) -> str:
    stack = traceback.extract_stack(frame)
    first = next((index for index, each in enumerate(stack) if each.filename == script_path), len(stack))
    lines = traceback.format_list(stack[first:][-_MAX_FRAMES:])
    return "".join([f"\nAfter {round(after * 1000)} ms it is here (most recent call last):\n", *lines])

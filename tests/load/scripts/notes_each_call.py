"""Notes every call in a file, so that one that ran twice is seen."""

import os
import time

_notes = os.environ["NOTES"]


def note(call: str, seconds: float = 0.0) -> str:
    """Write the name of the call down, and give it back."""
    descriptor = os.open(_notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{call}\n".encode())
    os.close(descriptor)
    if seconds:
        time.sleep(seconds)
    return call


def note_process(call: str, seconds: float = 60.0) -> None:
    """Write the own process down, with one that it started, and wait."""
    import subprocess

    child = subprocess.Popen(["sleep", str(seconds)])
    descriptor = os.open(_notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{call} {os.getpid()} {child.pid}\n".encode())
    os.close(descriptor)
    time.sleep(seconds)

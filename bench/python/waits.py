"""A tool that takes its time, as one that asks another server would."""

import time


def wait(seconds: float) -> float:
    """Wait, and say for how long."""
    time.sleep(seconds)
    return seconds

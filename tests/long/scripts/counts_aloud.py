import os
import time


def count(to: int, pause: float = 0.0) -> int:
    """Say every number on the way."""
    for number in range(1, to + 1):
        print(number)
        time.sleep(pause)
    return to


def wait_for(path: str) -> str:
    """Say that it waits, until there is a file."""
    print("waiting")
    while not os.path.exists(path):
        time.sleep(0.01)
    return "here"

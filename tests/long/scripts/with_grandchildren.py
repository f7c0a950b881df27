"""Starts processes of its own, in its group and out of it, and stays."""

import os
import subprocess
import sys
import time

WAIT = "import time; time.sleep(600)"


def stay(number: int):
    subprocess.Popen([sys.executable, "-c", WAIT])
    subprocess.Popen([sys.executable, "-c", WAIT], start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        time.sleep(600)
    print(f"{number} has grandchildren", flush=True)
    time.sleep(600)

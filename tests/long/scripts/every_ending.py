"""Every way in which a call can end, each carrying the id of its call."""

import os
import subprocess
import sys
import time

from mcp_execution import log, progress


def begin(id: str, ledger: str):
    """One line per call that ran: a call run twice is seen here."""
    fd = os.open(ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(fd, f"{id}\n".encode())
    os.close(fd)


def fine(id: str, ledger: str):
    begin(id, ledger)
    return {"id": id}


def raising(id: str, ledger: str):
    begin(id, ledger)
    raise ValueError(f"no luck for {id}")


def hanging(id: str, ledger: str):
    begin(id, ledger)
    print(f"{id} hangs")
    while True:
        time.sleep(60)


def spinning(id: str, ledger: str):
    begin(id, ledger)
    print(f"{id} spins")
    while True:
        pass


def flooding(id: str, ledger: str):
    begin(id, ledger)
    while True:
        print(f"{id} floods")


def segfaulting(id: str, ledger: str):
    begin(id, ledger)
    print(f"{id} touches what is not there")
    import ctypes

    ctypes.string_at(0)


def aborting(id: str, ledger: str):
    begin(id, ledger)
    print(f"{id} aborts")
    os.abort()


def leaving(id: str, ledger: str):
    begin(id, ledger)
    print(f"{id} leaves")
    os._exit(7)


def exiting(id: str, ledger: str):
    begin(id, ledger)
    sys.exit(f"{id} exits")


def printing(id: str, ledger: str):
    begin(id, ledger)
    for number in range(20):
        print(f"{id} out {number}")
        print(f"{id} err {number}", file=sys.stderr)
    return {"id": id}


def telling(id: str, ledger: str):
    begin(id, ledger)
    log("info", f"{id} began")
    progress(1, 2, f"{id} halfway")
    log("warning", f"{id} ends")
    return {"id": id}


def yielding(id: str, ledger: str):
    begin(id, ledger)
    for number in range(5):
        yield f"{id} value {number}"


def returning_much(id: str, ledger: str):
    begin(id, ledger)
    return {"id": id, "text": id * 10_000}


def sleeping(id: str, ledger: str, seconds: float):
    begin(id, ledger)
    time.sleep(seconds)
    return {"id": id}


def abandoning(id: str, ledger: str):
    begin(id, ledger)
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    return {"id": id}


def closing(id: str, ledger: str):
    begin(id, ledger)
    print(f"{id} closes all it has")
    os.closerange(0, 64)
    return {"id": id}

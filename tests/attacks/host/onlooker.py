"""The host's own eyes: listens where attacks might call, and looks at what they might have changed.

Reads a request in JSON per line, answers in a line.
"""

import ctypes
import json
import os
import socket
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures"))

from raw import AT_FDCWD, syscall  # noqa: E402
from reads_by_handle import Handle  # noqa: E402

IPC_CREAT, IPC_RMID = 0o1000, 0
#: A message is gone when one of them has read it.
READERS = 2


def main(folder, name):
    ears = {
        "tcp": _bound(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        "tcp6": _bound_if_there(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
        "udp": _bound(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        "unix": _bound(socket.AF_UNIX, socket.SOCK_STREAM, f"{folder}/stream"),
        "datagram": _bound(socket.AF_UNIX, socket.SOCK_DGRAM, f"{folder}/datagram"),
        "abstract": _bound(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{name}"),
        "abstract datagram": _bound(socket.AF_UNIX, socket.SOCK_DGRAM, f"\0{name}-datagram"),
        "in order": _bound(socket.AF_UNIX, socket.SOCK_SEQPACKET, f"\0{name}-in-order"),
    }
    _answer({kind: ear.getsockname()[1] for kind, ear in ears.items() if ear and kind in ("tcp", "tcp6", "udp")})
    for line in sys.stdin:
        request = json.loads(line)
        _answer(COMMANDS[request.pop("do")](ears, **request))


def _answer(value):
    print(json.dumps(value), flush=True)


def _bound(family, kind, address):
    ear = socket.socket(family, kind)
    ear.bind(address)
    if kind != socket.SOCK_DGRAM:
        ear.listen(64)
    ear.setblocking(False)
    return ear


def _bound_if_there(*arguments):
    try:
        return _bound(*arguments)
    except OSError:
        return None


def heard(ears):
    """Who called since the last time; what was sent before this question is there already."""
    return [kind for kind, ear in ears.items() if ear for _ in _callers(ear)]


def _callers(ear):
    try:
        while True:
            if ear.type == socket.SOCK_DGRAM:
                yield ear.recv(4096)
            else:
                ear.accept()[0].close()
                yield None
    except BlockingIOError:
        pass


def look(_ears, folder):
    """Everything that can be known of a folder and its files."""
    return {path: _look_at(path) for path in [folder, *_paths_below(folder)]}


def _paths_below(folder):
    for parent, folders, files in os.walk(folder):
        yield from (os.path.join(parent, name) for name in sorted(folders + files))


def _look_at(path):
    about = os.lstat(path)
    seen = {
        "mode": oct(about.st_mode),
        "owner": about.st_uid,
        "names": about.st_nlink,
        "changed": about.st_mtime_ns,
        "attributes": {name: os.getxattr(path, name, follow_symlinks=False).decode() for name in _attributes(path)},
    }
    if stat.S_ISREG(about.st_mode):
        with open(path, errors="replace") as file:
            seen["content"] = file.read()
    return seen


def _attributes(path):
    try:
        return [name for name in os.listxattr(path, follow_symlinks=False) if name.startswith("user.")]
    except OSError:
        return []


def mark(_ears, file):
    """An attribute that an attack may try to remove; some file systems have none."""
    try:
        os.setxattr(file, "user.mine", b"kept")
    except OSError:
        return False
    return True


def handle(_ears, file):
    found = Handle(128)
    try:
        syscall("name_to_handle_at", AT_FDCWD, file, ctypes.byref(found), ctypes.byref(ctypes.c_int()), 0)
    except OSError:
        return ""
    return bytes(found).hex()


def share(_ears, name, key, queue, text):
    """Leave the text everywhere where another process of this user could find it."""
    with open(f"/dev/shm/{name}", "w") as file:
        file.write(text)
    data = text.encode()
    segment = syscall("shmget", key, 4096, IPC_CREAT | 0o600)
    ctypes.memmove(syscall("shmat", segment, 0, 0), data, len(data))
    message = ctypes.create_string_buffer((1).to_bytes(8, "little") + data)
    for _ in range(READERS):
        syscall("msgsnd", syscall("msgget", key, IPC_CREAT | 0o600), ctypes.byref(message), len(data), 0)
    fd = syscall("mq_open", queue, os.O_CREAT | os.O_RDWR, 0o600, 0)
    for _ in range(READERS):
        syscall("mq_timedsend", fd, data, len(data), 0, 0)
    os.close(fd)


def shared(_ears, name, key, queue):
    """What of this is there for others to find; it is gone afterwards."""
    clean = {
        "file": lambda: os.unlink(f"/dev/shm/{name}"),
        "segment": lambda: syscall("shmctl", syscall("shmget", key, 0, 0), IPC_RMID, 0),
        "queue": lambda: syscall("msgctl", syscall("msgget", key, 0), IPC_RMID, 0),
        "semaphore": lambda: syscall("semctl", syscall("semget", key, 0, 0), 0, IPC_RMID, 0),
        "posix queue": lambda: syscall("mq_unlink", queue),
    }
    return [kind for kind, remove in clean.items() if _succeeds(remove)]


def _succeeds(action):
    try:
        action()
    except OSError:
        return False
    return True


COMMANDS = {command.__name__: command for command in (heard, look, mark, handle, share, shared)}

if __name__ == "__main__":
    main(*sys.argv[1:])

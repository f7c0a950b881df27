"""Small reads and writes of /proc. Where it is missing, the answer is None, False or empty."""

import os

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)

_open, _read, _write, _close = os.open, os.read, os.write, os.close
_listdir, _getpid = os.listdir, os.getpid


def read_file(path):
    try:
        fd = _open(path, os.O_RDONLY | _CLOEXEC)
    except OSError:
        return None
    try:
        chunks = []
        while chunk := _read(fd, 65536):
            chunks.append(chunk)
        return b"".join(chunks)
    except OSError:
        return None
    finally:
        _close(fd)


def write_file(path, data):
    try:
        fd = _open(path, os.O_WRONLY | _CLOEXEC)
    except OSError:
        return False
    try:
        return _write(fd, data) == len(data)
    except OSError:
        return False
    finally:
        _close(fd)


def list_folder(path):
    try:
        return _listdir(path)
    except OSError:
        return []


def memory_bytes(field):
    """A field of /proc/self/statm by its position: 1 resident, 5 data and stack."""
    text = read_file("/proc/self/statm")
    return int(text.split()[field]) * PAGE_BYTES if text else None


def status_bytes(label):
    text = read_file("/proc/self/status")
    if not text or label not in text:
        return None
    return int(text.split(label, 1)[1].split(None, 1)[0]) * 1024


def children():
    """The process ids of this process's own children."""
    listed = [read_file(f"/proc/self/task/{task}/children") for task in list_folder("/proc/self/task")]
    if None in listed:
        return _children_by_search()
    return [int(pid) for pids in listed for pid in pids.split()]


def children_of(pid):
    """The process ids of the children of any process."""
    listed = [read_file(f"/proc/{pid}/task/{task}/children") for task in list_folder(f"/proc/{pid}/task")]
    return [int(child) for children in listed for child in (children or b"").split()]


def own_memory(pid):
    """What a process holds in memory, without what is a file's."""
    status = read_file(f"/proc/{pid}/status") or b""
    return sum(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith((b"RssAnon:", b"RssShmem:")))


def _children_by_search():
    me = b"%d" % _getpid()
    found = []
    for entry in list_folder("/proc"):
        stat = read_file(f"/proc/{entry}/stat") if entry.isdigit() else None
        if stat and stat.rpartition(b")")[2].split()[1] == me:
            found.append(int(entry))
    return found


def close_descriptors_from(first):
    """Let go of what the host was started with and passed on without meaning to."""
    for name in list_folder("/proc/self/fd"):
        if int(name) >= first:
            try:
                _close(int(name))
            except OSError:
                pass

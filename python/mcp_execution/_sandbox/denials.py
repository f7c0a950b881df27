"""What the kernel refused, as something that a person can act on. This only explains: the kernel decides."""

import errno
import os
import sys

_FILES = frozenset(
    "open os.chdir os.chmod os.chown os.link os.listdir os.mkdir os.remove os.rename os.rmdir os.scandir os.setxattr "
    "os.symlink os.truncate os.utime sqlite3.connect".split()
)
_NETWORK = frozenset(
    "socket.__new__ socket.bind socket.connect socket.getaddrinfo socket.gethostbyname socket.getnameinfo socket.sendto".split()
)
_PROCESSES = frozenset("os.exec os.fork os.forkpty os.posix_spawn os.spawn os.system pty.spawn subprocess.Popen".split())
_INTERESTING = _FILES | _NETWORK | _PROCESSES
_ONLY_READ = frozenset("os.chdir os.listdir os.scandir".split())
_OF_THE_FILE = frozenset("open os.chmod os.chown os.setxattr os.truncate os.utime".split())
_REFUSALS = frozenset((errno.EPERM, errno.EACCES, errno.EROFS))
_NO_ROOM = frozenset((errno.ENOSPC, errno.EFBIG, errno.EDQUOT))
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_OF_THE_KERNEL = ("/proc/", "/sys/", "/dev/")
_TEMPORARY = "/tmp/"
_MAX_CHAINED = 16

_latest = None
_confinement = None


def watch(confinement):
    """From now on, remember the last thing that was tried; of what was refused, Python itself tells too little."""
    global _confinement
    _confinement = confinement
    sys.addaudithook(_note)


def explain(error):
    """What the host is to be told of an exception beyond the exception itself; nothing where nobody refused anything."""
    if _confinement is None:
        return {}
    for link in _chain(error):
        told = _told(link)
        if told:
            return told
    return {}


def _note(event, arguments):
    global _latest
    if event in _INTERESTING:
        _latest = event, arguments


def _chain(error):
    for _ in range(_MAX_CHAINED):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _told(error):
    event, arguments = _latest or ("", ())
    if not isinstance(error, OSError):
        return _of_database(error, event, arguments)
    if error.errno in _NO_ROOM:
        return {"code": "DISK_LIMIT", "message": f"The scratch folder is full: {_plain(error)}", "limit": _scratch_bytes()}
    path = _path_of(error.filename)
    if path is not None:
        return _of_file(error, path, event, arguments)
    if _is_network(error, event):
        return _denied(error, "--allow-net", "the network is closed to the script")
    if event in _PROCESSES and error.errno in _REFUSALS and not _confinement.run:
        return _denied(error, "--allow-run", "the script may not start processes")
    return {}


def _is_network(error, event):
    is_lookup = type(error).__name__ == "gaierror"
    return not _confinement.net and (is_lookup or (event in _NETWORK and error.errno in _REFUSALS))


def _of_file(error, path, event, arguments):
    if error.errno in _REFUSALS and error.errno != errno.EROFS and event in _PROCESSES and not _confinement.run:
        return _denied(error, "--allow-run", "the script may not start processes")
    if not _is_hidden_by_own(path):
        if path.startswith(_OF_THE_KERNEL) or _confinement.is_own(path):
            return {}
        path = os.path.realpath(path)
    if _confinement.places.shows(path):
        if error.errno not in _REFUSALS:
            return {}
        return _denied(error, _allow_write(path, event), f"the script may read {path}, but not change it")
    if error.errno not in _REFUSALS and error.errno != errno.ENOENT:
        return {}
    if _wants_to_write(event, arguments):
        return _denied(error, _allow_write(path, event), f"{path} is outside of what the script may change")
    return _denied(error, f"--allow-read={path}", f"{path} is outside of what the script may read")


def _of_database(error, event, arguments):
    if type(error).__name__ != "OperationalError" or event != "sqlite3.connect":
        return {}
    path = _path_of(arguments[0])
    if path is None or arguments[0] == ":memory:" or (_confinement.is_own(path) and not _is_hidden_by_own(path)):
        return {}
    return _denied(error, _allow_write(path, event), f"{path} is outside of what the script may change")


def _is_hidden_by_own(path):
    """The host's folder for temporary files, in whose place the scratch folder is seen."""
    return path.startswith(_TEMPORARY) and os.path.islink(_TEMPORARY[:-1]) and not os.path.lexists(path)


def _wants_to_write(event, arguments):
    if event == "open":
        return isinstance(arguments[2], int) and bool(arguments[2] & _WRITES)
    return event in _FILES and event not in _ONLY_READ


def _allow_write(path, event):
    """A file is changed by itself; what comes, goes or is renamed changes its folder."""
    is_change_of_file = event in _OF_THE_FILE and os.path.exists(path)
    return f"--allow-write={path if is_change_of_file else os.path.dirname(path)}"


def _denied(error, permission, reason):
    message = f"{_plain(error)}: {reason} ({permission} would allow it)"
    return {"code": "PERMISSION_DENIED", "message": message, "permission": permission}


def _plain(error):
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - __str__ is the script's code
        return type(error).__name__


def _path_of(name):
    try:
        name = os.fsdecode(name)
    except TypeError:
        return None
    return os.path.abspath(name) if name and "\0" not in name else None


def _scratch_bytes():
    return _confinement.sandbox["scratchBytes"]

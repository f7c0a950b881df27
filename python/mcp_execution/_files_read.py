"""Which files an import read, so that a change to one of them can end what was imported."""

import os
import stat
import sys
from importlib.util import source_from_cache

from ._lines import library_folders

_WRITES = os.O_WRONLY | os.O_RDWR
_VIRTUAL = ("/proc/", "/sys/", "/dev/")
_recorder = None
_is_hooked = False


class FilesRead:
    """Records between `start` and `stop` the regular files opened for reading outside the interpreter's libraries."""

    def __init__(self):
        self._read = {}
        self._written = set()

    def start(self):
        global _recorder, _is_hooked
        _recorder = self
        if not _is_hooked:
            _is_hooked = True
            sys.addaudithook(_on_audit)
        return self

    def stop(self):
        global _recorder
        if _recorder is self:
            _recorder = None

    __enter__ = start

    def __exit__(self, *_):
        self.stop()

    def paths(self):
        """Absolute paths in the order of reading. A file that the import itself wrote is not among them."""
        folders = library_folders()
        found = {}
        for opened in self._read:
            path = _source_of(opened)
            if opened not in self._written and not path.startswith(folders + _VIRTUAL) and _is_regular(path):
                found[path] = None
        return list(found)

    def _note(self, path, flags):
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if isinstance(path, str):
            path = os.path.abspath(path)
            if flags & _WRITES:
                self._written.add(path)
            else:
                self._read[path] = None


def _on_audit(event, arguments):
    if _recorder is not None and event == "open":
        path, _, flags = arguments
        try:
            _recorder._note(path, flags or 0)
        except Exception:  # noqa: BLE001 - an exception here would forbid the script to open its file
            pass


def _source_of(path):
    if path.endswith(".pyc"):
        try:
            return source_from_cache(path)
        except (ValueError, NotImplementedError):
            pass
    return path


def _is_regular(path):
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False

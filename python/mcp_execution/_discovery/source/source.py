"""The source of a script: its bytes, its text and its tree, or the problem that keeps Python from reading it."""

import os
import sys
from _ast import PyCF_ONLY_AST

try:
    from _sha2 import sha256
except ImportError:
    try:
        from _sha256 import sha256
    except ImportError:
        from hashlib import sha256

_COOKIE = b"coding"
_DEEPEST = 200_000
_LARGE_STACK_BYTES = 512 * 1024 * 1024


class Problem(Exception):
    def __init__(self, code, message, **where):
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = {key: value for key, value in where.items() if value is not None}

    def described(self):
        return {"code": self.code, "message": self.message, **self.where}


class Source:
    __slots__ = ("path", "data", "tree", "_text", "_lines")

    def __init__(self, path, data, tree):
        self.path = path
        self.data = data
        self.tree = tree
        self._text = None
        self._lines = None

    @property
    def sha256(self):
        return sha256(self.data).hexdigest()

    @property
    def text(self):
        if self._text is None:
            self._text = _decoded(self.data).replace("\r\n", "\n").replace("\r", "\n")
        return self._text

    @property
    def lines(self):
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines

    def text_of(self, node):
        """The lines that a definition takes, decorators left out."""
        return "\n".join(self.lines[node.lineno - 1 : node.end_lineno])


def read_script(path):
    """Raises a Problem that says what is wrong and where."""
    data = _bytes_of(path)
    return Source(path, data, parse(data, path))


def parse(data, path):
    try:
        return _parsed(data, path)
    except SyntaxError as error:
        raise _syntax_problem(error, path) from None
    except (RecursionError, MemoryError):
        tree = with_a_large_stack(lambda: _parsed(data, path))
        if tree is None:
            name = os.path.basename(path)
            raise Problem("SYNTAX_ERROR", f"{name} is nested too deeply for Python to compile") from None
        return tree
    except ValueError as error:
        raise Problem("INVALID_SCRIPT", f"{os.path.basename(path)} cannot be read: {error}") from None


def with_a_large_stack(work):
    """What `work` gives when it may recurse deeply, or None where even that is not enough."""
    import threading

    outcome = []

    def attempt():
        try:
            outcome.append(work())
        except (RecursionError, MemoryError, SyntaxError):
            pass

    limit = sys.getrecursionlimit()
    size = threading.stack_size(_LARGE_STACK_BYTES)
    try:
        sys.setrecursionlimit(_DEEPEST)
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
    except (RuntimeError, MemoryError):
        pass
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    return outcome[0] if outcome else None


def _parsed(data, path):
    return compile(data, path, "exec", PyCF_ONLY_AST, True)


def _bytes_of(path):
    """A plain UTF-8 file is seen to be one at once; whatever is odd about a file is looked at as the engine does."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        data.decode("utf-8")
        if data.strip() and b"\0" not in data and _COOKIE not in b"".join(data.split(b"\n", 2)[:2]):
            return data
    except (OSError, ValueError):
        pass
    from ... import _script

    try:
        return _script.read_source(path)
    except _script.InvalidScript as error:
        raise Problem("INVALID_SCRIPT", error.message) from None


def _decoded(data):
    if _COOKIE in b"".join(data.split(b"\n", 2)[:2]):
        from importlib.util import decode_source

        return decode_source(data)
    return data.decode("utf-8-sig")


def _syntax_problem(error, path):
    name = os.path.basename(path)
    where = f"{name}, line {error.lineno}" if error.lineno else name
    return Problem(
        "SYNTAX_ERROR",
        f"{where}: {error.msg}",
        line=error.lineno or None,
        column=error.offset or None,
        text=(error.text or "").rstrip("\r\n") or None,
    )

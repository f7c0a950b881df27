"""Files on their way to the host, as part of a result. Loaded by the first call that has one."""

import os
import re
import sys
from binascii import b2a_base64
from errno import EINVAL, EISDIR
from stat import S_ISREG

from ._channel import encode
from ._values import BadResult

_CHUNK = 3 << 18
_HEADER_BYTES = len(encode(b"A", "")) - len('""')
_MIME_TYPE = r"(?a)(?=.{3,255}\Z)[\w!#$&^.+-]+/[\w!#$&^.+-]+(;[ -~]*)?"
_ANY_TYPE = "application/octet-stream"
_OFFICE = "application/vnd.openxmlformats-officedocument"
#: What is attached most, and what not every Python since 3.10 has a type for. A compressed file is just that.
_TYPES = {
    ".bz2": "application/x-bzip2",
    ".csv": "text/csv",
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".gz": "application/gzip",
    ".html": "text/html",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".log": "text/plain",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".pptx": f"{_OFFICE}.presentationml.presentation",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".webp": "image/webp",
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    ".xz": "application/x-xz",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".zip": "application/zip",
}


class FilesTooLarge(Exception):
    """The files of a call take more than a result may."""

    def __init__(self, name, limit):
        super().__init__(f"With {name!r} the files of the call take more than {limit} bytes as base64")
        self.limit = limit


class Attachments:
    """The files of one call."""

    def __init__(self, channel, pid, max_bytes):
        self._channel = channel
        self._pid = pid
        self._limit = self._room = sys.maxsize if max_bytes is None else max_bytes
        self._sent = set()
        self._noted = {}
        self._noted_data = {}
        self._names = set()

    def add(self, path, name=None, mime_type=None):
        """Send a file as it is now, unless the same was sent before."""
        if os.getpid() != self._pid:
            raise RuntimeError("attach works in the process of the call, and not in one that the script started")
        self._send(read_file(path, name, mime_type, self._limit))

    def add_data(self, data, kind):
        """Send what is in no file, under the next name of its kind."""
        self._send(self._file_of(self._name_of(kind), data, kind))

    def _file_of(self, name, data, kind):
        if len(data) // 3 * 4 > self._limit:
            raise FilesTooLarge(name, self._limit)
        return {"name": name, "mimeType": kind[2], "data": b2a_base64(data, newline=False).decode("ascii")}

    def _name_of(self, kind):
        """`image-1.png`, and the next number where that is taken."""
        number = 1
        while (name := f"{kind[0]}-{number}.{kind[1]}") in self._names:
            number += 1
        self._names.add(name)
        return name

    def _send(self, file):
        self._names.add(file["name"])
        frame = encode(b"A", file)
        identity, size = hash(frame), len(frame) - _HEADER_BYTES
        if identity in self._sent:
            return
        if size > self._room:
            raise FilesTooLarge(file["name"], self._limit)
        self._room -= size
        self._sent.add(identity)
        self._channel.send_encoded(frame)

    def note(self, path, folder):
        """The name in the folder of a file that is to be sent with the value; None where there is no such file."""
        try:
            place, root = os.path.realpath(path), os.path.realpath(folder) + os.sep
        except (OSError, ValueError):
            return None
        if not place.startswith(root) or not os.path.isfile(place):
            return None
        name = place[len(root) :]
        self._noted[name] = place
        return name

    def note_data(self, source, data, kind):
        """The name of what is to be sent with the value, made from a source that may stand in it more than once."""
        name = self._name_of(kind)
        self._noted_data[id(source)] = name, data, kind, source
        return name

    def noted_as(self, source):
        return self._noted_data[id(source)][0] if id(source) in self._noted_data else None

    def forget_noted(self):
        """The value that they were to go with is not sent."""
        self._noted, self._noted_data = {}, {}

    def send_noted(self):
        noted, self._noted = self._noted, {}
        noted_data, self._noted_data = self._noted_data, {}
        for name, data, kind, _ in noted_data.values():
            self._send(self._file_of(name, data, kind))
        for name, place in noted.items():
            try:
                self.add(place, name)
            except OSError as error:
                raise BadResult(f"Result: the file {name!r} cannot be sent: {error.strerror}") from error


def read_file(path, name=None, mime_type=None, limit=sys.maxsize):
    """What the host is told of a file."""
    path = os.fsdecode(path)
    name = os.path.basename(path) if name is None else os.fsdecode(name)
    mime_type = _type_of(name) if mime_type is None else _checked(mime_type)
    if os.path.isdir(path):
        raise IsADirectoryError(EISDIR, "attach takes a file, and this is a folder", path)
    with open(path, "rb", opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        if not S_ISREG(status.st_mode):
            raise OSError(EINVAL, "attach takes a file, and this is a pipe or a device", path)
        data = _base64_of(file, status.st_size, limit)
    if data is None:
        raise FilesTooLarge(name, limit)
    return {"name": name, "mimeType": mime_type, "data": data.decode("ascii")}


def _base64_of(file, size, limit):
    """None where it is too large; some files are larger than they say."""
    if size // 3 * 4 > limit:
        return None
    pieces, taken = [], 0
    while chunk := file.read(_CHUNK):
        pieces.append(b2a_base64(chunk, newline=False))
        taken += len(pieces[-1])
        if taken > limit:
            return None
    return b"".join(pieces)


def _open_at_once(path, flags):
    """A pipe that nobody writes to would be waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


def _type_of(name):
    ending = os.path.splitext(name)[1].lower()
    return _TYPES.get(ending) or _known_to_python(ending)


def _known_to_python(ending):
    """The module takes longer to load than a file takes to send."""
    import mimetypes

    found = mimetypes.types_map.get(ending, "")
    return found if re.fullmatch(_MIME_TYPE, found) else _ANY_TYPE


def _checked(mime_type):
    if not isinstance(mime_type, str):
        raise TypeError(f"attach: mime_type must be a string, not {type(mime_type).__name__}")
    if not re.fullmatch(_MIME_TYPE, mime_type):
        raise ValueError(f"attach: mime_type must be like 'text/csv', not {mime_type!r}")
    return mime_type

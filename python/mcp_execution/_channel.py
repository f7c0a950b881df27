"""Frames between the host and a Python process: a type byte, a length, JSON."""

import json
import os
import select
import struct
import threading

#: Where a process that serves calls reads its requests and writes its answers.
REQUEST_FD, ANSWER_FD = 3, 4
#: Where a process in a sandbox finds its scratch folder open.
SCRATCH_FD = 5

_HEADER = struct.Struct(">cI")
#: The start of what the other side sends; only a long frame is read in larger pieces.
_FIRST = 1 << 12
_read = os.read
_write = os.write
_poll = select.select
_CHUNK = 1 << 18


def _load_encode():
    """What `json` makes anew for each text, made once."""
    encoder = json.JSONEncoder(allow_nan=False, check_circular=False, separators=(",", ":"))
    make, escape = json.encoder.c_make_encoder, json.encoder.encode_basestring_ascii
    if make is None:
        return encoder.encode
    encode_in_pieces = make(None, encoder.default, escape, None, ":", ",", False, False, False)
    return lambda payload: "".join(encode_in_pieces(payload, 0))


_encode = _load_encode()
_decode_at = json.JSONDecoder().scan_once


def encode(kind, payload):
    body = _encode(payload).encode("ascii")
    return _HEADER.pack(kind, len(body)) + body


class TooDeep(RecursionError):
    """A frame that is nested too deeply to be read; the next one can be."""

    def __init__(self, kind, beginning):
        super().__init__("A message is nested too deeply")
        self.kind = kind
        self.beginning = beginning


class Channel:
    """One end of a connection. Writing is safe from any thread; reading is one reader's."""

    def __init__(self, read_fd, write_fd=None):
        self.read_fd = read_fd
        self.write_fd = read_fd if write_fd is None else write_fd
        self._buffer = bytearray()
        self._lock = threading.Lock()

    def send(self, kind, payload):
        self.send_encoded(encode(kind, payload))

    def send_limited(self, kind, payload, max_bytes):
        """Send, or say that the answer is too large where it is."""
        data = encode(kind, payload)
        if max_bytes is not None and len(data) > max_bytes and kind == b"V":
            size = len(data)
            del data
            message = f"The returned value takes {size} bytes as JSON; {max_bytes} are allowed"
            kept = {key: value for key, value in payload.items() if key != "value"}
            data = encode(b"E", {**kept, "error": {"code": "RESULT_LIMIT", "message": message, "limit": max_bytes}})
        self.send_encoded(data)

    def send_encoded(self, data):
        with self._lock:
            view = memoryview(data)
            while view:
                try:
                    view = view[_write(self.write_fd, view) :]
                except BlockingIOError:
                    _poll([], [self.write_fd], [])

    def receive(self):
        """The next frame, or None at the end of the connection."""
        while True:
            frame = self._take()
            if frame is not None:
                return frame
            if not self._fill():
                return None

    def receive_ready(self):
        """The frames that one read gives, and whether the connection goes on."""
        open_ = self._fill()
        return self.received(), open_

    def received(self):
        """The frames that are here already."""
        frames = []
        while (frame := self._take()) is not None:
            frames.append(frame)
        return frames

    def _fill(self):
        size = _FIRST if len(self._buffer) < _FIRST else _CHUNK
        while True:
            try:
                data = _read(self.read_fd, size)
            except BlockingIOError:
                _poll([self.read_fd], [], [])
                continue
            except OSError:
                return False
            self._buffer += data
            return bool(data)

    def _take(self):
        buffer = self._buffer
        if len(buffer) < 5:
            return None
        kind, length = _HEADER.unpack_from(buffer)
        if len(buffer) < 5 + length:
            return None
        body = buffer[5 : 5 + length].decode("utf-8")
        del buffer[: 5 + length]
        try:
            return kind, _decode_at(body, 0)[0]
        except RecursionError:
            raise TooDeep(kind, body[:_FIRST]) from None

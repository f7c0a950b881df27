"""Python values to JSON: without loss, or an error that says where and what to return instead."""

from .errors import BadResult, Mismatch
from .forms import form_of, special_float, text_of_int, text_of_key
from .media import FileName, bytes_form
from .scalars import MAX_SAFE_INTEGER

MAX_DEPTH = 200
#: Bytes deeper in a value are data and no picture to look at.
_MEDIA_ROOM = MAX_DEPTH - 1

_PLAIN = frozenset({str, bool, type(None)})
_SETS = frozenset({set, frozenset})
_BYTES = frozenset({bytes, bytearray})


def to_json(value, alone=True):
    """A structure that `json.dumps(…, allow_nan=False)` takes and JavaScript reads without loss.

    Nothing is left of a value that stands alone and becomes a file; elsewhere the file's name stands in its place.
    """
    try:
        encoded = _encode(value, MAX_DEPTH)
        return None if alone and type(encoded) is FileName else encoded
    except Mismatch as mismatch:
        path = mismatch.path("$")
        raise BadResult(f"Result {path}: {mismatch.reason}", path) from mismatch.__cause__
    except RecursionError:
        raise BadResult("Result $: nested too deeply; return a flatter value") from None
    except Exception as error:
        raise BadResult(f"Result $: conversion failed with {type(error).__name__}: {error}") from error


def _encode(value, room):
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is int:
        return value if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER else text_of_int(value)
    if kind is float:
        return value if value - value == 0.0 else special_float(value)
    if kind is dict:
        return _encode_dict(value, room, value)
    if kind is list or kind is tuple:
        return _encode_items(value, room, value)
    if kind in _BYTES and room >= _MEDIA_ROOM and (name := bytes_form(value)):
        return name
    form = form_of(value)
    if type(form) is FileName:
        return form
    if type(form) is dict:
        return _encode_dict(form, room, value)
    if type(form) is list:
        return _encode_items(form, room, value)
    if type(form) in _SETS:
        return _encode_set(form, room, value)
    return _encode(form, room)


def _encode_items(items, room, holder):
    if not room:
        raise TooDeep()
    room -= 1
    encoded = []
    append = encoded.append
    try:
        for item in items:
            kind = type(item)
            if kind in _PLAIN or (kind is int and -MAX_SAFE_INTEGER <= item <= MAX_SAFE_INTEGER):
                append(item)
            else:
                append(_encode(item, room))
    except Mismatch as mismatch:
        mismatch.at(len(encoded), holder)
        raise
    return encoded


def _encode_dict(content, room, holder):
    if not room:
        raise TooDeep()
    room -= 1
    encoded = {}
    key = ""
    try:
        for key, item in content.items():
            if type(key) is not str:
                key = text_of_key(key)
            kind = type(item)
            if kind in _PLAIN or (kind is int and -MAX_SAFE_INTEGER <= item <= MAX_SAFE_INTEGER):
                encoded[key] = item
            else:
                encoded[key] = _encode(item, room)
    except Mismatch as mismatch:
        if type(key) is str:
            mismatch.at(key, holder)
        raise
    if len(encoded) != len(content):
        raise Mismatch(_collision(content))
    return encoded


def _encode_set(members, room, holder):
    """In an order that does not change from run to run."""
    try:
        members, in_order = sorted(members), not any(isinstance(member, frozenset) for member in members)
    except TypeError:
        in_order = False
    encoded = _encode_items(members, room, holder)
    return encoded if in_order else sorted(encoded, key=repr)


def _collision(content):
    seen = set()
    for key in content:
        text = key if type(key) is str else text_of_key(key)
        if text in seen:
            return f"two of its keys both become {text!r}, and one would be lost; rename one"
        seen.add(text)
    return "it changed while it was converted"


class TooDeep(Mismatch):
    """Raised at the depth bound; only then does it matter whether the value is circular."""

    def __init__(self):
        super().__init__(f"nested deeper than {MAX_DEPTH} levels; return a flatter value")
        self._holders = []

    def at(self, step, holder=None):
        self._holders.append(id(holder))
        return super().at(step)

    def path(self, root):
        steps = self.steps[::-1]
        first_depth = {}
        for depth, holder in enumerate(reversed(self._holders)):
            first = first_depth.setdefault(holder, depth)
            if first < depth:
                origin = self._path_of(root, steps[:first])
                self.reason = f"circular: this is {origin} again; return a value that does not contain itself"
                return self._path_of(root, steps[:depth])
        return super().path(root)

    def _path_of(self, root, steps):
        return Mismatch("", steps=steps[::-1]).path(root)

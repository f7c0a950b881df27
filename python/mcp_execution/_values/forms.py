"""For each type of value the next simpler value that says the same: an object, an array, a text."""

import re
from binascii import b2a_base64
from collections import abc, deque
from dataclasses import fields, is_dataclass
from enum import Enum

from .advice import refusal
from .errors import Mismatch, shortened
from .late import late_form
from .media import media_form
from .models import dump_model, is_model
from .scientific import is_scientific, scientific_form

_INLINE_FLAGS = (
    ("a", re.ASCII),
    ("i", re.IGNORECASE),
    ("m", re.MULTILINE),
    ("s", re.DOTALL),
    ("x", re.VERBOSE),
)


def form_of(value):
    kind = type(value)
    try:
        form = _forms.get(kind)
        if form is None:
            form = _forms[kind] = _form_for(kind)
        return form(value)
    except Mismatch:
        raise
    except Exception as error:
        raise Mismatch(
            f"converting a {kind.__name__} failed with {type(error).__name__}: {error}"
        ) from error


def text_of_int(value):
    try:
        return int.__repr__(value)
    except ValueError:
        raise Mismatch("an int of thousands of digits cannot be written; return hex(value)") from None


def special_float(value):
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def text_of_key(key):
    """The text that stands for a key; None, booleans and numbers read as in JSON."""
    if key is None:
        return "null"
    if key is True or key is False:
        return "true" if key else "false"
    if isinstance(key, Enum):
        return text_of_key(key.value)
    if isinstance(key, str):
        return str.__str__(key)
    if isinstance(key, int):
        return text_of_int(key)
    if isinstance(key, float):
        return float.__repr__(key) if key - key == 0.0 else special_float(key)
    if late_form(type(key)):
        return form_of(key)
    if is_scientific(type(key)):
        return text_of_key(form_of(key))
    raise Mismatch(
        f"the key {shortened(_repr(key))} is a {type(key).__name__}, which has no place as a JSON key; "
        "use text or a number as keys, or return a list of pairs"
    )


def _form_for(kind):
    if issubclass(kind, Enum):
        return lambda value: value.value
    if is_model(kind):
        return dump_model
    if is_dataclass(kind):
        return _fields_form([field.name for field in fields(kind)])
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return lambda value: dict(zip(value._fields, value))
    if is_scientific(kind) and not issubclass(kind, (str, float, bytes)):
        return scientific_form
    if (form := late_form(kind) or media_form(kind)) is not None:
        return form
    for base, form in _BASES.items():
        if issubclass(kind, base):
            return form
    return _refuse


def _fields_form(names):
    def form(value):
        try:
            return {name: getattr(value, name) for name in names}
        except AttributeError as error:
            raise Mismatch(f"a field of this {type(value).__name__} was never set: {error}") from None

    return form


def _refuse(value):
    raise Mismatch(refusal(value))


def _base64(value):
    return b2a_base64(bytes(value), newline=False).decode("ascii")


def _complex_text(value):
    return complex.__repr__(value).strip("()")


def _pattern_text(value):
    if not isinstance(value.pattern, str):
        raise Mismatch("a pattern over bytes has no text; return a pattern over str")
    inline = "".join(letter for letter, flag in _INLINE_FLAGS if value.flags & flag)
    already = value.pattern.startswith("(?")
    return f"(?{inline}){value.pattern}" if inline and not already else value.pattern


def _repr(value):
    try:
        return repr(value)
    except Exception:
        return "(without a repr)"


_BASES = {
    str: str.__str__,
    int: int.__index__,
    float: float.__float__,
    dict: lambda value: dict(value.items()),
    list: list,
    tuple: list,
    frozenset: frozenset,
    set: set,
    complex: _complex_text,
    bytes: _base64,
    bytearray: _base64,
    memoryview: _base64,
    re.Pattern: _pattern_text,
    abc.Mapping: dict,
    deque: list,
    range: list,
    abc.KeysView: list,
    abc.ValuesView: list,
    abc.ItemsView: list,
    abc.Set: set,
    abc.Sequence: list,
}

_forms = {}

"""Scalar values from JSON: numbers, text and bytes."""

import re
from binascii import a2b_base64
from math import isinf

from .converter import Converter
from .errors import Mismatch, unexpected

MAX_SAFE_INTEGER = 2**53 - 1

_INTEGER = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_FLOAT_SPECIAL = {
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}


def to_int(value):
    kind = type(value)
    if kind is int:
        if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            return value
        raise unsafe_number(value)
    if kind is float and value.is_integer():
        if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            return int(value)
        raise unsafe_number(value)
    if kind is str and _INTEGER.fullmatch(value):
        return _int_of_digits(value)
    raise unexpected("an integer", value)


def strict_int(value):
    if type(value) is int:
        return to_int(value)
    raise unexpected("an integer", value)


def to_float(value):
    kind = type(value)
    if kind is float:
        return value
    if kind is int:
        try:
            return float(value)
        except OverflowError:
            raise Mismatch("the number is too large for a float") from None
    if kind is str:
        if value in _FLOAT_SPECIAL:
            return _FLOAT_SPECIAL[value]
        if NUMBER.fullmatch(value):
            number = float(value)
            if isinf(number):
                raise Mismatch("the number is too large for a float")
            return number
    raise unexpected("a number", value)


def strict_float(value):
    if type(value) is float:
        return value
    raise unexpected("a number", value)


def to_bool(value):
    if value is True or value is False:
        return value
    if type(value) is str and value in ("true", "false"):
        return value == "true"
    raise unexpected("true or false", value)


def strict_bool(value):
    if value is True or value is False:
        return value
    raise unexpected("true or false", value)


def to_str(value):
    if type(value) is str:
        return value
    raise unexpected("a string", value)


def to_none(value):
    if value is None:
        return None
    raise unexpected("null", value)


def to_bytes(value):
    if type(value) is str:
        try:
            decoded = a2b_base64(value)
        except ValueError:
            decoded = None
        padding = len(value) - len(value.rstrip("="))
        # a2b_base64 skips what is not base64, so only the full length proves that nothing was skipped
        if decoded is not None and len(value) % 4 == 0 and len(decoded) == len(value) // 4 * 3 - padding:
            return decoded
    raise unexpected("bytes as base64 text", value)


def refuse_bytes(value):
    raise unexpected("bytes as base64 text", value)


def to_complex(value):
    if type(value) is int or type(value) is float:
        return complex(to_float(value))
    return strict_complex(value)


def strict_complex(value):
    if type(value) is str and "_" not in value:
        try:
            return complex(value)
        except ValueError:
            pass
    raise unexpected("a complex number such as '1+2j'", value)


def to_pattern(value):
    try:
        return re.compile(to_str(value))
    except re.error as error:
        raise Mismatch(f"expected a regular expression: {error}") from None


def made_by(cls, convert, expected):
    """Passes what `convert` gives through `cls`, whose refusal is the caller's mistake."""

    def make(value):
        converted = convert(value)
        try:
            return cls(converted)
        except Exception as error:
            raise Mismatch(f"expected {expected}: {cls.__name__} refused it: {error}") from error

    return make


def unsafe_number(value):
    return Mismatch(
        "an integer beyond ±9007199254740991 loses digits as a JSON number; "
        "send it as a string of digits"
        if value == value and not isinf(value)
        else "expected a finite number"
    )


def _int_of_digits(text):
    try:
        return int(text)
    except ValueError:
        raise Mismatch(f"an integer of {len(text)} digits is more than Python reads") from None


SCALARS = {
    int: Converter(to_int, strict_int, "an integer"),
    float: Converter(to_float, strict_float, "a number"),
    bool: Converter(to_bool, strict_bool, "true or false"),
    str: Converter(to_str, to_str, "a string"),
    type(None): Converter(to_none, to_none, "null"),
    bytes: Converter(to_bytes, refuse_bytes, "bytes as base64 text"),
    bytearray: Converter(made_by(bytearray, to_bytes, "bytes"), refuse_bytes, "bytes as base64 text"),
    memoryview: Converter(made_by(memoryview, to_bytes, "bytes"), refuse_bytes, "bytes as base64 text"),
    complex: Converter(to_complex, strict_complex, "a complex number"),
    re.Pattern: Converter(to_pattern, to_pattern, "a regular expression"),
}

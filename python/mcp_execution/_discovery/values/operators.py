"""Operators on values that the source says outright, within limits that keep any expression cheap."""

import re
from _ast import Add, BitOr, Div, FloorDiv, Invert, LShift, Mod, Mult, Pow, Sub, UAdd, USub

_LONGEST = 100_000
_MOST_BITS = 4096
_LARGEST_SHIFT = 100
_NUMBERS = (int, float, complex)
_SEQUENCES = (str, bytes, list, tuple)
_WIDE = re.compile(r"%[^a-zA-Z%]*(?:\d{4}|\*)")
_ON_NUMBERS = {
    Add: lambda a, b: a + b,
    Sub: lambda a, b: a - b,
    Mult: lambda a, b: a * b,
    Div: lambda a, b: a / b,
    FloorDiv: lambda a, b: a // b,
    Mod: lambda a, b: a % b,
    BitOr: lambda a, b: a | b,
    LShift: lambda a, b: a << b if b < _LARGEST_SHIFT else _refuse(),
    Pow: lambda a, b: a**b if abs(b) < _LARGEST_SHIFT else _refuse(),
}


class NotStatic(Exception):
    """Only running the script would tell."""


def operate(op, left, right):
    """Raises NotStatic where the outcome is not known, is an error or is too large."""
    try:
        return _operate(type(op), left, right)
    except (TypeError, ValueError, ArithmeticError, LookupError, MemoryError):
        raise NotStatic from None


def operate_alone(op, operand):
    if not isinstance(operand, _NUMBERS):
        raise NotStatic
    if isinstance(op, USub):
        return -operand
    if isinstance(op, UAdd):
        return operand
    if isinstance(op, Invert):
        return ~operand if isinstance(operand, int) else _refuse()
    return not operand


def _operate(kind, left, right):
    if isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS):
        return _number(kind, left, right)
    if kind is Add and type(left) in _SEQUENCES and type(left) is type(right):
        return left + right if len(left) + len(right) <= _LONGEST else _refuse()
    if kind is Mult and isinstance(left, int):
        left, right = right, left
    if kind is Mult and type(left) in _SEQUENCES and isinstance(right, int):
        return left * right if len(left) * right <= _LONGEST else _refuse()
    if kind is BitOr and isinstance(left, dict) and isinstance(right, dict):
        return {**left, **right}
    if kind is Mod and type(left) is str:
        return _formatted(left, right)
    raise NotStatic


def _number(kind, left, right):
    if kind not in _ON_NUMBERS or any(isinstance(side, int) and side.bit_length() > _MOST_BITS for side in (left, right)):
        raise NotStatic
    if kind is Pow and isinstance(left, int) and left.bit_length() > 64:
        raise NotStatic
    value = _ON_NUMBERS[kind](left, right)
    return value if not isinstance(value, int) or value.bit_length() <= _MOST_BITS else _refuse()


def _formatted(text, values):
    items = values if isinstance(values, tuple) else (values,)
    if _WIDE.search(text) or not all(isinstance(item, (str, int, float)) for item in items):
        raise NotStatic
    made = text % values
    return made if len(made) <= _LONGEST else _refuse()


def _refuse():
    raise NotStatic

"""Bounds written in `Annotated`: annotated-types, pydantic's `Field` and what else has their shape, never imported from here."""

import re
from operator import ge, gt, le, lt

from .converter import Converter
from .errors import Mismatch, shortened, shown

_COMPARISONS = (("ge", ge, "at least"), ("gt", gt, "more than"), ("le", le, "at most"), ("lt", lt, "less than"))
_LEAST_LENGTHS = ("min_length", "min_items")
_MOST_LENGTHS = ("max_length", "max_items")
_PATTERNS = ("pattern", "regex")
_PLAIN = (str, bytes, int, float, type(None), type)


def constrained_converter(converter, metadata):
    """The same converter where the metadata has no bounds, so that plain annotations cost nothing."""
    checks = [check for item in metadata for check in _checks_of(item)]
    if not checks:
        return converter

    def build(convert):
        def convert_within(value):
            converted = convert(value)
            for check in checks:
                check(converted, value)
            return converted

        return convert_within

    return Converter(build(converter.convert), build(converter.strict), converter.expected, converter.is_tag)


def _checks_of(item):
    if isinstance(item, _PLAIN):
        return
    for name, holds, words in _COMPARISONS:
        bound = _said(item, name)
        if _is_bound(bound):
            yield _comparison(holds, bound, words)
    step = _said(item, "multiple_of")
    if _is_bound(step) and step:
        yield _multiple(step)
    least, most = _first_length(item, _LEAST_LENGTHS), _first_length(item, _MOST_LENGTHS)
    if least or most is not None:
        yield _length(least, most)
    for name in _PATTERNS:
        pattern = _compiled(_said(item, name))
        if pattern:
            yield _pattern(pattern)
    inner = _said(item, "metadata")
    if isinstance(inner, (list, tuple)):
        for part in inner:
            yield from _checks_of(part)


def _said(item, name):
    try:
        return getattr(item, name, None)
    except Exception:
        return None


def _is_bound(bound):
    """Numbers, dates and the like; a method or a column of that name is something else."""
    if bound is None or isinstance(bound, (bool, str)) or callable(bound):
        return False
    try:
        return bool(bound <= bound)
    except Exception:
        return False


def _first_length(item, names):
    lengths = (_said(item, name) for name in names)
    return next((length for length in lengths if type(length) is int and length >= 0), None)


def _compiled(pattern):
    if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
        return pattern
    try:
        return re.compile(pattern) if isinstance(pattern, str) else None
    except re.error:
        return None


def _comparison(holds, bound, words):
    def check(converted, value):
        if isinstance(converted, bool):
            return
        try:
            fits = bool(holds(converted, bound))
        except Exception:
            return  # of another kind: the bound says nothing about it
        if not fits:
            raise Mismatch(f"expected {words} {_plainly(bound)}, got {_plainly(value)}")

    return check


def _multiple(step):
    def check(converted, value):
        # text has a % of its own
        if isinstance(converted, (bool, str, bytes, bytearray)):
            return
        try:
            fits = _is_multiple(converted, step)
        except Exception:
            return
        if not fits:
            raise Mismatch(f"expected a multiple of {_plainly(step)}, got {_plainly(value)}")

    return check


def _is_multiple(number, step):
    """By the quotient, as JSON Schema has it: 0.5 is a multiple of 0.1, though their remainder is not 0."""
    if isinstance(number, float) or isinstance(step, float):
        return (number / step).is_integer()
    return number % step == 0


def _length(least, most):
    def check(converted, value):
        thing = _counted_thing(converted)
        if not thing:
            return
        # a set may hold fewer members than were sent: at least as many as asked must be left, and no more be sent
        sent = len(value) if type(value) is list else _size(converted)
        held = _size(converted, sent)
        if least is not None and held < least:
            raise Mismatch(f"expected at least {_counted(least, thing)}, got {shown(value)}")
        if most is not None and sent > most:
            raise Mismatch(f"expected at most {_counted(most, thing)}, got {shown(value)}")

    return check


def _counted_thing(converted):
    if isinstance(converted, str):
        return "character"
    if isinstance(converted, (bytes, bytearray, memoryview)):
        return "byte"
    if isinstance(converted, dict):
        return "key"
    return "item" if hasattr(converted, "__iter__") else None


def _size(converted, otherwise=0):
    try:
        return len(converted)
    except TypeError:
        return otherwise


def _counted(count, thing):
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _pattern(pattern):
    def check(converted, value):
        if isinstance(converted, str) and not pattern.search(converted):
            raise Mismatch(f"expected text that matches {shortened(pattern.pattern)!r}, got {shown(value)}")

    return check


def _plainly(value):
    if isinstance(value, (str, bool, list, dict)) or value is None:
        return shown(value)
    return shortened(str(value))

"""A value that may be of several types."""

from .converter import Converter
from .errors import Mismatch, unexpected


def optional_converter(member):
    """`X | None`, kept apart because it is common, quick, and its errors should be those of X."""

    def build(convert):
        return lambda value: None if value is None else convert(value)

    return Converter(build(member.convert), build(member.strict), f"{member.expected} or null")


def union_converter(members):
    stricts = tuple(member.strict for member in members)
    lenients = tuple(member.convert for member in members)
    expected = " or ".join(dict.fromkeys(member.expected for member in members))

    def strict(value):
        for attempt in stricts:
            try:
                return attempt(value)
            except Mismatch:
                pass
        raise unexpected(expected, value)

    def convert(value):
        for attempt in stricts:
            try:
                return attempt(value)
            except Mismatch:
                pass
        mismatches = []
        for attempt in lenients:
            try:
                return attempt(value)
            except Mismatch as mismatch:
                mismatches.append(mismatch)
        raise _most_telling(mismatches, expected, value)

    return Converter(convert, strict, expected)


def _most_telling(mismatches, expected, value):
    best = max(mismatches, key=_closeness)
    if best.is_tag:
        tags = [mismatch for mismatch in mismatches if mismatch.steps == best.steps and mismatch.expected]
        wanted = " or ".join(dict.fromkeys(tag.expected for tag in tags))
        return Mismatch(f"expected {wanted}, got {best.got}", expected=wanted, steps=best.steps)
    if best.steps or not best.expected:
        return best
    return unexpected(expected, value)


def _closeness(mismatch):
    """How far the value got: a wrong tag says "another member is meant", a deep step "almost"."""
    if mismatch.is_tag:
        return 0.5
    if mismatch.steps:
        return 1 + len(mismatch.steps)
    return 0 if mismatch.expected else 1

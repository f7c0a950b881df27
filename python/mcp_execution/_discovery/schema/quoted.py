"""Quoted annotations, parsed once each."""

from _ast import PyCF_ONLY_AST

_LONGEST = 10_000
_parsed = {}


def parse_quoted(text):
    """The expression in quotes, or None where it is none."""
    if text not in _parsed:
        _parsed[text] = _parse(text)
    return _parsed[text]


def _parse(text):
    if len(text) > _LONGEST:
        return None
    try:
        return compile(f"({text.strip()}\n)", "<annotation>", "eval", PyCF_ONLY_AST, True).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None

"""Fields of Sphinx and Epydoc: `:param int x: text`, `@return: text`."""

import re

from .lines import flowing, indent_of
from .sections import GOOGLE_SECTION

_FIELD = re.compile(r"^[:@](\w+)(?:\s+([^:]*?))?\s*:(?:\s+|$)(.*)$")
_FIELD_PARAMETERS = frozenset({"param", "parameter", "arg", "argument", "key", "keyword", "kwarg"})


def without_fields(lines, doc):
    """`:param int x: text` and `@param x: text`, which may go on in indented lines."""
    kept, at = [], 0
    while at < len(lines):
        match = _FIELD.match(lines[at].strip()) if lines[at].lstrip()[:1] in (":", "@") else None
        if match is None:
            kept.append(lines[at])
            at += 1
            continue
        indent = indent_of(lines[at])
        texts = [match[3]]
        at += 1
        while at < len(lines) and lines[at].strip() and (indent_of(lines[at]) > indent or not _starts_something(lines[at])):
            texts.append(lines[at])
            at += 1
        _add_field(doc, match[1], match[2] or "", flowing(texts), kept)
    return kept


def _starts_something(line):
    return line.lstrip()[:1] in (":", "@") or GOOGLE_SECTION.match(line)


def _add_field(doc, field, subject, text, kept):
    if field in _FIELD_PARAMETERS:
        kind, _, name = subject.rpartition(" ")
        doc.add_parameter(name, kind or None, text)
    elif field in ("type", "vartype"):
        doc.add_parameter(subject, text, None)
    elif field in ("var", "ivar", "cvar", "attr"):
        doc.add_parameter(subject.rpartition(" ")[2], None, text)
    elif field in ("return", "returns", "yield", "yields"):
        doc.returns = text or None
    elif field in ("rtype", "ytype"):
        doc.returns_type = text or None
    elif field in ("raises", "raise", "except", "exception"):
        if not any(line == "Raises:" for line in kept):
            kept += ["", "Raises:"]
        kept.append(f"    {subject}: {text}" if text else f"    {subject}")

"""Sections of Google and NumPy style: parameters and returns taken apart, some kept as they are, some dropped."""

import re

from .lines import dedented, flowing, indent_of

GOOGLE_SECTION = re.compile(r"^([A-Z][A-Za-z ]{2,30}):\s*$")
_GOOGLE_ITEM = re.compile(r"^(\*{0,2}[\w.\-, *]+?)\s*(?:\(((?:[^()]|\([^()]*\))*)\))?\s*:(?:\s+(.*))?$", re.S)
_NUMPY_ITEM = re.compile(r"^(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::\s*(.*))?$")
_DIRECTIVE = re.compile(r"^\.\. (\w[\w-]*)::\s*(.*)$")
PARAMETERS = frozenset(
    {
        "args",
        "arguments",
        "parameters",
        "params",
        "inputs",
        "keyword args",
        "keyword arguments",
        "keyword parameters",
        "other parameters",
        "kwargs",
    }
)
_RETURNS = frozenset({"returns", "return", "yields", "yield"})
_KEPT = frozenset({"raises", "raise", "note", "warning", "warnings", "warns", "important", "caution", "limitations"})
_DROPPED = frozenset(
    {
        "example",
        "examples",
        "usage",
        "doctest",
        "notes",
        "see also",
        "references",
        "reference",
        "todo",
        "todos",
        "attributes",
        "attribute",
        "methods",
        "author",
        "authors",
        "version",
        "license",
        "copyright",
        "changelog",
        "history",
        "tests",
    }
)
_SECTIONS = PARAMETERS | _RETURNS | _KEPT | _DROPPED
_LONGEST_RETURNS = 300


def without_sections(lines, doc, parameters=PARAMETERS):
    kept, at = [], 0
    while at < len(lines):
        section, body_at, is_numpy = _section_at(lines, at)
        if section is None:
            directive = _DIRECTIVE.match(lines[at].strip())
            if directive and directive[1] in (
                "code-block",
                "code",
                "doctest",
                "testcode",
                "seealso",
                "todo",
                "versionadded",
                "versionchanged",
                "plot",
            ):
                at = _end_of_block(lines, at + 1, indent_of(lines[at]))
                continue
            kept.append(lines[at])
            at += 1
            continue
        end = _end_of_numpy(lines, body_at) if is_numpy else _end_of_block(lines, body_at, indent_of(lines[at]))
        body = lines[body_at:end]
        if section in parameters:
            (_read_numpy if is_numpy else _read_google)(doc, body)
        elif section in _RETURNS:
            _read_returns(doc, body, is_numpy)
        elif section in _KEPT:
            kept += ["", f"{section.capitalize()}:", *(f"    {line}" for line in dedented(body) if line)]
        at = end
    return kept


def _section_at(lines, at):
    line = lines[at].strip()
    if not line:
        return None, at, False
    following = lines[at + 1].strip() if at + 1 < len(lines) else ""
    if len(following) >= 3 and set(following) <= {"-", "="} and line.lower().rstrip(":") in _SECTIONS:
        return line.lower().rstrip(":"), at + 2, True
    match = GOOGLE_SECTION.match(line)
    if match and match[1].lower() in _SECTIONS:
        return match[1].lower(), at + 1, False
    if following and line.endswith("::") and line[:-2].strip().lower() in _SECTIONS:
        return line[:-2].strip().lower(), at + 1, False
    return None, at, False


def _end_of_block(lines, at, indent):
    """Where the indented lines end. Some write the section's lines without an indent, up to an empty line."""
    first = next((index for index in range(at, len(lines)) if lines[index].strip()), len(lines))
    if first < len(lines) and indent_of(lines[first]) <= indent:
        if first > at:
            return at
        end = first
        while end < len(lines) and lines[end].strip() and _section_at(lines, end)[0] is None:
            end += 1
        return end
    end = at
    for index in range(at, len(lines)):
        if lines[index].strip():
            if indent_of(lines[index]) <= indent:
                break
            end = index + 1
    return end


def _end_of_numpy(lines, at):
    for index in range(at, len(lines)):
        following = lines[index + 1].strip() if index + 1 < len(lines) else ""
        if lines[index].strip() and len(following) >= 3 and set(following) <= {"-", "="}:
            return index
    return len(lines)


def _read_google(doc, body):
    for item in _items(dedented(body)):
        first = item[0].lstrip("-*• ") if item[0][:2] in ("- ", "* ", "• ") else item[0]
        match = _GOOGLE_ITEM.match(first)
        if match:
            kind = match[2]
            doc.add_parameter(match[1], kind, flowing([match[3] or "", *item[1:]]))


def _read_numpy(doc, body):
    for item in _items(dedented(body)):
        match = _NUMPY_ITEM.match(item[0])
        if match:
            doc.add_parameter(match[1], match[2], flowing(item[1:]))


def _read_returns(doc, body, is_numpy):
    lines = dedented(body)
    lines = lines[next((index for index, line in enumerate(lines) if line.strip()), 0) :]
    if not lines:
        return
    if is_numpy:
        kind = lines[0].rpartition(":")[2].strip()
        text = flowing(lines[1:])
        doc.returns_type, doc.returns = (kind, text) if text else (None, kind)
    else:
        kind, colon, rest = lines[0].partition(": ")
        is_typed = colon and re.fullmatch(r"[\w.\[\], |~]+", kind) and len(kind.split()) <= 4
        if is_typed:
            doc.returns_type = kind
        doc.returns = flowing([rest if is_typed else lines[0], *lines[1:]])
    if doc.returns and len(doc.returns) > _LONGEST_RETURNS:
        doc.returns = doc.returns[: _LONGEST_RETURNS - 1].rsplit(" ", 1)[0] + "…"


def _items(lines):
    """Lines without an indent, each with the indented ones after it."""
    items = []
    for line in lines:
        if line.strip() and not line[0].isspace():
            items.append([line])
        elif items:
            items[-1].append(line)
    return items

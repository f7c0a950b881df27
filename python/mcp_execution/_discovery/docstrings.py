"""Docstrings of Google, NumPy, Sphinx, Epydoc and no style at all, taken apart."""

import re
from _ast import AnnAssign, Assign, Constant, Expr, Name

from .docstring_text import clean, docstring_of

_GOOGLE_SECTION = re.compile(r"^([A-Z][A-Za-z ]{2,30}):\s*$")
_GOOGLE_ITEM = re.compile(r"^(\*{0,2}[\w.\-, *]+?)\s*(?:\(((?:[^()]|\([^()]*\))*)\))?\s*:(?:\s+(.*))?$", re.S)
_NUMPY_ITEM = re.compile(r"^(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::\s*(.*))?$")
_FIELD = re.compile(r"^[:@](\w+)(?:\s+([^:]*?))?\s*:(?:\s+|$)(.*)$")
_PARAMETERS = frozenset(
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
_SECTIONS = _PARAMETERS | _RETURNS | _KEPT | _DROPPED
_FIELD_PARAMETERS = frozenset({"param", "parameter", "arg", "argument", "key", "keyword", "kwarg"})
_LONGEST_RETURNS = 300
_DIRECTIVE = re.compile(r"^\.\. (\w[\w-]*)::\s*(.*)$")
_ROLE = re.compile(r":(?:\w+:)?\w+:`~?\.?([^`<]+?)(?:\s*<[^`>]*>)?`")


class Doc:
    __slots__ = ("description", "parameters", "types", "returns", "returns_type")

    def __init__(self):
        self.description = ""
        self.parameters = {}
        self.types = {}
        self.returns = None
        self.returns_type = None

    def add_parameter(self, names, kind, text):
        for name in names.split(","):
            name = name.strip().lstrip("*").strip("`")
            if text:
                self.parameters[name] = text
            if kind:
                self.types[name] = kind


def parse_docstring(text):
    doc = Doc()
    if not text:
        return doc
    lines = _without_doctests(text.split("\n"))
    kept = _without_fields(lines, doc)
    kept = _without_sections(kept, doc)
    doc.description = _tidy(kept)
    return doc


def attribute_docs(node):
    """What the docstring of a class says of its fields, and texts that stand right after them."""
    docs = {}
    text = docstring_of(node)
    if text and (":" in text or "---" in text):
        docs.update(_attributes_in(text))
    body = getattr(node, "body", None) or ()
    for statement, following in zip(body, body[1:]):
        if isinstance(statement, (AnnAssign, Assign)) and isinstance(following, Expr) and isinstance(following.value, Constant):
            target = statement.target if isinstance(statement, AnnAssign) else statement.targets[0]
            if isinstance(target, Name) and isinstance(following.value.value, str):
                docs[target.id] = _flowing(clean(following.value.value).split("\n"))
    return docs


def _attributes_in(text):
    doc = Doc()
    _without_sections(_without_fields(text.split("\n"), doc), doc, {"attributes", "attribute", *_PARAMETERS})
    return doc.parameters


def _without_doctests(lines):
    kept, in_test = [], False
    for line in lines:
        bare = line.lstrip()
        if bare.startswith(">>>"):
            in_test = True
        elif in_test and not bare:
            in_test = False
        if not in_test:
            kept.append(line)
    return kept


def _without_fields(lines, doc):
    """`:param int x: text` and `@param x: text`, which may go on in indented lines."""
    kept, at = [], 0
    while at < len(lines):
        match = _FIELD.match(lines[at].strip()) if lines[at].lstrip()[:1] in (":", "@") else None
        if match is None:
            kept.append(lines[at])
            at += 1
            continue
        indent = _indent(lines[at])
        texts = [match[3]]
        at += 1
        while at < len(lines) and lines[at].strip() and (_indent(lines[at]) > indent or not _starts_something(lines[at])):
            texts.append(lines[at])
            at += 1
        _add_field(doc, match[1], match[2] or "", _flowing(texts), kept)
    return kept


def _starts_something(line):
    return line.lstrip()[:1] in (":", "@") or _GOOGLE_SECTION.match(line)


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


def _without_sections(lines, doc, parameters=_PARAMETERS):
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
                at = _end_of_block(lines, at + 1, _indent(lines[at]))
                continue
            kept.append(lines[at])
            at += 1
            continue
        end = _end_of_numpy(lines, body_at) if is_numpy else _end_of_block(lines, body_at, _indent(lines[at]))
        body = lines[body_at:end]
        if section in parameters:
            (_read_numpy if is_numpy else _read_google)(doc, body)
        elif section in _RETURNS:
            _read_returns(doc, body, is_numpy)
        elif section in _KEPT:
            kept += ["", f"{section.capitalize()}:", *(f"    {line}" for line in _dedented(body) if line)]
        at = end
    return kept


def _section_at(lines, at):
    line = lines[at].strip()
    if not line:
        return None, at, False
    following = lines[at + 1].strip() if at + 1 < len(lines) else ""
    if len(following) >= 3 and set(following) <= {"-", "="} and line.lower().rstrip(":") in _SECTIONS:
        return line.lower().rstrip(":"), at + 2, True
    match = _GOOGLE_SECTION.match(line)
    if match and match[1].lower() in _SECTIONS:
        return match[1].lower(), at + 1, False
    if following and line.endswith("::") and line[:-2].strip().lower() in _SECTIONS:
        return line[:-2].strip().lower(), at + 1, False
    return None, at, False


def _end_of_block(lines, at, indent):
    """Where the indented lines end. Some write the section's lines without an indent, up to an empty line."""
    first = next((index for index in range(at, len(lines)) if lines[index].strip()), len(lines))
    if first < len(lines) and _indent(lines[first]) <= indent:
        if first > at:
            return at
        end = first
        while end < len(lines) and lines[end].strip() and _section_at(lines, end)[0] is None:
            end += 1
        return end
    end = at
    for index in range(at, len(lines)):
        if lines[index].strip():
            if _indent(lines[index]) <= indent:
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
    for item in _items(_dedented(body)):
        first = item[0].lstrip("-*• ") if item[0][:2] in ("- ", "* ", "• ") else item[0]
        match = _GOOGLE_ITEM.match(first)
        if match:
            kind = match[2]
            doc.add_parameter(match[1], kind, _flowing([match[3] or "", *item[1:]]))


def _read_numpy(doc, body):
    for item in _items(_dedented(body)):
        match = _NUMPY_ITEM.match(item[0])
        if match:
            doc.add_parameter(match[1], match[2], _flowing(item[1:]))


def _read_returns(doc, body, is_numpy):
    lines = _dedented(body)
    lines = lines[next((index for index, line in enumerate(lines) if line.strip()), 0) :]
    if not lines:
        return
    if is_numpy:
        kind = lines[0].rpartition(":")[2].strip()
        text = _flowing(lines[1:])
        doc.returns_type, doc.returns = (kind, text) if text else (None, kind)
    else:
        kind, colon, rest = lines[0].partition(": ")
        is_typed = colon and re.fullmatch(r"[\w.\[\], |~]+", kind) and len(kind.split()) <= 4
        if is_typed:
            doc.returns_type = kind
        doc.returns = _flowing([rest if is_typed else lines[0], *lines[1:]])
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


def _dedented(lines):
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    return [line[margin:].rstrip() for line in lines]


def _indent(line):
    return len(line) - len(line.lstrip())


def _flowing(lines):
    """Paragraphs on one line each; lists keep their lines."""
    paragraphs, current = [], []
    for line in lines:
        bare = line.strip()
        if not bare or bare[:2] in ("- ", "* ", "• "):
            if current:
                paragraphs.append(" ".join(current))
            current = [bare] if bare else []
        else:
            current.append(bare)
    if current:
        paragraphs.append(" ".join(current))
    return _plain("\n".join(paragraphs)).strip()


def _tidy(lines):
    text = "\n".join(line.rstrip() for line in lines).strip()
    text = re.sub(r"\n{3,}", "\n\n", text)
    return _plain(re.sub(r"(?m)^(?!\s*\.\. )(.*)::$", r"\1:", text)).strip()


def _plain(text):
    if "`" in text:
        text = _ROLE.sub(r"\1", text).replace("``", "`")
    return text

"""Docstrings of Google, NumPy, Sphinx, Epydoc and no style at all, taken apart."""

import re
from _ast import AnnAssign, Assign, Constant, Expr, Name

from .fields import without_fields
from .lines import flowing, plain
from .sections import PARAMETERS, without_sections
from .written import clean, docstring_of


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
    kept = without_fields(lines, doc)
    kept = without_sections(kept, doc)
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
                docs[target.id] = flowing(clean(following.value.value).split("\n"))
    return docs


def _attributes_in(text):
    doc = Doc()
    without_sections(without_fields(text.split("\n"), doc), doc, {"attributes", "attribute", *PARAMETERS})
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


def _tidy(lines):
    text = "\n".join(line.rstrip() for line in lines).strip()
    text = re.sub(r"\n{3,}", "\n\n", text)
    return plain(re.sub(r"(?m)^(?!\s*\.\. )(.*)::$", r"\1:", text)).strip()

"""A parameter's type where there is no annotation: from its default, else from the docstring."""

import re

from ..schema.known import SCALARS
from ..schema.quoted import parse_quoted
from ..values.standard import StandardText
from ..values.static import NotStatic, static_value

_WORDS = {
    "str": "str",
    "string": "str",
    "strings": "str",
    "text": "str",
    "unicode": "str",
    "char": "str",
    "int": "int",
    "ints": "int",
    "integer": "int",
    "integers": "int",
    "long": "int",
    "float": "float",
    "floats": "float",
    "double": "float",
    "number": "float",
    "numbers": "float",
    "numeric": "float",
    "scalar": "float",
    "real": "float",
    "bool": "bool",
    "boolean": "bool",
    "booleans": "bool",
    "flag": "bool",
    "list": "list",
    "array": "list",
    "tuple": "list",
    "sequence": "list",
    "iterable": "list",
    "set": "list",
    "dict": "dict",
    "dictionary": "dict",
    "mapping": "dict",
    "object": "object",
    "any": "object",
    "none": "None",
    "path": "str",
    "filename": "str",
    "pathlike": "str",
    "path-like": "str",
    "bytes": "bytes",
    "strs": "str",
    "dicts": "dict",
    "lists": "list",
    "dictionaries": "dict",
}
_NOISE = re.compile(r",?\s*\b(optional|required|default(?:s to)?|keyword[- ]only|positional[- ]only)\b.*$", re.I | re.S)
_OF = re.compile(r"^(list|array|tuple|sequence|iterable|set|collection)s?\s+of\s+(.+)$", re.I)
_CHOICES = re.compile(r"^\{(.+)\}$|^(?:one of|either)\s*:?\s*[\[({]?(.+?)[\])}]?$", re.I | re.S)
_CLEAN = re.compile(r"^(?:a|an|the)\s+", re.I)


def default_schema(node, module):
    """What the type of a default tells; None where it tells nothing."""
    try:
        value = static_value(node, module)
    except NotStatic:
        return None
    if isinstance(value, StandardText):
        return dict(SCALARS[value.type][0]) if value.type in SCALARS else None
    if isinstance(value, bool):
        return {"type": "boolean"}
    if isinstance(value, (int, float)):
        return {"type": "number"} if isinstance(value, float) else {"type": "integer"}
    if isinstance(value, str):
        return {"type": "string"}
    if isinstance(value, (list, tuple)):
        return {"type": "array"}
    return {"type": "object"} if isinstance(value, dict) else None


def documented_schema(builder, text, scope):
    """What a docstring's words for a type mean; None where they are not understood."""
    text = _CLEAN.sub("", _NOISE.sub("", text.strip().strip("`")).strip().rstrip(",.").strip())
    if not text or len(text) > 200:
        return None
    choices = _CHOICES.match(text)
    if choices:
        schema = _choices_schema(builder, choices[1] or choices[2], scope)
        if schema is not None:
            return schema
    expression = _expression(text)
    if expression is None:
        return None
    before = len(builder.unknown)
    schema = builder.schema(expression, scope)
    if len(builder.unknown) > before:
        del builder.unknown[before:]
        return None
    return schema


def _choices_schema(builder, text, scope):
    expression = parse_quoted(f"Literal[{text}]") if "'" in text or '"' in text or text[:1].isdigit() else None
    if expression is None or not hasattr(expression, "slice"):
        return None
    from ..schema.literals import literal_schema

    arguments = expression.slice.elts if hasattr(expression.slice, "elts") else [expression.slice]
    return literal_schema(builder, arguments, scope) or None


def _expression(text):
    members = re.split(r"\s+or\s+|\s*\|\s*", text)
    made = []
    for member in members:
        member = _CLEAN.sub("", member.strip().strip("`~:"))
        of = _OF.match(member)
        if of:
            inner = _WORDS.get(of[2].strip("`").lower(), of[2])
            member = f"list[{inner}]"
        else:
            member = _WORDS.get(member.lower(), member)
        made.append(member)
    return parse_quoted(" | ".join(made))

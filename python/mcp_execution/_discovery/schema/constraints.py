"""What `Annotated` adds to a type: pydantic's Field, the bounds of annotated-types, plain text as a description."""

from _ast import Call, Constant

from ..values.static import NotStatic, json_value, static_value
from .patterns import json_pattern

_BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
_SIZES = {"min_length": "min", "min_items": "min", "max_length": "max", "max_items": "max"}
_WORDS = ("description", "title", "examples", "deprecated")
_ANNOTATED_TYPES = {
    "Ge": "ge",
    "Gt": "gt",
    "Le": "le",
    "Lt": "lt",
    "MultipleOf": "multiple_of",
    "MinLen": "min_length",
    "MaxLen": "max_length",
}


def narrow(schema, metadata, scope, output=False):
    """The schema with the metadata of `Annotated[…]`; what it does not know it leaves."""
    schema = dict(schema)
    for node in metadata:
        if isinstance(node, Constant) and isinstance(node.value, str):
            schema.setdefault("description", node.value)
            continue
        for key, value in _said(_followed(node, scope), scope):
            _apply(schema, key, value, output)
    return schema


def narrow_by_field(schema, call, scope, output=False):
    """The schema with what a `Field(...)` says of it."""
    schema = dict(schema)
    for key, value in _keywords(call, scope):
        _apply(schema, key, value, output)
    return schema


def with_description(schema, text):
    """The nearest words win: those for a parameter or a field over those for its Enum."""
    if not text or ("description" in schema and "enum" not in schema and "anyOf" not in schema):
        return schema
    return {**schema, "description": text}


def _followed(node, scope):
    """`Positive = Field(gt=0)` and the like, given by name."""
    if isinstance(node, Call):
        return node
    meaning = scope.meaning(node)
    return meaning.node if meaning.kind == "value" else node


def _said(node, scope):
    if not isinstance(node, Call):
        if isinstance(node, Constant) and isinstance(node.value, str):
            yield "description", node.value
        return
    meaning = scope.meaning(node.func)
    name = meaning.name.rpartition(".")[2]
    first = _static(node.args[0], scope) if node.args else None
    if name in ("Doc", "doc") and isinstance(first, str):
        yield "description", first
    elif name in _ANNOTATED_TYPES and meaning.name.startswith("annotated_types."):
        yield _ANNOTATED_TYPES[name], first
        yield from _keywords(node, scope)
    elif name == "Len":
        yield "min_length", first
        if len(node.args) > 1:
            yield "max_length", _static(node.args[1], scope)
        yield from _keywords(node, scope)
    elif meaning.name.startswith(("pydantic.", "annotated_types.", "fastapi.", "typer.", "msgspec.")) or name in (
        "Field",
        "StringConstraints",
        "Interval",
        "Meta",
    ):
        yield from _keywords(node, scope)


def _keywords(node, scope):
    for keyword in node.keywords:
        if keyword.arg is not None:
            yield keyword.arg, _static(keyword.value, scope)


def _static(node, scope):
    try:
        return json_value(static_value(node, scope.module))
    except NotStatic:
        return None


def _apply(schema, key, value, output):
    if value is None:
        return
    if key in _BOUNDS:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if is_number and not output and (key != "multiple_of" or value > 0):
            _tighten(schema, _BOUNDS[key], value)
    elif key in _SIZES:
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0 and not output:
            for word in _size_words(schema):
                _tighten(schema, _SIZES[key] + word, value)
    elif key in ("pattern", "regex"):
        if isinstance(value, str) and not output:
            _add_pattern(schema, value)
    elif key in _WORDS:
        _add_words(schema, key, value)


def _add_words(schema, key, value):
    if key == "examples":
        if isinstance(value, list):
            schema[key] = value
    elif key == "deprecated":
        schema[key] = bool(value)
    elif isinstance(value, str) and value.strip():
        schema[key] = value.strip()


def _add_pattern(schema, pattern):
    translated = json_pattern(pattern)
    if translated is not None:
        _tighten(schema, "pattern", translated)
    else:
        words = f"Matches the Python pattern {pattern}"
        schema["description"] = f"{schema['description']} ({words})" if "description" in schema else words


def _tighten(schema, word, value):
    """Said twice, both hold: the tighter of two bounds, or both where neither is."""
    if word not in schema:
        schema[word] = value
    elif word == "exclusiveMinimum" or word.startswith("min"):
        schema[word] = max(schema[word], value)
    elif word == "exclusiveMaximum" or word.startswith("max"):
        schema[word] = min(schema[word], value)
    elif schema[word] != value:
        schema["allOf"] = [*schema.get("allOf", ()), {word: value}]


def _size_words(schema):
    """Of every kind of value that is taken; bytes are counted decoded, which a schema cannot say."""
    kinds = {"array": "Items", "object": "Properties", "string": "Length"}
    return [word for kind, word in kinds.items() if kind in _types(schema)]


def _types(schema):
    if "contentEncoding" in schema:
        return []
    kind = schema.get("type")
    if kind is not None:
        return kind if isinstance(kind, list) else [kind]
    return [name for member in schema.get("anyOf", ()) for name in _types(member)]

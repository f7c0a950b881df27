"""Literal: a closed set of values that the annotation names."""

from _ast import Attribute, Name, Subscript

from ..values.static import NotStatic, json_value, static_value
from .choices import choice_schema

_UNKNOWN = object()


def literal_schema(builder, args, scope):
    values = []
    for arg in args:
        values += _literal_values(builder, arg, scope)
    if _UNKNOWN in values or not values:
        return {}
    return choice_schema(_distinct(values))


def _literal_values(builder, node, scope):
    if isinstance(node, (Name, Attribute)):
        meaning = scope.meaning(node)
        if meaning.kind in ("value", "alias"):
            inner = builder.meant(meaning, (), node, scope)
            return inner.get("enum") or ([inner["const"]] if "const" in inner else [_UNKNOWN])
    elif isinstance(node, Subscript):
        inner = builder.schema(node, scope)
        return inner.get("enum") or ([inner["const"]] if "const" in inner else [_UNKNOWN])
    try:
        return [json_value(static_value(node, scope.module))]
    except NotStatic:
        return [_UNKNOWN]


def _distinct(values):
    found = []
    for value in values:
        if not any(value == known and type(value) is type(known) for known in found):
            found.append(value)
    return found

"""The fields of a dataclass, TypedDict or NamedTuple, ready to be made from JSON."""

import inspect
import typing

from .converter import ANY, unchanged
from .records import Field, record_converter
from .scope import own_annotations, signature_of
from .unions import optional_converter

_ABSENT = inspect.Parameter.empty


def dataclass_converter(cls, scope, converter_for):
    """Follows the constructor's own signature, so that InitVar, kw_only and a hand-written one hold."""
    hints = _annotations_by_class(cls, scope)
    fields, rest = [], None
    for parameter in signature_of(cls).parameters.values():
        annotation, origin_scope = hints.get(parameter.name, (_ABSENT, scope))
        if parameter.annotation is not _ABSENT and parameter.annotation != annotation:
            annotation, origin_scope = parameter.annotation, scope
        converter = ANY if annotation is _ABSENT else converter_for(annotation, origin_scope)
        if parameter.default is None and converter is not ANY:
            converter = optional_converter(converter)
        if parameter.kind is parameter.VAR_KEYWORD:
            rest = converter
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            fields.append(Field(parameter.name, converter, parameter.default is _ABSENT))
    return record_converter(cls.__name__, fields, cls, rest)


def namedtuple_converter(cls, scope, converter_for):
    hints = _annotations_by_class(cls, scope)
    fields = []
    for name in cls._fields:
        annotation, origin_scope = hints.get(name, (typing.Any, scope))
        converter = converter_for(annotation, origin_scope)
        if cls._field_defaults.get(name, _ABSENT) is None:
            converter = optional_converter(converter)
        fields.append(Field(name, converter, name not in cls._field_defaults))
    return record_converter(cls.__name__, fields, cls)


def typeddict_converter(cls, scope, converter_for):
    return record_converter(cls.__name__, typeddict_fields(cls, scope, converter_for), unchanged)


def typeddict_fields(cls, scope, converter_for):
    fields = []
    for name, annotation in own_annotations(cls).items():
        if isinstance(annotation, (str, typing.ForwardRef)):
            annotation = scope.evaluate(annotation)
        is_required = _said_presence(annotation, name in cls.__required_keys__)
        fields.append(Field(name, converter_for(annotation, scope), is_required))
    return fields


def _said_presence(annotation, default):
    """A quoted `NotRequired[...]` is unknown to `__required_keys__`, so the annotation has the last word."""
    while (origin := typing.get_origin(annotation)) is not None:
        name = getattr(origin, "_name", None)
        if name in ("Required", "NotRequired"):
            return name == "Required"
        if name != "ReadOnly" and origin is not typing.Annotated:
            break
        annotation = typing.get_args(annotation)[0]
    return default


def _annotations_by_class(cls, scope):
    """Each field's annotation with the scope of the class that declares it."""
    found = {}
    for base in reversed(cls.__mro__):
        annotations = own_annotations(base)
        if annotations:
            base_scope = scope if base is cls else scope.of_class(base, scope.type_variables)
            found.update((name, (annotation, base_scope)) for name, annotation in annotations.items())
    return found

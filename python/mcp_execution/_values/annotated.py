"""From an annotation to the converter that fulfils it."""

import sys
import types
import typing
from collections import Counter, abc
from dataclasses import InitVar, is_dataclass
from enum import Enum

from .choices import enum_converter, literal_converter
from .classes import dataclass_converter, namedtuple_converter, typeddict_converter
from .containers import ARRAYS, MAPPINGS, array_converter, mapping_maker, object_converter, tuple_converter
from .converter import ANY, Converter, Recursion
from .errors import InvalidArguments, Mismatch
from .late import late_converter
from .models import is_model, model_converter, model_union_converter
from .scalars import SCALARS, made_by
from .scope import Scope
from .unions import optional_converter, union_converter

_PLAIN = {
    **SCALARS,
    None: SCALARS[type(None)],
    typing.Any: ANY,
    object: ANY,
}
_TRANSPARENT = {"Required", "NotRequired", "ReadOnly", "Final", "ClassVar", "Unpack"}
_EXTENDABLE = (str, int, float, bytes)


def from_json(annotation, value, *, globalns=None, path="value"):
    """One JSON value as the annotation asks for it."""
    try:
        return converter_for(annotation, Scope(globalns)).convert(value)
    except Mismatch as mismatch:
        where = mismatch.path(path)
        raise InvalidArguments(f"Argument {where}: {mismatch.reason}", where) from mismatch.__cause__
    except RecursionError:
        raise InvalidArguments(f"Argument {path}: nested too deeply", path) from None


def converter_for(annotation, scope):
    """Never fails: what cannot be understood takes any value."""
    try:
        return _converter_for(annotation, scope)
    except Exception:
        return ANY


def _converter_for(annotation, scope):
    if isinstance(annotation, (str, typing.ForwardRef)):
        key = (str(annotation), id(scope.names), scope.owner, _fixed(scope.type_variables))
        return _remembered(key, scope, lambda: converter_for(scope.evaluate(annotation), scope))
    if (plain := _plain_converter(annotation)) is not None:
        return plain
    origin = typing.get_origin(annotation)
    if origin is not None:
        return _of_special_form(annotation, origin, typing.get_args(annotation), scope)
    if isinstance(annotation, typing.TypeVar):
        return _of_type_variable(annotation, scope)
    if isinstance(annotation, InitVar):
        return converter_for(annotation.type, scope)
    if hasattr(annotation, "__supertype__"):
        return converter_for(annotation.__supertype__, scope)
    if _is_type_alias(annotation):
        return _of_type_alias(annotation, (), scope)
    if isinstance(annotation, type):
        return _of_class(annotation, (), scope)
    if getattr(annotation, "_name", None) == "LiteralString":
        return SCALARS[str]
    return ANY


def _plain_converter(annotation):
    try:
        return _PLAIN.get(annotation) or late_converter(annotation)
    except TypeError:
        return None


def _of_special_form(annotation, origin, args, scope):
    if origin is typing.Annotated:
        return _of_annotated(converter_for(args[0], scope), args[1:])
    if origin is typing.Union or origin is types.UnionType:
        return _of_union(args, scope)
    if origin is typing.Literal:
        return literal_converter(args)
    if getattr(origin, "_name", None) in _TRANSPARENT:
        return converter_for(args[0], scope)
    if _is_type_alias(origin):
        return _of_type_alias(origin, args, scope)
    if origin is tuple:
        return _of_tuple((...,) if annotation is typing.Tuple else args, scope)
    return _of_class(origin, args, scope)


def _of_annotated(converter, metadata):
    if all(isinstance(item, str) for item in metadata):
        return converter
    from .constraints import constrained_converter

    return constrained_converter(converter, metadata)


def _of_union(args, scope):
    if len(args) == 2 and type(None) in args:
        member = args[0] if args[1] is type(None) else args[1]
        return optional_converter(converter_for(member, scope))
    models = [arg for arg in args if is_model(arg)]
    joined = model_union_converter(models) if len(models) > 1 else None
    members = []
    for arg in args:
        if joined is None or arg not in models:
            members.append(converter_for(arg, scope))
        elif arg is models[0]:
            members.append(joined)
    return members[0] if len(members) == 1 else union_converter(members)


def _of_tuple(args, scope):
    if args == (...,):
        return array_converter(ANY, tuple)
    if len(args) == 2 and args[1] is ...:
        return array_converter(converter_for(args[0], scope), tuple)
    if any(getattr(arg, "__unpacked__", False) or "Unpack" in str(typing.get_origin(arg)) for arg in args):
        return array_converter(ANY, tuple)
    return tuple_converter([converter_for(arg, scope) for arg in args if arg != ()])


def _of_class(cls, args, scope):
    if cls in ARRAYS:
        return array_converter(converter_for(args[0], scope) if args else ANY, ARRAYS[cls])
    if cls in MAPPINGS:
        return _of_mapping(cls, args, scope)
    if cls is tuple:
        return _of_tuple((...,), scope)
    if (plain := _plain_converter(cls)) is not None:
        return plain
    variables = dict(zip(getattr(cls, "__parameters__", ()), _substituted(args, scope)))
    key = (cls, _fixed(variables))
    return _remembered(key, scope, lambda: _of_own_class(cls, scope.of_class(cls, variables)))


def _of_mapping(cls, args, scope):
    if cls is Counter:
        args = (*args[:1], int) if args else ()
    key, value = args if len(args) == 2 else (typing.Any, typing.Any)
    make = mapping_maker(cls, typing.get_origin(value) or value)
    return object_converter(converter_for(key, scope), converter_for(value, scope), make)


def _of_own_class(cls, scope):
    if issubclass(cls, Enum):
        return enum_converter(cls)
    if is_model(cls):
        return model_converter(cls)
    if hasattr(cls, "__required_keys__") and hasattr(cls, "__total__"):
        return typeddict_converter(cls, scope, converter_for)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return namedtuple_converter(cls, scope, converter_for)
    if is_dataclass(cls):
        return dataclass_converter(cls, scope, converter_for)
    return _of_extended_class(cls)


def _of_extended_class(cls):
    for base in _EXTENDABLE:
        if issubclass(cls, base):
            parent = SCALARS[base]
            make = made_by(cls, parent.convert, parent.expected)
            return Converter(make, made_by(cls, parent.strict, parent.expected), parent.expected)
    for base in (list, tuple, set, frozenset):
        if issubclass(cls, base):
            return array_converter(ANY, cls)
    return object_converter(ANY, ANY, cls) if issubclass(cls, dict) else ANY


def _of_type_variable(variable, scope):
    if variable in scope.type_variables:
        return converter_for(scope.type_variables[variable], scope.with_type_variables({}))
    if variable.__constraints__:
        return _of_union(variable.__constraints__, scope)
    if variable.__bound__ is not None:
        return converter_for(variable.__bound__, scope)
    return ANY


def _is_type_alias(annotation):
    return type(annotation).__name__ == "TypeAliasType"


def _of_type_alias(alias, args, scope):
    variables = dict(zip(getattr(alias, "__type_params__", ()), _substituted(args, scope)))
    inner = Scope(_names_of_alias(alias, scope), scope.fallback, variables, scope.memo)
    return _remembered((alias, _fixed(variables)), scope, lambda: converter_for(alias.__value__, inner))


def _names_of_alias(alias, scope):
    module = sys.modules.get(getattr(alias, "__module__", None) or "")
    return vars(module) if module else scope.names


def _substituted(args, scope):
    return [_substitute(arg, scope) for arg in args]


def _substitute(arg, scope):
    if isinstance(arg, typing.TypeVar):
        return scope.type_variables.get(arg, arg)
    return scope.evaluate(arg) if isinstance(arg, (str, typing.ForwardRef)) else arg


def _fixed(type_variables):
    return tuple(type_variables.items())


def _remembered(key, scope, build):
    """Each named type is built once; a type met again while being built refers to itself."""
    known = scope.memo.get(key)
    if known is not None:
        return known
    recursion = scope.memo[key] = Recursion()
    try:
        built = build()
    except Exception:
        built = ANY
    recursion.target = ANY if built is recursion else built
    scope.memo[key] = recursion.target
    return recursion.target

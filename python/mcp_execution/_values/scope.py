"""Where the names in an annotation are looked up, and what its type variables stand for."""

import functools
import inspect
import sys
from typing import Any, ForwardRef

_UNWRAPPED_AT_MOST = 100


class Scope:
    __slots__ = ("names", "fallback", "type_variables", "memo", "owner")

    def __init__(self, names=None, fallback=None, type_variables=None, memo=None, owner=None):
        self.names = {} if names is None else names
        self.fallback = fallback or {}
        self.type_variables = type_variables or {}
        self.memo = {} if memo is None else memo
        self.owner = owner

    def of_class(self, cls, type_variables=None):
        """The class's module first, as `typing.get_type_hints` has it: a field may be named like its type."""
        fallback = {**vars(cls), **_type_parameters(cls), cls.__name__: cls}
        return Scope(module_names(cls), fallback, type_variables, self.memo, cls)

    def with_type_variables(self, type_variables):
        return Scope(self.names, self.fallback, type_variables, self.memo, self.owner)

    def evaluate(self, annotation):
        """A quoted annotation's meaning, or Any when its names cannot be found."""
        text, names = annotation, self.names
        if isinstance(annotation, ForwardRef):
            text = annotation.__forward_arg__
            module = sys.modules.get(getattr(annotation, "__forward_module__", None) or "")
            names = vars(module) if module else names
        try:
            return eval(text, dict(self.fallback), names)
        except Exception:
            return Any


def scope_of(function):
    for _ in range(_UNWRAPPED_AT_MOST):
        if isinstance(function, functools.partial):
            function = function.func
        elif inspect.ismethod(function):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    if isinstance(function, type):
        constructor = getattr(function.__init__, "__globals__", None)
        scope = Scope().of_class(function)
        return Scope(constructor or scope.names, scope.fallback)
    if not hasattr(function, "__globals__"):
        function = getattr(type(function), "__call__", function)
    return Scope(getattr(function, "__globals__", None), _type_parameters(function))


def module_names(cls):
    module = sys.modules.get(cls.__module__)
    return vars(module) if module else {}


def own_annotations(cls):
    if sys.version_info >= (3, 14):
        from annotationlib import Format, get_annotations

        return get_annotations(cls, format=Format.FORWARDREF)
    return inspect.get_annotations(cls)


def signature_of(function):
    if sys.version_info >= (3, 14):
        from annotationlib import Format

        return inspect.signature(function, annotation_format=Format.FORWARDREF)
    return inspect.signature(function)


def _type_parameters(owner):
    return {parameter.__name__: parameter for parameter in getattr(owner, "__type_params__", ())}

"""A function's signature, analysed once, so that a call only runs prepared converters."""

import typing
from inspect import Parameter

from .annotated import converter_for
from .classes import typeddict_fields
from .containers import array_converter
from .converter import ANY
from .errors import InvalidArguments, Mismatch, shown
from .records import Field, names_problem
from .results import to_json
from .scope import scope_of, signature_of
from .unions import optional_converter


def bind(function):
    """Never fails: a signature or an annotation that cannot be understood takes any value."""
    call = Call(getattr(function, "__name__", type(function).__name__))
    try:
        parameters = signature_of(function).parameters.values()
        scope = scope_of(function)
    except Exception:
        call.add_rest(ANY)
        return call
    positional_kinds = _kinds_passed_by_position(parameters)
    for parameter in parameters:
        converter = _converter_of(parameter, scope)
        if parameter.kind is parameter.VAR_KEYWORD:
            _add_keywords(call, parameter, converter, scope)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            call.add_variadic(parameter.name, array_converter(converter))
        elif parameter.kind in positional_kinds:
            call.add_positional(parameter.name, converter, parameter.default, parameter.empty)
        else:
            call.add_keyword(Field(parameter.name, converter, parameter.default is parameter.empty))
    return call


class Call:
    """One function's prepared conversions, used for any number of calls."""

    __slots__ = ("_title", "_fields", "_positional", "_variadic", "_keywords", "_rest", "_known", "_required")

    def __init__(self, title):
        self._title = title
        self._fields = []
        self._positional = []
        self._variadic = None
        self._keywords = []
        self._rest = None
        self._known = set()
        self._required = set()

    def arguments(self, given):
        """The positional and keyword arguments to call the function with."""
        if not isinstance(given, dict):
            raise InvalidArguments(f"Arguments: expected an object, got {shown(given)}")
        keys = given.keys()
        if not (self._required <= keys and (self._rest or keys <= self._known)):
            raise self._names_error(given)
        args, kwargs = [], {}
        name = ""
        try:
            skipped = []
            for name, convert, default in self._positional:
                if name in given:
                    args += skipped
                    skipped = []
                    args.append(convert(given[name]))
                else:
                    skipped.append(default)
            if self._variadic and self._variadic[0] in given:
                name, convert = self._variadic
                args += skipped
                args += convert(given[name])
            for name, convert in self._keywords:
                if name in given:
                    kwargs[name] = convert(given[name])
            if self._rest:
                for name in given:
                    if name not in self._known:
                        kwargs[name] = self._rest(given[name])
        except Mismatch as mismatch:
            path = mismatch.path(name)
            raise InvalidArguments(f"Argument {path}: {mismatch.reason}", path) from mismatch.__cause__
        except RecursionError:
            raise InvalidArguments(f"Argument {name}: nested too deeply", name) from None
        return args, kwargs

    result = staticmethod(to_json)

    def add_positional(self, name, converter, default, no_default):
        self._add_field(Field(name, converter, default is no_default))
        self._positional.append((name, converter.convert, default))

    def add_variadic(self, name, converter):
        self._add_field(Field(name, converter, False))
        self._variadic = (name, converter.convert)

    def add_keyword(self, field):
        self._add_field(field)
        self._keywords.append((field.name, field.converter.convert))

    def add_rest(self, converter):
        self._rest = converter.convert

    def _add_field(self, field):
        self._fields.append(field)
        self._known.add(field.name)
        if field.is_required:
            self._required.add(field.name)

    def _names_error(self, given):
        problem = names_problem(self._title, self._fields, given, self._rest is not None)
        wrong = [field.name for field in self._fields if field.is_required and field.name not in given]
        wrong += [name for name in given if name not in self._known]
        return InvalidArguments(f"Arguments: {problem}", wrong[0])


def _converter_of(parameter, scope):
    if parameter.annotation is parameter.empty:
        return ANY
    converter = converter_for(parameter.annotation, scope)
    # `limit: int = None` is how scripts often say that null is fine
    return optional_converter(converter) if parameter.default is None else converter


def _kinds_passed_by_position(parameters):
    """Before `*args` only positions can fill a parameter; otherwise a name leaves gaps to the defaults."""
    kinds = {parameter.kind for parameter in parameters}
    only = {Parameter.POSITIONAL_ONLY}
    return only | {Parameter.POSITIONAL_OR_KEYWORD} if Parameter.VAR_POSITIONAL in kinds else only


def _add_keywords(call, parameter, converter, scope):
    unpacked = _unpacked_typeddict(parameter.annotation, scope)
    if unpacked is None:
        call.add_rest(converter)
        return
    for field in typeddict_fields(unpacked, scope.of_class(unpacked), converter_for):
        call.add_keyword(field)


def _unpacked_typeddict(annotation, scope):
    if isinstance(annotation, (str, typing.ForwardRef)):
        annotation = scope.evaluate(annotation)
    if "Unpack" not in str(typing.get_origin(annotation)):
        return None
    (inner,) = typing.get_args(annotation)
    return inner if hasattr(inner, "__required_keys__") else None

"""A value out of a closed set: Literal and Enum."""

from enum import Enum, Flag
from json import dumps

from .converter import Converter
from .errors import BadResult, Mismatch, shortened, unexpected
from .results import to_json
from .scalars import to_bool, to_float, to_int

_SHOWN_CHOICES = 12
_MISSING = object()


def literal_converter(literals):
    choices = Choices((literal, _json_form(literal)) for literal in literals)
    named = {literal.name: literal for literal in literals if isinstance(literal, Enum)}
    return _converter(choices, lambda value: choices.coerced(value, named))


def enum_converter(cls):
    choices = Choices((member, _json_form(member)) for member in cls)
    asks_class = issubclass(cls, Flag) or cls._missing_.__func__ is not Enum._missing_.__func__

    def coerce(value):
        member = choices.coerced(value, cls.__members__)
        if member is _MISSING and asks_class and type(value) is not bool:
            return _asked(cls, value)
        return member

    return _converter(choices, coerce)


class Choices:
    """The members of a closed set, found by their JSON form."""

    def __init__(self, members):
        self._hashed = {}
        self._others = []
        forms = []
        for member, form in members:
            if form is _MISSING:
                continue
            forms.append(form)
            if isinstance(form, (list, dict)):
                self._others.append((form, member))
            else:
                self._hashed.setdefault((type(form), form), member)
        self.expected = _expected(forms)

    def exact(self, value):
        if isinstance(value, (list, dict)):
            return next((member for form, member in self._others if form == value), _MISSING)
        return self._hashed.get((type(value), value), _MISSING)

    def coerced(self, value, names):
        for read in (to_int, _whole, to_float, to_bool):
            try:
                member = self.exact(read(value))
            except Mismatch:
                continue
            if member is not _MISSING:
                return member
        return names.get(value, _MISSING) if type(value) is str else _MISSING


def _converter(choices, coerce):
    expected = choices.expected
    exact = choices.exact

    def strict(value):
        member = exact(value)
        if member is _MISSING:
            raise unexpected(expected, value)
        return member

    def convert(value):
        member = exact(value)
        if member is _MISSING:
            member = coerce(value)
            if member is _MISSING:
                raise unexpected(expected, value)
        return member

    return Converter(convert, strict, expected, is_tag=True)


def _whole(value):
    """`"1.0"` is the number 1, whichever way a member's value writes it."""
    number = to_float(value)
    return int(number) if number.is_integer() else number


def _json_form(member):
    try:
        return to_json(member)
    except BadResult:
        return _MISSING


def _asked(cls, value):
    try:
        return cls(value)
    except Exception:
        return _MISSING


def _expected(forms):
    texts = [shortened(_written(form)) for form in forms[:_SHOWN_CHOICES]]
    if len(forms) > _SHOWN_CHOICES:
        texts.append(f"… ({len(forms)} in all)")
    return texts[0] if len(texts) == 1 else "one of " + ", ".join(texts)


def _written(form):
    return repr(form) if isinstance(form, str) else dumps(form, ensure_ascii=False)

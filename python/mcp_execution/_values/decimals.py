"""Decimal numbers: text out, numbers or text in."""

import re
from decimal import Decimal, InvalidOperation

from .converter import Converter
from .errors import Mismatch, unexpected
from .scalars import MAX_SAFE_INTEGER, NUMBER, unsafe_number

_SPECIAL = re.compile(r"[+-]?(?:Infinity|s?NaN[0-9]*)")


def to_decimal(value):
    kind = type(value)
    if kind is int or kind is float:
        if not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            raise unsafe_number(value)
        return Decimal(repr(value))
    return strict_decimal(value)


def strict_decimal(value):
    if type(value) is str and (NUMBER.fullmatch(value) or _SPECIAL.fullmatch(value)):
        try:
            return Decimal(value)
        except InvalidOperation:
            raise Mismatch("the number is out of range for a Decimal") from None
    raise unexpected("a decimal number", value)


CONVERTERS = {Decimal: Converter(to_decimal, strict_decimal, "a decimal number")}
FORMS = {Decimal: str}

"""Operators, methods and built-in functions on values that are known."""

from _ast import Add, BitOr, Div, FloorDiv, Mod, Mult, Pow, Sub, UAdd, USub

from ..docstring_text import clean
from .values import UNKNOWN, Either, Function, Member

_MOST_ITEMS = 1000
_LONGEST_TEXT = 20_000
_NUMBERS = (int, float)


def operate(op, left, right):
    kind = type(op)
    if kind is Add and type(left) is type(right) and isinstance(left, (str, list, tuple)):
        return left + right if len(left) + len(right) < _LONGEST_TEXT else UNKNOWN
    if kind is Mod and isinstance(left, str):
        return _format_percent(left, right)
    if kind is BitOr and isinstance(left, dict) and isinstance(right, dict):
        return {**left, **right}
    if kind is Mult and isinstance(left, str) and type(right) is int and len(left) * right < _LONGEST_TEXT:
        return left * right
    if type(left) not in _NUMBERS or type(right) not in _NUMBERS:
        return UNKNOWN
    try:
        if kind is Pow:
            return left**right if abs(right) <= 64 and abs(left) <= 10_000 else UNKNOWN
        operators = {Add: "__add__", Sub: "__sub__", Mult: "__mul__", Div: "__truediv__", FloorDiv: "__floordiv__", Mod: "__mod__"}
        name = operators.get(kind)
        if name is None or max(abs(left), abs(right)) > 2**200:
            return UNKNOWN
        # Mixed operands go by the wider type.
        if isinstance(right, float):
            left = float(left)
        result = getattr(left, name)(right)
        return UNKNOWN if result is NotImplemented else result
    except (ArithmeticError, ValueError):
        return UNKNOWN


def negate(op, operand):
    if type(operand) not in _NUMBERS:
        return UNKNOWN
    return -operand if isinstance(op, USub) else operand if isinstance(op, UAdd) else UNKNOWN


def subscript(value, index):
    if isinstance(value, dict):
        if _is_key(index) and index in value:
            return value[index]
        return Either(list(value.values())) if index is UNKNOWN else UNKNOWN
    if isinstance(value, (list, tuple, str, range)):
        if type(index) is int:
            return value[index] if -len(value) <= index < len(value) else UNKNOWN
        if isinstance(index, slice):
            return value[index]
    return UNKNOWN


def call_method(value, name, args):
    """The outcome of a method of text, a list or a dict."""
    try:
        if isinstance(value, str):
            return _text_method(value, name, args)
        if isinstance(value, dict):
            return _dict_method(value, name, args)
        if isinstance(value, list) and name in ("append", "extend") and len(args) == 1:
            added = [args[0]] if name == "append" else as_items(args[0])
            if added is UNKNOWN:
                added = [UNKNOWN]
            if len(value) < _MOST_ITEMS:
                value.extend(added)
            return None
        if isinstance(value, Member) and name == "__str__":
            return UNKNOWN
    except (TypeError, ValueError, LookupError):
        pass
    return UNKNOWN


def _text_method(value, name, args):
    if name == "join" and len(args) == 1:
        items = as_items(args[0])
        return value.join(items) if items is not UNKNOWN and all(isinstance(item, str) for item in items) else UNKNOWN
    if name == "format":
        return value.format(*args) if all(isinstance(arg, (str, int, float)) for arg in args) else UNKNOWN
    if name in ("strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "replace", "split", "splitlines", "partition"):
        return getattr(value, name)(*args)
    return UNKNOWN


def _dict_method(value, name, args):
    if name in ("keys", "values"):
        return list(getattr(value, name)())
    if name == "items":
        return [tuple(item) for item in value.items()]
    if name == "get" and args:
        found = subscript(value, args[0])
        return found if found is not UNKNOWN or len(args) < 2 else args[1]
    if name == "copy":
        return dict(value)
    return UNKNOWN


def call_builtin(name, args):
    """The outcome of a built-in function."""
    try:
        if name == "range" and 1 <= len(args) <= 3 and all(type(arg) is int for arg in args):
            return range(*args)
        if name in ("list", "tuple", "sorted", "set", "frozenset", "reversed") and len(args) <= 1:
            return _collect(name, args)
        if name == "dict":
            return dict(args[0]) if args and isinstance(args[0], (dict, list)) else UNKNOWN if args else {}
        if name in ("str", "int", "float", "len", "min", "max", "abs", "round", "bool") and args and all(_is_plain(arg) for arg in args):
            return {"str": str, "int": int, "float": float, "len": len, "min": min, "max": max, "abs": abs, "round": round, "bool": bool}[name](*args)
        if name == "enumerate" and args:
            items = as_items(args[0])
            return UNKNOWN if items is UNKNOWN else [(number, item) for number, item in enumerate(items)]
        if name == "zip":
            columns = [as_items(arg) for arg in args]
            return UNKNOWN if UNKNOWN in columns else [tuple(row) for row in zip(*columns)]
    except (TypeError, ValueError, ArithmeticError, LookupError):
        pass
    return UNKNOWN


def call_library(path, args):
    """The outcome of a library function that only shapes text."""
    if path in ("textwrap.dedent", "inspect.cleandoc") and args and isinstance(args[0], str):
        return clean(args[0])
    if path in ("gettext.gettext", "textwrap.fill", "os.path.expanduser") and args and isinstance(args[0], str):
        return args[0]
    if path in ("pathlib.Path", "pathlib.PurePath", "Path", "decimal.Decimal", "fractions.Fraction") and len(args) == 1:
        return args[0] if isinstance(args[0], (str, int)) else UNKNOWN
    if path == "os.path.join" and args and all(isinstance(arg, str) for arg in args):
        return "/".join(args)
    return UNKNOWN


def as_items(value):
    """What a loop over the value would give, or UNKNOWN."""
    if isinstance(value, (list, tuple, str)):
        return list(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, range):
        return list(value) if len(value) <= _MOST_ITEMS else UNKNOWN
    return UNKNOWN


def _collect(name, args):
    items = as_items(args[0]) if args else []
    if items is UNKNOWN:
        return UNKNOWN
    if name == "sorted":
        return sorted(items)
    if name == "reversed":
        return items[::-1]
    if name == "tuple":
        return tuple(items)
    return list(dict.fromkeys(items)) if name in ("set", "frozenset") and all(_is_key(item) for item in items) else items


def _format_percent(text, values):
    if not (_is_plain(values) or (isinstance(values, tuple) and all(_is_plain(item) for item in values))):
        return UNKNOWN
    try:
        made = text % values
    except (TypeError, ValueError, LookupError, OverflowError, MemoryError):
        return UNKNOWN
    return made if len(made) < _LONGEST_TEXT else UNKNOWN


def _is_plain(value):
    return isinstance(value, (str, int, float, list, tuple, dict, range)) and not isinstance(value, (Function, Member))


def _is_key(value):
    return value is None or isinstance(value, (str, int, float, bytes, Member)) or (isinstance(value, tuple) and all(_is_key(item) for item in value))

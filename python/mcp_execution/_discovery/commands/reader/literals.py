"""Operators, methods and built-in functions on values that are known."""

from ...docstrings.written import clean
from ...values import operators
from ...values.operators import NotStatic
from ...values.standard import standard_text
from .values import UNKNOWN, Either, Function, Member

_MOST_ITEMS = 1000


def operate(op, left, right):
    try:
        return operators.operate(op, left, right)
    except NotStatic:
        return UNKNOWN


def operate_alone(op, operand):
    try:
        return operators.operate_alone(op, operand)
    except NotStatic:
        return UNKNOWN


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


def call_library(path, args, keywords):
    """The outcome of a library function that only shapes text, or makes a value that a text stands for."""
    if path in ("textwrap.dedent", "inspect.cleandoc") and args and isinstance(args[0], str):
        return clean(args[0])
    if path in ("gettext.gettext", "textwrap.fill", "os.path.expanduser") and args and isinstance(args[0], str):
        return args[0]
    if path == "os.path.join" and args and all(isinstance(arg, str) for arg in args):
        return "/".join(args)
    return _standard(path, args, keywords)


def _standard(path, args, keywords):
    if not all(_is_plain(value) for value in (*args, *keywords.values())):
        return UNKNOWN
    try:
        return standard_text(path, args, keywords)
    except NotStatic:
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


def _is_plain(value):
    return isinstance(value, (str, int, float, list, tuple, dict, range)) and not isinstance(value, (Function, Member))


def _is_key(value):
    return value is None or isinstance(value, (str, int, float, bytes, Member)) or (isinstance(value, tuple) and all(_is_key(item) for item in value))

"""Values that the source says outright: literals, simple sums of them, module constants, members of enums."""

from _ast import Attribute, BinOp, Call, Constant, Dict, List, Name, Set, Starred, Subscript, Tuple, UnaryOp

from .operators import NotStatic, operate, operate_alone
from .standard import standard_text

MAX_SAFE_INTEGER = 2**53 - 1
_MOST_HOPS = 20
_LONGEST_TEXT = 1000


def static_value(node, module=None, hops=0):
    """The Python value; raises NotStatic."""
    if isinstance(node, Constant):
        return node.value
    if hops > _MOST_HOPS:
        raise NotStatic
    if isinstance(node, UnaryOp):
        return operate_alone(node.op, static_value(node.operand, module, hops + 1))
    if isinstance(node, (List, Tuple, Set)):
        if any(isinstance(item, Starred) for item in node.elts):
            raise NotStatic
        items = [static_value(item, module, hops + 1) for item in node.elts]
        return items if isinstance(node, List) else tuple(items) if isinstance(node, Tuple) else StaticSet(items)
    if isinstance(node, Dict):
        return _dict(node, module, hops + 1)
    if isinstance(node, BinOp):
        return operate(node.op, static_value(node.left, module, hops + 1), static_value(node.right, module, hops + 1))
    if module is not None:
        if isinstance(node, (Name, Attribute)):
            return _named(node, module, hops + 1)
        if isinstance(node, Call):
            return _called(node, module, hops + 1)
        if isinstance(node, Subscript):
            return _subscript(node, module, hops + 1)
    raise NotStatic


class StaticSet(list):
    """A set that keeps the order in which it was written."""


def json_value(value):
    """The JSON that says this value; raises NotStatic where none does."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= MAX_SAFE_INTEGER else _written(value)
    if isinstance(value, float):
        if value - value == 0.0:
            return value
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if isinstance(value, dict):
        if all(isinstance(key, (str, int, float, bool)) or key is None for key in value):
            return {_key(key): json_value(item) for key, item in value.items()}
    if isinstance(value, bytes):
        from binascii import b2a_base64

        return b2a_base64(value, newline=False).decode("ascii")
    raise NotStatic


def static_json(node, module=None):
    return json_value(static_value(node, module))


def _key(key):
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    return _written(key)


def _written(number):
    """Python writes no integer of more than 4300 digits."""
    try:
        return repr(number)
    except ValueError:
        raise NotStatic from None


def _dict(node, module, hops):
    if None in node.keys:
        raise NotStatic
    try:
        return {
            static_value(key, module, hops): static_value(value, module, hops) for key, value in zip(node.keys, node.values)
        }
    except TypeError:
        raise NotStatic from None


def _named(node, module, hops):
    if isinstance(node, Attribute):
        member = _enum_member(node, module)
        if member is not None:
            return member
        if node.attr == "value" and isinstance(node.value, Attribute):
            return _named(node.value, module, hops)
    meaning = module.expression(node)
    if meaning.kind == "value":
        return static_value(meaning.node, meaning.module, hops)
    known = _KNOWN.get(meaning.name) if meaning.kind == "external" else None
    if known is not None:
        return known
    raise NotStatic


def _enum_member(node, module):
    owner = module.expression(node.value)
    if owner.kind not in ("class", "value"):
        return None
    from ..schema.enums import enum_members

    members = enum_members(owner)
    for name, value in members or ():
        if name == node.attr:
            return value
    return None


def _called(node, module, hops):
    """`list()`, `tuple((1, 2))`, `float("inf")`, `date(2024, 1, 1)`: plain values, converted, and texts of standard ones."""
    meaning = module.expression(node.func)
    maker = _MAKERS.get(meaning.name)
    if meaning.kind != "external" or any(keyword.arg is None for keyword in node.keywords):
        raise NotStatic
    args = [static_value(arg, module, hops) for arg in node.args]
    keywords = {keyword.arg: static_value(keyword.value, module, hops) for keyword in node.keywords}
    if maker is None:
        return standard_text(meaning.name, args, keywords)
    if len(args) > 1 or (keywords and (args or maker is not dict)):
        raise NotStatic
    if any(isinstance(arg, str) and len(arg) > _LONGEST_TEXT for arg in args):
        raise NotStatic
    try:
        return maker(*args, **keywords)
    except (TypeError, ValueError, OverflowError):
        raise NotStatic from None


def _subscript(node, module, hops):
    try:
        return static_value(node.value, module, hops)[static_value(node.slice, module, hops)]
    except (TypeError, LookupError):
        raise NotStatic from None


_MAKERS = {
    "builtins.list": list,
    "builtins.tuple": tuple,
    "builtins.dict": dict,
    "builtins.set": StaticSet,
    "builtins.frozenset": StaticSet,
    "builtins.str": str,
    "builtins.int": int,
    "builtins.float": float,
    "builtins.bool": bool,
}
_KNOWN = {
    "math.inf": float("inf"),
    "math.nan": float("nan"),
    "math.pi": 3.141592653589793,
    "math.e": 2.718281828459045,
    "math.tau": 6.283185307179586,
}

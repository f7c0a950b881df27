"""Values that the source says outright: literals, simple sums of them, module constants, members of enums."""

from _ast import (
    Add,
    Attribute,
    BinOp,
    BitOr,
    Call,
    Constant,
    Dict,
    Div,
    FloorDiv,
    Invert,
    List,
    LShift,
    Mod,
    Mult,
    Name,
    Pow,
    Set,
    Starred,
    Sub,
    Subscript,
    Tuple,
    UAdd,
    UnaryOp,
    USub,
)

MAX_SAFE_INTEGER = 2**53 - 1
_MOST_HOPS = 20
_LONGEST_TEXT = 100_000


class NotStatic(Exception):
    """Only running the script would tell."""


_OPERATIONS = {
    Add: lambda a, b: a + b,
    Sub: lambda a, b: a - b,
    Mult: lambda a, b: a * b,
    Div: lambda a, b: a / b,
    FloorDiv: lambda a, b: a // b,
    Mod: lambda a, b: a % b if not isinstance(a, str) else _unknown(),
    LShift: lambda a, b: a << b if b < 100 else _unknown(),
    BitOr: lambda a, b: a | b,
    Pow: lambda a, b: a**b if abs(b) < 100 else _unknown(),
}


def static_value(node, module=None, hops=0):
    """The Python value; raises NotStatic."""
    if isinstance(node, Constant):
        return node.value
    if hops > _MOST_HOPS:
        raise NotStatic
    if isinstance(node, UnaryOp):
        return _unary(node, module, hops + 1)
    if isinstance(node, (List, Tuple, Set)):
        items = [static_value(item, module, hops + 1) for item in node.elts if not isinstance(item, Starred) or _unknown()]
        return items if isinstance(node, List) else tuple(items) if isinstance(node, Tuple) else StaticSet(items)
    if isinstance(node, Dict):
        return _dict(node, module, hops + 1)
    if isinstance(node, BinOp):
        return _binary(node, module, hops + 1)
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
        return value if abs(value) <= MAX_SAFE_INTEGER else str(value)
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
    return repr(key)


def _unknown():
    raise NotStatic


def _unary(node, module, hops):
    value = static_value(node.operand, module, hops)
    if isinstance(value, (int, float, complex)):
        if isinstance(node.op, USub):
            return -value
        if isinstance(node.op, UAdd):
            return value
        if isinstance(node.op, Invert) and isinstance(value, int):
            return ~value
        return not value
    raise NotStatic


def _dict(node, module, hops):
    if None in node.keys:
        raise NotStatic
    try:
        return {
            static_value(key, module, hops): static_value(value, module, hops) for key, value in zip(node.keys, node.values)
        }
    except TypeError:
        raise NotStatic from None


def _binary(node, module, hops):
    operation = _OPERATIONS.get(type(node.op))
    left, right = static_value(node.left, module, hops), static_value(node.right, module, hops)
    simple = isinstance(left, (int, float, complex, str, bytes, tuple, list)) and isinstance(
        right, (int, float, complex, str, bytes, tuple, list)
    )
    if operation is None or not simple or _is_large(node.op, left, right):
        raise NotStatic
    try:
        value = operation(left, right)
    except (TypeError, ValueError, ArithmeticError, MemoryError):
        raise NotStatic from None
    if isinstance(value, int) and value.bit_length() > 4096:
        raise NotStatic
    return value


def _is_large(op, left, right):
    if not isinstance(op, Mult):
        return isinstance(op, Pow) and isinstance(left, int) and left.bit_length() > 64
    sizes = [len(side) for side in (left, right) if hasattr(side, "__len__")]
    times = [side for side in (left, right) if isinstance(side, int)]
    return bool(sizes and times and max(sizes) * max(times) > _LONGEST_TEXT)


def _named(node, module, hops):
    if isinstance(node, Attribute):
        member = _enum_member(node, module, hops)
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


def _enum_member(node, module, hops):
    owner = module.expression(node.value)
    if owner.kind not in ("class", "value"):
        return None
    from .schema.choices import enum_members

    members = enum_members(owner)
    for name, value in members or ():
        if name == node.attr:
            return value
    return None


def _called(node, module, hops):
    """`list()`, `tuple((1, 2))`, `float("inf")`: empty or converted plain values."""
    meaning = module.expression(node.func)
    maker = _MAKERS.get(meaning.name) if meaning.kind == "external" else None
    if maker is None or len(node.args) > 1 or (node.keywords and maker is not dict):
        raise NotStatic
    if node.keywords:
        if node.args or any(keyword.arg is None for keyword in node.keywords):
            raise NotStatic
        return {keyword.arg: static_value(keyword.value, module, hops) for keyword in node.keywords}
    if not node.args:
        return maker()
    value = static_value(node.args[0], module, hops)
    if isinstance(value, str) and len(value) > 1000:
        raise NotStatic
    try:
        return maker(value)
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
    "pathlib.Path": lambda value=".": str(value),
    "pathlib.PurePath": lambda value=".": str(value),
    "decimal.Decimal": lambda value=0: str(value),
}
_KNOWN = {
    "math.inf": float("inf"),
    "math.nan": float("nan"),
    "math.pi": 3.141592653589793,
    "math.e": 2.718281828459045,
    "math.tau": 6.283185307179586,
}

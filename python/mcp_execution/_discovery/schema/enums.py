"""The members of an Enum, as a closed set of JSON values."""

from _ast import AnnAssign, Assign, Attribute, Call, ClassDef, Constant, Dict, FunctionDef, List, Name, Return, Tuple

from ..docstrings.written import first_paragraph_of
from ..source.syntax import last_name
from ..values.static import NotStatic, json_value, static_value
from .choices import json_type, one_of
from .known import ENUM_BASES, FLAG_BASES

_MOST_BASES = 30
_MIXINS = {"builtins.str": str, "builtins.int": int, "builtins.float": float}


def enum_schema(builder, meaning):
    """The schema of an Enum, or None where the class or call is none."""
    kind = _enum_kind(meaning)
    if kind is None:
        return None
    members = enum_members(meaning)
    if not members:
        return builder.any_value(meaning.node, "the values of its members are only known when it runs")
    try:
        forms = [(name, json_value(value)) for name, value in members]
    except NotStatic:
        return builder.any_value(meaning.node, "the values of its members are no JSON")
    schema = _named_choices(forms)
    aliases = {} if builder.output else _aliases(meaning, kind, schema["enum"])
    if aliases:
        schema["x-enum-aliases"] = aliases
    doc = first_paragraph_of(meaning.node) if isinstance(meaning.node, ClassDef) else None
    if kind.is_flag and not builder.output:
        schema = {"anyOf": [schema, {"type": "integer"}]}
    elif kind.is_flag:
        schema = {"type": "integer"}
    elif kind.asks_class and not builder.output:
        types = sorted({json_type(form) for _, form in forms})
        schema = {"anyOf": [schema, {"type": types[0] if len(types) == 1 else types}]}
    return {"description": doc, **schema} if doc else schema


def enum_members(meaning):
    """Names and values of an Enum's members; None where it is none or its values are not said outright."""
    known = meaning.module.members
    key = id(meaning.node)
    if key not in known:
        known[key] = _found_members(meaning)
    return known[key]


def _found_members(meaning):
    kind = _enum_kind(meaning)
    if kind is None:
        return None
    try:
        pairs = _class_members(meaning, kind) if meaning.kind == "class" else _functional_members(meaning)
        return _canonical(kind, pairs, meaning.module)
    except NotStatic:
        return None


def _aliases(meaning, kind, forms):
    """Second names of members, which the conversion takes as well."""
    pairs = _class_members(meaning, kind) if meaning.kind == "class" else _functional_members(meaning)
    named = {name for name, _ in enum_members(meaning)}
    values = [(name, json_value(value)) for name, value in _members(kind, pairs, meaning.module)]
    return {name: form for name, form in values if name not in named and form in forms}


class EnumKind:
    __slots__ = ("is_flag", "mixin", "is_text", "asks_class", "next_value", "is_opaque")

    def __init__(self):
        self.is_flag = False
        self.mixin = None
        self.is_text = False
        self.asks_class = False
        self.next_value = None
        self.is_opaque = False


def _enum_kind(meaning, hops=0):
    if meaning.kind == "external":
        if meaning.name not in ENUM_BASES:
            return None
        kind = EnumKind()
        kind.is_flag = meaning.name in FLAG_BASES
        kind.is_text = meaning.name == "enum.StrEnum"
        kind.mixin = int if meaning.name in ("enum.IntEnum", "enum.IntFlag") else str if kind.is_text else None
        return kind
    if hops > _MOST_BASES:
        return None
    if meaning.kind == "class":
        return _kind_of_class(meaning, hops)
    if meaning.kind == "value" and isinstance(meaning.node, Call) and meaning.node.args:
        called = meaning.module.expression(meaning.node.func)
        return _enum_kind(called, hops + 1) if called.name in ENUM_BASES or called.kind == "class" else None
    return None


def _kind_of_class(meaning, hops):
    found, mixin = None, None
    for base in meaning.node.bases:
        base_meaning = meaning.module.expression(base)
        if base_meaning.kind == "external" and base_meaning.name in _MIXINS:
            mixin = _MIXINS[base_meaning.name]
        elif base_meaning.kind in ("external", "class"):
            found = _enum_kind(base_meaning, hops + 1) or found
    if found is not None:
        found.mixin = mixin or found.mixin
        for statement in meaning.node.body:
            if isinstance(statement, FunctionDef):
                found.asks_class |= statement.name == "_missing_"
                found.is_opaque |= statement.name == "__new__"
                if statement.name == "_generate_next_value_":
                    found.next_value = statement
    return found


def _class_members(meaning, kind):
    if kind.is_opaque:
        raise NotStatic
    for statement in meaning.node.body:
        if isinstance(statement, Assign):
            for target in statement.targets:
                yield from _pairs(target, statement.value, meaning)
        elif isinstance(statement, AnnAssign) and statement.value is not None:
            yield from _pairs(statement.target, statement.value, meaning)


def _pairs(target, value, meaning):
    if isinstance(target, Name):
        is_private = target.id.startswith("_") and target.id.endswith("_")
        if not is_private and not target.id.startswith(f"_{meaning.name}__") and not _is_no_member(value):
            yield target.id, value
    elif isinstance(target, Tuple):
        if not isinstance(value, (Tuple, List)) or len(value.elts) != len(target.elts):
            raise NotStatic
        for item, item_value in zip(target.elts, value.elts):
            yield from _pairs(item, item_value, meaning)


def _is_no_member(value):
    return type(value).__name__ == "Lambda" or (
        isinstance(value, Call) and last_name(value.func) in ("nonmember", "property", "staticmethod", "classmethod")
    )


def _functional_members(meaning):
    """`Enum("Color", "RED GREEN")` in all the ways it may be written."""
    node = meaning.node
    names = node.args[1] if len(node.args) > 1 else next((word.value for word in node.keywords if word.arg == "names"), None)
    start = next((word.value for word in node.keywords if word.arg == "start"), None)
    if names is None or start is not None:
        raise NotStatic
    if isinstance(names, Dict):
        return [(static_value(key), value) for key, value in zip(names.keys, names.values)]
    if isinstance(names, Constant) and isinstance(names.value, str):
        return [(name, _AUTO) for name in names.value.replace(",", " ").split()]
    if isinstance(names, (List, Tuple)):
        pairs = []
        for item in names.elts:
            if isinstance(item, (Tuple, List)) and len(item.elts) == 2:
                pairs.append((static_value(item.elts[0]), item.elts[1]))
            else:
                pairs.append((static_value(item), _AUTO))
        return pairs
    raise NotStatic


def _members(kind, pairs, module):
    """All names in order with their values, `auto()` counted."""
    values, local = [], {}
    for name, node in pairs:
        value = _member_value(kind, name, node, module, values, local)
        local[name] = value
        values.append(value)
        yield name, value


def _canonical(kind, pairs, module):
    """Members in order, and a second name of the same value left to the first."""
    members, seen = [], set()
    for name, value in _members(kind, pairs, module):
        mark = value if isinstance(value, (str, int, float)) else repr(value)
        if mark not in seen:
            seen.add(mark)
            members.append((name, value))
    if kind.is_flag:
        members = [(name, value) for name, value in members if isinstance(value, int) and value > 0 and not value & (value - 1)]
    return members


def _member_value(kind, name, node, module, values, local):
    if node is _AUTO or (isinstance(node, Call) and last_name(node.func) == "auto"):
        value = _next_value(kind, name, values)
    elif isinstance(node, Call) and last_name(node.func) == "member" and node.args:
        value = static_value(node.args[0], module)
    elif isinstance(node, Name) and node.id in local:
        value = local[node.id]
    else:
        value = _flag_value(node, local) if kind.is_flag else None
        value = static_value(node, module) if value is None else value
    if kind.mixin is not None and type(value) is not kind.mixin:
        try:
            value = kind.mixin(*value) if isinstance(value, tuple) else kind.mixin(value)
        except (TypeError, ValueError):
            raise NotStatic from None
    return value


def _flag_value(node, local):
    """`RW = R | W` within the class."""
    if isinstance(node, Name):
        return local.get(node.id)
    if type(node).__name__ == "BinOp" and type(node.op).__name__ == "BitOr":
        left, right = _flag_value(node.left, local), _flag_value(node.right, local)
        return None if left is None or right is None else left | right
    return None


def _next_value(kind, name, values):
    if kind.next_value is not None:
        return _said_next_value(kind.next_value, name)
    if kind.is_text:
        return name.lower()
    numbers = [value for value in values if isinstance(value, int)]
    if kind.is_flag:
        return 1 << max(numbers).bit_length() if numbers else 1
    return max(numbers) + 1 if numbers else 1


def _said_next_value(function, name):
    last = function.body[-1]
    if isinstance(last, Return) and function.args.args:
        first = function.args.args[0].arg
        if isinstance(last.value, Name) and last.value.id == first:
            return name
        call = last.value
        if (
            isinstance(call, Call)
            and not call.args
            and isinstance(call.func, Attribute)
            and getattr(call.func.value, "id", "") == first
        ):
            if call.func.attr in ("lower", "upper", "title", "capitalize"):
                return getattr(name, call.func.attr)()
    raise NotStatic


def _named_choices(forms):
    values = [form for _, form in forms]
    names = [name for name, _ in forms]
    schema = one_of(values)
    if names != values:
        schema["x-enum-names"] = names
    return schema


class _Auto:
    pass


_AUTO = _Auto()

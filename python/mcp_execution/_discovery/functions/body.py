"""What stands in a function's body: yields, nested functions, changes to the module's state. Looked at only where the text hints at it."""

import re
from _ast import (
    AsyncFunctionDef,
    Attribute,
    Call,
    ClassDef,
    FunctionDef,
    Global,
    Lambda,
    Name,
    Subscript,
    Yield,
    YieldFrom,
)

from ..source.syntax import children_of, last_name

_CHANGING = frozenset(
    "append extend insert remove pop clear sort reverse update setdefault popitem add discard appendleft popleft extendleft "
    "difference_update intersection_update symmetric_difference_update".split()
)
_MUTABLE_MAKERS = frozenset(
    {"list", "dict", "set", "defaultdict", "OrderedDict", "Counter", "deque", "bytearray", "SimpleNamespace"}
)
_HINT = re.compile(r"\bglobal\b")
_WORD = re.compile(r"\w+")


class Body:
    __slots__ = ("yields", "nested", "changes")

    def __init__(self):
        self.yields = False
        self.nested = []
        self.changes = {}


def read_body(function, text, state):
    """`text` is the function's source, `state` the names of the module's values that can be changed in place."""
    body = Body()
    has_yield, has_def = "yield" in text, text.count("def ") > 1
    used = state.intersection(_WORD.findall(text)) if state else ()
    has_global = "global" in text and _HINT.search(text)
    if not (has_yield or has_def or used or has_global):
        return body
    local = _parameter_names(function) if used else frozenset()
    declared = set()
    pending = [(statement, False) for statement in reversed(function.body)]
    assigned = set()
    while pending:
        node, is_inner = pending.pop()
        kind = type(node)
        if kind is Global:
            declared.update(node.names)
        elif kind in (Yield, YieldFrom) and not is_inner:
            body.yields = True
        elif kind in (FunctionDef, AsyncFunctionDef):
            body.nested.append(node)
            is_inner = True
        elif kind in (Lambda, ClassDef):
            is_inner = True
        elif kind is Name:
            if type(node.ctx).__name__ != "Load":
                assigned.add(node.id)
            continue
        elif kind is Call:
            _note_call(node, used, body.changes)
        elif kind in (Subscript, Attribute):
            _note_target(node, used, body.changes)
        pending += [(child, is_inner) for child in reversed(children_of(node))]
    own = (assigned | local) - declared
    body.changes = {name: how for name, how in body.changes.items() if name not in own}
    for name in sorted(declared & assigned):
        body.changes.setdefault(name, "assigns it")
    return body


def module_state(bindings):
    """The module's names that hold something a function can change without `global`."""
    found = set()
    for name, binding in bindings.names.items():
        if binding.kind == "value" and _is_mutable(binding.value):
            found.add(name)
    return found


def _is_mutable(value):
    kind = type(value).__name__
    if kind in ("List", "Dict", "Set", "ListComp", "DictComp", "SetComp"):
        return True
    if isinstance(value, Call):
        name = last_name(value.func) or ""
        return name in _MUTABLE_MAKERS or (name[:1].isupper() and name not in _STATELESS)
    return False


_STATELESS = frozenset(
    "TypeVar NewType NamedTuple TypedDict Path PurePath Lock RLock Event Decimal Fraction UUID Enum Flag IntEnum ParamSpec".split()
)


def _note_call(node, used, changes):
    func = node.func
    if type(func) is Attribute and func.attr in _CHANGING:
        owner = _root_name(func.value)
        if owner in used:
            changes[owner] = f".{func.attr}()"


def _note_target(node, used, changes):
    if type(node.ctx).__name__ != "Load":
        owner = _root_name(node.value)
        if owner in used:
            changes[owner] = "an item" if type(node) is Subscript else "an attribute"


def _root_name(node):
    while type(node) in (Attribute, Subscript):
        node = node.value
    return node.id if type(node) is Name else None


def _parameter_names(function):
    args = function.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {node.arg for node in every if node is not None}

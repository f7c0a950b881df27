"""Which way an `if` at the top level goes when the script is imported, where that can be known."""

import os
import sys
from _ast import (
    And,
    Attribute,
    BoolOp,
    Compare,
    Constant,
    Eq,
    Gt,
    GtE,
    Lt,
    LtE,
    Name,
    Not,
    NotEq,
    Or,
    Subscript,
    Tuple,
    UnaryOp,
)

_COMPARE = {
    Eq: lambda a, b: a == b,
    NotEq: lambda a, b: a != b,
    Lt: lambda a, b: a < b,
    LtE: lambda a, b: a <= b,
    Gt: lambda a, b: a > b,
    GtE: lambda a, b: a >= b,
}


def truth_of(test):
    """True, False, None where nobody can tell, "main" for the main block, "types" for `if TYPE_CHECKING`."""
    if isinstance(test, Constant):
        return bool(test.value)
    if isinstance(test, Name):
        return "types" if test.id == "TYPE_CHECKING" else None
    if isinstance(test, Attribute):
        return "types" if test.attr == "TYPE_CHECKING" else None
    if isinstance(test, UnaryOp) and isinstance(test.op, Not):
        return {"types": True, "main": True, None: None, True: False, False: True}[truth_of(test.operand)]
    if isinstance(test, BoolOp):
        return _of_several(test)
    if isinstance(test, Compare) and len(test.ops) == 1:
        return _of_comparison(test.left, type(test.ops[0]), test.comparators[0])
    return None


def _of_several(test):
    outcomes = [truth_of(value) for value in test.values]
    if isinstance(test.op, And):
        for decided in (False, "main", "types"):
            if decided in outcomes:
                return decided
        return True if all(outcome is True for outcome in outcomes) else None
    if isinstance(test.op, Or) and True in outcomes:
        return True
    return outcomes[0] if len(set(outcomes)) == 1 else None


def _of_comparison(left, op, right):
    if _is_module_name(left) or _is_module_name(right):
        other = right if _is_module_name(left) else left
        if isinstance(other, Constant) and other.value == "__main__":
            return {Eq: "main", NotEq: True}.get(op)
        return None
    known, asked = _host_value(left), _plain_value(right)
    if known is None or asked is None or op not in _COMPARE:
        return None
    try:
        return _COMPARE[op](known, asked)
    except TypeError:
        return None


def _is_module_name(node):
    return isinstance(node, Name) and node.id == "__name__"


def _host_value(node):
    if isinstance(node, Attribute) and isinstance(node.value, Name):
        return _HOST.get((node.value.id, node.attr))
    if isinstance(node, Subscript) and isinstance(node.value, Attribute):
        whole = _host_value(node.value)
        index = getattr(node.slice, "value", None)
        if isinstance(whole, tuple) and isinstance(index, int) and index < len(whole):
            return whole[index]
        if isinstance(whole, tuple):
            return whole[: getattr(getattr(node.slice, "upper", None), "value", None) or len(whole)]
    return None


def _plain_value(node):
    if isinstance(node, Constant):
        return node.value
    if isinstance(node, Tuple) and all(isinstance(item, Constant) for item in node.elts):
        return tuple(item.value for item in node.elts)
    return None


_HOST = {
    ("sys", "version_info"): tuple(sys.version_info),
    ("sys", "platform"): sys.platform,
    ("os", "name"): os.name,
}

"""What a typer function's annotation says of a parameter."""

from _ast import Attribute, BinOp, BitOr, Constant, Name, Subscript, Tuple

from ..reader.enums import members_of
from ..reader.values import UNKNOWN, Call, Class, Imported

_LISTS = {"List", "list", "Sequence", "Iterable", "Set", "set", "FrozenSet", "frozenset"}
_FILES = {"typer.FileText", "typer.FileTextWrite", "typer.FileBinaryRead", "typer.FileBinaryWrite"}
_CONTEXTS = {"typer.Context", "click.Context", "typer.CallbackParam", "typer.models.Context"}
_ONLY_PARSE = 0x400


class Annotated:
    """A type as click has it, whether there may be several, and what `Annotated` adds."""

    def __init__(self):
        self.type = None
        self.is_list = False
        self.is_boolean = False
        self.is_context = False
        self.info = None


def read_annotation(node, reader):
    found = Annotated()
    _read(node, reader, found)
    return found


def _read(node, reader, found):
    if node is None:
        return
    if isinstance(node, Constant) and isinstance(node.value, str):
        try:
            node = compile(node.value.strip(), "<annotation>", "eval", _ONLY_PARSE).body
        except (SyntaxError, ValueError):
            found.type = UNKNOWN
            return
    if isinstance(node, Subscript):
        _read_subscript(node, reader, found)
    elif isinstance(node, BinOp) and isinstance(node.op, BitOr):
        sides = [side for side in (node.left, node.right) if not (isinstance(side, Constant) and side.value is None)]
        _read(sides[0] if len(sides) == 1 else None, reader, found)
    elif _last(node) in _LISTS:
        found.is_list = True
    else:
        _read_plain(reader.value(node, reader.module), reader, found)


def _read_subscript(node, reader, found):
    name = _last(node.value)
    parts = node.slice.elts if isinstance(node.slice, Tuple) else [node.slice]
    if name == "Annotated":
        _read(parts[0], reader, found)
        for part in parts[1:]:
            value = reader.value(part, reader.module)
            if isinstance(value, Call) and value.path in ("typer.Option", "typer.Argument"):
                found.info = value
    elif name in ("Optional", "Union"):
        parts = [part for part in parts if not (isinstance(part, Constant) and part.value is None)]
        _read(parts[0] if len(parts) == 1 else None, reader, found)
    elif name in _LISTS:
        _read(parts[0], reader, found)
        found.is_list = True
    elif name in ("Tuple", "tuple"):
        inner = [read_annotation(part, reader) for part in parts]
        found.type = tuple(item.type for item in inner)
    elif name == "Literal":
        values = [reader.value(part, reader.module) for part in parts]
        found.type = Call("click.Choice", [values], {}, node.lineno)
    else:
        found.type = UNKNOWN


def _read_plain(value, reader, found):
    if isinstance(value, Imported):
        if value.path in _CONTEXTS:
            found.is_context = True
        elif value.path == "builtins.bool":
            found.is_boolean = True
            found.type = value
        elif value.path == "datetime.datetime":
            found.type = Call("click.DateTime", [], {}, 0)
        elif value.path in _FILES:
            found.type = Call("click.File", ["w" if "Write" in value.path else "r"], {}, 0)
        else:
            found.type = value
    elif isinstance(value, Class):
        members = members_of(reader, value)
        found.type = Call("click.Choice", [[member.value for member in members]], {}, 0) if members else value
    else:
        found.type = UNKNOWN


def _last(node):
    return node.attr if isinstance(node, Attribute) else node.id if isinstance(node, Name) else None

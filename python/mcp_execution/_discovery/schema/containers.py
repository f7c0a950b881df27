"""Arrays, mappings and tuples, by the types of what is in them."""

from _ast import Attribute, Constant, Name, Starred, Subscript, Tuple
from json import dumps

from ..source.syntax import last_name
from .known import COUNTERS, KEYS
from .quoted import parse_quoted


def array_schema(builder, args, scope):
    items = builder.schema(args[0], scope) if args else {}
    return {"type": "array", "items": items} if items else {"type": "array"}


def mapping_schema(builder, name, args, scope):
    schema = {"type": "object"}
    if name in COUNTERS:
        values = builder.scalar("builtins.int") if args else {}
    else:
        values = builder.schema(args[1], scope) if len(args) == 2 else {}
    if values:
        schema["additionalProperties"] = values
    keys = _keys(builder, args[0], scope) if args and not builder.output else None
    if keys:
        schema["propertyNames"] = keys
    return schema


def _keys(builder, node, scope):
    if isinstance(node, Constant) and isinstance(node.value, str):
        node = parse_quoted(node.value)
    if node is None:
        return None
    if isinstance(node, (Name, Attribute)):
        meaning = scope.meaning(node)
        if meaning.kind == "external":
            return KEYS.get(meaning.name)
    schema = builder.schema(node, scope)
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else None)
    if values and all(isinstance(value, (str, int)) or value is None for value in values):
        texts = [value if isinstance(value, str) else dumps(value) for value in values]
        return {"enum": list(dict.fromkeys([*texts, *schema.get("x-enum-names", ()), *schema.get("x-enum-aliases", ())]))}
    return None


def tuple_schema(builder, args, scope):
    if not args or any(isinstance(arg, Starred) or _is_unpack(arg) for arg in args):
        return {"type": "array"}
    if len(args) == 2 and isinstance(args[1], Constant) and args[1].value is ...:
        return array_schema(builder, args, scope)
    if len(args) == 1 and isinstance(args[0], Tuple) and not args[0].elts:
        args = ()
    return fixed_array([builder.schema(arg, scope) for arg in args])


def fixed_array(items):
    if not items:
        return {"type": "array", "maxItems": 0}
    return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items), "maxItems": len(items)}


def _is_unpack(node):
    return isinstance(node, Subscript) and last_name(node.value) == "Unpack"

"""A function's return annotation as the schema of what the tool gives back."""

from _ast import Attribute, Constant, Name, Subscript, Tuple

from ..schema.known import AWAITABLES, ITERABLES, ITERATORS
from ..schema.quoted import parse_quoted
from ..schema.schema import SchemaBuilder

RESULT_KEY = "result"


def output_schema(function, scope, doc, is_generator):
    """The schema and the key under which it describes the value, or None where nothing is known of it."""
    annotation = _unquoted(function.returns)
    if annotation is None:
        return None
    annotation = _unwrapped(annotation, scope, AWAITABLES, -1)
    if is_generator:
        annotation = _unwrapped(annotation, scope, ITERABLES, 0, required=True)
        if annotation is None:
            return None
    elif _outer(annotation, scope) in ITERATORS:
        return None
    builder = SchemaBuilder(output=True)
    schema = builder.schema(annotation, scope)
    if is_generator:
        schema = {"type": "array", "items": schema} if schema else {"type": "array"}
    if not schema or _says_nothing(schema, builder):
        return None
    return _rooted(schema, builder, doc)


def _rooted(schema, builder, doc):
    definition = _definition_of(schema, builder)
    if definition.get("type") == "object" and "anyOf" not in definition:
        root = builder.root(definition if _is_free(schema, builder) else {**definition})
        if doc.returns and "description" not in root:
            root = {**root, "description": doc.returns}
        return {"outputSchema": root}
    if doc.returns and "description" not in schema:
        schema = {**schema, "description": doc.returns}
    wrapped = {"type": "object", "properties": {RESULT_KEY: schema}, "required": [RESULT_KEY]}
    return {"outputSchema": builder.root(wrapped), "resultKey": RESULT_KEY}


def _definition_of(schema, builder):
    reference = schema.get("$ref")
    return builder.definitions.get(reference[8:]) or {} if reference else schema


def _is_free(schema, builder):
    """The definition at the root is dropped from `$defs` unless something refers to it."""
    reference = schema.get("$ref")
    if reference is None:
        return True
    name = reference[8:]
    if not _refers(builder.definitions, reference):
        del builder.definitions[name]
        return True
    return False


def _refers(node, reference):
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if node.get("$ref") == reference:
                return True
            pending += node.values()
        elif isinstance(node, list):
            pending += node
    return False


def _says_nothing(schema, builder):
    if schema == {"type": "null"}:
        return True
    if "contentEncoding" in schema:
        return True
    members = schema.get("anyOf") or (
        [schema["items"]] if schema.get("type") == "array" and isinstance(schema.get("items"), dict) else ()
    )
    return any("contentEncoding" in member for member in members) or _definition_of(schema, builder) == {} and "$ref" in schema


def _unwrapped(annotation, scope, names, index, required=False):
    """What stands within `Awaitable[…]`, `Iterator[…]` and the like."""
    if _outer(annotation, scope) in names and isinstance(annotation, Subscript):
        inner = (
            annotation.slice.elts[index] if isinstance(annotation.slice, Tuple) and annotation.slice.elts else annotation.slice
        )
        return _unquoted(inner)
    return None if required else annotation


def _outer(annotation, scope):
    node = annotation.value if isinstance(annotation, Subscript) else annotation
    return scope.meaning(node).name if isinstance(node, (Name, Attribute)) else ""


def _unquoted(annotation):
    if isinstance(annotation, Constant) and isinstance(annotation.value, str):
        return parse_quoted(annotation.value)
    return annotation

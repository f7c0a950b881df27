"""A function's parameters as the schema of a tool's arguments."""

from _ast import Attribute, Call, Constant, Name, Starred, Subscript

from ..schema.classes import Lineage
from ..schema.constraints import with_description
from ..schema.quoted import parse_quoted
from ..schema.records import described, typeddict_fields
from ..schema.schema import SchemaBuilder, joined
from ..source.syntax import last_name
from ..values.static import NotStatic, static_json
from .guesses import default_schema, documented_schema

_NULL = {"type": "null"}
_PYTHON_TYPES = {
    "date": "date",
    "time": "time",
    "date-time": "datetime",
    "duration": "timedelta",
    "decimal": "Decimal",
    "path": "Path",
    "regex": "re.Pattern",
    "uuid": "UUID",
}


class Parameter:
    __slots__ = ("name", "annotation", "default", "kind")

    def __init__(self, node, default, kind):
        self.name = node.arg
        self.annotation = node.annotation
        self.default = default
        self.kind = kind


def parameters_of(function):
    args = function.args
    positional = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(positional) - len(args.defaults)) + args.defaults
    found = [Parameter(node, default, "named") for node, default in zip(positional, defaults)]
    if args.vararg is not None:
        found.append(Parameter(args.vararg, None, "variadic"))
    found += [Parameter(node, default, "named") for node, default in zip(args.kwonlyargs, args.kw_defaults)]
    if args.kwarg is not None:
        found.append(Parameter(args.kwarg, None, "rest"))
    return found


def input_schema(function, scope, doc, hidden=()):
    """The schema, and a sentence for each thing that could not be known."""
    reader = _Reader(scope, doc)
    for parameter in parameters_of(function):
        if parameter.name not in hidden:
            reader.add(parameter)
        elif parameter.kind == "rest":
            reader.rest = False
    return reader.schema(), reader.degraded


class _Reader:
    def __init__(self, scope, doc):
        self.scope = scope
        self.doc = doc
        self.builder = SchemaBuilder()
        self.properties = {}
        self.required = []
        self.rest = False
        self.degraded = []

    def schema(self):
        schema = {"type": "object", "properties": self.properties}
        if self.required:
            schema["required"] = self.required
        schema["additionalProperties"] = self.rest
        return self.builder.root(schema)

    def add(self, parameter):
        if parameter.kind == "rest":
            self._add_rest(parameter)
            return
        schema = self._schema_of(parameter)
        if parameter.kind == "variadic":
            items = {key: value for key, value in schema.items() if key != "description"}
            schema = {"type": "array", **({"items": items} if items else {})}
        elif parameter.default is None:
            self.required.append(parameter.name)
        self.properties[parameter.name] = self._described(schema, parameter)

    def _schema_of(self, parameter):
        if parameter.annotation is None:
            return self._guessed(parameter)
        before = len(self.builder.unknown)
        schema = self.builder.schema(parameter.annotation, self.scope)
        for node, reason in self.builder.unknown[before:]:
            self.degraded.append(f"Parameter {parameter.name} takes any value: {_named(node)}{reason}.")
        if isinstance(parameter.default, Constant) and parameter.default.value is None and schema:
            schema = _with_null(schema)
        return schema

    def _guessed(self, parameter):
        name = parameter.name
        starred = {"variadic": "*", "rest": "**"}.get(parameter.kind, "")
        guess = default_schema(parameter.default, self.scope.module) if parameter.default is not None else None
        origin = "its default"
        if name in self.doc.types and guess in (None, {"type": "integer"}):
            documented = documented_schema(self.builder, self.doc.types[name], self.scope)
            # 2 is often written as the default where 2.5 would do as well
            if guess is None or documented == {"type": "number"}:
                guess, origin = documented, "the docstring"
            if guess and isinstance(parameter.default, Constant) and parameter.default.value is None:
                guess = _with_null(guess)
        if guess is None:
            self.degraded.append(
                f"Parameter {starred}{name} has no annotation, so it takes any value; write its type, as in `{starred}{name}: str`."
            )
            return {}
        self.degraded.append(
            f"Parameter {name} has no annotation; {origin} says its type; write it, as in `{name}: {_python_type(guess)}`."
        )
        return guess

    def _described(self, schema, parameter):
        schema = dict(with_description(schema, self.doc.parameters.get(parameter.name)))
        if parameter.default is not None and not _is_field_call(parameter.default):
            try:
                schema["default"] = static_json(parameter.default, self.scope.module)
            except NotStatic:
                pass
        return schema

    def _add_rest(self, parameter):
        fields = self._unpacked(parameter.annotation)
        if fields is not None:
            for field in fields:
                schema = self.builder.schema(field.annotation, field.scope)
                self.properties[field.name] = described(schema, field, self.doc.parameters.get(field.name), False)
                if field.is_required:
                    self.required.append(field.name)
            return
        schema = self._schema_of(parameter)
        text = self.doc.parameters.get(parameter.name)
        self.rest = {**schema, "description": text} if text and "description" not in schema else schema or True

    def _unpacked(self, annotation):
        """The fields of TD where the annotation is `Unpack[TD]`."""
        if isinstance(annotation, Constant) and isinstance(annotation.value, str):
            annotation = parse_quoted(annotation.value)
        if isinstance(annotation, Starred):
            inner = annotation.value
        elif isinstance(annotation, Subscript) and self.scope.meaning(annotation.value).name == "typing.Unpack":
            inner = annotation.slice
        else:
            return None
        if isinstance(inner, Constant) and isinstance(inner.value, str):
            inner = parse_quoted(inner.value)
        meaning = self.scope.meaning(inner) if isinstance(inner, (Name, Attribute)) else None
        if meaning is None or meaning.kind not in ("class", "value"):
            return None
        if meaning.kind == "value" and not isinstance(meaning.node, Call):
            return None
        lineage = Lineage(meaning, {})
        return typeddict_fields(lineage) if lineage.is_typeddict else None


def _with_null(schema):
    inner = {key: value for key, value in schema.items() if key not in ("description", "title")}
    words = {key: value for key, value in schema.items() if key in ("description", "title")}
    if _NULL in inner.get("anyOf", ()):
        return schema
    return {**joined([inner, _NULL]), **words}


def _is_field_call(node):
    return isinstance(node, Call) and last_name(node.func) == "Field"


def _named(node):
    from ast import unparse

    try:
        text = unparse(node) if not hasattr(node, "body") else node.name
    except (AttributeError, RecursionError, ValueError):
        return ""
    return f"of {text}, " if len(text) <= 80 else ""


def _python_type(schema):
    names = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "dict"}
    kind = schema.get("type")
    if schema.get("format") in _PYTHON_TYPES:
        return _PYTHON_TYPES[schema["format"]]
    if "anyOf" in schema:
        return " | ".join("None" if member == _NULL else _python_type(member) for member in schema["anyOf"])
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum'][:3]))}]"
    if kind == "array" and schema.get("items"):
        return f"list[{_python_type(schema['items'])}]"
    return names.get(kind, "str") if isinstance(kind, str) else "str"

"""From an annotation in the source to the JSON Schema of what it takes, or of what it gives back."""

from _ast import Attribute, BinOp, BitOr, Call, Constant, Name, Subscript, Tuple
from json import dumps

from .classes import class_schema
from .constraints import narrow
from .containers import array_schema, mapping_schema, tuple_schema
from .enums import enum_schema
from .known import (
    ANYTHING,
    ARRAYS,
    MAPPINGS,
    PYDANTIC,
    PYDANTIC_MAKERS,
    SCALARS,
    TRANSPARENT,
    TUPLES,
)
from .literals import literal_schema
from .quoted import parse_quoted
from .scope import Scope
from .variables import parameters_of, variable_schema

_DEEPEST = 60
_MOST_DEFINITIONS = 400
_MOST_STEPS = 50_000
_NOTHING = {}


class SchemaBuilder:
    """Makes the schemas of one tool's side; `definitions` is what its `$defs` must hold."""

    def __init__(self, output=False):
        self.output = output
        self.definitions = {}
        self.unknown = []
        self._names = {}
        self._depth = 0
        self._steps = 0
        self._aliases = []
        self._recursive = {}
        self._finished = {}

    def schema(self, node, scope):
        self._depth += 1
        self._steps += 1
        try:
            if self._depth > _DEEPEST or self._steps > _MOST_STEPS:
                return {}
            return self._of(node, scope)
        finally:
            self._depth -= 1

    def root(self, schema):
        """The schema with all it refers to, to stand on its own."""
        return {**schema, "$defs": self.definitions} if self.definitions else schema

    def any_value(self, node, reason="its type is not known"):
        self.unknown.append((node, reason))
        return {}

    def scalar(self, name):
        return dict(SCALARS[name][self.output])

    def define(self, key, title, build):
        """A `$ref` to a definition, which is made once; one met again while it is being made refers to itself."""
        name = self._names.get(key)
        if name is None:
            if len(self._names) >= _MOST_DEFINITIONS:
                return {}
            name = self._names[key] = self._free_name(title)
            self.definitions[name] = None
            self.definitions[name] = build()
        return {"$ref": f"#/$defs/{name}"}

    def _free_name(self, title):
        title = "".join(letter if letter.isalnum() or letter in "_." else "_" for letter in title).rstrip("_") or "_"
        name, number = title, 2
        while name in self.definitions:
            name, number = f"{title}{number}", number + 1
        return name

    def _of(self, node, scope):
        if isinstance(node, (Name, Attribute)):
            return self._of_name(node, scope)
        if isinstance(node, Subscript):
            return self._of_subscript(node, scope)
        if isinstance(node, BinOp) and isinstance(node.op, BitOr):
            return self.union(_members_of(node), scope)
        if isinstance(node, Constant):
            return self._of_constant(node, scope)
        if isinstance(node, Call):
            return self._of_call(node, scope)
        return self.any_value(node)

    def _of_constant(self, node, scope):
        if node.value is None:
            return {"type": "null"}
        if isinstance(node.value, str):
            inner = parse_quoted(node.value)
            return (
                self.any_value(node, "the quoted annotation is no expression") if inner is None else self.schema(inner, scope)
            )
        return {} if node.value is ... else self.any_value(node)

    def _of_name(self, node, scope):
        if isinstance(node, Name) and node.id in scope.variables:
            inner, origin = scope.variables[node.id]
            return variable_schema(self, inner, origin) if inner is not None else {}
        return self.meant(scope.meaning(node), (), node, scope)

    def _of_subscript(self, node, scope):
        args = node.slice.elts if isinstance(node.slice, Tuple) and node.slice.elts else [node.slice]
        meaning = scope.meaning(node.value)
        return self.meant(meaning, args, node, scope)

    def meant(self, meaning, args, node, scope):
        """The schema of a name with its arguments."""
        if meaning.kind == "external":
            return self._of_external(meaning.name, args, node, scope)
        if meaning.kind == "class":
            return class_schema(self, meaning, args, node, scope)
        if meaning.kind in ("value", "alias"):
            return self._of_alias(meaning, args, node, scope)
        if meaning.kind == "function":
            return self.any_value(node, "it is a function, not a type")
        return self.any_value(node, "its name cannot be found")

    def _of_external(self, name, args, node, scope):
        if name in SCALARS:
            return self.scalar(name)
        if name in ANYTHING:
            return {}
        if name in ARRAYS:
            return array_schema(self, args, scope)
        if name in MAPPINGS:
            return mapping_schema(self, name, args, scope)
        if name in TUPLES:
            return tuple_schema(self, args, scope)
        if name == "typing.Union":
            return self.union(args, scope)
        if name == "typing.Optional":
            return self.union([*args, Constant(None)], scope) if args else {}
        if name == "typing.Literal":
            return literal_schema(self, args, scope)
        if name == "typing.Annotated":
            return narrow(self.schema(args[0], scope), args[1:], scope, self.output) if args else {}
        if name in TRANSPARENT:
            return self.schema(args[0], scope) if args else {}
        if name in ("typing.Self", "typing.Type", "builtins.type"):
            owner = scope.owner if name == "typing.Self" else None
            return class_schema(self, owner, (), node, scope) if owner else self.any_value(node)
        if name.startswith("pydantic."):
            return self._of_pydantic(name[9:], args, node, scope)
        if name in _NO_VALUES:
            return self.any_value(node, _NO_VALUES[name])
        return self.any_value(node)

    def _of_pydantic(self, name, args, node, scope):
        if name in PYDANTIC:
            return dict(PYDANTIC[name][self.output])
        if name == "InstanceOf" or not args:
            return self.any_value(node)
        return self.schema(args[0], scope)

    def union(self, nodes, scope):
        return joined([self.schema(node, scope) for node in nodes])

    def _of_alias(self, meaning, args, node, scope):
        special = self._of_value(meaning, args, node, scope) if meaning.kind == "value" else None
        if special is not None:
            return special
        if meaning.kind == "value" and not _may_be_a_type(meaning.node):
            return self.any_value(node, "it is a value, not a type")
        key = (id(meaning.node), self.args_key(args, scope))
        if key in self._finished:
            return {"$ref": f"#/$defs/{self._finished[key]}"}
        if key in self._aliases:
            return self._recursive_reference(key, meaning.name)
        self._aliases.append(key)
        try:
            schema = self.schema(meaning.node, self._alias_scope(meaning, args, scope))
        finally:
            self._aliases.pop()
        name = self._recursive.pop(key, None)
        if name is None:
            return schema
        self.definitions[name] = schema
        self._finished[key] = name
        return {"$ref": f"#/$defs/{name}"}

    def _recursive_reference(self, key, title):
        name = self._recursive.get(key)
        if name is None:
            name = self._recursive[key] = self._free_name(title)
            self.definitions[name] = None
        return {"$ref": f"#/$defs/{name}"}

    def _alias_scope(self, meaning, args, scope):
        inner = Scope(meaning.module)
        names = parameters_of(meaning, inner)
        bound = {name: (None, None) for name in names}
        bound.update((name, (arg, scope)) for name, arg in zip(names, args))
        return inner.with_variables({name: value for name, value in bound.items() if value[0] is not None})

    def args_key(self, args, scope):
        if not args:
            return ""
        return dumps([self.schema(arg, scope) for arg in args])

    def _of_value(self, meaning, args, node, scope):
        """Names bound to a call: TypeVar, NewType, functional TypedDict, NamedTuple and Enum."""
        value = meaning.node
        if isinstance(value, Constant) and isinstance(value.value, str) and meaning.binding.annotation is None:
            return self.any_value(node, "it is a value, not a type")
        if not isinstance(value, Call):
            return None
        called = meaning.module.expression(value.func)
        if called.kind == "external":
            if called.name == "typing.TypeVar":
                return variable_schema(self, value, Scope(meaning.module))
            if called.name == "typing.NewType":
                return self.schema(value.args[1], Scope(meaning.module)) if len(value.args) > 1 else {}
            if called.name == "typing.TypeAliasType":
                return self.schema(value.args[1], Scope(meaning.module)) if len(value.args) > 1 else {}
            if called.name.startswith("pydantic."):
                return self._of_call(value, Scope(meaning.module))
        enum = enum_schema(self, meaning)
        return enum if enum is not None else class_schema(self, meaning, args, node, scope)

    def _of_call(self, node, scope):
        meaning = scope.meaning(node.func)
        maker = PYDANTIC_MAKERS.get(meaning.name[9:]) if meaning.name.startswith("pydantic.") else None
        if maker is None:
            return self.any_value(node)
        if maker in ARRAYS:
            items = node.args or [keyword.value for keyword in node.keywords if keyword.arg == "item_type"]
            schema = array_schema(self, items, scope)
        else:
            schema = self.scalar(maker)
        return narrow(schema, [Call(node.func, [], node.keywords)], scope, self.output)


def joined(schemas):
    """Any of these; one that takes everything makes the others idle."""
    members = []
    for schema in schemas:
        inner = schema["anyOf"] if list(schema) == ["anyOf"] else [schema]
        for member in inner:
            if member == _NOTHING:
                return {}
            if member not in members:
                members.append(member)
    return members[0] if len(members) == 1 else {"anyOf": members} if members else {}


def _members_of(node):
    """`A | B | C` from left to right, without recursion: some unions are long."""
    members = []
    while isinstance(node, BinOp) and isinstance(node.op, BitOr):
        members.append(node.right)
        node = node.left
    members.append(node)
    return members[::-1]


def _may_be_a_type(node):
    return isinstance(node, (Name, Attribute, Subscript, BinOp, Call)) or (
        isinstance(node, Constant) and (node.value is None or isinstance(node.value, str))
    )


_NO_VALUES = {
    "typing.Callable": "JSON has no functions",
    "collections.abc.Callable": "JSON has no functions",
    "typing.IO": "JSON has no open files; take a path",
    "typing.TextIO": "JSON has no open files; take a path",
    "typing.BinaryIO": "JSON has no open files; take a path",
}

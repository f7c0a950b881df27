"""A class of the script, or of a file beside it: what kind of class it is decides what its JSON looks like."""

from _ast import Attribute, Call, Name, Subscript

from .enums import enum_schema
from .known import DATACLASS_DECORATORS, MODEL_BASES, SCALARS
from .models import model_schema
from .records import dataclass_schema, namedtuple_schema, typeddict_schema
from .scope import Scope
from .variables import declared_variables, parameters_of

_MOST_BASES = 60
_EXTENDABLE = ("builtins.str", "builtins.int", "builtins.float", "builtins.bytes")
_ARRAYS = ("builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset", "collections.deque", "collections.UserList")
_MAPPINGS = ("builtins.dict", "collections.OrderedDict", "collections.defaultdict", "collections.Counter")
_ATTRS = (
    "attr.s",
    "attr.attrs",
    "attr.define",
    "attr.frozen",
    "attr.mutable",
    "attrs.define",
    "attrs.frozen",
    "attrs.mutable",
    "attr.dataclass",
)


def class_schema(builder, meaning, args, node, scope):
    """`meaning` is a class, or a call that makes one."""
    lineage = Lineage(meaning, _variables(meaning, args, scope))
    if lineage.is_enum:
        return enum_schema(builder, meaning) or {}
    for kind, build in _KINDS:
        if getattr(lineage, kind):
            key = (id(meaning.node), kind, builder.args_key(args, scope))
            title = meaning.name if not args else f"{meaning.name}_{'_'.join(_words(arg) for arg in args)}"
            return builder.define(key, title, lambda: build(builder, lineage))
    return _other_class(builder, lineage, node)


class Lineage:
    """A class with all that it extends, nearest first, each with the scope that its annotations are read in."""

    def __init__(self, meaning, variables):
        self.meaning = meaning
        self.title = meaning.name
        self.external = []
        self.classes = []
        self.is_enum = self.is_model = self.is_typeddict = self.is_namedtuple = self.is_dataclass = False
        self._seen = set()
        self._add(meaning, variables)
        self._decide()

    def _add(self, meaning, variables):
        if id(meaning.node) in self._seen or len(self.classes) > _MOST_BASES:
            return
        self._seen.add(id(meaning.node))
        scope = Scope(meaning.module, variables, meaning if meaning.kind == "class" else None)
        self.classes.append((meaning, scope))
        if meaning.kind != "class":
            called = meaning.module.expression(meaning.node.func)
            self.external.append(called.name if called.kind == "external" else "")
            return
        for base in meaning.node.bases:
            self._add_base(base, scope)

    def _add_base(self, base, scope):
        args = ()
        if isinstance(base, Subscript):
            args = base.slice.elts if hasattr(base.slice, "elts") else [base.slice]
            base = base.value
        meaning = scope.meaning(base) if isinstance(base, (Name, Attribute)) else None
        if isinstance(base, Call):
            called = scope.meaning(base.func)
            if called.name in ("collections.namedtuple", "typing.NamedTuple", "typing.TypedDict"):
                self.external.append(called.name)
                self.classes.append((_Made(base, scope.module), scope))
            return
        if meaning.kind == "external":
            self.external.append(meaning.name)
            self.root_args = args if meaning.name == "pydantic.RootModel" else getattr(self, "root_args", ())
            if meaning.name == "pydantic.RootModel":
                self.root_scope = scope
        elif meaning.kind == "class" or (meaning.kind == "value" and isinstance(meaning.node, Call)):
            self._add(meaning, _variables(meaning, args, scope))

    def _decide(self):
        external = set(self.external)
        if any(name.startswith("enum.") for name in external):
            self.is_enum = True
        elif external & MODEL_BASES:
            self.is_model = True
        elif "typing.TypedDict" in external:
            self.is_typeddict = True
        elif external & {"typing.NamedTuple", "collections.namedtuple"}:
            self.is_namedtuple = True
        else:
            self.is_dataclass = any(self.dataclass_decorator(meaning) is not None for meaning, _ in self.classes)

    @property
    def is_pydantic_dataclass(self):
        decorator = next(
            (found for meaning, _ in self.classes if (found := self.dataclass_decorator(meaning)) is not None), None
        )
        return decorator is not None and decorator[0].startswith("pydantic")

    def dataclass_decorator(self, meaning):
        """The name of the decorator that makes this very class a dataclass, with its keywords."""
        for decorator in getattr(meaning.node, "decorator_list", ()):
            call = decorator if isinstance(decorator, Call) else None
            found = meaning.module.expression(call.func if call else decorator)
            if found.kind == "external" and found.name in DATACLASS_DECORATORS:
                return found.name, call.keywords if call else []
        return None


class _Made:
    """A class that a call makes, as a base: `class P(namedtuple("P", "x y"))`."""

    kind = "value"

    def __init__(self, node, module):
        self.node = node
        self.module = module
        self.name = ""


def _variables(meaning, args, scope):
    inner = Scope(meaning.module)
    bound = declared_variables(meaning.node, inner)
    if args:
        bound.update((name, (arg, scope)) for name, arg in zip(parameters_of(meaning, inner), args))
    return bound


def _other_class(builder, lineage, node):
    external = lineage.external
    for name in external:
        if name in _EXTENDABLE or (name in SCALARS and builder.output):
            return builder.scalar(name)
        if name in _ARRAYS:
            return {"type": "array"}
        if name in _MAPPINGS:
            return {"type": "object"}
    if any(_is_attrs(decorator, lineage.meaning) for decorator in getattr(lineage.meaning.node, "decorator_list", ())):
        return builder.any_value(
            node, "it is an attrs class, of which only the constructor knows the fields; a dataclass says them"
        )
    if lineage.meaning.kind != "class":
        return builder.any_value(node, "it is made by a call, so only running the script would tell")
    return builder.any_value(node, "it is a plain class, which JSON cannot fill; a dataclass can be filled")


def _is_attrs(decorator, meaning):
    target = decorator.func if isinstance(decorator, Call) else decorator
    return meaning.module.expression(target).name in _ATTRS


def _words(node):
    from ast import unparse

    return "".join(letter if letter.isalnum() else "_" for letter in unparse(node)).strip("_")[:40]


_KINDS = (
    ("is_model", model_schema),
    ("is_typeddict", typeddict_schema),
    ("is_namedtuple", namedtuple_schema),
    ("is_dataclass", dataclass_schema),
)

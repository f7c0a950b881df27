"""Modules beside the script, and what a name or a dotted name in one of them stands for."""

import builtins
import os
import sys
from _ast import Attribute, ClassDef, Name

from .bindings import Bindings
from .source import Problem, read_script

_MOST_HOPS = 40
_MOST_FILES = 400
_BUILTINS = frozenset(dir(builtins))
_ELSEWHERE = sys.stdlib_module_names | {
    "typing_extensions",
    "annotated_types",
    "pydantic",
    "attr",
    "attrs",
    "mcp_execution",
}
_SAME_AS = {"typing_extensions": "typing", "_collections_abc": "collections.abc"}


class Meaning:
    """`kind` is external, class, function, value, alias, module or unknown; `name` is how it is called where it is defined."""

    __slots__ = ("kind", "name", "node", "module", "binding")

    def __init__(self, kind, name, node=None, module=None, binding=None):
        self.kind = kind
        self.name = name
        self.node = node
        self.module = module
        self.binding = binding


class Project:
    """One script and the files beside it that were read for it."""

    def __init__(self, source):
        self.root = os.path.dirname(os.path.realpath(source.path))
        self._modules = {}
        self.main = self._modules[source.path] = Module(self, source, self.root)

    def followed(self):
        return [module for module in self._modules.values() if module is not None and module is not self.main]

    def forget(self):
        """Let go of the trees: modules know each other, and nobody collects such circles while scripts are read."""
        for module in self._modules.values():
            if module is not None:
                module.forget()
        self._modules.clear()

    def module_at(self, path):
        """The module of a file, or None where it cannot be read."""
        if path not in self._modules:
            if len(self._modules) > _MOST_FILES:
                return None
            try:
                self._modules[path] = Module(self, read_script(path), os.path.dirname(path))
            except Problem:
                self._modules[path] = None
        return self._modules[path]

    def find(self, folder, dotted):
        """A module by its name below a folder: a file, or a package's `__init__.py`."""
        base = os.path.join(folder, *dotted.split(".")) if dotted else folder
        candidates = (base + ".py", os.path.join(base, "__init__.py")) if dotted else (os.path.join(base, "__init__.py"),)
        for path in candidates:
            if path in self._modules or os.path.isfile(path):
                return self.module_at(path)
        return None


class Module:
    __slots__ = ("project", "source", "folder", "_bindings", "_memo", "members")

    def __init__(self, project, source, folder):
        self.project = project
        self.source = source
        self.folder = folder
        self._bindings = None
        self._memo = {}
        #: The members of Enums by the ids of their nodes, found once each.
        self.members = {}

    def forget(self):
        self.source = self.project = self._bindings = None
        self._memo.clear()
        self.members.clear()

    @property
    def bindings(self):
        if self._bindings is None:
            self._bindings = Bindings(self.source.tree)
        return self._bindings

    def name(self, name, hops=0):
        """What a bare name means here."""
        known = self._memo.get(name)
        if known is None:
            known = self._memo[name] = self._meaning(name, hops)
        return known

    def expression(self, node, hops=0):
        """What a name or a dotted name means here."""
        if isinstance(node, Name):
            return self.name(node.id, hops)
        if isinstance(node, Attribute):
            return self.attribute(self.expression(node.value, hops), node.attr, hops)
        return Meaning("unknown", "")

    def unfollowed(self, node):
        """As `expression`, but no file is read for it: what is imported is external, wherever it comes from."""
        if isinstance(node, Name):
            binding = self.bindings.names.get(node.id)
            if binding is None:
                return Meaning("external", f"builtins.{node.id}") if node.id in _BUILTINS else Meaning("unknown", node.id)
            if binding.kind == "import":
                return Meaning("external", _canonical(binding.value))
            if binding.kind == "from":
                dotted = "." * binding.node.level + (binding.node.module or "")
                return Meaning("external", _canonical(f"{dotted}.{binding.value}"))
            return Meaning(binding.kind, node.id, binding.value or binding.node, self, binding)
        if isinstance(node, Attribute):
            owner = self.unfollowed(node.value)
            return (
                Meaning("external", _canonical(f"{owner.name}.{node.attr}"))
                if owner.kind == "external"
                else Meaning("unknown", node.attr)
            )
        return Meaning("unknown", "")

    def attribute(self, owner, name, hops=0):
        if owner.kind == "external":
            return Meaning("external", _canonical(f"{owner.name}.{name}"))
        if owner.kind == "module":
            return _member(owner.module, name, hops)
        if owner.kind == "package":
            found = self.project.find(owner.node, name)
            return Meaning("module", name, module=found) if found else Meaning("unknown", name)
        if owner.kind == "class":
            for statement in owner.node.body:
                if isinstance(statement, ClassDef) and statement.name == name:
                    return Meaning("class", name, statement, owner.module)
        return Meaning("unknown", name)

    def _meaning(self, name, hops):
        binding = self.bindings.names.get(name)
        if hops > _MOST_HOPS:
            return Meaning("unknown", name)
        if binding is None:
            return self._from_stars(name, hops) or (
                Meaning("external", f"builtins.{name}") if name in _BUILTINS else Meaning("unknown", name)
            )
        if binding.kind == "import":
            return self._imported(binding.value)
        if binding.kind == "from":
            return self._imported_from(binding.node, binding.value, hops)
        if binding.kind == "value" and isinstance(binding.value, (Name, Attribute)):
            target = self.expression(binding.value, hops + 1) if getattr(binding.value, "id", "") != name else None
            if target is not None and target.kind in ("external", "class", "alias", "module", "function"):
                return target
        if binding.kind == "other":
            return Meaning("unknown", name, binding=binding)
        return Meaning(binding.kind, name, binding.value or binding.node, self, binding)

    def _imported(self, dotted):
        top = dotted.partition(".")[0]
        if top not in _ELSEWHERE:
            found = self.project.find(self.project.root, dotted)
            if found is not None:
                return Meaning("module", dotted, module=found)
            if os.path.isdir(os.path.join(self.project.root, *dotted.split("."))):
                return Meaning("package", dotted, os.path.join(self.project.root, *dotted.split(".")))
        return Meaning("external", _canonical(dotted))

    def _imported_from(self, node, name, hops):
        module, folder = self._module_of(node)
        if module is not None:
            found = _member(module, name, hops + 1)
            if found.kind != "unknown":
                return found
        if folder is not None:
            submodule = self.project.find(folder, name)
            if submodule is not None:
                return Meaning("module", name, module=submodule)
        if node.level or module is not None:
            return Meaning("unknown", name)
        return Meaning("external", _canonical(f"{node.module}.{name}"))

    def _module_of(self, node):
        """The module that `from … import` names when it is beside the script, and its folder where it is a package."""
        dotted = node.module or ""
        if node.level:
            base = self.folder
            for _ in range(node.level - 1):
                base = os.path.dirname(base)
        elif dotted.partition(".")[0] in _ELSEWHERE:
            return None, None
        else:
            base = self.project.root
        if base != self.project.root and not base.startswith(self.project.root + os.sep):
            return None, None
        folder = os.path.join(base, *dotted.split(".")) if dotted else base
        return self.project.find(base, dotted), folder if os.path.isdir(folder) else None

    def _from_stars(self, name, hops):
        for node in reversed(self.bindings.stars):
            module, _ = self._module_of(node)
            if module is None:
                if name in _STAR_NAMES.get(node.module or "", ()):
                    return Meaning("external", _canonical(f"{node.module}.{name}"))
            elif not name.startswith("_"):
                exported = module.bindings.exported.names
                if exported is None or name in exported:
                    found = _member(module, name, hops + 1)
                    if found.kind != "unknown" and not (found.kind == "external" and found.name.startswith("builtins.")):
                        return found
        return None


def _member(module, name, hops):
    if hops > _MOST_HOPS:
        return Meaning("unknown", name)
    found = module.name(name, hops + 1)
    if found.kind == "external" and found.name == f"builtins.{name}" and name not in module.bindings.names:
        found = Meaning("unknown", name)
    if found.kind == "unknown" and os.path.basename(module.source.path) == "__init__.py":
        submodule = module.project.find(module.folder, name)
        if submodule is not None:
            return Meaning("module", name, module=submodule)
    return found


def _canonical(dotted):
    top, _, rest = dotted.partition(".")
    same = _SAME_AS.get(top)
    if same:
        return f"{same}.{rest}" if rest else same
    if top == "pydantic":
        return f"pydantic.{rest.rpartition('.')[2]}" if rest and not rest.startswith("dataclasses") else dotted
    if top == "pathlib" and rest.startswith("_local."):
        return f"pathlib.{rest[7:]}"
    return dotted


def dotted_name(node):
    """`a.b.c` as text, or an empty text where it is more than names."""
    parts = []
    while isinstance(node, Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


_STAR_NAMES = {
    "typing": frozenset(
        "Annotated Any Callable ClassVar Final ForwardRef Generic Literal Optional Protocol Tuple Type TypeVar Union AbstractSet "
        "Collection Container Iterable Iterator Mapping MutableMapping MutableSequence MutableSet Sequence Set FrozenSet List Dict "
        "DefaultDict OrderedDict Counter Deque NamedTuple TypedDict Generator AsyncIterator AsyncIterable AsyncGenerator Awaitable "
        "Coroutine NewType Text NoReturn TypeAlias Pattern Required NotRequired Unpack Self overload cast TYPE_CHECKING".split()
    ),
    "dataclasses": frozenset("dataclass field InitVar KW_ONLY".split()),
    "enum": frozenset("Enum IntEnum Flag IntFlag StrEnum auto unique".split()),
    "datetime": frozenset("date datetime time timedelta timezone".split()),
    "decimal": frozenset(("Decimal",)),
    "pathlib": frozenset("Path PurePath PosixPath WindowsPath PurePosixPath PureWindowsPath".split()),
    "uuid": frozenset(("UUID",)),
    "pydantic": frozenset(
        "BaseModel Field RootModel conint constr EmailStr HttpUrl PositiveInt computed_field ConfigDict".split()
    ),
    "collections": frozenset("Counter OrderedDict defaultdict deque namedtuple".split()),
}
_STAR_NAMES["typing_extensions"] = _STAR_NAMES["typing"]

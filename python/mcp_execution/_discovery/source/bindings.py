"""What each name of a module stands for once its top level has run, read in one walk over its statements."""

from _ast import Call, List, Name, Starred, Tuple

from .conditions import truth_of
from .statement_walk import StatementWalk
from .syntax import last_name


class Binding:
    """`kind` is function, class, import, from, value, alias or other."""

    __slots__ = ("kind", "node", "value", "annotation", "maybe", "only_for_types", "wrapped")

    def __init__(self, kind, node, value=None, annotation=None):
        self.kind = kind
        self.node = node
        self.value = value
        self.annotation = annotation
        self.maybe = False
        self.only_for_types = False
        self.wrapped = False

    @property
    def line(self):
        return self.node.lineno


class Bindings(StatementWalk):
    __slots__ = ("names", "stars", "in_main_block", "exported", "overwritten")

    def __init__(self, tree):
        self.stars = []
        self.in_main_block = []
        self.exported = Exports()
        self.overwritten = []
        self.names = self._of(tree.body, {})

    def _of(self, statements, known):
        self.walk(statements, known)
        return known

    def on_function(self, node, known):
        if any(last_name(decorator) == "overload" for decorator in node.decorator_list):
            return
        before = known.get(node.name)
        if before is None or before.kind != "function" or not _extends(node):
            self._define("function", node, known)

    def on_class(self, node, known):
        self._define("class", node, known)

    def _define(self, kind, node, known):
        self._note_overwritten(node.name, known.get(node.name))
        known[node.name] = Binding(kind, node)

    def on_import(self, node, known):
        for alias in node.names:
            dotted = alias.name if alias.asname else alias.name.partition(".")[0]
            known[alias.asname or dotted] = Binding("import", node, dotted)

    def on_import_from(self, node, known):
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(node)
            else:
                known[alias.asname or alias.name] = Binding("from", node, alias.name)

    def on_assign(self, node, known):
        for target in node.targets:
            self._bind(target, node.value, node, known)

    def _bind(self, target, value, node, known, annotation=None):
        if isinstance(target, Name):
            if target.id == "__all__":
                self.exported.set(value)
            before = known.get(target.id)
            if before is not None and before.kind == "function" and _wraps(value, target.id):
                before.wrapped = True
            else:
                self._note_overwritten(target.id, before)
                known[target.id] = Binding("value" if value is not None else "other", node, value, annotation)
        elif isinstance(target, (Tuple, List)):
            values = value.elts if isinstance(value, (Tuple, List)) else ()
            if len(values) != len(target.elts) or any(isinstance(item, Starred) for item in (*values, *target.elts)):
                values = [None] * len(target.elts)
            for item, item_value in zip(target.elts, values):
                self._bind(item, item_value, node, known)
        elif isinstance(target, Starred):
            self._bind(target.value, None, node, known)

    def _note_overwritten(self, name, before):
        if before is not None and before.kind == "function":
            self.overwritten.append((name, before))

    def on_annotated(self, node, known):
        if node.value is not None:
            self._bind(node.target, node.value, node, known, node.annotation)

    def on_augmented(self, node, known):
        if isinstance(node.target, Name):
            name = node.target.id
            if name == "__all__":
                self.exported.extend(node.value)
            elif name in known:
                self._note_overwritten(name, known[name])
                known[name] = Binding("other", node)

    def on_alias(self, node, known):
        known[node.name.id] = Binding("alias", node, node.value)

    def on_delete(self, node, known):
        for target in node.targets:
            if isinstance(target, Name):
                self._note_overwritten(target.id, known.pop(target.id, None))

    def on_expression(self, node, known):
        call = node.value
        if isinstance(call, Call) and call.args and getattr(getattr(call.func, "value", None), "id", None) == "__all__":
            self.exported.add_by(call.func.attr, call.args[0])

    def on_if(self, node, known):
        outcome = truth_of(node.test)
        if outcome == "main":
            self.in_main_block += node.body
            self._of(node.orelse, known)
        elif outcome == "types":
            found = self._of(node.body, {})
            for binding in found.values():
                binding.only_for_types = True
            self._of(node.orelse, known)
            for name, binding in found.items():
                known.setdefault(name, binding)
        elif outcome is None:
            self._either([node.body, node.orelse], known)
        else:
            self._of(node.body if outcome else node.orelse, known)

    def on_try(self, node, known):
        self._either([node.body + node.orelse, *(handler.body for handler in node.handlers)], known)
        self._of(node.finalbody, known)

    def _either(self, blocks, known):
        """The first block that binds a name says what it is, but a function says more of itself than an import."""
        merged = {}
        for block in blocks:
            for name, binding in self._of(block, {}).items():
                before = merged.get(name)
                if before is None or (binding.kind == "function" and before.kind in ("from", "import", "value")):
                    binding.maybe = before is not None or len(blocks) > 1
                    merged[name] = binding
        known.update(merged)

    def on_for(self, node, known):
        self._bind(node.target, None, node, known)
        self.on_while(node, known)

    def on_while(self, node, known):
        self._of(node.body, known)
        self._of(node.orelse, known)

    def on_with(self, node, known):
        for item in node.items:
            if item.optional_vars is not None:
                self._bind(item.optional_vars, None, node, known)
        self._of(node.body, known)

    def on_match(self, node, known):
        self._either([case.body for case in node.cases], known)


class Exports:
    """`__all__`, as far as it can be read; None where there is none."""

    __slots__ = ("names", "is_whole")

    def __init__(self):
        self.names = None
        self.is_whole = True

    def set(self, value):
        self.names = []
        self.is_whole = True
        self.extend(value)

    def extend(self, value):
        self.names = self.names or []
        texts = _texts(value)
        if texts is None:
            self.is_whole = False
        else:
            self.names += texts

    def add_by(self, method, value):
        if method == "extend":
            self.extend(value)
        elif method == "append":
            self.names = (self.names or []) + [value.value] if isinstance(getattr(value, "value", None), str) else self.names
        elif method == "remove" and self.names and getattr(value, "value", None) in self.names:
            self.names.remove(value.value)


def _texts(value):
    if isinstance(value, (List, Tuple)):
        texts = [getattr(item, "value", None) for item in value.elts]
        return texts if all(isinstance(text, str) for text in texts) else None
    if hasattr(value, "op") and hasattr(value, "left"):
        left, right = _texts(value.left), _texts(value.right)
        return None if left is None or right is None else left + right
    return None


def _wraps(value, name):
    return isinstance(value, Call) and any(isinstance(arg, Name) and arg.id == name for arg in value.args)


def _extends(node):
    """`@f.register`, `@f.setter`: the name keeps what it was."""
    return any(
        getattr(decorator, "attr", None) in ("register", "setter", "deleter", "getter")
        and getattr(getattr(decorator, "value", None), "id", None) == node.name
        for decorator in (getattr(decorator, "func", decorator) for decorator in node.decorator_list)
    )

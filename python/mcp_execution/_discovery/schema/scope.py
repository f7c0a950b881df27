"""Where the names of an annotation are looked up, and what its type variables stand for."""

from _ast import Attribute, Name

from ..source.project import Meaning


class Scope:
    """`variables` maps a type variable's name to its argument and that argument's scope; `owner` is the class around it."""

    __slots__ = ("module", "variables", "owner")

    def __init__(self, module, variables=None, owner=None):
        self.module = module
        self.variables = variables or {}
        self.owner = owner

    def with_variables(self, variables):
        return Scope(self.module, {**self.variables, **variables}, self.owner)

    def meaning(self, node):
        """The module first, as at run time: a field may be named like its type."""
        if isinstance(node, Name):
            found = self.module.name(node.id)
            if found.kind == "unknown" and self.owner is not None:
                if node.id == self.owner.name:
                    return self.owner
                inner = self.module.attribute(self.owner, node.id)
                return inner if inner.kind != "unknown" else found
            return found
        if isinstance(node, Attribute):
            return self.module.attribute(self.meaning(node.value), node.attr)
        return Meaning("unknown", "")

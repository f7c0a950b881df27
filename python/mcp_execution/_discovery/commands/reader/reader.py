"""Follows a script from its first line to its last, knowing what can be known, running nothing."""

from .calls import Calls
from .expressions import Expressions
from .statements import Statements
from .values import UNKNOWN, Call, Class, Function, Instance, Lazy, Scope


class Reader(Statements, Expressions, Calls):
    """`follows` says which functions are worth reading although nothing special is passed to them."""

    def __init__(self, survey, follows=frozenset()):
        self.survey = survey
        self.follows = follows
        self.module = Scope()
        self.stack = []
        self.statements = 0
        self.outcomes = {}
        names = self.module.names
        names["__doc__"], names["__name__"] = survey.docstring, "__main__"
        for name, path in survey.imports.items():
            names[name] = self._imported(path)
        for name, node in survey.functions.items():
            names[name] = Function(node, self.module)
        for name, node in survey.classes.items():
            names[name] = Class(node, self.module)

    def know_constants(self):
        """Takes every name that is assigned once at the top level for what it is assigned."""
        for name, nodes in self.survey.assignments.items():
            if name not in self.module.names:
                self.module.names[name] = Lazy(nodes[0], self.module) if len(nodes) == 1 else UNKNOWN

    # What subclasses know more about.

    def call_imported(self, path, args, keywords, node):
        return Call(path, args, keywords, node.lineno)

    def call_object(self, value, name, args, keywords, node):
        return UNKNOWN

    def attribute_of(self, value, name):
        return UNKNOWN

    def made(self, of, args, keywords, node):
        instance = Instance(of)
        if "__init__" in of.methods:
            self.call(Function(of.methods["__init__"], of.scope, instance), args, keywords, node)
        return instance

    def passed(self, function, args, keywords):
        """A function of the script gets these."""

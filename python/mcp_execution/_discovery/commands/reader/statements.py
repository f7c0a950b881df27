"""Follows statements in the order in which they would run."""

from _ast import (
    Assign,
    Attribute,
    BinOp,
    Constant,
    Dict,
    DictComp,
    JoinedStr,
    List,
    ListComp,
    Name,
    Set,
    SetComp,
    Starred,
    Subscript,
    Tuple,
    UnaryOp,
)

from ...source.conditions import truth_of
from ...source.statement_walk import StatementWalk
from ...source.syntax import imports_of
from . import literals
from .values import ARGUMENT_VECTOR, UNKNOWN, Class, Function, Imported, Lazy, Marker

_MOST_STATEMENTS = 30_000
_MOST_TURNS = 60
_LITERALS = (Constant, List, Tuple, Dict, Set, BinOp, JoinedStr, UnaryOp, ListComp, SetComp, DictComp)


class Statements(StatementWalk):
    def walk(self, statements, scope):
        for node in statements:
            self.statements += 1
            if self.statements > _MOST_STATEMENTS:
                return
            handler = self.handlers.get(node.__class__)
            if handler is not None:
                try:
                    handler(self, node, scope)
                except RecursionError:
                    # An expression nested this deep is a table, not a command line.
                    continue

    def on_expression(self, node, scope):
        if not isinstance(node.value, Constant):
            self.value(node.value, scope)

    def on_assign(self, node, scope):
        if node.value is None:
            return
        targets = node.targets if isinstance(node, Assign) else [node.target]
        lazy = isinstance(node.value, _LITERALS) and all(isinstance(target, Name) for target in targets)
        value = Lazy(node.value, scope) if lazy else self.value(node.value, scope)
        for target in targets:
            self.bind(target, value, scope)

    on_annotated = on_assign

    def on_augmented(self, node, scope):
        added = self.value(node.value, scope)
        if isinstance(node.target, Name):
            before = self.value(node.target, scope)
            scope.names[node.target.id] = literals.operate(node.op, before, added)

    def bind(self, target, value, scope):
        if isinstance(target, Name):
            scope.names[target.id] = value
        elif isinstance(target, (Tuple, List)):
            items = literals.as_items(value) if not isinstance(value, str) else UNKNOWN
            if isinstance(value, Marker):
                items = [value] * len(target.elts)
            if items is UNKNOWN or len(items) != len(target.elts):
                items = [UNKNOWN] * len(target.elts)
            for item, one in zip(target.elts, items):
                self.bind(item, one, scope)
        elif isinstance(target, Attribute):
            owner = self.value(target.value, scope)
            if hasattr(owner, "attributes"):
                owner.attributes[target.attr] = value
        elif isinstance(target, Subscript):
            owner, index = self.value(target.value, scope), self.value(target.slice, scope)
            if isinstance(owner, dict) and isinstance(index, (str, int)):
                owner[index] = value
        elif isinstance(target, Starred):
            self.bind(target.value, UNKNOWN, scope)

    def on_if(self, node, scope):
        outcome = truth_of(node.test)
        if outcome is None:
            self.value(node.test, scope)
        if outcome is not False and outcome != "types":
            self.walk(node.body, scope)
        if outcome is not True and outcome != "main":
            self.walk(node.orelse, scope)

    def on_for(self, node, scope):
        items = literals.as_items(self.value(node.iter, scope))
        if items is UNKNOWN or len(items) > _MOST_TURNS or not items:
            items = [UNKNOWN]
        for item in items:
            self.bind(node.target, item, scope)
            self.walk(node.body, scope)
        self.walk(node.orelse, scope)

    def on_while(self, node, scope):
        self.value(node.test, scope)
        self.walk(node.body, scope)
        self.walk(node.orelse, scope)

    def on_with(self, node, scope):
        for item in node.items:
            value = self.value(item.context_expr, scope)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value, scope)
        self.walk(node.body, scope)

    def on_try(self, node, scope):
        self.walk(node.body, scope)
        for handler in node.handlers:
            self.walk(handler.body, scope)
        self.walk(node.orelse, scope)
        self.walk(node.finalbody, scope)

    def on_match(self, node, scope):
        self.value(node.subject, scope)
        for case in node.cases:
            self.walk(case.body, scope)

    def on_return(self, node, scope):
        if node.value is None:
            return
        value = self.value(node.value, scope)
        frame = scope.names
        if frame.get("return", UNKNOWN) is UNKNOWN:
            frame["return"] = value

    def on_function(self, node, scope):
        if scope is not self.module:
            scope.names[node.name] = Function(node, scope)

    def on_class(self, node, scope):
        if scope is not self.module:
            scope.names[node.name] = Class(node, scope)

    def on_import(self, node, scope):
        scope.names.update((name, self._imported(path)) for name, path in imports_of(node).items())

    on_import_from = on_import

    @staticmethod
    def _imported(path):
        return ARGUMENT_VECTOR if path == "sys.argv" else Imported(path)

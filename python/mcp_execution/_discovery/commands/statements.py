"""Follows statements in the order in which they would run."""

from _ast import (
    AnnAssign,
    Assign,
    AsyncFor,
    AsyncFunctionDef,
    AsyncWith,
    Attribute,
    AugAssign,
    BinOp,
    ClassDef,
    Constant,
    Dict,
    DictComp,
    Expr,
    For,
    FunctionDef,
    If,
    Import,
    ImportFrom,
    JoinedStr,
    List,
    ListComp,
    Match,
    Name,
    Return,
    Set,
    SetComp,
    Starred,
    Subscript,
    Try,
    Tuple,
    UnaryOp,
    While,
    With,
)

from ..conditions import truth_of
from . import literals
from .survey import read_imports
from .values import ARGUMENT_VECTOR, UNKNOWN, Class, Function, Imported, Lazy, Marker

try:
    from _ast import TryStar
except ImportError:
    TryStar = Try

_MOST_STATEMENTS = 30_000
_MOST_TURNS = 60
_LITERALS = (Constant, List, Tuple, Dict, Set, BinOp, JoinedStr, UnaryOp, ListComp, SetComp, DictComp)


class Statements:
    def run(self, statements, scope):
        for node in statements:
            self.statements += 1
            if self.statements > _MOST_STATEMENTS:
                return
            handler = _STATEMENTS.get(type(node))
            if handler is not None:
                try:
                    handler(self, node, scope)
                except RecursionError:
                    # An expression nested this deep is a table, not a command line.
                    continue

    def _expression(self, node, scope):
        if not isinstance(node.value, Constant):
            self.value(node.value, scope)

    def _assign(self, node, scope):
        if node.value is None:
            return
        targets = node.targets if isinstance(node, Assign) else [node.target]
        lazy = isinstance(node.value, _LITERALS) and all(isinstance(target, Name) for target in targets)
        value = Lazy(node.value, scope) if lazy else self.value(node.value, scope)
        for target in targets:
            self.bind(target, value, scope)

    def _augment(self, node, scope):
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

    def _if(self, node, scope):
        outcome = truth_of(node.test)
        if outcome is None:
            self.value(node.test, scope)
        if outcome is not False and outcome != "types":
            self.run(node.body, scope)
        if outcome is not True and outcome != "main":
            self.run(node.orelse, scope)

    def _for(self, node, scope):
        items = literals.as_items(self.value(node.iter, scope))
        if items is UNKNOWN or len(items) > _MOST_TURNS or not items:
            items = [UNKNOWN]
        for item in items:
            self.bind(node.target, item, scope)
            self.run(node.body, scope)
        self.run(node.orelse, scope)

    def _while(self, node, scope):
        self.value(node.test, scope)
        self.run(node.body, scope)
        self.run(node.orelse, scope)

    def _with(self, node, scope):
        for item in node.items:
            value = self.value(item.context_expr, scope)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value, scope)
        self.run(node.body, scope)

    def _try(self, node, scope):
        self.run(node.body, scope)
        for handler in node.handlers:
            self.run(handler.body, scope)
        self.run(node.orelse, scope)
        self.run(node.finalbody, scope)

    def _match(self, node, scope):
        self.value(node.subject, scope)
        for case in node.cases:
            self.run(case.body, scope)

    def _return(self, node, scope):
        if node.value is None:
            return
        value = self.value(node.value, scope)
        frame = scope.names
        if frame.get("return", UNKNOWN) is UNKNOWN:
            frame["return"] = value

    def _define(self, node, scope):
        if scope is not self.module:
            scope.names[node.name] = Class(node, scope) if isinstance(node, ClassDef) else Function(node, scope)

    def _import(self, node, scope):
        found = {}
        read_imports(node, found)
        scope.names.update((name, self._imported(path)) for name, path in found.items())

    @staticmethod
    def _imported(path):
        return ARGUMENT_VECTOR if path == "sys.argv" else Imported(path)


_STATEMENTS = {
    Expr: Statements._expression,
    Assign: Statements._assign,
    AnnAssign: Statements._assign,
    AugAssign: Statements._augment,
    If: Statements._if,
    For: Statements._for,
    AsyncFor: Statements._for,
    While: Statements._while,
    With: Statements._with,
    AsyncWith: Statements._with,
    Try: Statements._try,
    TryStar: Statements._try,
    Match: Statements._match,
    Return: Statements._return,
    FunctionDef: Statements._define,
    AsyncFunctionDef: Statements._define,
    ClassDef: Statements._define,
    Import: Statements._import,
    ImportFrom: Statements._import,
}

"""Assertions in a syntax tree, written anew so that a function is given what they saw."""

from __future__ import annotations

import ast
import io
from typing import Any, Iterator, Union

_OPERATORS = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
#: Their value says nothing, or what stands there says as much.
_SHOWN_AS_WRITTEN = (ast.Constant, ast.Lambda, ast.GeneratorExp, ast.Starred)

_Part = Union[str, ast.Name]


def rewritten(tree: ast.Module, source: str, *, told: str, unseen: str) -> ast.Module:
    """`told` is called with the source of an assertion and what it saw; what was not looked at is `unseen`."""
    return ast.fix_missing_locations(_Rewriter(source, told, unseen).visit(tree))


class _Rewriter(ast.NodeTransformer):
    def __init__(self, source: str, told: str, unseen: str) -> None:
        self._lines = io.StringIO(source, newline=None).readlines()
        self._told, self._unseen = told, unseen

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """What is kept right within a class would be an attribute of it."""
        node.body = [each if isinstance(each, ast.Assert) else self.visit(each) for each in node.body]
        return node

    def visit_Assert(self, node: ast.Assert) -> Any:
        if node.msg is not None or isinstance(node.test, (ast.Constant, ast.Tuple)):
            return node
        seen = _Seen(self._lines)
        # Each of `a and b` has to hold, and the first that does not is told.
        tests = node.test.values if isinstance(node.test, ast.BoolOp) and _is_and(node.test) else [node.test]
        checks = [self._check(node, seen, test) for test in tests]
        kept: list[ast.expr] = [ast.Name(name, ast.Store()) for name in seen.names]
        if not kept:
            return node
        before = ast.Assign(targets=kept, value=ast.Name(self._unseen, ast.Load()))
        after = ast.Delete(targets=[ast.Name(name, ast.Del()) for name in seen.names])
        return [ast.copy_location(each, node) for each in (before, *checks, after)]

    def _check(self, node: ast.Assert, seen: _Seen, test: ast.expr) -> ast.Assert:
        test, parts = seen.whole(test)
        arguments = [ast.Constant(seen.text_of(node.test)), *_alternating(parts)]
        message = ast.Call(func=ast.Name(self._told, ast.Load()), args=arguments, keywords=[])
        return ast.Assert(test=test, msg=message)


class _Seen:
    """Expressions that keep their values, and how each is shown: as text and the names of what was kept."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self.names: list[str] = []

    def whole(self, node: ast.expr) -> tuple[ast.expr, list[_Part]]:
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.BoolOp):
            return self._either(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            operand, parts = self._grouped(node.operand)
            return ast.copy_location(ast.UnaryOp(op=node.op, operand=operand), node), ["not ", *parts]
        if isinstance(node, ast.Call):
            return self._call(node)
        return self._value(node)

    def text_of(self, node: ast.expr) -> str:
        """As it stands in its line; of several lines in one."""
        if node.lineno != node.end_lineno:
            return ast.unparse(node)
        line = self._lines[node.lineno - 1].encode()
        return line[node.col_offset : node.end_col_offset].decode()

    def _value(self, node: ast.expr) -> tuple[ast.expr, list[_Part]]:
        if isinstance(node, _SHOWN_AS_WRITTEN):
            return node, [ast.unparse(node)]
        name = f"@seen{len(self.names)}"
        self.names.append(name)
        kept = ast.NamedExpr(target=ast.Name(name, ast.Store()), value=node)
        return ast.copy_location(kept, node), [ast.Name(name, ast.Load())]

    def _comparison(self, node: ast.Compare) -> tuple[ast.expr, list[_Part]]:
        left, parts = self._value(node.left)
        others = []
        for operator, operand in zip(node.ops, node.comparators):
            kept, shown = self._value(operand)
            others.append(kept)
            parts = [*parts, f" {_OPERATORS[type(operator)]} ", *shown]
        return ast.copy_location(ast.Compare(left=left, ops=node.ops, comparators=others), node), parts

    def _either(self, node: ast.BoolOp) -> tuple[ast.expr, list[_Part]]:
        word = " and " if _is_and(node) else " or "
        kept = [self._grouped(each) for each in node.values]
        parts = [part for index, (_, shown) in enumerate(kept) for part in ([word] if index else []) + shown]
        return ast.copy_location(ast.BoolOp(op=node.op, values=[each for each, _ in kept]), node), parts

    def _grouped(self, node: ast.expr) -> tuple[ast.expr, list[_Part]]:
        kept, parts = self.whole(node)
        return kept, ["(", *parts, ")"] if isinstance(node, ast.BoolOp) else parts

    def _call(self, node: ast.Call) -> tuple[ast.expr, list[_Part]]:
        """`'hello'.startswith('x')`: what it is called on, and with what; where that says nothing, what it gave."""
        function, shown = self._called(node.func)
        arguments = [self._value(each) for each in node.args]
        named = [(each.arg, *self._value(each.value)) for each in node.keywords]
        listed = [parts for _, parts in arguments]
        listed += [["**" if name is None else f"{name}=", *parts] for name, _, parts in named]
        inside = [part for index, parts in enumerate(listed) for part in ([", "] if index else []) + parts]
        keywords = [ast.keyword(arg=name, value=value) for name, value, _ in named]
        parts = [*shown, "(", *inside, ")"]
        call = ast.Call(func=function, args=[each for each, _ in arguments], keywords=keywords)
        if all(isinstance(part, str) for part in parts):
            return self._value(node)
        return ast.copy_location(call, node), parts

    def _called(self, node: ast.expr) -> tuple[ast.expr, list[_Part]]:
        if not isinstance(node, ast.Attribute):
            return node, [ast.unparse(node)]
        holder, parts = self._value(node.value)
        function = ast.Attribute(value=holder, attr=node.attr, ctx=node.ctx)
        return ast.copy_location(function, node), [*parts, f".{node.attr}"]


def _is_and(node: ast.BoolOp) -> bool:
    return isinstance(node.op, ast.And)


def _alternating(parts: list[_Part]) -> Iterator[ast.expr]:
    """Texts and values in turn, beginning with a text."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
        else:
            yield ast.Constant(text)
            yield part
            text = ""
    yield ast.Constant(text)

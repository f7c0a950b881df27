"""Goes through statements from the first to the last, with one method for each kind that is of interest."""

from _ast import (
    AnnAssign,
    Assign,
    AsyncFor,
    AsyncFunctionDef,
    AsyncWith,
    AugAssign,
    ClassDef,
    Delete,
    Expr,
    For,
    FunctionDef,
    If,
    Import,
    ImportFrom,
    Match,
    Raise,
    Return,
    Try,
    While,
    With,
)

_METHODS = {
    FunctionDef: "on_function",
    AsyncFunctionDef: "on_function",
    ClassDef: "on_class",
    Import: "on_import",
    ImportFrom: "on_import_from",
    Assign: "on_assign",
    AnnAssign: "on_annotated",
    AugAssign: "on_augmented",
    Delete: "on_delete",
    Expr: "on_expression",
    If: "on_if",
    Try: "on_try",
    For: "on_for",
    AsyncFor: "on_for",
    While: "on_while",
    With: "on_with",
    AsyncWith: "on_with",
    Match: "on_match",
    Return: "on_return",
    Raise: "on_raise",
}
try:
    from _ast import TryStar

    _METHODS[TryStar] = "on_try"
except ImportError:
    pass
try:
    from _ast import TypeAlias

    _METHODS[TypeAlias] = "on_alias"
except ImportError:
    pass


class StatementWalk:
    """A subclass has the methods for the kinds that it reads, and says itself which blocks within them run."""

    def __init_subclass__(cls):
        cls.handlers = {kind: getattr(cls, name) for kind, name in _METHODS.items() if hasattr(cls, name)}

    def walk(self, statements, *state):
        handlers = self.handlers
        for node in statements:
            handler = handlers.get(node.__class__)
            if handler is not None:
                handler(self, node, *state)

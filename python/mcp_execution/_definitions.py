"""Whether a script defines functions and does nothing else."""

from __future__ import annotations

from typing import Any, NamedTuple


class DefinitionsAlone(NamedTuple):
    message: str
    line: int


def definitions_alone(source: str) -> DefinitionsAlone | None:
    """What is to be said of a script that has looked at nothing, as none of its functions was called."""
    if "def" not in source and "lambda" not in source:
        return None
    import ast

    body = ast.parse(source).body
    functions = [(name, each) for each in body if (name := _function_named(each, ast))]
    if not functions or not all(_does_nothing(each, ast) for each in body):
        return None
    names = [name for name, _each in functions]
    what = f"the function {names[0]}" if len(names) == 1 else f"the functions {', '.join(names)}"
    advice = f"say which one is to be called, as in function: {names[-1]}"
    return DefinitionsAlone(f"The validator only defines {what}, and looks at nothing; {advice}.", functions[-1][1].lineno)


def _does_nothing(statement: Any, ast: Any) -> bool:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return not statement.decorator_list
    if isinstance(statement, ast.ClassDef):
        return not statement.decorator_list and all(_does_nothing(each, ast) for each in statement.body)
    if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)):
        return statement.value is None or _is_plain(statement.value, ast)
    return isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass))


def _function_named(statement: Any, ast: Any) -> str | None:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return statement.name
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Lambda):
        target = statement.targets[0]
        return target.id if isinstance(target, ast.Name) else None
    return None


def _is_plain(value: Any, ast: Any) -> bool:
    """Literals, names and functions without a name: looking at none of them can fail."""
    if isinstance(value, (ast.Constant, ast.Name, ast.Lambda)):
        return True
    parts = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp)
    return isinstance(value, parts) and all(
        _is_plain(each, ast) for each in ast.iter_child_nodes(value) if isinstance(each, ast.expr)
    )

"""Whether a script defines functions and does nothing else."""

from __future__ import annotations

from typing import Any, NamedTuple


class DefinitionsAlone(NamedTuple):
    message: str
    line: int


def definitions_alone(source: str) -> DefinitionsAlone | None:
    """What is to be said of a script that has looked at nothing, as none of its functions was called."""
    if "def " not in source:
        return None
    import ast

    body = ast.parse(source).body
    functions = [each for each in body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
    if not functions or not all(_does_nothing(each, ast) for each in body):
        return None
    names = [each.name for each in functions]
    what = f"the function {names[0]}" if len(names) == 1 else f"the functions {', '.join(names)}"
    advice = f"say which one is to be called, as in function: {names[-1]}"
    return DefinitionsAlone(f"The validator only defines {what}, and looks at nothing; {advice}.", functions[-1].lineno)


def _does_nothing(statement: Any, ast: Any) -> bool:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return not statement.decorator_list
    if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass))

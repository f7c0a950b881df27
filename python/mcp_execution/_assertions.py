"""Let an assertion without a message say its sides: `assert data() == 4` fails with "assert data() == 4: 3 == 4".

What is compared is kept under names that no script can write, in the order in which it is evaluated, once.
"""

from __future__ import annotations

import types
import warnings
from typing import Any

_MAX_VALUE = 200
_MAX_SOURCE = 400
_NAMED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
_UNSEEN: Any = object()


def told_of(code: types.CodeType, source: str, filename: str) -> types.CodeType:
    """The same code, whose assertions say what they saw."""
    if "assert" not in source:
        return code
    import ast

    from ._rewriting import rewritten

    try:
        tree = rewritten(ast.parse(source, filename), source, told="@told", unseen="@unseen")
        with warnings.catch_warnings():
            # Told when it was compiled before.
            warnings.simplefilter("ignore")
            return compile(tree, filename, "exec", dont_inherit=True, optimize=0)
    except (MemoryError, RecursionError):
        return code


def _told(source: str, *parts: Any) -> str:
    """The source, and the same with values in the place of what gave them: every second part is a value."""
    seen = "".join(_shown(part) if index % 2 else part for index, part in enumerate(parts))
    return f"assert {_cut(source, _MAX_SOURCE)}" + ("" if seen == source else f": {seen}")


def _shown(value: Any) -> str:
    if value is _UNSEEN:
        return "…"
    try:
        return _cut(value.__name__ if isinstance(value, _NAMED) else repr(value), _MAX_VALUE)
    except Exception:  # noqa: BLE001 - an assertion fails as an assertion, whatever it looked at
        return f"<{type(value).__name__}>"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


#: What rewritten assertions call.
GIVEN = {"@told": _told, "@unseen": _UNSEEN}

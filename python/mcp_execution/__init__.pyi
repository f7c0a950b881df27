from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypeVar, overload

from ._tools import ToolError as ToolError
from ._tools import call_tool as call_tool
from ._tools import call_tool_async as call_tool_async
from ._tools import describe_tool as describe_tool
from ._tools import read_output as read_output
from ._tools import search_tools as search_tools

_F = TypeVar("_F", bound=Callable[..., Any])

context: dict[str, Any]

@overload
def log(level: str, message: object) -> None: ...
@overload
def log(level: object) -> None: ...
def progress(done: float, total: float | None = None, message: object = None) -> None: ...
def result(value: object) -> None: ...
def attach(path: str | PathLike[str], name: str | None = None, mime_type: str | None = None) -> None: ...
@overload
def tool(function: _F) -> _F: ...
@overload
def tool(
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    annotations: dict[str, Any] | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    hidden: Sequence[str] = (),
    input_schema: dict[str, Any] | None = None,
    output_schema: dict[str, Any] | None = None,
    enabled: bool = True,
) -> Callable[[_F], _F]: ...

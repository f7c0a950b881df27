"""What generated wrappers are made of: a typed function for each tool of an MCP server."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Mapping

from ._tools import ToolError, call_tool, call_tool_async, report_drift

__all__ = ["UNSET", "Unset", "ToolError", "call", "call_async", "package"]


class Unset:
    """The type of `UNSET`: an argument that is not given, which for a tool is another thing than None."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET = Unset()


def call(server: str, tool: str, arguments: Mapping[str, Any], json_text: bool = False) -> Any:
    """The value that a tool gives; arguments that are UNSET are left out."""
    return _decoded(server, tool, call_tool(server, tool, _given(arguments)), json_text)


async def call_async(server: str, tool: str, arguments: Mapping[str, Any], json_text: bool = False) -> Any:
    """The same as `call`, awaited."""
    return _decoded(server, tool, await call_tool_async(server, tool, _given(arguments)), json_text)


def package(name: str, places: Mapping[str, str]) -> None:
    """Make the names of a package come from its submodules when they are first used: `places` says from which."""
    module = sys.modules[name]
    module.__class__ = _Package
    vars(module)["_places"] = dict(places)
    vars(module)["__all__"] = sorted(places)


class _Package(ModuleType):
    """A tool's function wins over the submodule of the same name, which Python puts in the same place."""

    def __getattr__(self, name: str) -> Any:
        place = vars(self)["_places"].get(name)
        if place is None:
            raise AttributeError(f"module {self.__name__!r} has no tool {name!r}")
        value = getattr(import_module(f"{self.__name__}.{place}"), name)
        vars(self)[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        is_own = isinstance(value, ModuleType) and value.__name__ == f"{self.__name__}.{name}"
        if is_own and name in vars(self)["_places"]:
            value = getattr(value, name, value)
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *vars(self)["_places"]})


def _given(arguments):
    return {name: value for name, value in arguments.items() if value is not UNSET}


def _decoded(server, tool, value, json_text):
    if not json_text or not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        report_drift(server, tool, "the text is not JSON any more")
        return value

"""What a script may import: `from mcp_execution import attach, call_tool, context, log, progress, result, tool` and more."""

from ._run import attach, context, log, progress, result
from ._tool import tool

_OF_TOOLS = ("ToolError", "call_tool", "call_tool_async", "describe_tool", "read_output", "search_tools")

__all__ = ["attach", "context", "log", "progress", "result", "tool", *_OF_TOOLS]


def __getattr__(name):
    """What calls tools of MCP servers is loaded where it is used."""
    if name not in _OF_TOOLS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _tools

    value = globals()[name] = getattr(_tools, name)
    return value

"""What a script may import: `from mcp_execution import attach, context, log, progress, result, tool`."""

from ._run import attach, context, log, progress, result
from ._tool import tool

__all__ = ["attach", "context", "log", "progress", "result", "tool"]

"""What a script may import: `from mcp_execution import context, log, progress, result`."""

from ._run import context, log, progress, result

__all__ = ["context", "log", "progress", "result"]

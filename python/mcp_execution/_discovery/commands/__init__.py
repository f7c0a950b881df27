"""Command lines as tools."""

from .commands import Commands, find_commands

__all__ = ["Commands", "find_commands"]

"""A script as one tool, where nothing more is known of its command line than that it has one."""

from ..naming import tool_name
from .parameters import words_parameter
from .tool import Level, Line, build_tool


def whole_script(stem, description, why, *, takes_words, takes_stdin, line=None, enabled=True, degraded=()):
    parameters = [words_parameter("args", "The words of the command line after the name of the script.")] if takes_words else []
    tool = build_tool(
        Line(name=tool_name(stem), description=description, why=why, levels=[Level(parameters)], stem=stem, takes_stdin=takes_stdin, line=line),
        set(),
        enabled,
    )
    if degraded:
        tool["degraded"] = list(degraded)
    return tool

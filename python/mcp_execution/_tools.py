"""Tools of MCP servers, called from a script: its host makes the calls, and has the secrets."""

from __future__ import annotations

from typing import Any, Mapping

from . import _run
from ._asking import Refused


class ToolError(Exception):
    """A tool answered that it failed, or could not be called.

    `code` says why: TOOL_FAILED where the tool said so itself, NOT_ALLOWED where the policy does not permit the call,
    CALL_LIMIT after too many calls, UNKNOWN_SERVER, UNKNOWN_TOOL, INVALID_ARGUMENTS, TIMEOUT, SERVER_FAILED …
    """

    def __init__(
        self, text: str, server: str = "", tool: str = "", code: str = "TOOL_FAILED", content: list[dict[str, Any]] | None = None
    ) -> None:
        super().__init__(text)
        self.text = text
        self.server = server
        self.tool = tool
        self.code = code
        self.content = content or []


ToolError.__module__ = __package__ or "mcp_execution"


def call_tool(
    server: str, tool: str | Mapping[str, Any] | None = None, arguments: Mapping[str, Any] | None = None, *, raw: bool = False
) -> Any:
    """Call a tool: `call_tool("github", "create_issue", {"title": "…"})`, or `call_tool("github__create_issue", {…})`.

    Gives back the structured content of the result; where there is none, its text, or a list of its blocks. `raw=True` gives
    all of it, as MCP says it. Raises ToolError.
    """
    asked = _asked(server, tool, arguments)
    return _value(asked, _ask("call_tool", asked), raw)


async def call_tool_async(
    server: str, tool: str | Mapping[str, Any] | None = None, arguments: Mapping[str, Any] | None = None, *, raw: bool = False
) -> Any:
    """The same as `call_tool`, awaited: many of them run at once under `asyncio.gather`."""
    asked = _asked(server, tool, arguments)
    return _value(asked, await _ask_async("call_tool", asked), raw)


def search_tools(words: str = "", server: str | None = None, limit: int | None = None) -> list[dict[str, Any]]:
    """The tools that fit the words best, each with `server`, `tool`, `summary`, `signature` and `import`."""
    asked = {"words": _text("words", words)}
    if server is not None:
        asked["server"] = _text("server", server)
    if limit is not None:
        asked["limit"] = limit
    return _ask("search_tools", asked)


def describe_tool(server: str, tool: str | None = None) -> dict[str, Any]:
    """All that is known of a tool: `describe_tool("github", "create_issue")`, or `describe_tool("github__create_issue")`."""
    asked = {"server": _text("server", server)}
    if tool is not None:
        asked["tool"] = _text("tool", tool)
    return _ask("describe_tool", asked)


def read_output(run: str, stream: str = "stdout") -> str:
    """The whole of an output that was cut in the result of an earlier run: `stdout`, `stderr` or `value`."""
    return _ask("read_output", {"run": _text("run", run), "stream": _text("stream", stream)})


def report_drift(server, tool, problem):
    """Tell the host that a result is not what its generated type says."""
    _ask("report_drift", {"server": server, "tool": tool, "problem": problem})


def text_of(content):
    """The texts among content blocks, as one."""
    return "\n".join(block["text"] for block in content if _is_text(block))


def _value(asked, result, raw):
    content = result.get("content") or []
    if result.get("isError"):
        text = text_of(content) or "The tool failed, and said nothing of why"
        raise ToolError(text, asked["server"], asked.get("tool", ""), content=content)
    if raw:
        return {key: result[key] for key in ("content", "structuredContent") if key in result}
    if result.get("structuredContent") is not None:
        return result["structuredContent"]
    if not content:
        return None
    return content[0]["text"] if len(content) == 1 and _is_text(content[0]) else content


def _is_text(block):
    return block.get("type") == "text" and isinstance(block.get("text"), str)


def _asked(server, tool, arguments):
    _text("server", server)
    if arguments is None and tool is not None and not isinstance(tool, str):
        tool, arguments = None, tool
    asked = {"server": server}
    if tool is not None:
        asked["tool"] = _text("tool", tool)
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, Mapping):
        raise TypeError(f"The arguments of a tool are a dict, not {type(arguments).__name__}")
    from ._values import BadResult, to_json

    try:
        asked["arguments"] = to_json(dict(arguments))
    except BadResult as error:
        problem = error.message.removeprefix("Result ").replace("; return ", "; give ")
        raise ToolError(f"Arguments {problem}", server, asked.get("tool", ""), "INVALID_ARGUMENTS") from error.__cause__
    return asked


def _text(name, value):
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {type(value).__name__}")
    return value


def _ask(method, params):
    try:
        return _run.asker().ask(method, params)
    except Refused as refusal:
        raise _tool_error(refusal, params) from None


async def _ask_async(method, params):
    try:
        return await _run.asker().ask_async(method, params)
    except Refused as refusal:
        raise _tool_error(refusal, params) from None


def _tool_error(refusal, params):
    return ToolError(str(refusal), params.get("server", ""), params.get("tool", ""), refusal.code)

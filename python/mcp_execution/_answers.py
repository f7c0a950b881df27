"""What an answer of an MCP server holds, for scripts that look at it."""

from __future__ import annotations

import json
from typing import Any

from ._run import context


def text() -> str:
    """All text of the answer, joined by line breaks."""
    response = context.get("response") or {}
    blocks = response.get("content") or response.get("contents") or response.get("messages") or ()
    return "\n".join(part for block in blocks for part in _texts_of(block)) if isinstance(blocks, list) else ""


def data() -> Any:
    """What the tool returned: its structured content, else its text decoded as JSON."""
    response = context.get("response") or {}
    structured = response.get("structuredContent")
    if structured is not None:
        return structured
    try:
        return json.loads(text())
    except ValueError as error:
        raise ValueError(f"data: the answer has no structuredContent, and {_why_no_json(response, error)}") from None


def _why_no_json(response: Any, error: ValueError) -> str:
    if response.get("error"):
        return "it is an error"
    said = text()
    return f"its text is no JSON: {error}" if said else "it has no text"


def _texts_of(block: Any) -> list[str]:
    if not isinstance(block, dict):
        return []
    inner = block.get("content")
    if isinstance(inner, list):
        return [text for each in inner for text in _texts_of(each)]
    if isinstance(inner, dict):
        block = inner
    if isinstance(block.get("resource"), dict):
        block = block["resource"]
    text = block.get("text")
    return [text] if isinstance(text, str) else []

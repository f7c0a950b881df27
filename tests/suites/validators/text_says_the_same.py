"""The text of an answer is its structured content, for clients that know only text."""

import json

from mcp_execution.validation import context, data, equal, text

equal(json.loads(text()), data(), "text and structured content differ")
equal(context["metadata"]["server_info"]["name"], "mcp-servers/everything")

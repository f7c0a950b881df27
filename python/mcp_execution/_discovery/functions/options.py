"""What `@tool(...)` says, as far as the source says it outright."""

from _ast import Call

from ..source.syntax import last_name
from ..values.static import NotStatic, json_value, static_value

_SHORTHANDS = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}
_KINDS = {
    "name": str,
    "title": str,
    "description": str,
    "annotations": dict,
    "hidden": list,
    "input_schema": dict,
    "output_schema": dict,
    "enabled": bool,
    **{word: bool for word in _SHORTHANDS},
}


class Options:
    """The keywords of `@tool`, and sentences about those that cannot be used."""

    __slots__ = ("said", "degraded")

    def __init__(self):
        self.said = {}
        self.degraded = []

    def get(self, word, default=None):
        return self.said.get(word, default)

    @property
    def hidden(self):
        return tuple(self.said.get("hidden", ()))

    @property
    def annotations(self):
        annotations = dict(self.said.get("annotations", {}))
        annotations.update((key, self.said[word]) for word, key in _SHORTHANDS.items() if word in self.said)
        return annotations


def is_tool_decorator(decorator, module):
    target = decorator.func if isinstance(decorator, Call) else decorator
    if last_name(target) is None:
        return False
    return module.unfollowed(target).name == "mcp_execution.tool"


def read_options(decorator, module):
    options = Options()
    if not isinstance(decorator, Call):
        return options
    words = {keyword.arg: keyword.value for keyword in decorator.keywords}
    if None in words:
        del words[None]
        options.degraded.append("@tool(**…) is only known when it runs; write its keywords out.")
    if decorator.args:
        words.setdefault("name", decorator.args[0])
    for word, node in words.items():
        _read(options, word, node, module)
    return options


def _read(options, word, node, module):
    kind = _KINDS.get(word)
    if kind is None:
        options.degraded.append(f"@tool has no keyword {word!r}; it has {', '.join(_KINDS)}.")
        return
    try:
        value = json_value(static_value(node, module))
    except NotStatic:
        options.degraded.append(f"@tool({word}=…) is only known when it runs; write it as a literal.")
        return
    if value is None:
        return
    if not isinstance(value, kind) or (word == "hidden" and not all(isinstance(item, str) for item in value)):
        options.degraded.append(f"@tool({word}=…) is not of the right type, so it is not used.")
        return
    options.said[word] = value


def usable_input_schema(schema):
    return schema.get("type") == "object" and isinstance(schema.get("properties", {}), dict)

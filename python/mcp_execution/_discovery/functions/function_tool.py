"""One function as a tool: its names and words, its schemas, and what is to be said of it."""

from ..docstrings.docstrings import parse_docstring
from ..docstrings.written import docstring_of
from ..naming import readable, sentence_of
from ..schema.scope import Scope
from ..schema.variables import declared_variables
from .options import Options, usable_input_schema
from .returns import RESULT_KEY, output_schema
from .signature import input_schema, parameters_of

_NOTHING_SAID = Options()


def function_tool(name, binding, marks, is_exported, module, body):
    """`marks` is what its decorators say, `body` what stands in it; the caller adds the script's path."""
    node = binding.node
    options = marks.options or _NOTHING_SAID
    scope = Scope(module)
    scope = scope.with_variables(declared_variables(node, scope))
    doc = parse_docstring(docstring_of(node))
    schema, degraded = _input(options, node, scope, doc)
    description = options.get("description") or doc.description
    if not description:
        description = _comment_above(node, module) or sentence_of(name, list(schema.get("properties", ())))
        degraded.append("It has no docstring; write one that says what it does and what each parameter means.")
    tool = {"name": options.get("name") or name}
    title = options.get("title") or readable(name)
    if " " in title or options.get("title"):
        tool["title"] = title
    tool["description"] = description
    tool["inputSchema"] = schema
    tool.update(_output(options, node, scope, doc, body.yields))
    if options.annotations:
        tool["annotations"] = options.annotations
    tool["run"] = {"kind": "function", "script": "", "function": name}
    against = _against(options, node)
    tool["enabled"] = against is None
    tool["why"] = f"{against or _why(marks.options, is_exported)}."
    degraded = marks.degraded + degraded + _doubts(binding)
    if degraded:
        tool["degraded"] = list(dict.fromkeys(degraded))
    if body.changes:
        tool["warnings"] = [_warning(body.changes)]
    tool["line"] = node.lineno
    return tool


def _input(options, node, scope, doc):
    schema, degraded = input_schema(node, scope, doc, options.hidden)
    said = options.get("input_schema")
    if said is None:
        return schema, degraded
    if usable_input_schema(said):
        return said, []
    refused = '@tool(input_schema=…) is no schema of an object, so it is not used; write {"type": "object", "properties": {…}}.'
    return schema, [*degraded, refused]


def _against(options, node):
    """Why a call of the tool could not work or is not wanted."""
    if options.get("enabled") is False:
        return "@tool(enabled=False) turns it off"
    parameters = {parameter.name: parameter for parameter in parameters_of(node)}
    for name in options.hidden:
        parameter = parameters.get(name)
        if parameter is None:
            return f"@tool hides {name}, which is no parameter of it"
        if parameter.default is None and parameter.kind == "named":
            return f"@tool hides {name}, which has no default; give it one"
    return None


def _doubts(binding):
    doubts = []
    if binding.maybe:
        doubts.append("It is defined on one way only through an `if` or `try`; what runs may be another one.")
    if binding.wrapped:
        doubts.append("It is wrapped after its definition; its signature is given as it is written.")
    return doubts


def _why(options, is_exported):
    if options is not None:
        return "It is marked with @tool"
    return "`__all__` names it" if is_exported else "It is a public function at the top level"


def _output(options, node, scope, doc, is_generator):
    said = options.get("output_schema")
    if said is None:
        return output_schema(node, scope, doc, is_generator) or {}
    if said.get("type") == "object":
        return {"outputSchema": said}
    return {
        "outputSchema": {"type": "object", "properties": {RESULT_KEY: said}, "required": [RESULT_KEY]},
        "resultKey": RESULT_KEY,
    }


def _comment_above(node, module):
    """The comment right above the function, or above its decorators."""
    lines = module.source.lines
    first = min((decorator.lineno for decorator in node.decorator_list), default=node.lineno)
    found = []
    at = first - 2
    while at >= 0 and lines[at].lstrip().startswith("#"):
        found.append(lines[at].strip().lstrip("#").strip())
        at -= 1
    if found and (found[-1].startswith(("!", "-*-", "/// ", "type:", "noqa", "pylint", "%%")) or at < 0 and len(found) > 8):
        return None
    text = " ".join(line for line in reversed(found) if line.strip("-=*#~ "))
    return text or None


def _warning(changes):
    names = [f"`{name}`" for name in changes]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return (
        f"changes the module's {listed}; each call runs in a process of its own, so this is forgotten after it; "
        "serve with --isolation session to keep it"
    )

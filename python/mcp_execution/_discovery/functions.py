"""A module's functions as tools, and a reason for each one that is none."""

from _ast import Call, Lambda, Name

from .body import module_state, read_body
from .decorators import read_decorators
from .docstrings import docstring_of, parse_docstring
from .naming import readable, sentence_of, tool_name
from .options import usable_input_schema
from .returns import RESULT_KEY, output_schema
from .schema.scope import Scope
from .schema.variables import declared_variables
from .signature import input_schema, parameters_of

_SPECIAL = ("__getattr__", "__dir__")


class Functions:
    def __init__(self, module, claimed):
        self.module = module
        self.bindings = module.bindings
        self.claimed = claimed
        self.tools = []
        self.left_out = []
        self._state = module_state(module.bindings)
        self._names = set()
        self._find()

    def _find(self):
        exported = self.bindings.exported.names
        chosen = frozenset(exported or ())
        for name, binding in self.bindings.names.items():
            if binding.kind == "function":
                self._consider(name, binding, exported is not None, chosen)
            elif binding.kind == "class":
                self._leave_out_class(name, binding)
            elif binding.kind == "value":
                self._consider_value(name, binding, chosen)
            elif binding.kind == "from":
                self._leave_out_import(name, binding, chosen)
        for name, binding in self.bindings.overwritten:
            self._leave_out(name, binding.line, "its name stands for something else by the end of the script", "Give it a name of its own")
        for node in self.bindings.in_main_block:
            if hasattr(node, "args") and hasattr(node, "name"):
                self._leave_out(node.name, node.lineno, "it is defined in the main block, which an import does not run", "Define it above the main block")

    def _consider(self, name, binding, has_exports, chosen):
        node = binding.node
        marks = read_decorators(node, self.module)
        if marks.options is None:
            if name in self.claimed:
                self._leave_out(name, node.lineno, self.claimed[name], "Mark it with @tool from mcp_execution to offer it as a function too")
                return
            reason, change = self._reason_against(name, binding, marks, has_exports, chosen)
            if reason:
                self._leave_out(name, node.lineno, reason, change)
                return
        elif binding.only_for_types or name.startswith("__") or name in _SPECIAL:
            self._leave_out(name, node.lineno, "a call cannot reach it by this name", "Give it a name without two leading underscores")
            return
        self.tools.append(self._tool(name, binding, marks, name in chosen))

    def _reason_against(self, name, binding, marks, has_exports, chosen):
        if binding.only_for_types:
            return "it is defined for type checkers only", "Define it outside of `if TYPE_CHECKING`"
        if name.startswith("__"):
            return "Python itself calls it", None
        if has_exports and name not in chosen:
            if self.bindings.exported.is_whole or not self.bindings.exported.names:
                if self.bindings.exported.is_whole:
                    return "`__all__` does not name it", f"Add {name!r} to `__all__`, or mark it with @tool from mcp_execution"
        if name.startswith("_") and name not in chosen:
            return "its name begins with an underscore", "Rename it, or mark it with @tool from mcp_execution"
        return marks.against or (None, None)

    def _consider_value(self, name, binding, chosen):
        if isinstance(binding.value, Name) and name in chosen:
            target = self.module.name(name)
            if target.kind == "function":
                marks = read_decorators(target.node, target.module)
                if marks.against is None:
                    self.tools.append(self._tool(name, target.binding, marks, True, target.module))
                return
        if isinstance(binding.value, Lambda) and not name.startswith("_"):
            self._leave_out(name, binding.line, "it is a lambda, which says nothing of its types", f"Write it as `def {name}(…):`")
        elif isinstance(binding.value, Call) and not name.startswith("_"):
            func = binding.value.func
            if (getattr(func, "id", None) or getattr(func, "attr", None)) in ("partial", "partialmethod"):
                self._leave_out(name, binding.line, "it is a partial call of another function", f"Write it as `def {name}(…):`")

    def _leave_out_class(self, name, binding):
        if name.startswith("_"):
            return
        methods = [
            node.name for node in binding.node.body if hasattr(node, "args") and hasattr(node, "name") and not node.name.startswith("_")
        ]
        if methods:
            words = "its method is no tool" if len(methods) == 1 else f"its {len(methods)} methods are no tools"
            self._leave_out(name, binding.line, f"it is a class; {words}", f"Write a function that makes a {name} and calls {methods[0]}()")
        else:
            self._leave_out(name, binding.line, "it is a class", None)

    def _leave_out_import(self, name, binding, chosen):
        if name in chosen and self.module.name(name).kind != "class":
            file = f"{(binding.node.module or '').rpartition('.')[2]}.py"
            self._leave_out(name, binding.line, "it is imported", f"Serve {file} too, or write a function that calls it")

    def _leave_out(self, name, line, why, change):
        entry = {"name": name, "line": line, "why": why}
        if change:
            entry["change"] = change
        self.left_out.append(entry)

    def _tool(self, name, binding, marks, is_exported, module=None):
        module = module or self.module
        node = binding.node
        options = marks.options
        scope = Scope(module)
        scope = scope.with_variables(declared_variables(node, scope))
        doc = parse_docstring(docstring_of(node))
        body = read_body(node, module.source.text_of(node), self._state)
        self._note_nested(name, body.nested)
        degraded = list(marks.degraded)
        enabled, why = True, _why(options, is_exported)
        hidden = options.hidden if options else ()
        schema, unknown = input_schema(node, scope, doc, hidden)
        if hidden:
            unhideable = _unhideable(node, hidden)
            if unhideable:
                enabled, why = False, unhideable
        said = options.get("input_schema") if options else None
        if said is not None and usable_input_schema(said):
            schema = said
        else:
            degraded += unknown
            if said is not None:
                degraded.append('@tool(input_schema=…) is no schema of an object, so it is not used; write {"type": "object", "properties": {…}}.')
        description = (options and options.get("description")) or doc.description
        if not description:
            description = _comment_above(node, module) or sentence_of(name, list(schema.get("properties", ())))
            degraded.append("It has no docstring; write one that says what it does and what each parameter means.")
        tool = {"name": self._free_name((options and options.get("name")) or name)}
        title = (options and options.get("title")) or readable(name)
        if " " in title or (options and options.get("title")):
            tool["title"] = title
        tool["description"] = description
        tool["inputSchema"] = schema
        tool.update(_output(options, node, scope, doc, body.yields))
        if options and options.annotations:
            tool["annotations"] = options.annotations
        if options and options.get("enabled") is False:
            enabled, why = False, "@tool(enabled=False) turns it off"
        if binding.maybe:
            degraded.append("It is defined on one way only through an `if` or `try`; what runs may be another one.")
        if binding.wrapped:
            degraded.append("It is wrapped after its definition; its signature is given as it is written.")
        tool["run"] = {"kind": "function", "script": self.module.source.path, "function": name}
        tool["enabled"] = enabled
        tool["why"] = f"{why}."
        if degraded:
            tool["degraded"] = list(dict.fromkeys(degraded))
        if body.changes:
            tool["warnings"] = [_warning(body.changes)]
        tool["line"] = node.lineno
        return tool

    def _free_name(self, wanted):
        name = tool_name(wanted)
        number = 2
        while name in self._names:
            name, number = tool_name(f"{wanted}_{number}"), number + 1
        self._names.add(name)
        return name

    def _note_nested(self, owner, nested):
        for node in nested:
            self._leave_out(f"{owner}.{node.name}", node.lineno, f"it is defined within {owner}", "Define it at the top level")


def _why(options, is_exported):
    if options is not None:
        return "It is marked with @tool"
    return "`__all__` names it" if is_exported else "It is a public function at the top level"


def _unhideable(node, hidden):
    parameters = {parameter.name: parameter for parameter in parameters_of(node)}
    for name in hidden:
        parameter = parameters.get(name)
        if parameter is None:
            return f"@tool hides {name}, which is no parameter of it"
        if parameter.default is None and parameter.kind == "named":
            return f"@tool hides {name}, which has no default; give it one"
    return None


def _output(options, node, scope, doc, is_generator):
    said = options.get("output_schema") if options else None
    if said is None:
        return output_schema(node, scope, doc, is_generator) or {}
    if said.get("type") == "object":
        return {"outputSchema": said}
    return {"outputSchema": {"type": "object", "properties": {RESULT_KEY: said}, "required": [RESULT_KEY]}, "resultKey": RESULT_KEY}


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



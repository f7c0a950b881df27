"""A module's functions as tools, and a reason for each one that is none."""

from _ast import Call, Lambda, Name

from ..naming import keep_apart, tool_name
from ..source.syntax import last_name
from .body import module_state, read_body
from .decorators import read_decorators
from .function_tool import function_tool

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
            self._leave_out(
                name, binding.line, "its name stands for something else by the end of the script", "Give it a name of its own"
            )
        for node in self.bindings.in_main_block:
            if hasattr(node, "args") and hasattr(node, "name"):
                self._leave_out(
                    node.name,
                    node.lineno,
                    "it is defined in the main block, which an import does not run",
                    "Define it above the main block",
                )

    def _consider(self, name, binding, has_exports, chosen):
        node = binding.node
        marks = read_decorators(node, self.module)
        if marks.options is None:
            if name in self.claimed:
                self._leave_out(
                    name, node.lineno, self.claimed[name], "Mark it with @tool from mcp_execution to offer it as a function too"
                )
                return
            reason, change = self._reason_against(name, binding, marks, has_exports, chosen)
            if reason:
                self._leave_out(name, node.lineno, reason, change)
                return
        elif binding.only_for_types or name.startswith("__") or name in _SPECIAL:
            self._leave_out(
                name, node.lineno, "a call cannot reach it by this name", "Give it a name without two leading underscores"
            )
            return
        self._add(name, binding, marks, name in chosen, self.module)

    def _reason_against(self, name, binding, marks, has_exports, chosen):
        if binding.only_for_types:
            return "it is defined for type checkers only", "Define it outside of `if TYPE_CHECKING`"
        if name.startswith("__"):
            return "Python itself calls it", None
        if has_exports and name not in chosen and self.bindings.exported.is_whole:
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
                    self._add(name, target.binding, marks, True, target.module)
                return
        if isinstance(binding.value, Lambda) and not name.startswith("_"):
            self._leave_out(
                name, binding.line, "it is a lambda, which says nothing of its types", f"Write it as `def {name}(…):`"
            )
        elif isinstance(binding.value, Call) and not name.startswith("_"):
            if last_name(binding.value.func) in ("partial", "partialmethod"):
                self._leave_out(name, binding.line, "it is a partial call of another function", f"Write it as `def {name}(…):`")

    def _leave_out_class(self, name, binding):
        if name.startswith("_"):
            return
        methods = [
            node.name
            for node in binding.node.body
            if hasattr(node, "args") and hasattr(node, "name") and not node.name.startswith("_")
        ]
        if methods:
            words = "its method is no tool" if len(methods) == 1 else f"its {len(methods)} methods are no tools"
            self._leave_out(
                name, binding.line, f"it is a class; {words}", f"Write a function that makes a {name} and calls {methods[0]}()"
            )
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

    def _add(self, name, binding, marks, is_exported, module):
        body = read_body(binding.node, module.source.text_of(binding.node), self._state)
        for node in body.nested:
            self._leave_out(f"{name}.{node.name}", node.lineno, f"it is defined within {name}", "Define it at the top level")
        tool = function_tool(name, binding, marks, is_exported, module, body)
        tool["name"] = keep_apart(tool_name(tool["name"]), self._names)
        tool["run"]["script"] = self.module.source.path
        self.tools.append(tool)

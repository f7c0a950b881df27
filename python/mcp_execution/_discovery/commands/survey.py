"""One look at the top level of a script: what it imports and defines, and what it does when it is run."""

from _ast import AST, Assign, AsyncFunctionDef, Await, Call, ClassDef, FunctionDef, Import, ImportFrom, Name

from ..docstrings.written import docstring_of
from ..source.conditions import truth_of
from ..source.statement_walk import StatementWalk
from ..source.syntax import imports_of, last_name

_DEFINITIONS = (FunctionDef, AsyncFunctionDef, ClassDef)
# Calls that prepare a module, as libraries make them too when they are imported.
_PREPARING = {
    "append", "add", "add_typer", "add_command", "basicConfig", "bindtextdomain", "clear", "disable_warnings", "extend", "filterwarnings",
    "freeze", "insert", "install", "load_dotenv", "option_context", "register", "register_at_fork", "rebuild", "model_rebuild",
    "set_option", "set_page_config", "setdefault", "setattr", "setLevel", "setlocale", "set_start_method", "seed", "simplefilter", "textdomain",
    "update", "update_forward_refs", "use", "warn", "warn_explicit", "register_dialect", "register_namespace", "deprecated", "_deprecated", "addHandler", "captureWarnings", "add_argument", "set_defaults", "delattr", "globals", "exec",
}  # fmt: skip


class Survey(StatementWalk):
    def __init__(self, tree):
        self.tree = tree
        self.docstring = docstring_of(tree)
        self.imports = {}
        self.functions = {}
        #: With those whose name was given away again.
        self.all_functions = []
        self.classes = {}
        self.main_block = []
        self.main_line = None
        self.work = []
        self.assignments = {}
        self.walk(tree.body, True)

    def on_import(self, node, surely):
        self.imports.update(imports_of(node))

    on_import_from = on_import

    def on_function(self, node, surely):
        self.functions[node.name] = node
        self.all_functions.append(node)

    def on_class(self, node, surely):
        self.classes[node.name] = node

    def on_assign(self, node, surely):
        targets = node.targets if isinstance(node, Assign) else [node.target]
        for target in targets:
            if isinstance(target, Name) and node.value is not None:
                self.assignments.setdefault(target.id, []).append(node.value)
        if isinstance(node.value, (Call, Await)):
            self.work.append(Work(node.value, surely, assigned=True))

    on_annotated = on_augmented = on_assign

    def on_expression(self, node, surely):
        if isinstance(node.value, (Call, Await)):
            self.work.append(Work(node.value, surely))

    def on_if(self, node, surely):
        outcome = truth_of(node.test)
        if outcome == "main":
            self.main_block += node.body
            self.main_line = self.main_line or node.lineno
            _read_imports_below(node.body, self.imports)
            self.walk(node.orelse, surely)
        elif outcome == "types":
            _read_imports_below(node.body, self.imports)
            self.walk(node.orelse, surely)
        else:
            if outcome is not False:
                self.walk(node.body, False)
            if outcome is not True:
                self.walk(node.orelse, False)

    def on_try(self, node, surely):
        self.walk(node.body, surely)
        for handler in node.handlers:
            _read_imports_below(handler.body, self.imports)
        self.walk(node.orelse, surely)
        self.walk(node.finalbody, surely)

    def on_for(self, node, surely):
        self.walk(node.body, surely)

    on_while = on_with = on_for

    def on_match(self, node, surely):
        for case in node.cases:
            self.walk(case.body, False)


class Work:
    """A call that happens whenever the file is run or imported."""

    def __init__(self, call, surely, assigned=False):
        inner = call.value if isinstance(call, Await) else call
        self.call = call
        self.line = call.lineno
        self.assigned = assigned
        #: Not only in some cases.
        self.surely = surely
        self.name = last_name(inner.func) if isinstance(inner, Call) else None
        self.prepares = self.name in _PREPARING or (self.name or "").startswith("__")


def _read_imports_below(statements, imports):
    stack = list(statements)
    while stack:
        node = stack.pop()
        if isinstance(node, (Import, ImportFrom)):
            imports.update(imports_of(node))
        elif not isinstance(node, _DEFINITIONS):
            for name in ("body", "orelse", "finalbody", "handlers"):
                stack.extend(child for child in getattr(node, name, ()) if isinstance(child, AST))

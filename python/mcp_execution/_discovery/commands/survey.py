"""One look at the top level of a script: what it imports and defines, and what it does when it is run."""

from _ast import (
    AST,
    AnnAssign,
    Assign,
    AsyncFor,
    AsyncFunctionDef,
    AsyncWith,
    AugAssign,
    Await,
    Call,
    ClassDef,
    Constant,
    Expr,
    For,
    FunctionDef,
    If,
    Import,
    ImportFrom,
    Match,
    Name,
    Raise,
    Try,
    While,
    With,
)

from ..conditions import truth_of

try:
    from _ast import TryStar
except ImportError:
    TryStar = Try

_DEFINITIONS = (FunctionDef, AsyncFunctionDef, ClassDef)
# Calls that prepare a module, as libraries make them too when they are imported.
_PREPARING = {
    "append", "add", "add_typer", "add_command", "basicConfig", "bindtextdomain", "clear", "disable_warnings", "extend", "filterwarnings",
    "freeze", "insert", "install", "load_dotenv", "option_context", "register", "register_at_fork", "rebuild", "model_rebuild",
    "set_option", "set_page_config", "setdefault", "setattr", "setLevel", "setlocale", "set_start_method", "seed", "simplefilter", "textdomain",
    "update", "update_forward_refs", "use", "warn", "warn_explicit", "register_dialect", "register_namespace", "deprecated", "_deprecated", "addHandler", "captureWarnings", "add_argument", "set_defaults", "delattr", "globals", "exec",
}  # fmt: skip


class Survey:
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
        self._read(tree.body, True)

    def _read(self, statements, surely):
        for node in statements:
            handler = _HANDLERS.get(type(node))
            if handler is not None:
                handler(self, node, surely)

    def _import(self, node, surely):
        read_imports(node, self.imports)

    def _function(self, node, surely):
        self.functions[node.name] = node
        self.all_functions.append(node)

    def _class(self, node, surely):
        self.classes[node.name] = node

    def _assign(self, node, surely):
        targets = node.targets if isinstance(node, Assign) else [node.target]
        for target in targets:
            if isinstance(target, Name) and node.value is not None:
                self.assignments.setdefault(target.id, []).append(node.value)
        if isinstance(node.value, (Call, Await)):
            self.work.append(Work(node.value, surely, assigned=True))

    def _expression(self, node, surely):
        if isinstance(node.value, (Call, Await)):
            self.work.append(Work(node.value, surely))

    def _if(self, node, surely):
        outcome = truth_of(node.test)
        if outcome == "main":
            self.main_block += node.body
            self.main_line = self.main_line or node.lineno
            read_imports_below(node.body, self.imports)
            self._read(node.orelse, surely)
        elif outcome == "types":
            read_imports_below(node.body, self.imports)
            self._read(node.orelse, surely)
        else:
            if outcome is not False:
                self._read(node.body, False)
            if outcome is not True:
                self._read(node.orelse, False)

    def _try(self, node, surely):
        self._read(node.body, surely)
        for handler in node.handlers:
            read_imports_below(handler.body, self.imports)
        self._read(node.orelse, surely)
        self._read(node.finalbody, surely)

    def _loop(self, node, surely):
        self._read(node.body, surely)

    def _with(self, node, surely):
        self._read(node.body, surely)

    def _match(self, node, surely):
        for case in node.cases:
            self._read(case.body, False)


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


def read_imports(node, imports):
    if isinstance(node, Import):
        for alias in node.names:
            first = alias.name.partition(".")[0]
            imports[alias.asname or first] = alias.name if alias.asname else first
    else:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            imports[alias.asname or alias.name] = f"{module}.{alias.name}"


def read_imports_below(statements, imports):
    stack = list(statements)
    while stack:
        node = stack.pop()
        if isinstance(node, (Import, ImportFrom)):
            read_imports(node, imports)
        elif not isinstance(node, _DEFINITIONS):
            for name in ("body", "orelse", "finalbody", "handlers"):
                stack.extend(child for child in getattr(node, name, ()) if isinstance(child, AST))


def docstring_of(node):
    text = raw_docstring_of(node)
    return None if text is None else clean(text)


def raw_docstring_of(node):
    first = node.body[0] if node.body else None
    if isinstance(first, Expr) and isinstance(first.value, Constant) and isinstance(first.value.value, str):
        return first.value.value
    return None


def clean(text):
    """The text without the indentation that its place in the code gave it."""
    lines = text.expandtabs().split("\n")
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(margins, default=0)
    return "\n".join([lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])]).strip()


def last_name(node):
    return getattr(node, "attr", None) or getattr(node, "id", None)


_HANDLERS = {
    Import: Survey._import,
    ImportFrom: Survey._import,
    FunctionDef: Survey._function,
    AsyncFunctionDef: Survey._function,
    ClassDef: Survey._class,
    Assign: Survey._assign,
    AnnAssign: Survey._assign,
    AugAssign: Survey._assign,
    Expr: Survey._expression,
    If: Survey._if,
    Try: Survey._try,
    TryStar: Survey._try,
    For: Survey._loop,
    AsyncFor: Survey._loop,
    While: Survey._loop,
    With: Survey._with,
    AsyncWith: Survey._with,
    Match: Survey._match,
    Raise: lambda survey, node, surely: None,
}


def calls_of(nodes):
    """Every call in the statements or expressions, in no particular order."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if type(node) is Call:
            yield node
        for field in node._fields:
            value = getattr(node, field, None)
            if type(value) is list:
                stack.extend(item for item in value if isinstance(item, AST))
            elif isinstance(value, AST):
                stack.append(value)

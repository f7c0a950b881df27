"""What importing a script does besides defining things: nothing worth a word, something mild, or the script's whole work."""

from _ast import (
    AnnAssign,
    Assert,
    Assign,
    AsyncFunctionDef,
    Attribute,
    AugAssign,
    Await,
    Call,
    ClassDef,
    Constant,
    Expr,
    For,
    FunctionDef,
    If,
    IfExp,
    Import,
    ImportFrom,
    Lambda,
    Match,
    Name,
    Raise,
    Return,
    Subscript,
    Try,
    While,
    With,
)

from .bindings import TryStar
from .conditions import truth_of
from .modules import dotted_name

_MOST_WORDS = 12
_DEEPEST_CALLS = 4

#: Names of functions whose call at the top level is the program itself.
_PROGRAM = frozenset({"main", "_main", "__main__", "amain", "async_main", "main_async", "cli", "run_main", "cli_main", "run_cli", "entry_point", "entrypoint"})
#: Methods that run until the program is over, whatever object they are called on.
_RUNS = {
    "mainloop": "runs an event loop",
    "serve_forever": "serves forever",
    "run_forever": "runs forever",
    "run_until_complete": "runs an event loop",
    "run_polling": "polls forever",
    "start_polling": "polls forever",
    "infinity_polling": "polls forever",
    "polling": "polls forever",
    "parse_args": "reads the command line",
    "parse_known_args": "reads the command line",
    "start_server": "serves forever",
    "write_text": "writes a file",
    "write_bytes": "writes a file",
    "to_csv": "writes a file",
    "to_excel": "writes a file",
    "to_parquet": "writes a file",
    "to_sql": "writes to a database",
    "savefig": "writes a file",
    "rmtree": "removes files",
    "unlink": "removes files",
    "sendmail": "sends mail",
    "send_message": "sends messages",
}
_WORK = {
    "sys.exit": "ends the process",
    "builtins.exit": "ends the process",
    "builtins.quit": "ends the process",
    "os._exit": "ends the process",
    "os.abort": "ends the process",
    "builtins.input": "asks for input",
    "getpass.getpass": "asks for input",
    "asyncio.run": "runs an event loop",
    "trio.run": "runs an event loop",
    "anyio.run": "runs an event loop",
    "uvicorn.run": "serves forever",
    "unittest.main": "runs tests",
    "doctest.testmod": "runs tests",
    "pytest.main": "runs tests",
    "fire.Fire": "reads the command line",
    "typer.run": "reads the command line",
    "docopt.docopt": "reads the command line",
    "absl.app.run": "reads the command line",
    "os.system": "runs a command",
    "subprocess.run": "runs a command",
    "subprocess.call": "runs a command",
    "subprocess.check_call": "runs a command",
    "subprocess.Popen": "runs a command",
    "os.remove": "removes files",
    "os.unlink": "removes files",
    "os.rename": "renames files",
    "os.replace": "renames files",
    "os.rmdir": "removes folders",
    "os.removedirs": "removes folders",
    "shutil.rmtree": "removes files",
    "shutil.move": "moves files",
    "shutil.copy": "copies files",
    "shutil.copyfile": "copies files",
    "shutil.copy2": "copies files",
    "shutil.copytree": "copies files",
    "time.sleep": "waits",
}
#: What is no harm to the functions, but must not happen ahead of a call.
_MILD = {
    "builtins.print": "prints",
    "builtins.open": "opens a file",
    "io.open": "opens a file",
    "builtins.exec": "runs code that is made as it runs",
    "builtins.eval": "runs code that is made as it runs",
    "sqlite3.connect": "opens a database",
    "socket.socket": "opens a socket",
    "socket.create_connection": "opens a socket",
    "urllib.request.urlopen": "reads from the network",
    "urllib.request.urlretrieve": "reads from the network",
    "subprocess.check_output": "runs a command",
    "subprocess.getoutput": "runs a command",
    "subprocess.run": "runs a command",
    "subprocess.Popen": "runs a command",
    "multiprocessing.Pool": "starts processes",
    "os.fork": "starts processes",
    "os.chdir": "changes the working folder",
    "os.makedirs": "makes folders",
    "os.mkdir": "makes folders",
    "pandas.read_csv": "reads a file",
    "pandas.read_excel": "reads a file",
    "pandas.read_parquet": "reads a file",
    "pandas.read_json": "reads a file",
    "numpy.load": "reads a file",
    "torch.load": "reads a file",
    "joblib.load": "reads a file",
    "nltk.download": "reads from the network",
    "time.sleep": "waits",
    **{f"{library}.{method}": "reads from the network" for library in ("requests", "httpx") for method in ("get", "post", "put", "patch", "delete", "head", "request")},
}
#: Statements such as these set a module up, as libraries do too.
_SETS_UP = frozenset(
    "append extend insert update setdefault add register register_at_fork setLevel addHandler addFilter basicConfig dictConfig fileConfig captureWarnings "
    "filterwarnings simplefilter disable_warnings load_dotenv set_option use set_theme set_style set_page_config setlocale setrecursionlimit "
    "seed manual_seed set_seed add_argument add_mutually_exclusive_group add_subparsers set_defaults add_parser add_command add_typer command include_router add_middleware "
    "add_url_rule register_blueprint mount init_app model_rebuild update_forward_refs rebuild set_start_method bindtextdomain textdomain install "
    "signal setattr delattr freeze enable disable clear discard remove pop addLevelName set_num_threads configure config setup close "
    "reconfigure namedtuple add_type guess_type init require_version setitimer disable_eager_execution write_through".split()
)

_ABOUT_STREAMS = frozenset({"isatty", "fileno", "encoding", "reconfigure", "errors", "name", "closed"})


class Effects:
    """`work` runs the program; `mild` does less. Both in words, with the line."""

    __slots__ = ("work", "mild")

    def __init__(self):
        self.work = []
        self.mild = []

    @property
    def words(self):
        return list(dict.fromkeys(self.work + self.mild))[:_MOST_WORDS]


def import_effects(module):
    reader = _Reader(module)
    reader.read(module.source.tree.body)
    return reader.effects


class _Reader:
    def __init__(self, module):
        self.module = module
        self.effects = Effects()
        self._inside = []
        self._guards = 0
        self._known = {}

    def read(self, statements):
        for node in statements:
            kind = type(node)
            if kind in _QUIET:
                continue
            if kind is Expr:
                if type(node.value) is not Constant:
                    self._expression(node.value, is_statement=True)
            elif kind in (Assign, AnnAssign, AugAssign, Return):
                if node.value is not None:
                    self._expression(node.value, is_statement=False)
            elif kind is If:
                self._if(node)
            elif kind in (Try, TryStar):
                self._guards += 1
                self.read(node.body)
                self._guards -= 1
                self.read(node.orelse)
                self.read(node.finalbody)
            elif kind is With:
                self._with(node)
            elif kind is For:
                self._expression(node.iter, is_statement=False)
                self.read(node.body)
            elif kind is While:
                self._while(node)
            elif kind is Match:
                for case in node.cases:
                    self.read(case.body)
            elif kind is Raise:
                self._raise(node)

    def _if(self, node):
        outcome = truth_of(node.test)
        if outcome not in ("main", "types", False):
            self._expression(node.test, is_statement=False)
            if not _only_ends_on_old_python(node):
                self._guards += 1
                self.read(node.body)
                self._guards -= 1
        if outcome is not True:
            self.read(node.orelse)

    def _with(self, node):
        for item in node.items:
            self._expression(item.context_expr, is_statement=False)
        self.read(node.body)

    def _while(self, node):
        if type(node.test) is Constant and node.test.value and not _leaves(node.body):
            self._work(node, "loops forever")
        self.read(node.body)

    def _raise(self, node):
        name = getattr(getattr(node.exc, "func", node.exc), "id", None)
        if name == "SystemExit" and not self._inside:
            self._work(node, "ends the process")

    def _expression(self, node, is_statement):
        """Each call within, the innermost last; what a lambda or a comprehension would do later is left."""
        pending = [node]
        while pending:
            node = pending.pop()
            kind = type(node)
            if kind is Call:
                self._call(node, is_statement)
                is_statement = False
                pending.append(node.func)
                pending += node.args
                pending += [keyword.value for keyword in node.keywords]
            elif kind is Attribute:
                if node.attr == "stdin" and dotted_name(node) == "sys.stdin":
                    self._work(node, "reads standard input (sys.stdin)")
                elif node.attr not in _ABOUT_STREAMS:
                    pending.append(node.value)
            elif kind is Subscript:
                if self._is_word_of_command_line(node):
                    self._work(node, "reads the command line (sys.argv)")
                pending += [node.value, node.slice]
            elif kind is IfExp:
                pending.append(node.test)
            elif kind is Await:
                self._work(node, "awaits at the top level")
            elif kind is not Lambda and kind is not Constant and kind is not Name:
                for field in node._fields:
                    value = getattr(node, field, None)
                    if value.__class__ is list:
                        pending += [item for item in value if hasattr(item, "_fields")]
                    elif hasattr(value, "_fields"):
                        pending.append(value)

    def _is_word_of_command_line(self, node):
        """`sys.argv[1]`, which fails where there is no such word, unless an `if` looked first."""
        is_word = type(node.slice) is Constant and node.slice.value != 0
        return is_word and not self._guards and dotted_name(node.value) == "sys.argv"

    def _call(self, node, is_statement):
        func = node.func
        last = func.id if type(func) is Name else func.attr if type(func) is Attribute else ""
        meaning = self.module.unfollowed(func)
        name = meaning.name if meaning.kind == "external" else ""
        if meaning.kind == "function" and type(func) is Name:
            self._own_call(node, meaning, is_statement)
        elif name in _WORK and (is_statement or name not in _MILD):
            self._work(node, f"{_WORK[name]} ({dotted_name(func) or last})")
        elif name in ("builtins.open", "io.open") and _writes(node):
            self._work(node, "writes a file (open)")
        elif name in _MILD:
            self._mild(node, f"{_MILD[name]} ({dotted_name(func) or last})")
        elif last in _RUNS and type(func) is Attribute:
            self._work(node, f"{_RUNS[last]} (.{last})")
        elif last == "run" and is_statement:
            self._work(node, f"runs the program (.{last})")
        elif last == "open" and type(func) is Attribute and name == "":
            self._mild(node, "opens a file (.open)")
        elif last == "start" and is_statement:
            self._mild(node, "starts a thread or a process (.start)")
        elif is_statement and not self._inside and last and last not in _SETS_UP and not last.startswith(("add_", "set_", "register_", "_")):
            self._mild(node, f"calls {dotted_name(func) or last}()")

    def _own_call(self, node, meaning, is_statement):
        """A function of the script: the call does what its body does."""
        name = meaning.name
        if name in _PROGRAM and not self._inside:
            self._work(node, f"calls {name}()")
            return
        found = self._done_by(meaning)
        if found.work:
            self._work(node, f"calls {name}(), which {_without_line(found.work[0])}")
        elif found.mild:
            self._mild(node, f"calls {name}(), which {_without_line(found.mild[0])}")
        elif is_statement and not self._inside:
            self._mild(node, f"calls {name}()")

    def _done_by(self, meaning):
        key = id(meaning.node)
        if key in self._known:
            return self._known[key]
        effects = self._known[key] = Effects()
        if len(self._inside) < _DEEPEST_CALLS and meaning.module is self.module and not _is_generator_like(meaning.node):
            outer, self.effects = self.effects, effects
            self._inside.append(key)
            self.read(meaning.node.body)
            self._inside.pop()
            self.effects = outer
        return effects

    def _work(self, node, words):
        self.effects.work.append(f"line {node.lineno} {words}")

    def _mild(self, node, words):
        self.effects.mild.append(f"line {node.lineno} {words}")


def _without_line(words):
    return words.split(" ", 2)[2]


def _writes(call):
    mode = call.args[1] if len(call.args) > 1 else next((word.value for word in call.keywords if word.arg == "mode"), None)
    return isinstance(mode, Constant) and isinstance(mode.value, str) and any(letter in mode.value for letter in "wax+")


def _leaves(body):
    """Whether a loop has a way out; a nested loop's `break` is taken for one too."""
    pending = list(body)
    while pending:
        node = pending.pop()
        if type(node).__name__ in ("Break", "Return", "Raise"):
            return True
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            pending += getattr(node, field, None) or ()
    return False


def _only_ends_on_old_python(node):
    """`if sys.version_info < (3, 8): sys.exit(...)` and checks for a missing module."""
    return "version_info" in str(getattr(getattr(node.test, "left", None), "attr", ""))


def _is_generator_like(node):
    return isinstance(node, AsyncFunctionDef)


_QUIET = frozenset({FunctionDef, AsyncFunctionDef, ClassDef, Import, ImportFrom, Assert})

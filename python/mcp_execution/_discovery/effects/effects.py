"""What importing a script does besides defining things: nothing worth a word, something mild, or the script's whole work."""

from _ast import AsyncFunctionDef, Attribute, Await, Call, Constant, IfExp, Lambda, Name, Subscript

from ..source.conditions import truth_of
from ..source.project import dotted_name
from ..source.statement_walk import StatementWalk
from ..source.syntax import children_of, last_name
from .known import ABOUT_STREAMS, MILD, PROGRAM, RUNS, SETS_UP, WORK

_MOST_WORDS = 12
_DEEPEST_CALLS = 4


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
    reader.walk(module.source.tree.body)
    return reader.effects


class _Reader(StatementWalk):
    def __init__(self, module):
        self.module = module
        self.effects = Effects()
        self._inside = []
        self._guards = 0
        self._known = {}

    def on_expression(self, node):
        if type(node.value) is not Constant:
            self._expression(node.value, is_statement=True)

    def on_assign(self, node):
        if node.value is not None:
            self._expression(node.value, is_statement=False)

    on_annotated = on_augmented = on_return = on_assign

    def on_try(self, node):
        self._guards += 1
        self.walk(node.body)
        self._guards -= 1
        self.walk(node.orelse)
        self.walk(node.finalbody)

    def on_for(self, node):
        self._expression(node.iter, is_statement=False)
        self.walk(node.body)

    def on_match(self, node):
        for case in node.cases:
            self.walk(case.body)

    def on_if(self, node):
        outcome = truth_of(node.test)
        if outcome not in ("main", "types", False):
            self._expression(node.test, is_statement=False)
            if not _only_ends_on_old_python(node):
                self._guards += 1
                self.walk(node.body)
                self._guards -= 1
        if outcome is not True:
            self.walk(node.orelse)

    def on_with(self, node):
        for item in node.items:
            self._expression(item.context_expr, is_statement=False)
        self.walk(node.body)

    def on_while(self, node):
        if type(node.test) is Constant and node.test.value and not _leaves(node.body):
            self._work(node, "loops forever")
        self.walk(node.body)

    def on_raise(self, node):
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
                elif node.attr not in ABOUT_STREAMS:
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
                pending += children_of(node)

    def _is_word_of_command_line(self, node):
        """`sys.argv[1]`, which fails where there is no such word, unless an `if` looked first."""
        is_word = type(node.slice) is Constant and node.slice.value != 0
        return is_word and not self._guards and dotted_name(node.value) == "sys.argv"

    def _call(self, node, is_statement):
        func = node.func
        last = last_name(func) or ""
        meaning = self.module.unfollowed(func)
        name = meaning.name if meaning.kind == "external" else ""
        if meaning.kind == "function" and type(func) is Name:
            self._own_call(node, meaning, is_statement)
        elif name in WORK and (is_statement or name not in MILD):
            self._work(node, f"{WORK[name]} ({dotted_name(func) or last})")
        elif name in ("builtins.open", "io.open") and _writes(node):
            self._work(node, "writes a file (open)")
        elif name in MILD:
            self._mild(node, f"{MILD[name]} ({dotted_name(func) or last})")
        elif last in RUNS and type(func) is Attribute:
            self._work(node, f"{RUNS[last]} (.{last})")
        elif last == "run" and is_statement:
            self._work(node, f"runs the program (.{last})")
        elif last == "open" and type(func) is Attribute and name == "":
            self._mild(node, "opens a file (.open)")
        elif last == "start" and is_statement:
            self._mild(node, "starts a thread or a process (.start)")
        elif (
            is_statement
            and not self._inside
            and last
            and last not in SETS_UP
            and not last.startswith(("add_", "set_", "register_", "_"))
        ):
            self._mild(node, f"calls {dotted_name(func) or last}()")

    def _own_call(self, node, meaning, is_statement):
        """A function of the script: the call does what its body does."""
        name = meaning.name
        if name in PROGRAM and not self._inside:
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
        if (
            len(self._inside) < _DEEPEST_CALLS
            and meaning.module is self.module
            and not isinstance(meaning.node, AsyncFunctionDef)
        ):
            outer, self.effects = self.effects, effects
            self._inside.append(key)
            self.walk(meaning.node.body)
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

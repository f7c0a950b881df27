"""What a whole script reads from outside: the words of its command line, standard input."""

import re
from _ast import Attribute, Call, Constant, Import, ImportFrom, Name, Subscript, stmt
from bisect import bisect_left

from ..source.syntax import children_of, last_name

ARGPARSE = {"argparse", "configargparse"}
# They read sys.argv by themselves.
READERS_OF_WORDS = {
    "absl", "clize", "cyclopts", "defopt", "docopt", "docopt_ng", "fire", "getopt", "hydra", "jsonargparse", "optparse", "plac", "simple_parsing", "tap", "tyro",
}  # fmt: skip
_ASKING = {"prompt", "confirm", "get_text_stream", "get_binary_stream", "getchar", "pause"}
_HINT = re.compile(rf"\b(?:argv|stdin|input|fileinput|{'|'.join(sorted(ARGPARSE | READERS_OF_WORDS | _ASKING))})\b|\bopen\s*\(\s*0")


class Uses:
    """`ways` are the modules by which it may read its command line, wherever it imports them."""

    def __init__(self, source, survey):
        self.survey = survey
        self.argv_line = None
        self.stdin_line = None
        self.ways = set()
        self._read(source.tree, _hinted_lines(source.text))

    def _read(self, tree, hinted):
        """Only into statements with a word in them that hints at one of these, which in most scripts are few."""
        pending = [tree]
        while pending:
            node = pending.pop()
            kind = node.__class__
            if kind is Name:
                self._note_name(node)
            elif kind is Import or kind is ImportFrom:
                self._note_import(node)
            elif kind is not Constant and not (isinstance(node, stmt) and not _holds(node, hinted)):
                if kind is Subscript and _is_script_name(node):
                    continue
                if kind is Attribute:
                    self._note_attribute(node)
                elif kind is Call and self._is_prompt(node):
                    self._note_stdin(node)
                pending += children_of(node)

    def _note_name(self, node):
        if node.id == "argv" and self.survey.imports.get("argv") == "sys.argv":
            self._note_argv(node)
        elif node.id == "stdin" and self.survey.imports.get("stdin") == "sys.stdin":
            self._note_stdin(node)

    def _note_attribute(self, node):
        if node.attr in ("argv", "stdin") and isinstance(node.value, Name):
            if self.survey.imports.get(node.value.id, node.value.id) == "sys":
                self._note_argv(node) if node.attr == "argv" else self._note_stdin(node)

    def _note_import(self, node):
        modules = [alias.name for alias in node.names] if isinstance(node, Import) else [node.module or ""]
        self.ways.update(module.partition(".")[0] for module in modules)
        if "fileinput" in modules:
            self._note_argv(node)
            self._note_stdin(node)

    def _note_argv(self, node):
        self.argv_line = min(self.argv_line or node.lineno, node.lineno)

    def _note_stdin(self, node):
        self.stdin_line = min(self.stdin_line or node.lineno, node.lineno)

    def _is_prompt(self, node):
        function, survey = node.func, self.survey
        if isinstance(function, Name):
            if function.id == "input":
                return "input" not in survey.functions and "input" not in survey.imports
            if function.id == "open" and node.args and isinstance(node.args[0], Constant):
                return node.args[0].value == 0 or node.args[0].value == "/dev/stdin"
        elif isinstance(function, Attribute) and isinstance(function.value, Name):
            return function.attr in _ASKING and survey.imports.get(function.value.id) in ("click", "typer")
        return False


def _hinted_lines(text):
    lines, line, at = [], 1, 0
    for match in _HINT.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        lines.append(line)
    return lines


def _holds(statement, lines):
    first = min([statement.lineno, *(decorator.lineno for decorator in getattr(statement, "decorator_list", ()))])
    at = bisect_left(lines, first)
    return at < len(lines) and lines[at] <= statement.end_lineno


def _is_script_name(node):
    """`sys.argv[0]` is no word of the command line."""
    return isinstance(node.slice, Constant) and node.slice.value == 0 and last_name(node.value) == "argv"

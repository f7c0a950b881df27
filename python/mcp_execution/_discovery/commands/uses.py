"""What a whole script reads from outside: the words of its command line, standard input."""

from _ast import AST, Attribute, Call, Constant, Import, ImportFrom, Name, Subscript

from .survey import last_name


class Uses:
    """What the whole script reads from outside."""

    def __init__(self, tree, survey):
        self.argv_line = None
        self.stdin_line = None
        self.ways = set()
        stack = [tree]
        while stack:
            node = stack.pop()
            kind = type(node)
            if kind is Attribute:
                if node.attr in ("argv", "stdin") and isinstance(node.value, Name) and survey.imports.get(node.value.id, node.value.id) == "sys":
                    self._note(node)
            elif kind is Name:
                if node.id == "argv" and survey.imports.get("argv") == "sys.argv":
                    self.argv_line = min(self.argv_line or node.lineno, node.lineno)
                elif node.id == "stdin" and survey.imports.get("stdin") == "sys.stdin":
                    self.stdin_line = min(self.stdin_line or node.lineno, node.lineno)
            elif kind is Call:
                if self._is_prompt(node, survey):
                    self.stdin_line = min(self.stdin_line or node.lineno, node.lineno)
            elif kind is Subscript:
                if isinstance(node.slice, Constant) and node.slice.value == 0 and last_name(node.value) == "argv":
                    continue
            elif kind is Constant:
                continue
            elif kind is Import or kind is ImportFrom:
                self._note_import(node)
                continue
            for field in node._fields:
                value = getattr(node, field, None)
                if type(value) is list:
                    stack.extend(item for item in value if isinstance(item, AST))
                elif isinstance(value, AST):
                    stack.append(value)

    def _note(self, node):
        if node.attr == "argv":
            self.argv_line = min(self.argv_line or node.lineno, node.lineno)
        else:
            self.stdin_line = min(self.stdin_line or node.lineno, node.lineno)

    def _note_import(self, node):
        modules = [alias.name for alias in node.names] if isinstance(node, Import) else [node.module or ""]
        for module in modules:
            self.ways.add(module.partition(".")[0])
        if "fileinput" in modules:
            self.stdin_line = self.stdin_line or node.lineno
            self.argv_line = self.argv_line or node.lineno

    @staticmethod
    def _is_prompt(node, survey):
        if isinstance(node.func, Name):
            if node.func.id == "input":
                return "input" not in survey.functions and "input" not in survey.imports
            if node.func.id == "open" and node.args and isinstance(node.args[0], Constant):
                return node.args[0].value == 0 or node.args[0].value == "/dev/stdin"
        elif isinstance(node.func, Attribute) and isinstance(node.func.value, Name):
            owner = survey.imports.get(node.func.value.id)
            if owner in ("click", "typer"):
                return node.func.attr in ("prompt", "confirm", "get_text_stream", "get_binary_stream", "getchar", "pause")
        return False

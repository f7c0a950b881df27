"""Finds the commands that a script declares with click's decorators."""

from _ast import Attribute
from _ast import Call as CallNode

from ...docstrings.written import clean, raw_docstring_of
from ...source.syntax import calls_in_order, calls_of
from ..reader.reader import Reader
from ..reader.values import UNKNOWN, Call, Function, Imported
from .parameters import parameter_of

_PARAMETERS = {"option", "argument", "version_option", "help_option", "confirmation_option", "password_option"}
_MAKERS = {"command", "group"}
_OTHER_NAMES = ("rich_click.", "asyncclick.", "cloup.")


class Command:
    def __init__(self, name, node, keywords, is_group, line):
        self.name = name
        self.node = node
        self.keywords = keywords
        self.is_group = is_group
        self.line = line
        self.calls = []
        self.commands = {}
        self.parent = None
        self.problems = []
        #: What is said of subcommands that are not known.
        self.unknown_commands = []

    @property
    def help(self):
        given = self.keywords.get("help")
        text = given if isinstance(given, str) else raw_docstring_of(self.node) if self.node is not None else None
        return plain_help(text)


class ClickReader(Reader):
    def __init__(self, survey):
        super().__init__(survey)
        self.know_constants()
        #: By the node of the function, or by the call that makes a group without one.
        self.commands = {}
        self.decorators = {}
        self.added = {}

    def read(self):
        for node in self.survey.all_functions:
            self._read_function(node)
        for call in calls_in_order(self.survey.tree.body):
            if isinstance(call.func, Attribute) and call.func.attr == "add_command":
                self._add_command(call)
        return list(self.commands.values())

    def call_imported(self, path, args, keywords, node):
        for prefix in _OTHER_NAMES:
            if path.startswith(prefix):
                path = f"click.{path[len(prefix) :]}"
        return Call(path, args, keywords, node.lineno)

    def call_object(self, value, name, args, keywords, node):
        """`click.command()(function)` and `click.option(...)(function)` without the form of a decorator."""
        target = args[0] if len(args) == 1 and isinstance(args[0], Function) and hasattr(args[0].node, "name") else None
        if name != "__call__" or not isinstance(value, Call) or target is None or not value.path.startswith("click."):
            return UNKNOWN
        kind = value.path.split(".")[-1]
        if kind in _PARAMETERS:
            self.added.setdefault(target.node, []).insert(0, value)
        elif kind in _MAKERS and target.node not in self.commands:
            given = value.keywords.get("name", value.args[0] if value.args else None)
            made_name = given if isinstance(given, str) else command_name(target.node.name)
            command = Command(made_name, target.node, value.keywords, kind == "group", value.line)
            command.calls = self.added.get(target.node, [])
            self.commands[target.node] = command
        return target

    def command_of(self, value):
        """The command that a value stands for."""
        if isinstance(value, Function):
            return self.commands.get(value.node)
        if isinstance(value, Call) and value.path in ("click.Group", "click.CommandCollection", "click.core.Group"):
            return self._made_group(value)
        return None

    def _made_group(self, value):
        if value not in self.commands:
            name = value.keywords.get("name", value.args[0] if value.args else None)
            group = Command(name if isinstance(name, str) else None, None, value.keywords, True, value.line)
            self.commands[value] = group
            sources = value.keywords.get("sources")
            for source in sources if isinstance(sources, (list, tuple)) else ():
                for inner_name, inner in getattr(self.command_of(source), "commands", {}).items():
                    group.commands[inner_name] = inner
            given = value.keywords.get("commands")
            for inner_name, inner in given.items() if isinstance(given, dict) else ():
                command = self.command_of(inner)
                if command is not None and isinstance(inner_name, str):
                    command.parent = group
                    group.commands[inner_name] = command
        return self.commands[value]

    def _read_function(self, node):
        command, calls = None, []
        for decorator in node.decorator_list:
            made = self._maker(decorator, node)
            if made is not None:
                command = made
            else:
                calls += self._parameter_calls(decorator)
        if command is not None:
            command.calls = calls
            self.commands[node] = command

    def _maker(self, decorator, node):
        """The command that this decorator makes of the function, if it makes one."""
        is_called = isinstance(decorator, CallNode)
        function = decorator.func if is_called else decorator
        args, keywords = self.arguments(decorator, self.module) if is_called else ([], {})
        value = self.value(function, self.module)
        parent = None
        if isinstance(function, Attribute) and function.attr in _MAKERS:
            parent = self.command_of(self.value(function.value, self.module))
        if isinstance(value, Imported) and self._click_path(value.path) in ("click.command", "click.group", "click.decorators.command"):
            kind = value.path.split(".")[-1]
        elif parent is not None:
            kind = function.attr
        else:
            return None
        given = keywords.get("name", args[0] if args else None)
        name = given if isinstance(given, str) else command_name(node.name)
        command = Command(name, node, keywords, kind == "group", node.lineno)
        if not isinstance(given, str) and name != plain_name(node.name):
            command.problems.append(
                f"click before 8.2 calls this command {plain_name(node.name)} and later versions {name}: give it a name in its decorator"
            )
        if parent is not None:
            command.parent = parent
            parent.commands[name] = command
        return command

    @staticmethod
    def _click_path(path):
        for prefix in _OTHER_NAMES:
            if path.startswith(prefix):
                return f"click.{path[len(prefix) :]}"
        return path

    def _parameter_calls(self, decorator):
        """The options and arguments that a decorator adds, in the order in which they are written."""
        value = self.value(decorator, self.module)
        if isinstance(value, Call) and value.path.startswith("click.") and value.path.split(".")[-1] in _PARAMETERS:
            return [value]
        found = []
        if isinstance(decorator, CallNode):
            args, _ = self.arguments(decorator, self.module)
            for arg in args:
                for item in arg if isinstance(arg, (list, tuple)) else [arg]:
                    if isinstance(item, Call) and item.path.split(".")[-1] in _PARAMETERS:
                        found.append(item)
            value = self.value(decorator.func, self.module)
        if isinstance(value, Function) and hasattr(value.node, "body") and hasattr(value.node, "name"):
            inside = [self.value(call, self.module) for call in calls_of(value.node.body)]
            options = [
                call for call in inside if isinstance(call, Call) and call.path.startswith("click.") and call.path.split(".")[-1] in _PARAMETERS
            ]
            if options or found:
                self.decorators[value.node.name] = "it adds options to the commands of the script"
            found += sorted(options, key=lambda call: call.line)
        return found

    def _add_command(self, call):
        group = self.command_of(self.value(call.func.value, self.module))
        args, keywords = self.arguments(call, self.module)
        command = self.command_of(args[0]) if args else None
        if group is None:
            return
        if command is None:
            said = f"{args[0].path}" if args and isinstance(args[0], Imported) else f"what is added in line {call.lineno}"
            group.unknown_commands.append(f"A subcommand comes from another place ({said})")
            return
        name = keywords.get("name", args[1] if len(args) > 1 else None)
        command.parent = group
        group.commands[name if isinstance(name, str) else command.name] = command

    def parameters_of(self, command):
        found = [parameter_of(call, self) for call in command.calls]
        return [parameter for parameter in found if parameter is not None]


def plain_name(function_name):
    return function_name.lower().replace("_", "-")


def command_name(function_name):
    """As click names a command since 8.2, where some last words of the function's name are cut."""
    name = plain_name(function_name)
    first, _, last = name.rpartition("-")
    return first if first and last in ("command", "cmd", "group", "grp") else name


def plain_help(text):
    """Without click's marks: what follows a form feed is for readers of the code, a backspace keeps lines apart."""
    if not isinstance(text, str):
        return None
    lines = clean(text.split("\f")[0]).split("\n")
    return "\n".join(line for line in lines if line.strip() != "\b").replace("\b", "").strip() or None

"""Finds the apps of a script and their commands."""

from _ast import Attribute
from _ast import Call as CallNode

from ...docstrings.written import raw_docstring_of
from ...source.syntax import calls_in_order
from ..click_lines.reader import plain_help, plain_name
from ..reader.reader import Reader
from ..reader.values import Call, Function


class App:
    def __init__(self, keywords, line):
        self.keywords = keywords
        self.line = line
        self.commands = []
        self.apps = []
        self.callback = None
        self.callback_keywords = {}
        self.is_inner = False
        #: What is said of subcommands that are not known.
        self.unknown_commands = []


class AppCommand:
    def __init__(self, name, node, keywords):
        self.name = name
        self.node = node
        self.keywords = keywords

    @property
    def help(self):
        given = self.keywords.get("help")
        return plain_help(given if isinstance(given, str) else raw_docstring_of(self.node))


class TyperReader(Reader):
    def __init__(self, survey):
        super().__init__(survey)
        self.know_constants()
        self.apps = {}

    def read(self):
        for node in self.survey.all_functions:
            for decorator in node.decorator_list:
                is_called = isinstance(decorator, CallNode)
                function = decorator.func if is_called else decorator
                args, keywords = self.arguments(decorator, self.module) if is_called else ([], {})
                self._register(function, args, keywords, node)
        for call in calls_in_order(self.survey.tree.body):
            if isinstance(call.func, Attribute) and call.func.attr == "add_typer":
                self._add_app(call)
            elif isinstance(call.func, CallNode) and call.args:
                target = self.value(call.args[0], self.module)
                if isinstance(target, Function) and hasattr(target.node, "name"):
                    args, keywords = self.arguments(call.func, self.module)
                    self._register(call.func.func, args, keywords, target.node)
        for app in list(self.apps.values()):
            given = app.keywords.get("callback")
            if app.callback is None and isinstance(given, Function):
                app.callback = given.node
        return list(self.apps.values())

    def app_of(self, value):
        if not isinstance(value, Call) or value.path not in ("typer.Typer", "typer.main.Typer"):
            return None
        if value not in self.apps:
            self.apps[value] = App(value.keywords, value.line)
        return self.apps[value]

    def _register(self, function, args, keywords, node):
        if not isinstance(function, Attribute) or function.attr not in ("command", "callback"):
            return
        app = self.app_of(self.value(function.value, self.module))
        if app is None:
            return
        if function.attr == "callback":
            app.callback, app.callback_keywords = node, keywords
            return
        given = keywords.get("name", args[0] if args else None)
        app.commands.append(AppCommand(given if isinstance(given, str) else plain_name(node.name), node, keywords))

    def _add_app(self, call):
        app = self.app_of(self.value(call.func.value, self.module))
        args, keywords = self.arguments(call, self.module)
        inner = self.app_of(args[0]) if args else None
        if app is None:
            return
        if inner is None:
            app.unknown_commands.append(f"The app that is added in line {call.lineno} comes from another file")
            return
        inner.is_inner = True
        named = [keywords.get("name"), inner.keywords.get("name"), inner.callback and plain_name(inner.callback.name)]
        app.apps.append((next((name for name in named if isinstance(name, str)), None), inner, keywords))

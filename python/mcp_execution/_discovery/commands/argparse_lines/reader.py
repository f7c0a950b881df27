"""Follows what a script does with argparse."""

from _ast import Attribute, Constant, Import, ImportFrom, Name

from ...source.syntax import children_of
from ..reader.reader import Reader
from ..reader.values import ARGUMENT_VECTOR, NAMESPACE, UNKNOWN, Call, Class, Either, Function, Imported, Marker
from .parsers import Argument, Group, Parser, Subcommand, Subcommands

_PARSERS = {
    "argparse.ArgumentParser",
    "configargparse.ArgParser",
    "configargparse.ArgumentParser",
}
_PARSES = {"parse_args", "parse_known_args", "parse_intermixed_args", "parse_known_intermixed_args"}
_TELLING = _PARSES | {
    "ArgumentParser", "ArgParser", "add_argument", "add_parser", "add_subparsers", "add_argument_group", "add_mutually_exclusive_group", "set_defaults",
}  # fmt: skip
# They take a parser, and add nothing to it that a caller could give.
_HARMLESS = ("argcomplete.", "shtab.", "builtins.", "pprint.", "logging.", "json.")
_SUPER = Marker("super")


class ArgparseReader(Reader):
    def __init__(self, survey):
        super().__init__(survey, functions_about_arguments(survey))
        self.parsers = []
        self.claimed = {}
        self.receivers = ()

    def read(self):
        """From the first line to the last; where that meets no parser, every function that builds one."""
        self.walk(self.survey.tree.body, self.module)
        if self.survey.main_block and not any(parser.is_parsed for parser in self.parsers):
            self.read_functions()
        return self.parsers

    def read_functions(self):
        for node in self.follows:
            function = Function(node, self.module)
            if node.name in self.survey.functions:
                self.call(function, [], {}, node)
        for of in self.survey.classes.values():
            instance = self.made(Class(of, self.module), [], {}, of)
            for method in [item for item in of.body if hasattr(item, "args")]:
                if _touches_arguments(method)[0]:
                    self.call(Function(method, self.module, instance), [], {}, method)

    def made(self, of, args, keywords, node):
        base = self._parser_base(of)
        if base is None:
            return super().made(of, args, keywords, node)
        parser = self._new_parser(keywords, node, of)
        if "__init__" in of.methods:
            self.call(Function(of.methods["__init__"], of.scope, parser), args, keywords, node)
        return parser

    def _parser_base(self, of, depth=0):
        for base in of.node.bases:
            value = self.value(base, of.scope)
            if isinstance(value, Imported) and value.path in _PARSERS:
                return value.path
            if isinstance(value, Class) and depth < 5 and self._parser_base(value, depth + 1):
                return value.node.name
        return None

    def _new_parser(self, keywords, node, of=None):
        parser = Parser(keywords, node.lineno, of)
        self.parsers.append(parser)
        self._claim_running("it builds the command line of the script")
        return parser

    def _claim_running(self, reason):
        for node in reversed(self.stack):
            if self.survey.functions.get(node.name) is node:
                self.claimed.setdefault(node.name, reason)
            return

    def call_imported(self, path, args, keywords, node):
        if path in _PARSERS:
            names = ("prog", "usage", "description", "epilog", "parents")
            return self._new_parser({**dict(zip(names, args)), **keywords}, node)
        if path == "builtins.super" and self.stack:
            return _SUPER
        if not path.startswith(_HARMLESS):
            for value in (*args, *keywords.values()):
                if isinstance(value, Subcommands):
                    value.problems.append(f"{path} may add subcommands")
                elif isinstance(value, (Parser, Group)):
                    parser = value if isinstance(value, Parser) else value.parser
                    parser.problems.append(f"{path} may add arguments to its parser")
        if path in ("asyncio.run", "sys.exit", "builtins.exit", "anyio.run", "trio.run") and args:
            if isinstance(args[0], Function):
                return self.call(args[0], args[1:], {}, node)
            return args[0]
        return Call(path, args, keywords, node.lineno)

    def attribute_of(self, value, name):
        if isinstance(value, (Parser, Group, Subcommands)):
            if name in value.attributes:
                return self._settled(value.attributes, name)
            of = getattr(value, "of", None)
            if of is not None and name in of.methods:
                return Function(of.methods[name], of.scope, value)
        return UNKNOWN

    def passed(self, function, args, keywords):
        name = getattr(function.node, "name", None)
        if self.survey.functions.get(name) is not function.node:
            return
        for value in (*args, *keywords.values()):
            if value is NAMESPACE:
                self.claimed.setdefault(name, "it takes the parsed arguments of the command line")
            elif value is ARGUMENT_VECTOR:
                self.claimed.setdefault(name, "it takes the words of the command line")
            elif isinstance(value, (Parser, Group, Subcommands)):
                self.claimed.setdefault(name, "it builds the command line of the script")

    def call(self, value, args, keywords, node):
        outcome = super().call(value, args, keywords, node)
        if outcome is NAMESPACE or (isinstance(outcome, tuple) and NAMESPACE in outcome):
            self._claim_running("it reads the command line of the script")
        return outcome

    def call_object(self, value, name, args, keywords, node):
        if value is _SUPER:
            owner = self.receivers[-1]
            if isinstance(owner, Parser):
                if name == "__init__":
                    owner.configure(keywords)
                    return None
                value = owner
        if isinstance(value, (Parser, Group)):
            return self._on_parser(value, name, args, keywords, node)
        if isinstance(value, Subcommands) and name == "add_parser":
            return self._add_subcommand(value, args, keywords, node)
        return UNKNOWN

    def _on_parser(self, value, name, args, keywords, node):
        parser = value if isinstance(value, Parser) else value.parser
        if name == "add_argument":
            self._add_argument(value, parser, args, keywords, node)
            return Marker("action")
        if name == "add_argument_group":
            return Group(parser, within=getattr(value, "exclusive", None) if isinstance(value, Group) else None)
        if name == "add_mutually_exclusive_group":
            required = keywords.get("required", args[0] if args else False)
            return Group(parser, is_exclusive=True, is_required=required is True)
        if name == "add_subparsers":
            parser.subcommands = parser.subcommands or Subcommands(parser, keywords)
            return parser.subcommands
        if name == "set_defaults":
            parser.defaults.update(keywords)
            for given in keywords.values():
                self._claim_handlers(given)
            return None
        if name in _PARSES:
            parser.is_parsed = True
            self._claim_running("it reads the command line of the script")
            if "known" in name:
                parser.takes_unknown = True
                return (NAMESPACE, UNKNOWN)
            return NAMESPACE
        return UNKNOWN

    def _claim_handlers(self, value):
        for option in value.options if isinstance(value, Either) else [value]:
            if isinstance(option, Function) and self.survey.functions.get(getattr(option.node, "name", None)) is option.node:
                self.claimed.setdefault(option.node.name, "it does the work of a subcommand, and takes the parsed arguments")
                self.call(option, [NAMESPACE], {}, option.node)

    def _add_argument(self, value, parser, args, keywords, node):
        if not args and isinstance(keywords.get("dest"), str):
            args = [keywords["dest"]]
        names = [name for name in args if isinstance(name, str) and name]
        if not names:
            parser.problems.append(f"The name of an argument in line {node.lineno} is not known")
            return
        if "**" in keywords:
            parser.problems.append(f"What the argument {names[0]} takes is not all known")
        group = value.exclusive if isinstance(value, Group) else None
        argument = Argument(names, keywords, parser, group, node.lineno)
        if argument.known("action") != "help" and argument.known("action") != "version":
            parser.add(argument)

    def _add_subcommand(self, subcommands, args, keywords, node):
        name = keywords.get("name", args[0] if args else UNKNOWN)
        parser = self._new_parser(keywords, node)
        parser.is_parent = True
        if isinstance(name, str) and name:
            if not any(entry.name == name for entry in subcommands.entries):
                subcommands.entries.append(Subcommand(name, parser, keywords, node.lineno))
        else:
            subcommands.problems.append(f"The name of a subcommand in line {node.lineno} is not known")
        return parser

    def _call_function(self, function, args, keywords):
        before = self.receivers
        self.receivers = (*before, function.bound)
        try:
            return super()._call_function(function, args, keywords)
        finally:
            self.receivers = before


def functions_about_arguments(survey):
    """The functions that touch argparse, and those that call them, in the order of the file."""
    calls, about = {}, set()
    for name, node in (*survey.functions.items(), *survey.classes.items()):
        touches, called = _touches_arguments(node)
        calls[name] = called
        if touches:
            about.add(name)
    waiting = list(about)
    callers = {}
    for name, called in calls.items():
        for other in called:
            callers.setdefault(other, []).append(name)
    while waiting:
        for caller in callers.get(waiting.pop(), ()):
            if caller not in about:
                about.add(caller)
                waiting.append(caller)
    return {node: None for name, node in survey.functions.items() if name in about}


def _touches_arguments(root):
    touches, called, pending = False, set(), [root]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is Attribute:
            touches = touches or node.attr in _TELLING
        elif kind is Name:
            called.add(node.id)
            touches = touches or node.id in _TELLING
            continue
        elif kind in (Constant, Import, ImportFrom):
            continue
        pending += children_of(node)
    return touches, called

"""What a script builds with argparse: parsers, groups of arguments, subcommands."""

from ..reader.values import UNKNOWN


class Parser:
    def __init__(self, keywords, line, of=None):
        self.attributes = {}
        self.of = of
        self.line = line
        self.arguments = []
        self.subcommands = None
        self.defaults = {}
        self.exclusive = []
        self.problems = []
        self.is_parsed = False
        self.takes_unknown = False
        self.is_parent = False
        self.configure(keywords)

    def configure(self, keywords):
        self.description = keywords.get("description")
        self.prog = keywords.get("prog")
        self.prefix_chars = keywords.get("prefix_chars", "-") if isinstance(keywords.get("prefix_chars", "-"), str) else "-"
        self.argument_default = keywords.get("argument_default")
        parents = keywords.get("parents", [])
        if not isinstance(parents, (list, tuple)):
            self.problems.append("The parents of its parser are not known")
            parents = []
        for parent in parents:
            if isinstance(parent, Parser):
                self._inherit(parent)
            else:
                self.problems.append("A parent of its parser is not known")

    def _inherit(self, parent):
        parent.is_parent = True
        self.arguments += parent.arguments
        self.exclusive += parent.exclusive
        self.problems += parent.problems
        self.defaults.update(parent.defaults)
        self.subcommands = self.subcommands or parent.subcommands

    def add(self, argument):
        """Of two branches that add the same option, the first stays."""
        flags = set(argument.flags)
        if flags and any(flags & set(other.flags) for other in self.arguments):
            return
        if not flags and any(not other.flags and other.dest == argument.dest for other in self.arguments):
            return
        self.arguments.append(argument)

    @property
    def all_arguments(self):
        return [
            *self.arguments,
            *(argument for sub in (self.subcommands.entries if self.subcommands else ()) for argument in sub.parser.all_arguments),
        ]


class Group:
    def __init__(self, parser, is_exclusive=False, is_required=False, within=None):
        self.parser = parser
        self.is_exclusive = is_exclusive
        self.is_required = is_required
        self.exclusive = self if is_exclusive else within
        self.members = []
        self.attributes = {}
        if is_exclusive:
            parser.exclusive.append(self)


class Subcommands:
    def __init__(self, parser, keywords):
        self.parser = parser
        self.attributes = {}
        self.entries = []
        #: What is said of subcommands that are not known.
        self.problems = []
        self.is_required = keywords.get("required") is True
        self.dest = keywords.get("dest") if isinstance(keywords.get("dest"), str) else None


class Subcommand:
    def __init__(self, name, parser, keywords, line):
        self.name = name
        self.parser = parser
        self.help = keywords.get("help") if isinstance(keywords.get("help"), str) else None
        self.line = line


class Argument:
    """One call of add_argument, with what is known of it."""

    def __init__(self, names, keywords, parser, group, line):
        self.keywords = keywords
        self.parser = parser
        self.group = group
        self.line = line
        self.flags = [name for name in names if name[:1] and name[0] in parser.prefix_chars]
        self.dest = keywords["dest"] if isinstance(keywords.get("dest"), str) else self._named(names)
        if group is not None:
            group.members.append(self)

    def _named(self, names):
        if not self.flags:
            return names[0]
        chars = self.parser.prefix_chars
        long = [flag for flag in self.flags if len(flag) > 2 and flag[1] in chars]
        return (long or self.flags)[0].lstrip(chars).replace("-", "_")

    @property
    def flag(self):
        """A long one where there is one, because a value can be bound to it with an equals sign."""
        if not self.flags:
            return None
        return next((flag for flag in self.flags if len(flag) > 2 and flag[1] in self.parser.prefix_chars), self.flags[0])

    def known(self, name, default=None):
        value = self.keywords.get(name, default)
        return default if value is UNKNOWN else value

    def is_unknown(self, name):
        return self.keywords.get(name) is UNKNOWN

"""The tools of a script that reads its command line with argparse."""

from ...naming import tool_name
from ..found import Found
from ..tool import Level, Line, build_tool, why_with
from ..types import reads_standard_input
from .arguments import parameter_of
from .reader import ArgparseReader


def find_argparse(survey, stem, takes_stdin, runs=True):
    """The tools, and the functions that belong to the command line; no tools where no parser could be found."""
    reader = ArgparseReader(survey)
    found = Found()
    found.claimed = reader.claimed
    if not runs:
        reader.read_functions()
        return found
    parsers = [parser for parser in reader.read() if not parser.is_parent]
    main = _main_parser(parsers)
    if main is None:
        return found
    for other in parsers:
        if other is not main and other.is_parsed and other.takes_unknown:
            for argument in other.arguments:
                if argument.flags:
                    main.add(argument)
    found.tools = _tools_of(main, stem, survey, reader, takes_stdin)
    return found


def _main_parser(parsers):
    parsed = [parser for parser in parsers if parser.is_parsed] or parsers
    whole = [parser for parser in parsed if not parser.takes_unknown] or parsed
    return max(whole, key=lambda parser: len(parser.all_arguments) + bool(parser.subcommands), default=None)


def _tools_of(main, stem, survey, reader, takes_stdin):
    description = main.description if isinstance(main.description, str) else survey.docstring
    takes_stdin = takes_stdin or any(reads_standard_input(argument.known("type")) for argument in main.all_arguments)
    tools, taken = [], set()
    for path in _paths(main, []):
        levels = [Level(_parameters(parser, reader), _exclusions(parser), parser.problems) for parser in [main, *(entry.parser for entry in path)]]
        words = [entry.name for entry in path]
        last = path[-1] if path else None
        ending = path[-1].parser if path else main
        if ending.subcommands is not None:
            levels[-1].problems = [*levels[-1].problems, *(ending.subcommands.problems or _unnamed(ending))]
        if main.takes_unknown:
            levels[-1].extra = "Further words of the command line, as they are."
        tools.append(
            build_tool(
                Line(
                    name=tool_name(stem, *words),
                    description=_described(last, stem) if last else description,
                    why=why_with("argparse", words),
                    words=words,
                    levels=levels,
                    takes_stdin=takes_stdin,
                    line=(last or main).line,
                    stem=stem,
                ),
                taken,
            )
        )
    return tools


def _paths(parser, before):
    """Every way through the subcommands that ends in a command."""
    entries = parser.subcommands.entries if parser.subcommands else []
    if not entries or parser.subcommands.problems or (before and parser.defaults.get("func") is not None and not parser.subcommands.is_required):
        yield before
    for entry in entries:
        if entry not in before:
            yield from _paths(entry.parser, [*before, entry])


def _unnamed(parser):
    return [] if parser.subcommands.entries else ["Its subcommands are not known"]


def _described(entry, stem):
    given = entry.parser.description
    return given if isinstance(given, str) else entry.help or f"The subcommand {entry.name} of {stem}.py."


def _parameters(parser, reader):
    parameters = []
    for argument in parser.arguments:
        parameter = parameter_of(argument, reader)
        if parameter is None:
            continue
        parameter.argument = argument
        twin = next((other for other in parameters if _are_twins(other, parameter)), None)
        if twin is None:
            parameters.append(parameter)
        else:
            _merge(twin, parameter)
    return _order_positionals(parameters)


def _are_twins(one, other):
    """--cache and --no-cache of the same destination are one parameter with two flags."""
    if one.kind != "flag" or other.kind != "flag" or one.argument.dest != other.argument.dest:
        return False
    actions = {one.argument.known("action"), other.argument.known("action")}
    return actions == {"store_true", "store_false"}


def _merge(twin, parameter):
    on, off = (twin, parameter) if twin.argument.known("action") == "store_true" else (parameter, twin)
    default = next((item.argument.known("default") for item in (twin, parameter) if "default" in item.argument.keywords), None)
    if twin.argument.dest in twin.argument.parser.defaults:
        default = twin.argument.parser.defaults[twin.argument.dest]
    description = on.schema.get("description") or off.schema.get("description")
    flags = on.argument.flag, off.argument.flag
    twin.flag, twin.off = flags
    twin.name = on.argument.dest.replace("-", "_")
    twin.schema = {"type": "boolean"}
    if isinstance(default, bool):
        twin.schema["default"] = default
    if description:
        twin.schema["description"] = description
    twin.also = parameter.argument


def _order_positionals(parameters):
    """argparse gives words to positional arguments from the left, each taking as many as it can."""
    positionals = [parameter for parameter in parameters if parameter.kind == "positional"]
    left_out, optional, greedy = [], [], None
    for parameter in positionals:
        nargs = parameter.argument.known("nargs")
        varies = nargs in ("?", "*", "+")
        if varies and greedy is not None:
            if nargs == "+":
                parameter.schema["maxItems"] = 1
            else:
                left_out.append(parameter)
                greedy.notes.append(f"Argument {parameter.name} cannot be given, because {greedy.name} before it takes all the words.")
            continue
        if varies and optional:
            parameter.needs = [other.name for other in optional]
        if nargs == "?":
            optional.append(parameter)
        elif varies:
            greedy = parameter
    return [parameter for parameter in parameters if parameter not in left_out]


def _exclusions(parser):
    """Groups of which at most one (or exactly one) may be given, as lists of arguments."""
    return [(group.members, group.is_required) for group in parser.exclusive if group.members]

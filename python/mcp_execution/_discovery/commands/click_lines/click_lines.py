"""The tools of a script that declares its command line with click."""

from _ast import Attribute

from ...naming import tool_name
from ..entries import started, unstarted
from ..found import Found
from ..tool import Level, Line, build_tool, why_with
from .parameters import order_positionals
from .reader import ClickReader


def find_click(survey, stem, takes_stdin, runs):
    reader = ClickReader(survey)
    commands = reader.read()
    found = Found()
    for command in commands:
        if command.node is not None:
            found.claimed[command.node.name] = f"it is the click {'group' if command.is_group else 'command'} {command.name}"
    found.claimed.update(reader.decorators)
    main, through = started(survey, lambda call: _called(call, reader))
    roots = [command for command in commands if command.parent is None]
    if main is None and runs and len(roots) == 1:
        main = roots[0]
    for name in through:
        found.claimed[name] = "it starts the command line of the script"
    if main is None:
        for command in roots:
            if command.node is not None:
                found.claimed[command.node.name] = unstarted(found.claimed[command.node.name], f"{command.node.name}()")
        return found
    taken = set()
    for path in _paths(main, []):
        found.tools.append(_tool([main, *(command for _, command in path)], [name for name, _ in path], reader, stem, survey, takes_stdin, taken))
    return found


def _called(call, reader):
    function = call.func
    if isinstance(function, Attribute) and function.attr in ("main", "__call__"):
        function = function.value
    return reader.command_of(reader.value(function, reader.module))


def _paths(command, before):
    if command.is_group:
        if command.keywords.get("invoke_without_command") is True or command.unknown_commands or not command.commands:
            yield before
        for name, inner in command.commands.items():
            if inner not in [other for _, other in before] and inner.keywords.get("hidden") is not True:
                yield from _paths(inner, [*before, (name, inner)])
    else:
        yield before


def _tool(commands, words, reader, stem, survey, takes_stdin, taken):
    last = commands[-1]
    levels = []
    for command in commands:
        parameters = order_positionals(reader.parameters_of(command))
        levels.append(Level(parameters, problems=list(command.problems)))
    if last.is_group:
        levels[-1].problems += last.unknown_commands or ([] if last.commands else ["Its subcommands are not known"])
    settings = last.keywords.get("context_settings")
    if isinstance(settings, dict) and settings.get("allow_extra_args") is True:
        levels[-1].extra = "Further words of the command line, as they are."
    reads = any(getattr(parameter, "reads_stdin", False) for level in levels for parameter in level.parameters)
    return build_tool(
        Line(
            name=tool_name(stem, *words),
            description=last.help or (survey.docstring if len(commands) == 1 else f"The subcommand {words[-1]} of {stem}.py."),
            why=why_with("click", words),
            words=words,
            levels=levels,
            takes_stdin=takes_stdin or reads,
            line=last.line,
            stem=stem,
            inner_wins=False,
        ),
        taken,
    )

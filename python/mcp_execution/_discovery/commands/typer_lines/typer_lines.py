"""The tools of a script that declares its command line with typer."""

from ...docstrings.written import raw_docstring_of
from ...naming import tool_name
from ..click_lines.reader import plain_help
from ..entries import started, unstarted
from ..found import Found
from ..reader.values import Function, Imported
from ..tool import Level, Line, build_tool, why_with
from .parameters import parameters_of
from .reader import AppCommand, TyperReader


def find_typer(survey, stem, takes_stdin, runs):
    reader = TyperReader(survey)
    apps = reader.read()
    found = Found()
    for app in apps:
        for command in app.commands:
            found.claimed[command.node.name] = f"it is the typer command {command.name}"
        if app.callback is not None:
            found.claimed[app.callback.name] = "it is the callback of a typer app"
    main, through = started(survey, lambda call: _called(call, reader))
    roots = [app for app in apps if not app.is_inner]
    if main is None and runs and len(roots) == 1:
        main = roots[0]
    for name in through:
        found.claimed[name] = "it starts the command line of the script"
    if main is None:
        found.claimed = {name: unstarted(reason, "app()") for name, reason in found.claimed.items()}
    elif isinstance(main, AppCommand):
        found.claimed[main.node.name] = "typer runs it as the command line of the script"
        found.tools.append(_tool([([], main)], reader, stem, survey, takes_stdin, set(), main.help))
    else:
        taken = set()
        for steps in _paths(main, []):
            found.tools.append(_tool(steps, reader, stem, survey, takes_stdin, taken, _help_of(steps)))
    return found


def _called(call, reader):
    value = reader.value(call.func, reader.module)
    if isinstance(value, Imported) and value.path == "typer.run" and call.args:
        target = reader.value(call.args[0], reader.module)
        return AppCommand(None, target.node, {}) if isinstance(target, Function) else None
    return reader.app_of(value)


def _paths(app, before):
    """Ways from the app to a command: each step is the words before it, and an app or a command."""
    if len(app.commands) == 1 and not app.apps and not app.unknown_commands and app.callback is None and not before:
        yield [([], app.commands[0])]
        return
    here = [*before, ([], app)] if not before else before
    if _runs_alone(app) or app.unknown_commands:
        yield here
    for command in app.commands:
        if command.keywords.get("hidden") is not True:
            yield [*here, ([command.name], command)]
    for name, inner, keywords in app.apps:
        if keywords.get("hidden") is True or any(inner is item for _, item in here):
            continue
        if name is None:
            # An app that is added without a name gives its commands to the outer one.
            yield from ([*here, *steps[1:]] for steps in _paths_of_unnamed(inner))
        else:
            yield from _paths(inner, [*here, ([name], inner)])


def _paths_of_unnamed(inner):
    return ([([], inner), ([command.name], command)] for command in inner.commands)


def _runs_alone(app):
    return app.callback is not None and True in (app.callback_keywords.get("invoke_without_command"), app.keywords.get("invoke_without_command"))


def _help_of(steps):
    last = steps[-1][1]
    if isinstance(last, AppCommand):
        return last.help
    given = last.callback_keywords.get("help", last.keywords.get("help"))
    return plain_help(given if isinstance(given, str) else raw_docstring_of(last.callback) if last.callback else None)


def _tool(steps, reader, stem, survey, takes_stdin, taken, help_text):
    levels, words = [], []
    for before, step in steps:
        words += before
        node = step.node if isinstance(step, AppCommand) else step.callback
        levels.append(Level(parameters_of(node, reader) if node is not None else []))
    last = steps[-1][1]
    if not isinstance(last, AppCommand):
        levels[-1].problems = last.unknown_commands
    reads = any(getattr(parameter, "reads_stdin", False) for level in levels for parameter in level.parameters)
    return build_tool(
        Line(
            name=tool_name(stem, *words),
            description=help_text or (f"The subcommand {words[-1]} of {stem}.py." if words else survey.docstring),
            why=why_with("typer", words),
            words=words,
            levels=levels,
            takes_stdin=takes_stdin or reads,
            line=last.node.lineno if isinstance(last, AppCommand) else last.line,
            stem=stem,
            inner_wins=False,
        ),
        taken,
    )

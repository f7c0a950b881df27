"""One script as the line that describes it: its tools, what is no tool and why, and what importing it does."""

import os

from .commands.commands import find_commands
from .commands.whole import whole_script
from .dependencies import read_dependencies
from .docstrings.docstrings import parse_docstring
from .docstrings.written import docstring_of
from .effects.effects import import_effects
from .functions.functions import Functions
from .naming import keep_apart, tool_name
from .source.project import Project
from .source.source import Problem, read_script, with_a_large_stack


def describe(path):
    """Never fails: what goes wrong is a problem in words."""
    try:
        return _described(path)
    except Problem as problem:
        return {"path": path, "problem": problem.described()}
    except (RecursionError, MemoryError):
        return with_a_large_stack(lambda: _described_deeply(path)) or _failed(path, "its expressions are nested too deeply")
    except Exception as error:
        return _failed(path, f"{type(error).__name__}: {error}")


def _described_deeply(path):
    try:
        return _described(path)
    except Problem as problem:
        return {"path": path, "problem": problem.described()}


def _failed(path, reason):
    return {
        "path": path,
        "problem": {"code": "INVALID_SCRIPT", "message": f"{os.path.basename(path)} could not be read for its tools: {reason}"},
    }


def _described(path):
    source = read_script(path)
    project = Project(source)
    try:
        return _description(path, source, project)
    finally:
        project.forget()


def _description(path, source, project):
    stem = os.path.splitext(os.path.basename(path))[0]
    words = parse_docstring(docstring_of(source.tree)).description
    commands = find_commands(source, stem)
    effects = import_effects(project.main)
    functions = Functions(project.main, commands.claimed)
    if effects.work and functions.tools:
        _disable(functions.tools, effects.work)
        _offer_the_whole(commands, effects.work, stem, words)
    return {
        "path": path,
        "script": _script(source, project, effects, words),
        "tools": _named_apart(_with_script(commands.tools, path), functions.tools),
        "leftOut": _said_once(functions.left_out),
    }


def _script(source, project, effects, description):
    script = {"sha256": source.sha256}
    metadata = read_dependencies(source)
    script["files"] = sorted(
        ({"path": followed.source.path, "sha256": followed.source.sha256} for followed in project.followed()),
        key=lambda file: file["path"],
    )
    if description:
        script["description"] = description
    script.update(metadata)
    script["importEffects"] = effects.words
    return script


def _said_once(left_out):
    """A definition that is left out for two reasons keeps the last one."""
    return list({(entry["name"], entry.get("line")): entry for entry in left_out}.values())


def _disable(tools, work):
    why = f"Importing the script runs its work: {work[0]}; put it under if __name__ == '__main__':"
    for tool in tools:
        if tool["enabled"]:
            tool["enabled"], tool["why"] = False, why


def _offer_the_whole(commands, work, stem, description):
    """Where the functions cannot be called, the script as a whole can be run."""
    if any(tool["enabled"] for tool in commands.tools):
        return
    why = f"The script does its work whenever it is run: {work[0]}."
    if commands.tools:
        commands.tools[0].update(enabled=True, why=why)
    else:
        commands.tools.append(whole_script(stem, description, why, takes_words=False, takes_stdin=False))


def _with_script(tools, path):
    for tool in tools:
        tool["run"]["script"] = path
    return tools


def _named_apart(commands, functions):
    """Names are unique within a script; the one whose name was derived gives way."""
    taken = {tool["name"] for tool in functions}
    for tool in commands:
        name = tool["name"]
        tool["name"] = keep_apart(tool_name(name, "script") if name in taken else name, taken)
    return commands + functions

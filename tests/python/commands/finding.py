"""What find_commands finds in a piece of source or in a fixture."""

import textwrap
from pathlib import Path

from mcp_execution._discovery.commands import find_commands
from mcp_execution._discovery.source.source import Source, parse, read_script

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "commands"


def found_in(source, stem="script"):
    data = textwrap.dedent(source).encode()
    return find_commands(Source(f"{stem}.py", data, parse(data, f"{stem}.py")), stem)


def found_in_fixture(name):
    return find_commands(read_script(str(FIXTURES / f"{name}.py")), name)


def tools_by_name(commands):
    return {tool["name"]: tool for tool in commands.tools}


def only_tool(commands):
    (tool,) = commands.tools
    return tool


def properties(tool):
    return tool["inputSchema"]["properties"]


def written(tool):
    """The parameters of the command line, by name."""
    command = tool["run"]["command"]
    return {parameter["name"]: parameter for parameter in (*command["before"], *command["parameters"])}


def argparse_tool(*lines):
    """The tool of a script whose parser gets these lines."""
    body = "\n".join(["import argparse", "parser = argparse.ArgumentParser()", *map(textwrap.dedent, lines), "args = parser.parse_args()"])
    return only_tool(found_in(body))


def argument(*lines):
    """The schema and the command line of the one argument that the lines add."""
    tool = argparse_tool(*lines)
    ((name, schema),) = properties(tool).items()
    return name, schema, written(tool)[name]

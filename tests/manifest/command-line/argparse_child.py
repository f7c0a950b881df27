"""Finds the command lines of a script, then says for each vector of words what argparse makes of it.

A line of input is [name of the tool, arguments, words]; the answer says what differs, or nothing.
"""

import contextlib
import io
import json
import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
from mcp_execution._discovery.commands import find_commands  # noqa: E402
from mcp_execution._discovery.source.source import read_script  # noqa: E402

path = Path(sys.argv[1])
commands = find_commands(read_script(str(path)), path.stem)
print(json.dumps(commands.tools), flush=True)
parser = runpy.run_path(str(path), run_name="fixture")["parser"]


def meant(name, value, namespace):
    """Whether the namespace holds what the argument asked for."""
    if name == "quiet":
        return (namespace.level == 0) == value
    got = getattr(namespace, name)
    if name == "maybe" and isinstance(value, bool):
        return got == ("nothing said" if value else "not given")
    if name in ("fast", "colour") and value is False:
        return not got
    if value == [] and name in ("tag", "pairs"):
        return got is None
    if name in ("count", "integer", "bounded"):
        return type(got) is int and got == (int(value) if isinstance(value, str) else value)
    if name in ("ratio", "number"):
        return type(got) is float and got == float(value)
    if name == "pair":
        return got == [float(item) for item in value]
    return got == value


for line in sys.stdin:
    tool, args, words = json.loads(line)
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            namespace = parser.parse_args(words)
    except SystemExit:
        print(json.dumps(f"argparse refused: {complaint.getvalue().strip()}"), flush=True)
        continue
    wrong = [name for name, value in args.items() if not meant(name, value, namespace)]
    if namespace.command != tool.rpartition("_")[2]:
        wrong.append("command")
    print(json.dumps(", ".join(f"{name}: {getattr(namespace, name, None)!r}" for name in wrong)), flush=True)

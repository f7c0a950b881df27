"""Tools for a script that plain Python runs: a host of its own is started for it, and ends with it."""

import atexit
import os
import shlex
import shutil
import subprocess

from ._asking import Asker, Refused
from ._channel import Channel

#: How the host is started, where it is not on the PATH: `node /path/to/mcp-exec.js`, for example.
COMMAND_VARIABLE = "MCP_EXECUTION_COMMAND"
_PROGRAM = "mcp-exec"
_GRACE_SECONDS = 5


def connect():
    """The host reads the config from the working folder, or from where MCP_EXECUTION_CODE_CONFIG says."""
    words = _command()
    try:
        host = subprocess.Popen([*words, "broker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        raise Refused("SPAWN_FAILED", f"{words[0]} cannot be started: {error.strerror}; {_ADVICE}") from None
    atexit.register(_end, host)
    return Asker(Channel(host.stdout.fileno(), host.stdin.fileno()))


_ADVICE = f"install it with npm install --global mcp-execution, or say in {COMMAND_VARIABLE} how it is started"


def _command():
    given = os.environ.get(COMMAND_VARIABLE, "").strip()
    if given:
        return shlex.split(given, posix=os.name != "nt")
    found = shutil.which(_PROGRAM)
    if found is None:
        raise Refused("SPAWN_FAILED", f"Tools are called by {_PROGRAM}, which is not on the PATH; {_ADVICE}")
    return [found]


def _end(host):
    """The end of its input is the word to go; its servers end with it."""
    try:
        host.stdin.close()
        host.wait(_GRACE_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        host.kill()
        host.wait()

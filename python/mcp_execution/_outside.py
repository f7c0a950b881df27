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
#: As the host has it.
_MAX_BYTES = 64 * 1024 * 1024


def connect():
    """The host reads the config from the working folder, or from where MCP_EXECUTION_CODE_CONFIG says."""
    words = _command()
    try:
        host = subprocess.Popen([*words, "broker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **_APART)
    except OSError as error:
        raise Refused("SPAWN_FAILED", f"{words[0]} cannot be started: {error.strerror}; {_ADVICE}") from None
    atexit.register(_end, host)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _let_go(host))
    asker = Asker(Channel(host.stdout.fileno(), host.stdin.fileno()), _MAX_BYTES)
    asker.read_apart()
    return asker


#: Ctrl-C is for the script, which may go on after it.
_APART = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if os.name == "nt" else {"start_new_session": True}
_ADVICE = f"install it with npm install --global mcp-execution, or say in {COMMAND_VARIABLE} how it is started"


def _command():
    given = os.environ.get(COMMAND_VARIABLE, "").strip()
    if given:
        return shlex.split(given, posix=os.name != "nt")
    found = shutil.which(_PROGRAM)
    if found is None:
        raise Refused("SPAWN_FAILED", f"Tools are called by {_PROGRAM}, which is not on the PATH; {_ADVICE}")
    return [found]


def _let_go(host):
    """A process that the script forked neither asks the host nor keeps it."""
    host.stdin.close()
    host.stdout.close()


def _end(host):
    """The end of its input is the word to go; its servers end with it."""
    try:
        host.stdin.close()
        host.wait(_GRACE_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        host.kill()
        host.wait()

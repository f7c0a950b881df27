"""Scripts in, one JSON line for each out: `{"scripts": [...]}` on stdin, in the same order on stdout."""

import gc
import json
import os
import sys
import warnings

from .module import describe


def main():
    gc.disable()  # looking for circles takes longer than parsing, and a project lets go of its own
    warnings.simplefilter("ignore")
    output = sys.stdout.buffer
    for path in _asked(sys.stdin.buffer.read()):
        output.write(_line(describe(path)))
        output.flush()


def _asked(request):
    try:
        scripts = json.loads(request)["scripts"]
        if isinstance(scripts, list) and all(isinstance(path, str) for path in scripts):
            return [os.path.abspath(path) for path in scripts]
    except (ValueError, KeyError, TypeError):
        pass
    sys.exit('Expected {"scripts": ["/path/to/script.py", …]} on standard input')


def _line(description):
    return json.dumps(description, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"

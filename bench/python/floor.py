"""One interpreter for all calls, without isolation: a line with a call or a source in, a line with its result out."""

import contextlib
import io
import json
import sys


def run(source):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(source, "<script>", "exec"), {"__name__": "__main__"})
    return output.getvalue()


module = __import__(sys.argv[1])
for line in sys.stdin:
    request = json.loads(line)
    if "source" in request:
        answer = run(request["source"])
    else:
        answer = getattr(module, request["function"])(**request["args"])
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()

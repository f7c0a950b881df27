"""One call in an interpreter of its own: `fresh.py SCRIPT FUNCTION`, arguments on stdin, the result on stdout."""

import json
import sys

module = __import__(sys.argv[1])
print(json.dumps(getattr(module, sys.argv[2])(**json.load(sys.stdin))))

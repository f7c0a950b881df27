"""Answers for one generated module after the other: what discovery says of its function, and what the conversion makes of values."""

import json
import os
import sys
import tempfile
import types
from dataclasses import dataclass
from typing import Any

from mcp_execution._discovery.module import describe
from mcp_execution._values import InvalidArguments, bind, to_json


def _annotated_types():
    """The package's shape, which is all that the conversion looks at; it need not be installed."""
    module = types.ModuleType("annotated_types")
    attributes = dict(
        Ge="ge", Gt="gt", Le="le", Lt="lt", MultipleOf="multiple_of", MinLen="min_length", MaxLen="max_length"
    )
    for name, attribute in attributes.items():
        setattr(module, name, dataclass(frozen=True)(type(name, (), {"__annotations__": {attribute: Any}})))
    return module


def _pydantic():
    module = types.ModuleType("pydantic")
    module.Field = lambda **bounds: _Bounds({"metadata": [_Bounds(bounds)]})
    return module


class _Bounds:
    def __init__(self, bounds):
        vars(self).update(bounds)


def main():
    sys.modules["annotated_types"] = _annotated_types()
    sys.modules["pydantic"] = _pydantic()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "generated.py")
        call = None
        for line in sys.stdin:
            request = json.loads(line)
            if "source" in request:
                answer, call = _load(request["source"], path)
            else:
                answer = [_converted(call, *pair) for pair in request["pairs"]]
            print(json.dumps(answer), flush=True)


def _load(source, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    found = describe(path)
    module = types.ModuleType("generated")
    sys.modules["generated"] = module
    exec(compile(source, path, "exec"), vars(module))
    (tool,) = [tool for tool in found.get("tools", []) if tool["name"] == "f"]
    return tool, bind(module.f)


def _converted(call, given, forgiven):
    made, reason = _attempt(call, given)
    answer = {"taken": made is not None, "reason": reason}
    if made is not None and "x" in made[1]:
        answer["result"] = to_json(made[1]["x"])
    if forgiven is not None and made is not None:
        again, reason = _attempt(call, forgiven)
        answer["same"] = again == made or repr(again) == repr(made)
        answer["made"] = f"{made!r} but from the forgiven {again!r} {reason}"
    return answer


def _attempt(call, given):
    try:
        return call.arguments(given), ""
    except InvalidArguments as error:
        return None, error.message


main()

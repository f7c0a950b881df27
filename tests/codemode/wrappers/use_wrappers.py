"""Imports every generated wrapper below a folder, calls each function, and says what arrived: `use_wrappers.py FOLDER`."""

import asyncio
import importlib
import inspect
import json
import os
import pathlib
import sys
import typing

import mcp_execution.wrappers as wrappers

calls = []


def record(server, tool, arguments):
    calls.append([server, tool, dict(arguments)])


async def record_async(server, tool, arguments):
    record(server, tool, arguments)


def use(function, is_async):
    signature = inspect.signature(function)
    typing.get_type_hints(function)
    assert function.__doc__
    given = {
        name: f"value of {name}"
        for name, parameter in signature.parameters.items()
        if parameter.kind is not parameter.VAR_KEYWORD
    }
    if set(given) == {"arguments"} and "dict[str, Any]" in str(signature.parameters["arguments"].annotation):
        given["arguments"] = {}
    value = function(**given)
    if is_async:
        asyncio.run(value)


def use_types(module):
    for value in vars(module).values():
        if typing.is_typeddict(value):
            typing.get_type_hints(value)


def use_package(name):
    package = importlib.import_module(name)
    assert package.__doc__
    calls.clear()
    for key in package.__all__:
        function = getattr(package, key)
        assert inspect.isfunction(function), key
        use(function, inspect.iscoroutinefunction(function))
        use_types(sys.modules[function.__module__])
    return list(calls)


wrappers.call_tool = record
wrappers.call_tool_async = record_async
root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root))
os.chdir(root)
packages = [f"{path.parent.parent.name}.{path.parent.name}" for path in sorted(root.glob("*/*/__init__.py"))]
json.dump({name: use_package(name) for name in packages}, sys.stdout)

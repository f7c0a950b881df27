"""The kinds of work: a function with JSON arguments, a whole script, a script to compile."""

import base64
import inspect
import marshal
import os
import sys

from . import _platform, _run, _script
from ._values import InvalidArguments, bind, to_json

MAX_BOUND_AHEAD = 200


class UnknownTool(Exception):
    def __init__(self, name, names):
        self.message = f"There is no function {name!r}; " + (f"there are {', '.join(names)}" if names else "the script has none")
        super().__init__(self.message)


class BoundCall:
    """A function with its signature analysed ahead of the call."""

    __slots__ = ("function", "arguments", "result", "run")

    def __init__(self, function):
        call = bind(function)
        self.function, self.arguments, self.result = function, call.arguments, call.result
        target = inspect.unwrap(function)
        target = target if inspect.isroutine(target) else getattr(target, "__call__", target)
        if inspect.isasyncgenfunction(target):
            self.run = _run_async_generator
        elif inspect.iscoroutinefunction(target):
            self.run = _run_coroutine
        else:
            self.run = _run_plain


def bind_all(module):
    """The script's own public functions, and the modules that they will need, made ready before any fork."""
    own = [
        (name, value)
        for name, value in vars(module).items()
        if not name.startswith("_") and inspect.isfunction(value) and value.__module__ == module.__name__
    ]
    calls = {name: BoundCall(value) for name, value in own[:MAX_BOUND_AHEAD]}
    if any(call.run is not _run_plain for call in calls.values()):
        import asyncio  # noqa: F401 - 40 ms that a call should not pay
    for _, value in own:
        _preload_imports(value.__code__)
    return calls


def bind_one(module, name, path):
    value = getattr(module, name, None)
    if not callable(value):
        names = [key for key, item in vars(module).items() if inspect.isfunction(item) and not key.startswith("_")]
        raise UnknownTool(name, names)
    return BoundCall(value)


def call_function(program, request, channel):
    if program.module is None:
        program = _load_now(request["script"])
    call = program.call(request["function"])
    args, kwargs = call.arguments(request["args"])
    value = call.run(call.function, args, kwargs, channel)
    return {"value": call.result(value)}


def run_script(_program, request, _channel):
    _set_scene(request)
    path, name = request["path"], request["filename"]
    _script.prepare(path, request["argv"])
    source = _script.read_source(path) if path is not None else _script.check_source(request["source"])
    if path is None:
        sys.argv[0] = name
    code = marshal.loads(base64.b64decode(request["code"])) if request.get("code") else None
    given = {"context": _run.context, "log": _run.log, "progress": _run.progress, "result": _run.result}
    namespace = _script.run_main(source, name, given, code=code)
    function = request.get("function")
    if function:
        return {"value": _call_with_context(namespace, function), "exitCode": 0}
    return {"value": _run.take_value(namespace), "exitCode": 0}


def compile_script(_program, request, _channel):
    code = _script.compile_source(_script.check_source(request["source"]), request["filename"])
    return {"value": base64.b64encode(marshal.dumps(code)).decode("ascii")}


KINDS = {"function": call_function, "script": run_script, "compile": compile_script}


def value_at_exit(request):
    return _run.take_value({}) if request["kind"] == "script" else None


def _call_with_context(namespace, name):
    function = namespace.get(name)
    if not callable(function):
        raise UnknownTool(name, [key for key, item in namespace.items() if inspect.isfunction(item) and item is not _run.log])
    call = BoundCall(function)
    takes_context = bool(inspect.signature(function).parameters)
    value = call.run(function, [_run.context] if takes_context else [], {}, None)
    return call.result(value)


def _load_now(path):
    from ._worker import Program

    _script.prepare(path)
    module = _script.load_module(path)
    _script.pin_lines(module)
    return Program(path, module)


def _set_scene(request):
    if request.get("cwd"):
        os.chdir(request["cwd"])
    os.environ.update(request.get("env") or {})
    if request.get("stdin") is not None:
        _platform.empty_stdin_from(request["stdin"])


def _run_plain(function, args, kwargs, channel):
    value = function(*args, **kwargs)
    if inspect.isgenerator(value):
        return [_yielded(item, channel) for item in value]
    if inspect.iscoroutine(value) or inspect.isawaitable(value):
        return _run_awaitable(value)
    if inspect.isasyncgen(value):
        return _drain(value, channel)
    return value


def _run_coroutine(function, args, kwargs, _channel):
    return _run_awaitable(function(*args, **kwargs))


def _run_async_generator(function, args, kwargs, channel):
    return _drain(function(*args, **kwargs), channel)


def _run_awaitable(awaitable):
    import asyncio

    async def main():
        return await awaitable

    return asyncio.run(main())


def _drain(generator, channel):
    import asyncio

    async def main():
        return [_yielded(item, channel) async for item in generator]

    return asyncio.run(main())


def _yielded(item, channel):
    value = to_json(item)
    if channel is not None:
        channel.send(b"Y", {"value": value})
    return value


def _preload_imports(code):
    """Standard modules that a function imports in its body, so that no call pays for them."""
    import dis

    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME" and instruction.argval.split(".")[0] in sys.stdlib_module_names:
            try:
                __import__(instruction.argval)
            except Exception:  # noqa: BLE001 - the function will say so itself, if it is ever called
                pass

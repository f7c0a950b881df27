"""The kinds of work: a function with JSON arguments, a whole script, a script to compile."""

import dis
import heapq  # noqa: F401 - Counter.most_common would import it in a call
import inspect
import marshal
import os
import sys
from binascii import a2b_base64, b2a_base64
from importlib.util import find_spec
from types import AsyncGeneratorType, CodeType, GeneratorType

from . import _assertions, _failure, _platform, _run, _script, validation
from ._values import InvalidArguments, bind, to_json
from ._values.errors import shortened

MAX_BOUND_AHEAD = 200
MAX_NAMED = 50

_GIVEN = {name: getattr(_run, name) for name in ("attach", "context", "log", "progress", "result")}
_IS_ASYNC = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_LIBRARY = os.path.dirname(os.__file__) + os.sep
_ACTS_WHEN_IMPORTED = frozenset({"antigravity", "idlelib", "test", "this", "turtledemo"})


class UnknownTool(Exception):
    def __init__(self, name, names):
        more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
        known = f"there are {', '.join(names[:MAX_NAMED])}{more}" if names else "the script has none"
        self.message = f"There is no function {shortened(name)!r}; {known}"
        super().__init__(self.message)


class BoundCall:
    """A function with its signature analysed ahead of the call."""

    __slots__ = ("function", "arguments", "result")

    def __init__(self, function):
        call = bind(function)
        self.function, self.arguments, self.result = function, call.arguments, call.result

    def run(self, args, kwargs, channel):
        """What the function gives in the end, whatever kind of function it is."""
        value = self.function(*args, **kwargs)
        kind = type(value)
        if kind is GeneratorType:
            return [_yielded(item, channel) for item in value]
        if kind is AsyncGeneratorType:
            return _drain(value, channel)
        if hasattr(kind, "__await__"):
            return _run_awaitable(value)
        return value


def bind_all(module):
    """The script's own public functions, and the modules that they will need, made ready before any fork."""
    own = {name: vars(module)[name] for name in _own_functions(vars(module), module.__name__)}
    for function in own.values():
        _preload(_imports_of(function))
    _run.prepare_files(vars(module))
    return {name: BoundCall(own[name]) for name in list(own)[:MAX_BOUND_AHEAD]}


def bind_one(module, name):
    value = None if name.startswith("__") else getattr(module, name, None)
    if not callable(value):
        raise UnknownTool(name, _own_functions(vars(module), module.__name__))
    return BoundCall(value)


def _own_functions(namespace, module_name):
    return [
        name
        for name, value in namespace.items()
        if not name.startswith("_") and inspect.isfunction(value) and value.__module__ == module_name
    ]


def call_function(program, request, channel):
    if program.module is None:
        program = _load_now(request["script"])
    call = program.call(request["function"])
    args, kwargs = call.arguments(request["args"])
    return {"value": _run.with_files(call.result(call.run(args, kwargs, channel)))}


def run_script(_program, request, channel):
    _set_scene(request)
    path, name = request["path"], request["filename"]
    _script.prepare(path, request["argv"])
    if request.get("packages"):
        _script.offer_packages(request["packages"])
    source = _script.read_source(path) if path is not None else _script.check_source(request["source"])
    if path is None:
        sys.argv[0] = name
    code = _compiled(request["code"]) if request.get("code") else None
    function = request.get("function")
    answers = request.get("answers", False)
    validates = request.get("validates", False)
    given = {**_GIVEN, **_tools_given()} if answers else {**_GIVEN, **validation.GIVEN} if validates else _GIVEN

    def run():
        try:
            namespace = _script.run_main(source, name, given, code=code, may_await=answers)
        except SystemExit as end:
            if function or _failure.exit_code(end)[0] != 0:
                if function and validates:
                    validation.note_unreached(function)
                raise
            namespace = vars(sys.modules["__main__"])
        if function:
            return _call_with_context(namespace, function, channel)
        return validation.take_verdict(namespace, source) if validates else _run.take_value(namespace)

    if not validates:
        return {"value": run(), "exitCode": 0}
    return {"value": validation.judge(run, name, request.get("timeoutMs", 0) / 1000), "exitCode": 0}


def _tools_given():
    from . import _tools

    names = ("ToolError", "call_tool", "call_tool_async", "describe_tool", "read_output", "search_tools")
    return {name: getattr(_tools, name) for name in names}


def compile_script(_program, request, _channel):
    validates = request.get("validates", False)
    source = _script.check_source(request["source"])
    if validates:
        validation.refuse_hollow_assertions()
    code = _script.compile_source(source, request["filename"], optimize=0 if validates else -1)
    if validates:
        code = _assertions.told_of(code, source, request["filename"])
    return {"value": b2a_base64(marshal.dumps(code), newline=False).decode("ascii")}


KINDS = {"function": call_function, "script": run_script, "compile": compile_script}


def _compiled(code):
    """Code that was compiled before; None where it was damaged since, and the source has to do."""
    try:
        loaded = marshal.loads(a2b_base64(code))
    except (ValueError, EOFError, TypeError):
        return None
    return loaded if isinstance(loaded, CodeType) else None


def _call_with_context(namespace, name, channel):
    function = namespace.get(name)
    if not callable(function) or function is _GIVEN.get(name):
        raise UnknownTool(name, _own_functions(namespace, "__main__"))
    call = BoundCall(function)
    takes_context = bool(inspect.signature(function).parameters)
    return _run.with_files(call.result(call.run([_run.context] if takes_context else [], {}, channel)))


def _load_now(path):
    from ._worker import Program

    _script.prepare(path)
    module = _script.load_module(path)
    _script.pin_lines(module)
    return Program(path, module)


def _set_scene(request):
    if request.get("cwd"):
        _enter(request["cwd"])
    os.environ.update(request.get("env") or {})
    if request.get("stdin") is not None:
        _platform.empty_stdin_from(request["stdin"])


def _enter(folder):
    try:
        os.chdir(folder)
    except OSError as error:
        raise InvalidArguments(f"The working folder {folder} cannot be entered: {error.strerror}", "cwd") from None


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
    value = _run.with_files(to_json(item, alone=False))
    if channel is not None:
        channel.send(b"Y", {"value": value})
    return value


def _imports_of(function):
    """What a function will import when it is called."""
    names = [item.argval for item in dis.get_instructions(function.__code__) if item.opname == "IMPORT_NAME"]
    return [*names, "asyncio"] if _is_async(function) else names


def _preload(names):
    """Import standard modules ahead, so that no call pays for them."""
    for name in names:
        try:
            if _is_standard(name.partition(".")[0]):
                __import__(name)
        except Exception:  # noqa: BLE001 - the function will say so itself, if it is ever called
            pass


def _is_async(function):
    try:
        return bool(inspect.unwrap(function).__code__.co_flags & _IS_ASYNC)
    except (ValueError, AttributeError):
        return False


def _is_standard(name):
    """A module of Python itself, and not a file of the same name beside the script, which may act when imported."""
    if name not in sys.stdlib_module_names or name in _ACTS_WHEN_IMPORTED:
        return False
    spec = find_spec(name)
    return spec is not None and (spec.origin in (None, "built-in", "frozen") or spec.origin.startswith(_LIBRARY))

"""What a function's decorators make of it."""

from _ast import Call

from ..source.project import dotted_name
from .options import is_tool_decorator, read_options

_HARMLESS = frozenset(
    {
        "functools.cache",
        "functools.lru_cache",
        "functools.wraps",
        "builtins.staticmethod",
        "functools.singledispatch",
        "typing.no_type_check",
        "typing.final",
        "typing.override",
        "typing.deprecated",
        "warnings.deprecated",
        "asyncio.coroutine",
        "types.coroutine",
        "pydantic.validate_call",
        "pydantic.validate_arguments",
        "numba.jit",
        "numba.njit",
        "torch.no_grad",
        "torch.inference_mode",
        "tenacity.retry",
        "retrying.retry",
        "backoff.on_exception",
        "beartype.beartype",
        "typeguard.typechecked",
        "streamlit.cache_data",
        "streamlit.cache_resource",
        "mcp_execution.tool",
    }
)
_RETURNING_THE_FUNCTION = frozenset(
    "route get post put delete patch head options websocket before_request after_request teardown_request errorhandler "
    "exception_handler on_event middleware context_processor template_filter listens_for hookimpl register".split()
)
_AGAINST = {
    "contextlib.contextmanager": (
        "it makes a context manager, which is no value",
        "Write a function that uses it and returns a value",
    ),
    "contextlib.asynccontextmanager": (
        "it makes a context manager, which is no value",
        "Write a function that uses it and returns a value",
    ),
    "builtins.property": ("it is a property", "Remove @property"),
    "functools.cached_property": ("it is a property", "Remove @cached_property"),
    "builtins.classmethod": ("it is a classmethod outside of a class", "Remove @classmethod"),
    "typing.overload": ("it only describes a variant for type checkers", None),
    "pytest.fixture": ("it is a fixture of pytest", "Write it without @pytest.fixture"),
    "atexit.register": ("it runs when the script ends", None),
}


class Marks:
    """`options` is what @tool says, where it is there; `against` a reason and a change that speak against a tool."""

    __slots__ = ("options", "against", "degraded")

    def __init__(self):
        self.options = None
        self.against = None
        self.degraded = []


def read_decorators(function, module):
    marks = Marks()
    for decorator in function.decorator_list:
        if is_tool_decorator(decorator, module):
            marks.options = read_options(decorator, module)
            marks.degraded += marks.options.degraded
        else:
            _read_other(marks, decorator, module)
    return marks


def _read_other(marks, decorator, module):
    target = decorator.func if isinstance(decorator, Call) else decorator
    meaning = module.unfollowed(target)
    name = meaning.name if meaning.kind == "external" else ""
    if name in _AGAINST:
        marks.against = _AGAINST[name]
    elif name not in _HARMLESS and getattr(target, "attr", None) not in _RETURNING_THE_FUNCTION:
        said = dotted_name(target) or "a decorator"
        marks.degraded.append(f"@{said} may change how it is called; its signature is given as it is written.")

"""What to return in place of a value that JSON cannot say."""

import inspect
import io
from collections import abc
from types import ModuleType


def refusal(value):
    return f"{_called(value)} cannot be turned into JSON; {_instead(value)}"


def _called(value):
    if isinstance(value, type):
        return f"the class {value.__qualname__}"
    kind = type(value)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _instead(value):
    if isinstance(value, type):
        return "return an instance's fields or the class's name"
    if isinstance(value, BaseException):
        return "raise it, or return str(error)"
    if inspect.isawaitable(value):
        return "await it and return what it gives"
    if isinstance(value, io.IOBase):
        return "return its content, .read(), or its path"
    if isinstance(value, abc.AsyncIterator):
        return "return [item async for item in it]"
    if isinstance(value, abc.Iterator):
        return "return list(...) of it"
    if isinstance(value, ModuleType):
        return "return what you need from the module"
    if callable(value):
        return "call it and return what it gives"
    if hasattr(value, "__dict__"):
        return "return a dict, a dataclass, vars(value) or str(value)"
    return "return a dict, a list or str(value)"

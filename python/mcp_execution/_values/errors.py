"""What can go wrong with a value, where in it, and how that is said."""

from json import dumps

_SHOWN_CHARACTERS = 60
_SHOWN_KEYS = 5


class InvalidArguments(Exception):
    """The caller's arguments do not fit the function."""

    def __init__(self, message, argument=""):
        super().__init__(message)
        self.message = message
        self.argument = argument


class BadResult(Exception):
    """The function returned something that JSON cannot say."""

    def __init__(self, message, path="$"):
        super().__init__(message)
        self.message = message
        self.path = path


class Mismatch(Exception):
    """One value that does not fit; each container on the way up adds its step."""

    def __init__(self, reason, *, expected=None, got=None, steps=()):
        super().__init__(reason)
        self.reason = reason
        self.expected = expected
        self.got = got
        self.steps = list(steps)
        self.is_tag = False

    def at(self, step, holder=None):
        self.steps.append(step)
        self.is_tag = False
        return self

    def path(self, root):
        return path_text(root, reversed(self.steps))


def unexpected(expected, value):
    got = shown(value)
    return Mismatch(f"expected {expected}, got {got}", expected=expected, got=got)


def path_text(root, steps):
    return root + "".join(_step_text(step) for step in steps)


def _step_text(step):
    if type(step) is int:
        return f"[{step}]"
    if step.isidentifier():
        return f".{step}"
    return f"[{dumps(shortened(step), ensure_ascii=False)}]"


def shown(value):
    """A JSON value in words, short enough for an error message."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the string {shortened(value)!r}"
    if isinstance(value, (int, float)):
        return f"the number {_number_text(value)}"
    if isinstance(value, list):
        return f"an array of {len(value)} item{'' if len(value) == 1 else 's'}"
    if isinstance(value, dict):
        return f"an object with {_keys_text(value)}" if value else "an empty object"
    return f"a {type(value).__name__}"


def shortened(text):
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"


def listed(names):
    return ", ".join(repr(shortened(str(name))) for name in names)


def _number_text(value):
    try:
        return shortened(repr(value))
    except ValueError:
        return "of thousands of digits"


def _keys_text(value):
    keys = list(value)
    more = f" and {len(keys) - _SHOWN_KEYS} more" if len(keys) > _SHOWN_KEYS else ""
    return f"the key{'' if len(keys) == 1 else 's'} {listed(keys[:_SHOWN_KEYS])}{more}"

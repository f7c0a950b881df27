"""Values of standard types that the source makes outright, `date(2024, 1, 1)`, as the text that stands for them in JSON."""

from .operators import NotStatic

_LONGEST_TEXT = 1000


class StandardText(str):
    """`type` is the full name of what the text stands for."""



def standard_text(name, args, keywords):
    """The text of what calling `name` makes; raises NotStatic where it makes nothing of this kind, or fails."""
    if name not in _MAKERS:
        raise NotStatic
    if any(isinstance(value, str) and len(value) > _LONGEST_TEXT for value in (*args, *keywords.values())):
        raise NotStatic
    try:
        text = StandardText(_MAKERS[name](*args, **keywords))
    except (TypeError, ValueError, ArithmeticError, AttributeError):
        raise NotStatic from None
    text.type = "re.Pattern" if name == "re.compile" else name.removesuffix(".fromisoformat")
    return text


def _path(*parts):
    if not all(isinstance(part, str) for part in parts):
        raise NotStatic
    from posixpath import join

    text = join("", *parts)
    kept = [part for part in text.split("/") if part not in ("", ".")]
    return ("/" if text.startswith("/") else "") + "/".join(kept) or "."


def _number_text(module, name):
    def make(*args):
        return str(getattr(__import__(module), name)(*args))

    return make


def _iso_text(name, method=None):
    def make(*args, **keywords):
        import datetime

        cls = getattr(datetime, name)
        return (getattr(cls, method) if method else cls)(*args, **keywords).isoformat()

    return make


def _duration(*args, **keywords):
    from datetime import timedelta

    from ..._values.dates import duration_text

    return duration_text(timedelta(*args, **keywords))


def _uuid(*args, **keywords):
    from uuid import UUID

    return str(UUID(*args, **keywords))


def _pattern(text, flags=0):
    # Flags have no place in the text.
    if not isinstance(text, str) or flags:
        raise NotStatic
    return text


_MAKERS = {
    **{f"pathlib.{name}": _path for name in ("Path", "PurePath", "PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath")},
    "decimal.Decimal": _number_text("decimal", "Decimal"),
    "fractions.Fraction": _number_text("fractions", "Fraction"),
    "datetime.timedelta": _duration,
    "uuid.UUID": _uuid,
    "re.compile": _pattern,
    **{f"datetime.{name}": _iso_text(name) for name in ("date", "time", "datetime")},
    **{f"datetime.{name}.fromisoformat": _iso_text(name, "fromisoformat") for name in ("date", "time", "datetime")},
}

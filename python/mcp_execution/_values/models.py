"""Pydantic models and dataclasses, recognised by what they carry and never imported from here."""

import sys
from json import dumps
from typing import Union

from .containers import decoded
from .converter import Converter
from .errors import Mismatch, shown, unexpected

_MORE_ERRORS_SHOWN = 3


def is_model(cls):
    return isinstance(cls, type) and (_is_current(cls) or _is_first_version(cls))


def dump_model(value):
    cls = type(value)
    if not _is_current(cls):
        return value.dict(by_alias=True)
    if hasattr(cls, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    return cls.__pydantic_serializer__.to_python(value, mode="json", by_alias=True)


def model_converter(cls):
    expected = f"an object ({cls.__name__})"
    if not _is_current(cls):
        return _validating(cls.parse_obj, None, expected)
    if hasattr(cls, "model_validate"):
        takes_text = "root" in getattr(cls, "model_fields", ())
        return _validating(cls.model_validate, cls.model_validate_json, expected, takes_text)
    return _validating(
        lambda value: cls.__pydantic_validator__.validate_python(value),
        lambda text: cls.__pydantic_validator__.validate_json(text),
        expected,
    )


def model_union_converter(models):
    """Pydantic's own choice among several models, or None where it cannot be asked."""
    adapter_type = getattr(sys.modules.get("pydantic"), "TypeAdapter", None)
    if adapter_type is None or not all(_is_current(model) for model in models):
        return None
    adapter = adapter_type(Union[tuple(models)])
    expected = f"an object ({' or '.join(model.__name__ for model in models)})"
    takes_text = any("root" in getattr(model, "model_fields", ()) for model in models)
    return _validating(adapter.validate_python, adapter.validate_json, expected, takes_text)


def _is_current(cls):
    return hasattr(cls, "__pydantic_validator__")


def _is_first_version(cls):
    return hasattr(cls, "parse_obj") and hasattr(cls, "__fields__")


def _validating(validate, validate_text, expected, takes_text=False):
    def attempt(value):
        try:
            return validate(value)
        except Exception as error:
            refusal = error
        if validate_text:
            # a strict model takes dates and the like only from JSON, which is what this was
            try:
                return validate_text(dumps(value))
            except Exception as error:
                refusal = error
        raise _mismatch(refusal, expected) from refusal

    def convert(value):
        return attempt(value if takes_text else decoded(value, dict, expected))

    def strict(value):
        if not takes_text and type(value) is not dict:
            raise unexpected(expected, value)
        return attempt(value)

    return Converter(convert, strict, expected)


def _mismatch(refusal, expected):
    try:
        errors = refusal.errors()
        first, *more = errors
    except Exception:
        return Mismatch(f"expected {expected}: {refusal}")
    reason = first["msg"]
    if "input" in first and first["type"] != "missing":
        reason += f", got {shown(first['input'])}"
    if more:
        others = [f"{_location_text(error)}: {error['msg']}" for error in more[:_MORE_ERRORS_SHOWN]]
        left = len(more) - len(others)
        reason += f" (also {'; '.join(others)}{f'; and {left} more' if left else ''})"
    return Mismatch(reason, steps=reversed([_step(part) for part in first["loc"]]))


def _location_text(error):
    return ".".join(str(part) for part in error["loc"]) or "value"


def _step(part):
    return part if type(part) is int else str(part)

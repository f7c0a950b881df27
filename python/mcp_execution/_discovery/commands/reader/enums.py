"""Members of the Enum classes that a script defines."""

from _ast import Assign, Name

from ...source.syntax import last_name
from .values import UNKNOWN, Class, Member, Scope

_ENUMS = {"Enum", "StrEnum", "IntEnum", "Flag", "IntFlag", "ReprEnum"}


def is_enum(of):
    return isinstance(of, Class) and any(last_name(base) in _ENUMS for base in of.node.bases)


def members_of(reader, of):
    """In the order in which they are written, or None where the class is no Enum."""
    if not is_enum(of):
        return None
    members, seen = [], Scope(of.scope)
    for item in of.node.body:
        if isinstance(item, Assign) and len(item.targets) == 1 and isinstance(item.targets[0], Name):
            name = item.targets[0].id
            if not name.startswith("_"):
                value = reader.value(item.value, seen)
                value = _automatic(of, name, members) if getattr(value, "path", "").split(".")[-1] == "auto" else value
                seen.names[name] = value
                members.append(Member(name, value))
    return members


def member_of(reader, of, name):
    return next((member for member in members_of(reader, of) or () if member.name == name), None)


def values_of(reader, of):
    """The values of its members where all are known, else None."""
    values = [member.value for member in members_of(reader, of) or ()]
    return values if values and all(isinstance(value, (str, int, float)) for value in values) else None


def _automatic(of, name, members):
    if any(last_name(base) == "StrEnum" for base in of.node.bases):
        return name.lower()
    if any(last_name(base) in ("str", "Flag", "IntFlag") for base in of.node.bases):
        return UNKNOWN
    numbers = [member.value for member in members if type(member.value) is int]
    return max(numbers, default=0) + 1

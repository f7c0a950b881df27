"""Names of tools and parameters."""

import hashlib
import re

_LONGEST_NAME = 64


def tool_name(*parts):
    """A valid tool name made of the parts; what is too long is cut, and told apart by a short hash."""
    whole = "_".join(part for part in parts if part)
    name = re.sub(r"[^A-Za-z0-9_-]", "_", whole) or "script"
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[: _LONGEST_NAME - 9]}_{hashlib.sha256(whole.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def parameter_name(text):
    return re.sub(r"\W", "_", text.strip("-+/")) or "value"


def keep_apart(name, taken):
    """The name, or the name with a number, so that it is not among those taken; it is added to them."""
    chosen, number = name, 2
    while chosen in taken:
        suffix = f"_{number}"
        chosen, number = name[: _LONGEST_NAME - len(suffix)] + suffix, number + 1
    taken.add(chosen)
    return chosen

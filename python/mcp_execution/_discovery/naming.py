"""Names and first sentences, where the author wrote none."""

import re

_ALLOWED = re.compile(r"[^A-Za-z0-9_-]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LONGEST = 64
_MARK_LENGTH = 6


def tool_name(*parts):
    """A name of the parts that every client takes: letters, digits, `_` and `-`, at most 64; what is cut is told apart by a mark."""
    name = "_".join(part for part in parts if part)
    if name and len(name) <= _LONGEST and not _ALLOWED.search(name):
        return name
    plain = _ALLOWED.sub("_", _without_accents(name))
    if len(plain) <= _LONGEST and plain.strip("_-"):
        return plain
    from binascii import crc32

    mark = f"{crc32(name.encode('utf-8', 'surrogatepass')):08x}"[:_MARK_LENGTH]
    return f"{plain[: _LONGEST - _MARK_LENGTH - 1]}_{mark}" if plain.strip("_-") else f"tool_{mark}"


def _without_accents(name):
    if name.isascii():
        return name
    from unicodedata import combining, normalize

    return "".join(letter for letter in normalize("NFKD", name.replace("ß", "ss")) if not combining(letter))


def parameter_name(text):
    return re.sub(r"\W", "_", text.strip("-+/")) or "value"


def keep_apart(name, taken):
    """The name, or the name with a number, so that it is not among those taken; it is added to them."""
    chosen, number = name, 2
    while chosen in taken:
        suffix = f"_{number}"
        chosen, number = name[: _LONGEST - len(suffix)] + suffix, number + 1
    taken.add(chosen)
    return chosen


def readable(name):
    """`word_count` as "Word count"."""
    words = _CAMEL.sub(" ", name.strip("_")).replace("_", " ").split()
    words = [word if word.isupper() and len(word) > 1 else word.lower() for word in words]
    text = " ".join(words) or name
    return text[:1].upper() + text[1:]


def sentence_of(name, parameters):
    """What a function without a docstring can be said to do: its name, in words, and what it takes."""
    said = readable(name)
    if not parameters:
        return f"{said}."
    listed = parameters[0] if len(parameters) == 1 else f"{', '.join(parameters[:-1])} and {parameters[-1]}"
    return f"{said}. Takes {listed}."

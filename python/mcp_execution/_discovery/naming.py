"""Names and first sentences, where the author wrote none."""

import re

_ALLOWED = re.compile(r"[^A-Za-z0-9_-]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LONGEST = 64


def tool_name(name):
    """A name that every client takes: letters, digits, `_` and `-`, at most 64."""
    if len(name) <= _LONGEST and not _ALLOWED.search(name):
        return name
    plain = _ALLOWED.sub("_", _without_accents(name))
    if len(plain) <= _LONGEST and plain.strip("_-"):
        return plain
    from binascii import crc32

    mark = f"{crc32(name.encode('utf-8', 'surrogatepass')):08x}"[:6]
    return f"{plain[: _LONGEST - 7]}_{mark}" if plain.strip("_-") else f"tool_{mark}"


def _without_accents(name):
    if name.isascii():
        return name
    from unicodedata import combining, normalize

    return "".join(letter for letter in normalize("NFKD", name.replace("ß", "ss")) if not combining(letter))


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

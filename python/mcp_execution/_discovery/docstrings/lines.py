"""The lines of a docstring: their indentation, and the text that they flow into."""

import re

_ROLE = re.compile(r":(?:\w+:)?\w+:`~?\.?([^`<]+?)(?:\s*<[^`>]*>)?`")


def dedented(lines):
    margin = min((indent_of(line) for line in lines if line.strip()), default=0)
    return [line[margin:].rstrip() for line in lines]


def indent_of(line):
    return len(line) - len(line.lstrip())


def flowing(lines):
    """Paragraphs on one line each; lists keep their lines."""
    paragraphs, current = [], []
    for line in lines:
        bare = line.strip()
        if not bare or bare[:2] in ("- ", "* ", "• "):
            if current:
                paragraphs.append(" ".join(current))
            current = [bare] if bare else []
        else:
            current.append(bare)
    if current:
        paragraphs.append(" ".join(current))
    return plain("\n".join(paragraphs)).strip()


def plain(text):
    if "`" in text:
        text = _ROLE.sub(r"\1", text).replace("``", "`")
    return text

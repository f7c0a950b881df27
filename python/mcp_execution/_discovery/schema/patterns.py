"""Python's regular expressions as those of JSON Schema, which are JavaScript's with the flag `u`."""

_CLASS_ESCAPES = frozenset("dDwWsSbBfnrtv0")
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_GROUPS = ("(?:", "(?=", "(?!", "(?<=", "(?<!")
_LONGEST = 2000


def json_pattern(pattern):
    """The same pattern in JavaScript's words, or None where they have none for it."""
    if len(pattern) > _LONGEST or not _compiles(pattern):
        return None
    out = []
    at, in_class = 0, False
    while at < len(pattern):
        letter = pattern[at]
        if letter == "\\":
            translated, at = _escape(pattern, at, in_class)
            if translated is None:
                return None
            out.append(translated)
            continue
        if in_class:
            in_class = letter != "]" or pattern[at - 1] == "[" and out[-1] == "["
            if letter == "[":
                letter = "\\["
        elif letter == "[":
            in_class = True
            if pattern.startswith(("[]", "[^]"), at):
                return None
        elif letter == "(" and pattern.startswith("(?", at):
            if pattern.startswith("(?P<", at):
                out.append("(?<")
                at += 4
                continue
            if not pattern.startswith(_GROUPS, at):
                return None
        elif letter == "{":
            end = pattern.find("}", at)
            low, comma, high = pattern[at + 1 : end].partition(",")
            if end < 0 or not low.isdigit() or not (high.isdigit() or not high):
                return None
            out.append(pattern[at : end + 1])
            at = end + 1
            continue
        elif letter in "}]":
            letter = "\\" + letter
        elif letter == "+" and at and pattern[at - 1] in "*+?}" and not pattern.endswith("\\", 0, at - 1):
            return None
        out.append(letter)
        at += 1
    return "".join(out)


def _escape(pattern, at, in_class):
    following = pattern[at + 1 : at + 2]
    if following == "Z" and not in_class:
        return "$", at + 2
    if following == "A" and not in_class:
        return "^", at + 2
    if following == "x" and _is_hex(pattern[at + 2 : at + 4], 2):
        return pattern[at : at + 4], at + 4
    if following == "u" and _is_hex(pattern[at + 2 : at + 6], 4):
        return pattern[at : at + 6], at + 6
    if following in _CLASS_ESCAPES or following in _SYNTAX or (following == "-" and in_class):
        return ("\\" + following if following != "b" or not in_class else "\\b"), at + 2
    if following.isdigit() or following.isalpha() or not following:
        return None, at
    return following, at + 2


def _is_hex(text, length):
    return len(text) == length and all(letter in "0123456789abcdefABCDEF" for letter in text)


def _compiles(pattern):
    import re

    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True

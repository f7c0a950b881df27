"""Counts words. An ordinary script: nothing in it knows of mcp-execution."""

import re
from collections import Counter


def words(text: str) -> list[str]:
    """All words of a text, in lower case."""
    return re.findall(r"[^\W\d_]+", text.lower())


def count(text: str, top: int = 10) -> dict[str, int]:
    """The most frequent words of a text, with how often each occurs."""
    found = words(text)
    print(f"{len(found)} words, {len(set(found))} different ones")
    return dict(Counter(found).most_common(top))


def longest(text: str) -> str:
    """The longest word of a text."""
    best = ""
    for number, line in enumerate(text.splitlines(), start=1):
        for word in words(line):
            if len(word) > len(best):
                best = word
                print(f"line {number}: {word}")
    return best


if __name__ == "__main__":
    import sys

    print(count(sys.stdin.read()))

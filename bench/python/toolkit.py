"""Functions as people have them: typed, described, and unaware of MCP."""

import re
import statistics
from dataclasses import dataclass
from datetime import date, timedelta


@dataclass
class Item:
    name: str
    price: float
    quantity: int = 1


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def total(items: list[Item], tax: float = 0.0) -> float:
    """Add up what items cost.

    Args:
        items: What was bought.
        tax: The tax as a part of one.
    """
    return sum(item.price * item.quantity for item in items) * (1 + tax)


def word_count(text: str, at_least: int = 1) -> dict[str, int]:
    """Count the words of a text.

    Args:
        text: The text.
        at_least: How often a word must occur.
    """
    counts: dict[str, int] = {}
    for word in re.findall(r"\w+", text.lower()):
        counts[word] = counts.get(word, 0) + 1
    return {word: count for word, count in counts.items() if count >= at_least}


def summary(numbers: list[float]) -> dict[str, float]:
    """Describe numbers by their mean and their spread."""
    return {"mean": statistics.fmean(numbers), "spread": statistics.pstdev(numbers)}


def working_days(start: date, end: date) -> int:
    """Count the days from Monday to Friday between two days."""
    days = (start + timedelta(days=number) for number in range((end - start).days))
    return sum(day.weekday() < 5 for day in days)


def slug(title: str, separator: str = "-") -> str:
    """Turn a title into a part of an address."""
    return separator.join(re.findall(r"[a-z0-9]+", title.lower()))

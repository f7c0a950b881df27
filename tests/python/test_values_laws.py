import json
import random
import string
import typing
import unittest
from collections import OrderedDict, deque
from dataclasses import make_dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath
from uuid import UUID

from mcp_execution._values import BadResult, InvalidArguments, from_json, to_json

SEED = 20240517
ROUNDS = 1_500
SAFE = 2**53 - 1


class Colour(Enum):
    RED = "red"
    GREEN = 2
    PAIR = (1, "a")


class Point(typing.NamedTuple):
    x: int
    label: typing.Optional[str]


def some_text(chance):
    alphabet = string.printable + "äß漢🙂\x00\ud800"
    return "".join(chance.choice(alphabet) for _ in range(chance.randrange(8)))


def some_zone(chance):
    return chance.choice([None, timezone.utc, timezone(timedelta(seconds=chance.randrange(-86_399, 86_400)))])


def some_time(chance):
    clock = [chance.randrange(n) for n in (24, 60, 60)]
    return time(*clock, chance.choice([0, chance.randrange(10**6)]), some_zone(chance))


def some_date(chance):
    return date.fromordinal(chance.randrange(1, date.max.toordinal()))


def some_float(chance):
    special = [0.0, -0.0, 1e308, float("inf"), float("-inf")]
    return chance.choice([*special, chance.uniform(-1e6, 1e6), float(chance.randrange(100))])


SCALARS = {
    int: lambda chance: chance.choice([chance.randrange(-9, 9), SAFE, SAFE + 1, -(10 ** chance.randrange(40))]),
    float: some_float,
    bool: lambda chance: chance.random() < 0.5,
    str: some_text,
    bytes: lambda chance: chance.randbytes(chance.randrange(9)),
    type(None): lambda chance: None,
    Decimal: lambda chance: Decimal(chance.randrange(-(10**20), 10**20)).scaleb(chance.randrange(-30, 30)),
    UUID: lambda chance: UUID(int=chance.getrandbits(128)),
    PurePosixPath: lambda chance: PurePosixPath(some_text(chance)),
    date: some_date,
    time: some_time,
    datetime: lambda chance: datetime.combine(some_date(chance), some_time(chance)),
    timedelta: lambda chance: timedelta(microseconds=chance.randrange(-(10**17), 10**17)),
    complex: lambda chance: complex(chance.uniform(-9, 9), chance.randrange(9)),
    Colour: lambda chance: chance.choice(list(Colour)),
    typing.Literal["a", 1, None]: lambda chance: chance.choice(["a", 1, None]),
    Point: lambda chance: Point(chance.randrange(9), chance.choice([None, some_text(chance)])),
}
KEYS = (int, float, bool, str, type(None), Decimal, UUID, PurePosixPath, date, time, datetime, timedelta)


def some_pair(chance, depth):
    """An annotation and a maker of values that fit it."""
    if depth == 0 or chance.random() < 0.3:
        annotation = chance.choice(list(SCALARS))
        return annotation, SCALARS[annotation]
    return chance.choice(SHAPES)(chance, depth - 1)


def a_list(chance, depth):
    item, make = some_pair(chance, depth)
    kind = chance.choice([list, deque])
    return kind[item], lambda chance: kind(make(chance) for _ in range(chance.randrange(4)))


def a_tuple(chance, depth):
    pairs = [some_pair(chance, depth) for _ in range(chance.randrange(1, 4))]
    return tuple[tuple(pair[0] for pair in pairs)], lambda chance: tuple(make(chance) for _, make in pairs)


def a_set(chance, depth):
    item = chance.choice(KEYS)
    kind = chance.choice([set, frozenset])
    return kind[item], lambda chance: kind(SCALARS[item](chance) for _ in range(chance.randrange(4)))


def an_object(chance, depth):
    key = chance.choice(KEYS)
    item, make = some_pair(chance, depth)
    kind = chance.choice([dict, OrderedDict])
    make_key = SCALARS[key]
    return kind[key, item], lambda chance: kind((make_key(chance), make(chance)) for _ in range(chance.randrange(4)))


def an_optional(chance, depth):
    item, make = some_pair(chance, depth)
    return typing.Optional[item], lambda chance: None if chance.random() < 0.3 else make(chance)


def a_dataclass(chance, depth):
    pairs = [some_pair(chance, depth) for _ in range(chance.randrange(1, 4))]
    cls = make_dataclass("Made", [(f"field_{index}", pair[0]) for index, pair in enumerate(pairs)])
    return cls, lambda chance: cls(*(make(chance) for _, make in pairs))


SHAPES = (a_list, a_tuple, a_set, an_object, an_optional, a_dataclass)


def some_json(chance, depth=3):
    if depth == 0 or chance.random() < 0.4:
        text = chance.choice(["", "1", "true", "NaN", "[1]", '{"a":1}', "2024-05-17", some_text(chance)])
        return chance.choice([None, True, False, 0, 1, -1, 2**60, 0.5, 2.0, text, text])
    if chance.random() < 0.5:
        return [some_json(chance, depth - 1) for _ in range(chance.randrange(4))]
    names = ["x", "label", "field_0", "1", some_text(chance)]
    return {chance.choice(names): some_json(chance, depth - 1) for _ in range(3)}


def integers_in(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from integers_in(item)
    elif type(value) is int:
        yield value


class Laws(unittest.TestCase):
    def pairs(self):
        for round_number in range(ROUNDS):
            chance = random.Random(SEED + round_number)
            annotation, make = some_pair(chance, 3)
            yield chance, annotation, make(chance)

    def test_what_is_written_as_json_is_read_back_as_the_same_value(self):
        for _, annotation, value in self.pairs():
            text = json.dumps(to_json(value), allow_nan=False)
            returned = from_json(annotation, json.loads(text))
            if returned != value or type(returned) is not type(value):
                self.fail(f"{annotation}: {value!r} went out as {text} and came back as {returned!r}")

    def test_what_is_written_holds_no_integer_that_javascript_would_change(self):
        for _, _, value in self.pairs():
            written = to_json(value)
            self.assertEqual([number for number in integers_in(written) if abs(number) > SAFE], [])

    def test_writing_what_was_written_changes_nothing(self):
        for _, _, value in self.pairs():
            written = to_json(value)
            self.assertEqual(to_json(written), written)

    def test_any_json_for_any_annotation_is_read_or_refused_and_nothing_else(self):
        for chance, annotation, _ in self.pairs():
            given = some_json(chance)
            before = json.dumps(given)
            try:
                from_json(annotation, given)
            except InvalidArguments as error:
                self.assertTrue(error.message.startswith("Argument value"))
            self.assertEqual(json.dumps(given), before)

    def test_a_value_read_can_be_written_and_read_again(self):
        for chance, annotation, _ in self.pairs():
            try:
                value = from_json(annotation, some_json(chance))
            except InvalidArguments:
                continue
            try:
                written = to_json(value)
            except BadResult as error:
                self.fail(f"{annotation}: {error}")
            again = from_json(annotation, written)
            self.assertEqual(to_json(again), written)


if __name__ == "__main__":
    unittest.main()

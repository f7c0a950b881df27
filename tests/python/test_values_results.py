import asyncio
import io
import json
import math
import re
import sys
import typing
import unittest
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from uuid import UUID

from mcp_execution._values import BadResult, to_json


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1


class Shout(str):
    def __str__(self):
        return "changed"


class Count(int):
    def __repr__(self):
        return "changed"


class Point(typing.NamedTuple):
    x: int
    y: int


@dataclass
class Item:
    name: str
    parts: list = field(default_factory=list)
    late: int = field(init=False)


class Broken(UserDict):
    def __iter__(self):
        raise OSError("disk gone")


class Writing(unittest.TestCase):
    def assert_writes(self, value, expected):
        written = to_json(value)
        self.assertEqual(written, expected)
        self.assertEqual(json.loads(json.dumps(written, allow_nan=False)), expected)

    def refusal(self, value):
        with self.assertRaises(BadResult) as caught:
            to_json(value)
        self.assertEqual(str(caught.exception), caught.exception.message)
        return caught.exception


class Values(Writing):
    def test_plain_values_stay_as_they_are(self):
        value = {"a": [1, 2.5, "x", True, None, {"b": []}], "": {}, "__proto__": 1}
        self.assert_writes(value, value)
        self.assertEqual(to_json("\ud800"), "\ud800")

    def test_an_int_beyond_2_53_becomes_a_string(self):
        self.assert_writes([2**53 - 1, -(2**53 - 1)], [2**53 - 1, -(2**53 - 1)])
        self.assert_writes([2**53, -(2**53)], ["9007199254740992", "-9007199254740992"])
        self.assert_writes({"a": 10**30}, {"a": "1" + "0" * 30})

    def test_an_int_too_long_to_write_is_refused(self):
        self.assertIn("return hex(value)", self.refusal(10**10_000).message)

    def test_nan_and_infinity_become_words(self):
        self.assert_writes([math.nan, math.inf, -math.inf], ["NaN", "Infinity", "-Infinity"])

    def test_bytes_become_base64(self):
        for value in (b"hi", bytearray(b"hi"), memoryview(b"hi"), memoryview(b"h_i_")[::2]):
            self.assert_writes(value, "aGk=")

    def test_textual_types_become_their_text(self):
        for value, text in (
            (Decimal("1.10"), "1.10"),
            (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
            (PurePosixPath("/a/b"), "/a/b"),
            (Colour.RED, "red"),
            (1 + 2j, "1+2j"),
            (timedelta(hours=1), "PT1H"),
            (re.compile("a+"), "a+"),
            (re.compile("a+", re.IGNORECASE), "(?i)a+"),
        ):
            self.assert_writes(value, text)

    def test_subclasses_are_written_as_what_they_extend(self):
        self.assert_writes([Shout("real"), Count(5), Level.LOW, Count(2**60)], ["real", 5, 1, str(2**60)])
        self.assertEqual([type(part) for part in to_json([Shout("real"), Count(5), Level.LOW])], [str, int, int])
        ordered = OrderedDict(a=1, b=2)
        ordered.move_to_end("a")
        self.assertEqual(list(to_json(ordered)), ["b", "a"])
        self.assert_writes(defaultdict(list, a=[1]), {"a": [1]})
        self.assert_writes(Counter("aab"), {"a": 2, "b": 1})


class Containers(Writing):
    def test_every_kind_of_collection_has_its_json_form(self):
        content = {"a": 1, "b": 2}
        for value, expected in (
            ((1, 2), [1, 2]),
            (deque([1, 2]), [1, 2]),
            (range(3), [0, 1, 2]),
            (UserList([1]), [1]),
            (content.keys(), ["a", "b"]),
            (content.values(), [1, 2]),
            (content.items(), [["a", 1], ["b", 2]]),
            (MappingProxyType(content), content),
            (UserDict(content), content),
            (ChainMap({"a": 1}, {"b": 2}), content),
            (Point(1, 2), {"x": 1, "y": 2}),
        ):
            self.assert_writes(value, expected)

    def test_a_set_is_written_in_order(self):
        self.assert_writes({3, 1, 2}, [1, 2, 3])
        self.assert_writes(frozenset({"b", "a"}), ["a", "b"])
        self.assert_writes({date(2024, 1, 2), date(2024, 1, 1)}, ["2024-01-01", "2024-01-02"])

    def test_a_set_that_cannot_be_sorted_still_has_one_order(self):
        self.assert_writes({Colour.RED, Colour.BLUE}, ["blue", "red"])
        self.assert_writes({1, "a", None}, ["a", 1, None])
        self.assert_writes({frozenset({3, 4}), frozenset({1, 2})}, [[1, 2], [3, 4]])

    def test_a_dataclass_is_the_object_of_its_fields(self):
        item = Item("a", [Item("b")])
        item.late, item.parts[0].late = 1, 2
        self.assert_writes(item, {"name": "a", "parts": [{"name": "b", "parts": [], "late": 2}], "late": 1})

    def test_a_field_that_was_never_set_is_named(self):
        error = self.refusal([Item("a")])
        self.assertEqual(error.path, "$[0]")
        self.assertIn("late", error.message)


class Keys(Writing):
    def test_keys_become_text_as_json_would_have_it(self):
        for key, text in (
            (1, "1"),
            (2**60, str(2**60)),
            (1.5, "1.5"),
            (math.nan, "NaN"),
            (True, "true"),
            (None, "null"),
            (Colour.RED, "red"),
            (Level.LOW, "1"),
            (UUID(int=1), str(UUID(int=1))),
            (date(2024, 5, 17), "2024-05-17"),
            (Path("x"), "x"),
            (Decimal("1.0"), "1.0"),
            (Shout("real"), "real"),
        ):
            self.assert_writes({key: 0}, {text: 0})

    def test_a_key_without_text_is_refused_at_its_object(self):
        for key in ((1, 2), b"x", frozenset(), object()):
            error = self.refusal({"a": {key: 1}})
            self.assertEqual(error.path, "$.a")
            self.assertIn(type(key).__name__, error.message)

    def test_keys_that_would_collide_are_refused(self):
        error = self.refusal([{1: "a", "1": "b"}])
        self.assertEqual(error.path, "$[0]")
        self.assertIn("both become '1'", error.message)


class Refusals(Writing):
    def test_what_json_cannot_say_is_named_with_its_place_and_advice(self):
        for value, kind, advice in (
            (ValueError("x"), "ValueError", "raise it"),
            (len, "builtin_function_or_method", "call it"),
            (lambda: 1, "function", "call it"),
            (json, "module", "return what you need"),
            (io.StringIO(), "StringIO", ".read()"),
            (Item, "class Item", "class's name"),
            ((n for n in ()), "generator", "list(...)"),
            (iter([]), "list_iterator", "list(...)"),
            (object(), "object", "return a dict"),
            (type("Own", (), {})(), "Own", "vars(value)"),
        ):
            with self.subTest(kind=kind):
                error = self.refusal({"a": [1, value]})
                self.assertEqual(error.path, "$.a[1]")
                self.assertIn(kind, error.message)
                self.assertIn(advice, error.message)

    def test_a_coroutine_asks_to_be_awaited(self):
        coroutine = asyncio.sleep(0)
        self.addCleanup(coroutine.close)
        self.assertIn("await it", self.refusal(coroutine).message)

    def test_an_odd_key_is_quoted_in_the_path(self):
        self.assertEqual(self.refusal({"a b": {"c": [len]}}).path, '$["a b"].c[0]')

    def test_a_value_whose_own_code_fails_is_a_bad_result(self):
        error = self.refusal({"a": Broken()})
        self.assertEqual(error.path, "$.a")
        self.assertIn("OSError: disk gone", error.message)

        class Unhashable(type):
            __hash__ = None

        self.assertIn("unhashable", self.refusal(Unhashable("Own", (), {})()).message)

        class Zone(tzinfo):
            def utcoffset(self, moment):
                raise RuntimeError("no offset")

        self.assertIn("no offset", self.refusal(datetime(2024, 1, 1, tzinfo=Zone())).message)


class Nesting(Writing):
    def test_a_circular_value_is_refused_with_both_places(self):
        loop = {"x": [0]}
        loop["x"].append({"y": loop})
        error = self.refusal({"start": loop})
        self.assertEqual(error.path, "$.start.x[1].y")
        self.assertIn("this is $.start again", error.message)

    def test_a_circular_dataclass_list_or_deque_is_refused(self):
        item = Item("a")
        item.late = 0
        item.parts.append(item)
        self.assertEqual(self.refusal(item).path, "$.parts[0]")
        ring = deque()
        ring.append(ring)
        self.assertIn("circular", self.refusal(ring).message)

    def test_the_same_value_twice_is_not_circular(self):
        shared = [1]
        self.assert_writes([shared, shared, {"a": shared}], [[1], [1], {"a": [1]}])

    def test_nesting_is_fine_up_to_200_levels_and_refused_beyond(self):
        def nested(levels, wrap, core):
            for _ in range(levels):
                core = wrap(core)
            return core

        def item(value):
            made = Item("a", value)
            made.late = 0
            return made

        for wrap in (lambda value: [value], lambda value: {"a": value}, item, lambda value: deque([value])):
            to_json(nested(200, wrap, 1))
            error = self.refusal(nested(201, wrap, 1))
            self.assertIn("deeper than 200 levels", error.message)
            self.refusal(nested(20_000, wrap, 1))

    def test_a_lowered_recursion_limit_gives_a_bad_result_too(self):
        deep = []
        for _ in range(150):
            deep = [deep]
        limit = sys.getrecursionlimit()
        self.addCleanup(sys.setrecursionlimit, limit)
        sys.setrecursionlimit(120)
        try:
            to_json(deep)
        except BadResult as error:
            message = error.message
        finally:
            sys.setrecursionlimit(limit)
        self.assertIn("nested too deeply", message)


if __name__ == "__main__":
    unittest.main()

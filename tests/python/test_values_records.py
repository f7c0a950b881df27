from __future__ import annotations

import sys
import typing
import unittest
from collections import namedtuple
from dataclasses import KW_ONLY, InitVar, dataclass, field
from datetime import date

from mcp_execution._values import InvalidArguments, from_json, to_json

T = typing.TypeVar("T")


@dataclass
class Item:
    name: str
    price: float = 1.0
    tags: list[str] = field(default_factory=list)


@dataclass
class Order:
    items: list[Item]
    date: date | None = None
    _: KW_ONLY
    note: str = ""


@dataclass
class Rectangle:
    width: float
    scale: InitVar[int] = 1
    area: float = field(init=False)
    unit: typing.ClassVar[str] = "cm"

    def __post_init__(self, scale):
        if self.width < 0:
            raise ValueError("width must not be negative")
        self.area = self.width * scale


@dataclass(init=False)
class Handmade:
    total: int

    def __init__(self, parts: list[int], **rest: int):
        self.total = sum(parts) + sum(rest.values())


@dataclass
class Tree:
    value: int
    children: list[Tree] = field(default_factory=list)


@dataclass
class Box(typing.Generic[T]):
    content: T
    more: list[T] = field(default_factory=list)


class Movie(typing.TypedDict):
    title: str
    year: int


class Rating(Movie, total=False):
    stars: float
    remarks: list[str]


class Point(typing.NamedTuple):
    x: float
    y: float = 0.0


Bare = namedtuple("Bare", "left right", defaults=[None])


class Records(unittest.TestCase):
    def read(self, annotation, value):
        return from_json(annotation, value, globalns=globals())

    def refusal(self, annotation, value):
        with self.assertRaises(InvalidArguments) as caught:
            self.read(annotation, value)
        return caught.exception


class Dataclasses(Records):
    def test_a_nested_dataclass_is_made_with_its_defaults(self):
        items = [{"name": "a", "price": 2}, {"name": "b"}]
        order = self.read(Order, {"items": items, "date": "2024-05-17", "note": "x"})
        self.assertEqual(order, Order([Item("a", 2.0), Item("b")], date(2024, 5, 17), note="x"))

    def test_the_path_reaches_into_fields(self):
        error = self.refusal(Order, {"items": [{"name": "a"}, {"name": "b"}, {"name": "c", "price": "abc"}]})
        self.assertEqual(error.argument, "value.items[2].price")
        self.assertEqual(
            error.message, "Argument value.items[2].price: expected a number, got the string 'abc'"
        )

    def test_missing_and_unknown_keys_are_all_named_with_a_suggestion(self):
        message = self.refusal(Item, {"nmae": "a", "zzz": 1}).message
        unknown = "unknown 'nmae' (did you mean 'name'?), 'zzz'"
        self.assertIn(f"missing 'name'; {unknown}; Item takes 'name', 'price', 'tags'", message)

    def test_null_is_taken_where_it_is_the_default_of_a_field(self):
        @dataclass
        class Note:
            text: str = None
            count: int = 0

        class Pair(typing.NamedTuple):
            left: int
            right: int = None

        self.assertEqual(from_json(Note, {"text": None}), Note())
        self.assertEqual(from_json(Pair, {"left": 1, "right": None}), Pair(1))
        for annotation, value in ((Note, {"count": None}), (Note, {"text": 5}), (Pair, {"left": None})):
            with self.subTest(value=value), self.assertRaises(InvalidArguments):
                from_json(annotation, value)

    def test_an_initvar_is_asked_and_a_computed_field_is_not(self):
        self.assertEqual(self.read(Rectangle, {"width": 2, "scale": "3"}).area, 6.0)
        self.assertIn("unknown 'area'", self.refusal(Rectangle, {"width": 2, "area": 5}).message)
        self.assertIn("unknown 'unit'", self.refusal(Rectangle, {"width": 2, "unit": "m"}).message)

    def test_a_refusal_by_the_class_itself_is_the_callers_mistake(self):
        message = self.refusal(Rectangle, {"width": -1}).message
        self.assertIn("Rectangle refused it: ValueError: width must not be negative", message)

    def test_a_hand_written_constructor_is_followed(self):
        self.assertEqual(self.read(Handmade, {"parts": ["1", 2], "extra": "3"}).total, 6)
        self.assertIn("missing 'parts'", self.refusal(Handmade, {"total": 5}).message)

    def test_a_recursive_dataclass_goes_as_deep_as_the_value(self):
        tree = self.read(Tree, {"value": 1, "children": [{"value": "2", "children": [{"value": 3}]}]})
        self.assertEqual(tree, Tree(1, [Tree(2, [Tree(3)])]))

    def test_a_value_nested_too_deeply_is_refused(self):
        value = {"value": 1}
        for _ in range(5_000):
            value = {"value": 1, "children": [value]}
        self.assertIn("nested too deeply", self.refusal(Tree, value).message)

    def test_a_generic_dataclass_takes_its_argument(self):
        self.assertEqual(self.read(Box[int], {"content": "5", "more": ["6"]}), Box(5, [6]))
        self.assertEqual(self.read(Box["Item"], {"content": {"name": "a"}}), Box(Item("a")))
        self.assertEqual(self.read(Box, {"content": "5"}), Box("5"))

    def test_json_text_is_read_where_a_dataclass_is_asked(self):
        self.assertEqual(self.read(Item, '{"name": "a"}'), Item("a"))
        self.assertIn("expected an object (Item), got the string 'a'", self.refusal(Item, "a").message)

    def test_a_dataclass_defined_in_a_function_knows_itself(self):
        @dataclass
        class Local:
            next: Local | None = None

        self.assertEqual(from_json(Local, {"next": {}}), Local(Local()))


class TypedDicts(Records):
    def test_required_and_optional_keys_are_kept_apart(self):
        self.assertEqual(self.read(Movie, {"title": "a", "year": "1999"}), {"title": "a", "year": 1999})
        rated = {"title": "a", "year": 1999, "stars": 4.0}
        self.assertEqual(self.read(Rating, {**rated, "stars": "4"}), rated)
        self.assertIn("missing 'year'", self.refusal(Rating, {"title": "a", "stars": 1}).message)

    def test_an_unknown_key_is_refused(self):
        self.assertIn("unknown 'tilte' (did you mean 'title'?)", self.refusal(Movie, {"tilte": "a", "year": 1}).message)

    @unittest.skipUnless(sys.version_info >= (3, 11), "Required and NotRequired are of Python 3.11")
    def test_required_and_notrequired_are_read_even_when_quoted(self):
        class Partial(typing.TypedDict, total=False):
            name: typing.Required[str]
            size: int

        class Whole(typing.TypedDict):
            name: str
            size: typing.NotRequired[int]

        for cls in (Partial, Whole):
            self.assertEqual(self.read(cls, {"name": "a"}), {"name": "a"})
            self.assertEqual(self.read(cls, {"name": "a", "size": "5"}), {"name": "a", "size": 5})
            self.assertIn("missing 'name'", self.refusal(cls, {"size": 1}).message)


class NamedTuples(Records):
    def test_a_namedtuple_is_an_object_both_ways(self):
        self.assertEqual(self.read(Point, {"x": "1"}), Point(1.0))
        self.assertEqual(to_json(Point(1.0, 2.0)), {"x": 1.0, "y": 2.0})
        self.assertEqual(self.read(Bare, {"left": "1"}), Bare("1", None))

    def test_a_wrong_field_is_named(self):
        self.assertEqual(self.refusal(list[Point], [{"x": []}]).argument, "value[0].x")
        self.assertIn("missing 'x'", self.refusal(Point, {}).message)


if __name__ == "__main__":
    unittest.main()

import re
import typing
import unittest
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from mcp_execution._values import InvalidArguments, bind, from_json
from mcp_execution._values.annotated import converter_for
from mcp_execution._values.scalars import SCALARS
from mcp_execution._values.scope import Scope

Annotated = typing.Annotated


class bounds:
    """What annotated-types, pydantic and others put into Annotated: an object with such attributes."""

    def __init__(self, **said):
        vars(self).update(said)


def field_info(*metadata):
    """Pydantic's Field keeps the bounds in its metadata."""
    return bounds(metadata=list(metadata), default=None, description="a field")


@dataclass
class Order:
    count: Annotated[int, bounds(ge=1)]
    tags: list[Annotated[str, bounds(min_length=2)]] = field(default_factory=list)


class Pair(typing.NamedTuple):
    low: Annotated[int, bounds(ge=0)]


class Settings(typing.TypedDict, total=False):
    level: Annotated[int, bounds(le=9)]


class ConstraintCase(unittest.TestCase):
    def assert_taken(self, annotation, *values):
        for value in values:
            with self.subTest(value=value):
                from_json(annotation, value)

    def assert_refused(self, annotation, value, reason):
        with self.assertRaises(InvalidArguments) as caught:
            from_json(annotation, value, path="x")
        self.assertEqual(caught.exception.message, f"Argument {reason}")


class Numbers(ConstraintCase):
    def test_a_bound_holds_for_the_converted_number(self):
        self.assert_taken(Annotated[int, bounds(ge=1)], 1, "1", 5)
        self.assert_refused(Annotated[int, bounds(ge=1)], 0, "x: expected at least 1, got 0")
        self.assert_refused(Annotated[int, bounds(gt=0)], 0, "x: expected more than 0, got 0")
        self.assert_refused(Annotated[int, bounds(le=9)], "10", "x: expected at most 9, got the string '10'")
        self.assert_refused(Annotated[float, bounds(lt=1.5)], 1.5, "x: expected less than 1.5, got 1.5")

    def test_several_bounds_hold_together(self):
        interval = Annotated[int, bounds(gt=None, ge=1, lt=None, le=3), bounds(multiple_of=3)]
        self.assert_taken(interval, 3)
        self.assert_refused(interval, 4, "x: expected at most 3, got 4")
        self.assert_refused(interval, 2, "x: expected a multiple of 3, got 2")

    def test_nan_is_within_no_bound(self):
        self.assert_refused(Annotated[float, bounds(ge=0)], "NaN", "x: expected at least 0, got the string 'NaN'")
        self.assert_taken(Annotated[float, bounds(ge=0)], "Infinity")

    def test_a_multiple_of_a_fraction_is_one_by_its_quotient(self):
        self.assert_taken(Annotated[float, bounds(multiple_of=0.1)], 0.5, 2)
        self.assert_refused(Annotated[float, bounds(multiple_of=0.5)], 0.7, "x: expected a multiple of 0.5, got 0.7")

    def test_integers_of_any_size_are_compared_exactly(self):
        annotation = Annotated[int, bounds(le=10**20)]
        self.assert_taken(annotation, str(10**20))
        self.assert_refused(annotation, str(10**20 + 1), f"x: expected at most {10**20}, got the string '{10**20 + 1}'")

    def test_decimals_and_dates_have_bounds_too(self):
        self.assert_refused(Annotated[Decimal, bounds(ge=Decimal("0.5"))], "0.4", "x: expected at least 0.5, got the string '0.4'")
        since = Annotated[date, bounds(ge=date(2024, 1, 1))]
        self.assert_taken(since, "2024-01-01")
        self.assert_refused(since, "2023-12-31", "x: expected at least 2024-01-01, got the string '2023-12-31'")

    def test_a_bound_says_nothing_about_a_value_of_another_kind(self):
        self.assert_taken(Annotated[typing.Union[int, str, None], bounds(ge=5)], "a", None, 5)
        self.assert_taken(Annotated[typing.Union[int, str], bounds(multiple_of=2)], "%d", 4)


class Lengths(ConstraintCase):
    def test_text_is_counted_in_characters(self):
        self.assert_taken(Annotated[str, bounds(min_length=1, max_length=2)], "🙂🙂")
        self.assert_refused(Annotated[str, bounds(min_length=1)], "", "x: expected at least 1 character, got the string ''")

    def test_bytes_are_counted_decoded(self):
        self.assert_taken(Annotated[bytes, bounds(max_length=3)], "YWJj")
        self.assert_refused(Annotated[bytes, bounds(max_length=2)], "YWJj", "x: expected at most 2 bytes, got the string 'YWJj'")

    def test_arrays_and_objects_are_counted(self):
        self.assert_refused(Annotated[list[int], bounds(min_length=1)], [], "x: expected at least 1 item, got an array of 0 items")
        self.assert_refused(Annotated[list[int], bounds(max_items=1)], "[1, 2]", "x: expected at most 1 item, got the string '[1, 2]'")
        self.assert_refused(Annotated[deque[int], bounds(max_length=1)], [1, 2], "x: expected at most 1 item, got an array of 2 items")
        self.assert_refused(Annotated[dict[str, int], bounds(min_length=1)], {}, "x: expected at least 1 key, got an empty object")
        self.assert_refused(Annotated[Iterator[int], bounds(min_length=2)], [1], "x: expected at least 2 items, got an array of 1 item")

    def test_a_set_must_hold_as_many_as_asked_and_no_more_may_be_sent(self):
        self.assert_refused(Annotated[set[int], bounds(min_length=2)], [1, 1], "x: expected at least 2 items, got an array of 2 items")
        self.assert_refused(Annotated[set[int], bounds(max_length=1)], [1, 1], "x: expected at most 1 item, got an array of 2 items")


class Patterns(ConstraintCase):
    def test_a_pattern_is_searched_for(self):
        self.assert_taken(Annotated[str, bounds(pattern="b")], "abc")
        reason = "x: expected text that matches '^b', got the string 'abc'"
        self.assert_refused(Annotated[str, bounds(pattern="^b")], "abc", reason)
        self.assert_refused(Annotated[str, bounds(regex="^b")], "abc", reason)
        self.assert_refused(Annotated[str, bounds(pattern=re.compile("^b"))], "abc", reason)

    def test_a_pattern_that_is_none_is_passed_over(self):
        self.assert_taken(Annotated[str, bounds(pattern="(")], "abc")


class Places(ConstraintCase):
    def test_bounds_hold_inside_of_containers_and_classes(self):
        self.assert_refused(list[Annotated[int, bounds(ge=1)]], [1, 0], "x[1]: expected at least 1, got 0")
        self.assert_refused(dict[str, Annotated[int, bounds(ge=1)]], {"a": 0}, "x.a: expected at least 1, got 0")
        self.assert_refused(dict[Annotated[int, bounds(ge=1)], int], {"0": 0}, 'x["0"]: as a key: expected at least 1, got the string \'0\'')
        self.assert_refused(Order, {"count": 0}, "x.count: expected at least 1, got 0")
        self.assert_refused(Order, {"count": 1, "tags": ["a"]}, "x.tags[0]: expected at least 2 characters, got the string 'a'")
        self.assert_refused(Pair, {"low": -1}, "x.low: expected at least 0, got -1")
        self.assert_refused(Settings, {"level": 10}, "x.level: expected at most 9, got 10")

    def test_bounds_of_a_field_info_are_in_its_metadata(self):
        annotation = Annotated[int, field_info(bounds(ge=1), bounds(le=3))]
        self.assert_taken(annotation, 2)
        self.assert_refused(annotation, 4, "x: expected at most 3, got 4")

    def test_a_member_of_a_union_is_left_by_its_bounds(self):
        annotation = typing.Union[Annotated[int, bounds(ge=5)], str]
        self.assertEqual(from_json(annotation, "3"), "3")
        small_or_large = typing.Union[Annotated[int, bounds(le=1)], Annotated[int, bounds(ge=5)]]
        self.assert_taken(small_or_large, 0, "7")
        self.assert_refused(small_or_large, 3, "x: expected at most 1, got 3")
        self.assert_refused(typing.Optional[Annotated[int, bounds(ge=1)]], 0, "x: expected at least 1, got 0")

    def test_a_parameter_is_named_with_its_bound(self):
        def pay(amount: Annotated[float, bounds(gt=0)]):
            return amount

        with self.assertRaisesRegex(InvalidArguments, "Argument amount: expected more than 0, got -1"):
            bind(pay).arguments({"amount": -1})


class OtherMetadata(ConstraintCase):
    def test_without_bounds_the_converter_is_the_plain_one(self):
        for metadata in ["a description", bounds(title="x"), field_info(), int, 5, None, object()]:
            with self.subTest(metadata=metadata):
                self.assertIs(converter_for(Annotated[int, metadata], Scope()), SCALARS[int])

    def test_attributes_of_the_same_name_but_another_kind_are_no_bounds(self):
        class Column:
            def ge(self, other):
                return other

            @property
            def le(self):
                raise RuntimeError("not here")

            min_length = "many"
            max_length = True
            pattern = 5
            multiple_of = 0
            lt = float("nan")

        self.assert_taken(Annotated[int, Column()], 5)
        self.assert_taken(Annotated[str, Column()], "five")


class RealPackages(ConstraintCase):
    def test_annotated_types(self):
        try:
            import annotated_types as at
        except ImportError:
            self.skipTest("annotated_types is not installed for this Python")
        self.assert_refused(Annotated[int, at.Interval(ge=1, lt=3)], 3, "x: expected less than 3, got 3")
        self.assert_refused(Annotated[list[int], at.Len(1, 2)], [], "x: expected at least 1 item, got an array of 0 items")

    def test_pydantic(self):
        try:
            import pydantic
        except ImportError:
            self.skipTest("pydantic is not installed for this Python")
        self.assert_refused(Annotated[int, pydantic.Field(ge=1)], 0, "x: expected at least 1, got 0")
        self.assert_refused(
            Annotated[str, pydantic.Field(pattern="^a")], "b", "x: expected text that matches '^a', got the string 'b'"
        )


if __name__ == "__main__":
    unittest.main()

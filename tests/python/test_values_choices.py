import typing
import unittest
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum, Flag, IntEnum, IntFlag
from pathlib import Path

from mcp_execution._values import InvalidArguments, from_json, to_json


class Colour(Enum):
    RED = "red"
    BLUE = "blue"
    AZURE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Odd(Enum):
    PAIR = (1, "a")
    HALF = 0.5
    TWO = 2.0
    DAY = date(2024, 5, 17)
    THING = object


class Loose(Enum):
    YES = "yes"

    @classmethod
    def _missing_(cls, value):
        return cls.YES if isinstance(value, str) and value.lower() == "yes" else None


class Access(IntFlag):
    READ = 1
    WRITE = 2


class Plain(Flag):
    A = 1
    B = 2


@dataclass
class Circle:
    kind: typing.Literal["circle"]
    radius: float


@dataclass
class Square:
    kind: typing.Literal["square"]
    side: float
    inner: "typing.Union[Circle, Square, None]" = None


class Choosing(unittest.TestCase):
    def assert_reads(self, annotation, value, expected):
        converted = from_json(annotation, value)
        self.assertEqual(converted, expected)
        self.assertIs(type(converted), type(expected))

    def refusal(self, annotation, value):
        with self.assertRaises(InvalidArguments) as caught:
            from_json(annotation, value)
        return caught.exception


class Enums(Choosing):
    def test_an_enum_is_found_by_value_and_by_name(self):
        self.assert_reads(Colour, "red", Colour.RED)
        self.assert_reads(Colour, "RED", Colour.RED)
        self.assert_reads(Colour, "AZURE", Colour.BLUE)

    def test_an_int_enum_takes_the_number_in_every_spelling_of_an_integer(self):
        for value in (2, 2.0, "2", "HIGH"):
            self.assert_reads(Level, value, Level.HIGH)
        self.assertIn("expected one of 1, 2, got true", self.refusal(Level, True).message)

    def test_values_of_any_type_are_found_by_their_json_form(self):
        self.assert_reads(Odd, [1, "a"], Odd.PAIR)
        self.assert_reads(Odd, 0.5, Odd.HALF)
        self.assert_reads(Odd, 2, Odd.TWO)
        self.assert_reads(Odd, "2024-05-17", Odd.DAY)
        self.assert_reads(Odd, "THING", Odd.THING)

    def test_an_enum_with_its_own_lookup_is_asked(self):
        self.assert_reads(Loose, "YES", Loose.YES)
        self.assert_reads(Loose, "Yes", Loose.YES)

    def test_flags_combine(self):
        for member in (Access.READ | Access.WRITE, Plain.A | Plain.B, Access.WRITE):
            self.assert_reads(type(member), to_json(member), member)

    def test_an_unknown_value_is_answered_with_the_choices(self):
        self.assertIn("expected one of 'red', 'blue', got the string 'green'", self.refusal(Colour, "green").message)


class Literals(Choosing):
    def test_a_literal_takes_its_values_only(self):
        mode = typing.Literal["fast", 3, True, None]
        for value in ("fast", 3, True, None):
            self.assert_reads(mode, value, value)
        for value in ("slow", 1, False, 4, "null"):
            self.assertIn("expected one of 'fast', 3, true, null", self.refusal(mode, value).message)

    def test_one_and_true_are_different_literals(self):
        self.assertIn("got true", self.refusal(typing.Literal[1], True).message)
        self.assertIn("got the number 1", self.refusal(typing.Literal[True], 1).message)

    def test_a_number_literal_takes_the_spellings_of_a_number(self):
        self.assert_reads(typing.Literal[1, 2], "2", 2)
        self.assert_reads(typing.Literal[1, 2], 2.0, 2)
        self.assert_reads(typing.Literal[1, 2], "2.0", 2)

    def test_a_literal_may_be_bytes_or_an_enum_member(self):
        self.assert_reads(typing.Literal[b"hi"], "aGk=", b"hi")
        self.assert_reads(typing.Literal[Colour.RED], "red", Colour.RED)
        self.assert_reads(typing.Literal[Colour.RED], "RED", Colour.RED)
        self.refusal(typing.Literal[Colour.RED], "blue")


class Unions(Choosing):
    def test_the_member_of_the_very_type_wins_over_one_that_could_read_the_value(self):
        for annotation, value, expected in (
            (int | str, "5", "5"),
            (int | str, 5, 5),
            (float | int, 5, 5),
            (int | float, 5.0, 5.0),
            (float | str, 5, 5.0),
            (bool | str, "true", "true"),
            (int | bool, True, True),
            (bool | int, 1, 1),
            (list[int] | list[str], ["5"], ["5"]),
            (list[str] | list[int], [5], [5]),
            (bytes | str, "aGk=", "aGk="),
            (Path | str, "x", Path("x")),
            (str | Path, "x", "x"),
            (date | str, "2024-05-17", date(2024, 5, 17)),
            (date | str, "soon", "soon"),
            (Decimal | str, "1.50", Decimal("1.50")),
            (Colour | str, "red", Colour.RED),
            (Colour | str, "RED", "RED"),
            (typing.Optional[int], None, None),
            (int | list[int], "[1]", [1]),
            (int | list[int], "5", 5),
        ):
            with self.subTest(annotation=annotation, value=value):
                self.assert_reads(annotation, value, expected)

    def test_null_is_taken_only_where_it_is_a_member(self):
        self.assertIsNone(from_json(typing.Optional[int], None))
        self.assertIn("expected an integer or a string, got null", self.refusal(int | str, None).message)

    def test_an_optional_reports_the_mistake_of_its_type(self):
        error = self.refusal(typing.Optional[list[int]], [1, "x"])
        self.assertEqual(error.argument, "value[1]")

    def test_a_number_beyond_2_53_keeps_its_advice(self):
        self.assertIn("send it as a string", self.refusal(int | list, 2**60).message)

    def test_a_tagged_union_reports_the_member_that_was_meant(self):
        self.assert_reads(Circle | Square, {"kind": "square", "side": 2}, Square("square", 2.0))
        error = self.refusal(Circle | Square, {"kind": "square", "side": "x"})
        self.assertEqual(error.argument, "value.side")
        self.assertIn("missing 'side'", self.refusal(Circle | Square, {"kind": "square"}).message)

    def test_an_unknown_tag_is_answered_with_the_tags(self):
        error = self.refusal(Circle | Square, {"kind": "star", "side": 1})
        self.assertEqual(error.argument, "value.kind")
        self.assertIn("expected 'circle' or 'square', got the string 'star'", error.message)

    def test_a_deep_tagged_union_is_refused_without_trying_every_combination(self):
        value = {"kind": "square", "side": "x"}
        for _ in range(60):
            value = {"kind": "square", "side": "1", "inner": value}
        self.assertTrue(self.refusal(Circle | Square, value).argument.endswith(".inner.side"))


if __name__ == "__main__":
    unittest.main()

import math
import re
import unittest
from decimal import Decimal
from pathlib import Path, PurePosixPath
from uuid import UUID

from mcp_execution._values import InvalidArguments, from_json


class Reading(unittest.TestCase):
    def assert_reads(self, annotation, value, expected):
        converted = from_json(annotation, value)
        self.assertEqual(converted, expected)
        self.assertIs(type(converted), type(expected))

    def assert_refuses(self, annotation, value, *words):
        with self.assertRaises(InvalidArguments) as caught:
            from_json(annotation, value)
        for word in words:
            self.assertIn(word, caught.exception.message)


class Integers(Reading):
    def test_an_integer_arrives_as_it_is(self):
        self.assert_reads(int, 5, 5)
        self.assert_reads(int, -(2**53 - 1), -(2**53 - 1))

    def test_an_int_beyond_2_53_is_refused_with_advice(self):
        for value in (2**53, -(2**53), 1e300, 2.0**53):
            self.assert_refuses(int, value, "send it as a string of digits")

    def test_an_integer_string_of_any_size_is_taken(self):
        self.assert_reads(int, "123456789012345678901234567890", 123456789012345678901234567890)
        self.assert_reads(int, "-5", -5)
        self.assert_reads(int, "+7", 7)

    def test_a_string_that_is_not_plain_digits_is_refused(self):
        for value in ("1_000", " 5", "5.0", "", "0x10", "٣", "-"):
            self.assert_refuses(int, value, "expected an integer")

    def test_a_string_of_more_digits_than_python_reads_is_refused_with_a_reason(self):
        self.assert_refuses(int, "9" * 10_000, "10000 digits")

    def test_a_float_without_fraction_is_an_integer_and_one_with_it_is_not(self):
        self.assert_reads(int, 3.0, 3)
        for value in (3.5, math.nan, math.inf):
            self.assert_refuses(int, value, "expected an integer")

    def test_a_boolean_or_null_is_not_an_integer(self):
        self.assert_refuses(int, True, "expected an integer, got true")
        self.assert_refuses(int, None, "got null")


class Floats(Reading):
    def test_numbers_and_numeric_strings_are_floats(self):
        self.assert_reads(float, 2.5, 2.5)
        self.assert_reads(float, 2, 2.0)
        self.assert_reads(float, "-1.5e3", -1500.0)
        self.assert_reads(float, ".5", 0.5)

    def test_the_three_special_values_come_as_strings(self):
        self.assertTrue(math.isnan(from_json(float, "NaN")))
        self.assert_reads(float, "Infinity", math.inf)
        self.assert_reads(float, "-Infinity", -math.inf)

    def test_other_text_and_booleans_are_refused(self):
        for value in ("abc", "nan", "inf", "1_0", "", False, None, []):
            self.assert_refuses(float, value, "expected a number")

    def test_a_number_too_large_is_refused_instead_of_becoming_infinite(self):
        self.assert_refuses(float, 10**400, "too large")
        self.assert_refuses(float, "1e999", "too large")


class BooleansTextAndNull(Reading):
    def test_booleans_come_as_themselves_or_as_their_words(self):
        for value, expected in ((True, True), (False, False), ("true", True), ("false", False)):
            self.assert_reads(bool, value, expected)

    def test_numbers_and_other_words_are_not_booleans(self):
        for value in (0, 1, "yes", "True", "", None):
            self.assert_refuses(bool, value, "expected true or false")

    def test_a_string_is_only_a_string(self):
        self.assert_reads(str, "null", "null")
        self.assert_reads(str, "\ud800", "\ud800")
        for value in (5, True, None, [], {}):
            self.assert_refuses(str, value, "expected a string")

    def test_none_is_only_null(self):
        self.assertIsNone(from_json(None, None))
        self.assertIsNone(from_json(type(None), None))
        self.assert_refuses(None, "null", "expected null")

    def test_a_long_value_is_shortened_in_the_message(self):
        with self.assertRaises(InvalidArguments) as caught:
            from_json(int, "x" * 5000)
        self.assertLess(len(caught.exception.message), 150)


class Bytes(Reading):
    def test_bytes_are_base64_text(self):
        self.assert_reads(bytes, "aGk=", b"hi")
        self.assert_reads(bytes, "", b"")
        self.assert_reads(bytearray, "aGk=", bytearray(b"hi"))
        self.assertEqual(from_json(memoryview, "aGk="), memoryview(b"hi"))

    def test_text_that_is_not_base64_is_refused(self):
        for value in ("aGk", "a", "aGk=\n", "aG k=", "aGk=aGk=", "====", "aGk*", "é===", "aGk_", 5, [104]):
            self.assert_refuses(bytes, value, "base64")


class TextualTypes(Reading):
    def test_a_decimal_comes_as_string_or_number(self):
        self.assert_reads(Decimal, "1.10", Decimal("1.10"))
        self.assert_reads(Decimal, 0.1, Decimal("0.1"))
        self.assert_reads(Decimal, 3, Decimal(3))
        self.assert_reads(Decimal, "-Infinity", Decimal("-Infinity"))

    def test_a_decimal_number_that_has_lost_digits_is_refused_with_advice(self):
        self.assert_refuses(Decimal, 2**60, "send it as a string")

    def test_a_decimal_of_other_text_is_refused(self):
        for value in ("1_0", "abc", "1,5", True, None, math.nan):
            self.assert_refuses(Decimal, value)

    def test_uuid_and_path_come_as_text(self):
        text = "12345678-1234-5678-1234-567812345678"
        self.assert_reads(UUID, text, UUID(text))
        self.assert_reads(Path, "/tmp/a b", Path("/tmp/a b"))
        self.assert_reads(PurePosixPath, "x", PurePosixPath("x"))
        self.assert_refuses(UUID, "nope", "expected a UUID")
        self.assert_refuses(Path, 5, "expected a string")

    def test_a_complex_number_comes_as_text_or_number(self):
        self.assert_reads(complex, "1+2j", 1 + 2j)
        self.assert_reads(complex, 2, 2 + 0j)
        self.assert_refuses(complex, "1+2i", "complex")

    def test_a_pattern_comes_as_text_and_a_broken_one_says_why(self):
        self.assertEqual(from_json(re.Pattern, "a+").pattern, "a+")
        self.assert_refuses(re.Pattern, "(", "regular expression")

    def test_a_subclass_of_a_scalar_is_made_from_it(self):
        class Port(int):
            def __new__(cls, number):
                if number > 65535:
                    raise ValueError("no such port")
                return super().__new__(cls, number)

        self.assert_reads(Port, 80, Port(80))
        self.assert_refuses(Port, 70_000, "no such port")
        self.assert_refuses(Port, "x", "expected an integer")


if __name__ == "__main__":
    unittest.main()

"""Literal and Enum."""

import sys
import unittest

from .scripts import ScriptCase


class TheSchemaOfAChoice(ScriptCase):
    def enum(self, text):
        return self.taken("E", f"import enum\nfrom enum import *\n{text}")

    def test_a_literal_lists_its_values(self):
        before = "from typing import Literal, Optional\nBASE = Literal['a', 'b']"
        self.assertEqual(self.taken("Literal['a', 1, None, True]", before), {"enum": ["a", 1, None, True]})
        self.assertEqual(self.taken("Literal['a']", before), {"type": "string", "const": "a"})
        self.assertEqual(self.taken("Literal[BASE, 'c', 'a']", before), {"type": "string", "enum": ["a", "b", "c"]})
        self.assertEqual(self.taken("Literal[Literal[1, 2], -3]", before), {"type": "integer", "enum": [1, 2, -3]})

    def test_a_literal_of_an_enum_member_is_its_value(self):
        self.assertEqual(
            self.taken("Literal[E.A]", "from typing import Literal\nfrom enum import Enum\nclass E(Enum):\n    A = 'x'\n"),
            {"type": "string", "const": "x"},
        )

    def test_an_enum_lists_values_and_names_where_they_differ(self):
        self.assertEqual(self.enum("class E(Enum):\n    A = 1\n    B = 2"), {"type": "integer", "enum": [1, 2], "x-enum-names": ["A", "B"]})
        self.assertEqual(self.enum("class E(str, Enum):\n    a = 'a'\n    b = 'b'"), {"type": "string", "enum": ["a", "b"]})

    def test_auto_counts(self):
        self.assertEqual(self.enum("class E(Enum):\n    A = auto()\n    B = 5\n    C = auto()")["enum"], [1, 5, 6])

    def test_auto_of_text_is_the_name(self):
        self.assertEqual(self.enum("class E(StrEnum):\n    RED = auto()")["enum"], ["red"])
        said = "class E(str, Enum):\n    def _generate_next_value_(name, *args):\n        return name\n    RED = auto()"
        self.assertEqual(self.enum(said)["enum"], ["RED"])

    def test_a_flag_takes_any_sum(self):
        schema = self.enum("class E(IntFlag):\n    R = auto()\n    W = auto()\n    RW = R | W")
        self.assertEqual(schema["anyOf"][0], {"type": "integer", "enum": [1, 2], "x-enum-names": ["R", "W"]})
        self.assertEqual(schema["anyOf"][1]["type"], "integer")

    def test_a_second_name_of_a_value_is_left_to_the_first(self):
        self.assertEqual(self.enum("class E(Enum):\n    A = 1\n    B = 1")["x-enum-names"], ["A"])

    def test_methods_and_private_names_are_no_members(self):
        text = "class E(Enum):\n    _ignore_ = ['x']\n    A = 'a'\n    def shout(self): ...\n    @property\n    def p(self): ...\n    note: int"
        self.assertEqual(self.enum(text)["enum"], ["a"])

    def test_members_of_a_base_enum_and_its_mixin_hold(self):
        self.assertEqual(self.enum("class Base(str, Enum): ...\nclass E(Base):\n    A = 'a'")["enum"], ["a"])

    def test_an_enum_that_asks_its_class_takes_more(self):
        text = "class E(Enum):\n    A = 'a'\n    @classmethod\n    def _missing_(cls, value): return cls.A"
        self.assertEqual(self.enum(text)["anyOf"][1], {"type": "string"})

    def test_an_enum_made_by_a_call_is_read(self):
        for call in (
            "Enum('E', 'A B')",
            "Enum('E', ['A', 'B'])",
            "Enum('E', {'A': 1, 'B': 2})",
            "Enum('E', [('A', 1), ('B', 2)])",
        ):
            with self.subTest(call):
                self.assertEqual(self.enum(f"E = {call}"), {"type": "integer", "enum": [1, 2], "x-enum-names": ["A", "B"]})

    def test_values_that_only_running_tells_take_anything(self):
        self.assertEqual(self.enum("class E(Enum):\n    A = object()"), {})

    def test_values_may_be_expressions_and_constants(self):
        self.assertEqual(
            self.enum("BASE = 10\nclass E(Enum):\n    A = BASE\n    B = 1 << 4\n    C = 'a' 'b'\n    D = (1, 'x')")["enum"],
            [10, 16, "ab", [1, "x"]],
        )

    def test_the_enums_docstring_describes_it(self):
        self.assertEqual(self.enum("class E(Enum):\n    'A colour.'\n    A = 'a'")["description"], "A colour.")

    def test_the_standard_librarys_enums_take_anything(self):
        self.assertEqual(self.taken("HTTPStatus", "from http import HTTPStatus"), {})

    @unittest.skipIf(sys.version_info < (3, 11), "the names are of Python 3.11")
    def test_member_and_nonmember_say_what_is_one(self):
        self.assertEqual(self.enum("class E(Enum):\n    A = member(1)\n    B = nonmember(2)")["enum"], [1])

"""Arrays, objects and unions."""

import sys
import unittest

from .scripts import ScriptCase

INTEGER = {"type": "integer"}
TEXT = {"type": "string"}
NULL = {"type": "null"}
IMPORTS = """
import collections, collections.abc, typing, typing as t
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Dict, List as L, Optional, Sequence, Tuple, Union
from typing_extensions import TypeAlias
"""


class TheSchemaOfAContainer(ScriptCase):
    def taken(self, annotation, before=""):
        return super().taken(annotation, IMPORTS + before)

    def test_an_array_has_the_schema_of_its_items(self):
        array = {"type": "array", "items": INTEGER}
        for name in "list t.List L Sequence set frozenset t.Set collections.abc.Iterable deque t.Deque collections.abc.Set t.Collection".split():
            with self.subTest(name):
                self.assertEqual(self.taken(f"{name}[int]"), array)

    def test_an_array_of_anything_has_no_items(self):
        for annotation in ("list", "list[t.Any]", "set", "tuple", "t.Tuple"):
            with self.subTest(annotation):
                self.assertEqual(self.taken(annotation), {"type": "array"})

    def test_a_tuple_of_two_has_exactly_two_items(self):
        self.assertEqual(
            self.taken("tuple[int, str]"),
            {"type": "array", "prefixItems": [INTEGER, TEXT], "items": False, "minItems": 2, "maxItems": 2},
        )

    def test_a_tuple_of_any_length_is_an_array(self):
        self.assertEqual(self.taken("Tuple[int, ...]"), {"type": "array", "items": INTEGER})

    def test_the_empty_tuple_has_no_items(self):
        self.assertEqual(self.taken("tuple[()]"), {"type": "array", "maxItems": 0})

    def test_a_mapping_has_the_schema_of_its_values(self):
        for name in ("dict", "Dict", "t.Mapping", "collections.abc.MutableMapping", "OrderedDict", "defaultdict"):
            with self.subTest(name):
                self.assertEqual(self.taken(f"{name}[str, int]"), {"type": "object", "additionalProperties": INTEGER})

    def test_keys_that_are_no_text_have_a_pattern(self):
        self.assertEqual(
            self.taken("dict[int, str]"),
            {"type": "object", "additionalProperties": TEXT, "propertyNames": {"pattern": "^[+-]?[0-9]+$"}},
        )

    def test_keys_out_of_a_closed_set_are_named(self):
        self.assertEqual(
            self.taken("dict[t.Literal['a', 'b'], t.Any]"), {"type": "object", "propertyNames": {"enum": ["a", "b"]}}
        )

    def test_a_counter_counts_in_integers(self):
        self.assertEqual(self.taken("Counter[str]"), {"type": "object", "additionalProperties": INTEGER})

    def test_a_union_takes_what_a_member_takes(self):
        for annotation in ("int | str", "Union[int, str]", "t.Union[int, 'str']", "'int | str'", "int | (str | int)"):
            with self.subTest(annotation):
                self.assertEqual(self.taken(annotation), {"anyOf": [INTEGER, TEXT]})

    def test_an_optional_value_may_be_null(self):
        for annotation in ("int | None", "Optional[int]", "Union[int, None]", "None | int"):
            with self.subTest(annotation):
                self.assertCountEqual(self.taken(annotation)["anyOf"], [INTEGER, NULL])

    def test_a_union_with_anything_takes_anything(self):
        self.assertEqual(self.taken("int | t.Any"), {})

    def test_a_union_of_a_thousand_members_is_read(self):
        members = " | ".join(f"t.Literal[{number}]" for number in range(1000))
        self.assertEqual(len(self.taken(members)["anyOf"]), 1000)

    def test_an_alias_stands_for_its_type(self):
        for alias in (
            "Vec = list[int]",
            "Vec: TypeAlias = list[int]",
            "Vec: TypeAlias = 'list[int]'",
            "Vec: t.TypeAlias = 'L[int]'",
            "A = int\nVec = L[A]",
        ):
            with self.subTest(alias):
                self.assertEqual(self.taken("Vec", alias), {"type": "array", "items": INTEGER})

    def test_a_new_type_stands_for_what_it_extends(self):
        self.assertEqual(self.taken("UserId", "UserId = t.NewType('UserId', int)"), INTEGER)

    def test_a_recursive_alias_refers_to_itself(self):
        schema = self.inputs(IMPORTS + "Json = Union[Dict[str, 'Json'], str]\ndef f(x: Json): ...")
        self.assertEqual(schema["properties"]["x"], {"$ref": "#/$defs/Json"})
        both = self.inputs(IMPORTS + "Json = Union[Dict[str, 'Json'], str]\ndef f(x: Json, y: list[Json]): ...")
        self.assertEqual(list(both["$defs"]), ["Json"])
        self.assertEqual(
            schema["$defs"]["Json"]["anyOf"], [{"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}}, TEXT]
        )

    def test_a_type_variable_is_its_bound_or_its_constraints(self):
        self.assertEqual(self.taken("T", "T = t.TypeVar('T', bound=int)"), INTEGER)
        self.assertEqual(self.taken("T", "T = t.TypeVar('T', int, str)"), {"anyOf": [INTEGER, TEXT]})
        self.assertEqual(self.taken("T", "T = t.TypeVar('T')"), {})
        self.assertEqual(self.taken("T", "T = t.TypeVar('T', bound='list[int]')"), {"type": "array", "items": INTEGER})

    def test_a_generic_alias_takes_arguments(self):
        self.assertEqual(
            self.taken("Pair[int]", "T = t.TypeVar('T')\nPair = dict[str, T]"),
            {"type": "object", "additionalProperties": INTEGER},
        )

    @unittest.skipIf(sys.version_info < (3, 12), "the syntax of Python 3.12")
    def test_a_type_statement_and_type_parameters_are_read(self):
        self.assertEqual(self.taken("Vec", "type Vec = list[int]"), {"type": "array", "items": INTEGER})
        self.assertEqual(self.taken("Many[int]", "type Many[T] = list[T]"), {"type": "array", "items": INTEGER})
        self.assertEqual(self.parameter("def f[T: int](x: list[T]): ..."), {"type": "array", "items": INTEGER})
        self.assertEqual(self.parameter("def f[T: (int, str)](x: T): ..."), {"anyOf": [INTEGER, TEXT]})

    @unittest.skipIf(sys.version_info < (3, 12), "the syntax of Python 3.12")
    def test_a_recursive_type_statement_refers_to_itself(self):
        schema = self.inputs("type Tree = dict[str, Tree]\ndef f(x: Tree): ...")
        self.assertEqual(schema["$defs"], {"Tree": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Tree"}}})

    def test_an_alias_of_itself_takes_anything(self):
        for alias in ("X = X", "X = Y\nY = X", "X = 'X'", "X = list[Y]\nY = list[X]"):
            with self.subTest(alias):
                self.describe(f"{alias}\ndef f(x: X): ...")

    def test_aliases_that_double_at_each_step_stay_quick(self):
        doubling = "\n".join(["A0 = int", *(f"A{n} = tuple[A{n - 1}, A{n - 1}]" for n in range(1, 40))])
        self.describe(f"{doubling}\ndef f(x: A39): ...")

    def test_a_type_of_another_type_that_grows_is_cut(self):
        grows = """
        import typing as t
        T = t.TypeVar('T')
        class Box(t.TypedDict, t.Generic[T]):
            inner: 'Box[list[T]]'
        def f(x: Box[int]): ...
        """
        self.tool(grows)

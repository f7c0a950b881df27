"""Dataclasses, TypedDicts and NamedTuples."""

import sys
import unittest

from .scripts import ScriptCase

IMPORTS = """
from __future__ import annotations
import collections, typing as t
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Annotated, ClassVar, Generic, NamedTuple, NotRequired, Required, TypedDict, TypeVar
"""


class TheSchemaOfARecord(ScriptCase):
    def record(self, text, annotation="R"):
        schema = self.inputs(f"{IMPORTS}\n{text}\ndef f(x: {annotation}): ...\n")
        return schema["$defs"][schema["properties"]["x"]["$ref"].rpartition("/")[2]]

    def returned(self, text):
        return self.tool(f"{IMPORTS}\n{text}\ndef f() -> R: ...\n")["outputSchema"]

    def test_a_dataclass_is_an_object_of_its_fields(self):
        self.assertEqual(
            self.record("@dataclass\nclass R:\n    'A thing.'\n    a: int\n    b: str = 'x'\n"),
            {
                "type": "object",
                "title": "R",
                "description": "A thing.",
                "properties": {"a": {"type": "integer"}, "b": {"type": "string", "default": "x"}},
                "required": ["a"],
                "additionalProperties": False,
            },
        )

    def test_a_factory_makes_a_field_optional(self):
        record = self.record(
            "@dataclass\nclass R:\n    a: list[int] = field(default_factory=list)\n    b: dict = field(default_factory=make)\n    c: int = field(default=3)"
        )
        self.assertNotIn("required", record)
        self.assertEqual(record["properties"]["a"]["default"], [])
        self.assertNotIn("default", record["properties"]["b"])
        self.assertEqual(record["properties"]["c"]["default"], 3)

    def test_only_what_the_constructor_asks_is_taken(self):
        text = "@dataclass\nclass R:\n    a: InitVar[int]\n    b: int = field(init=False)\n    c: ClassVar[int] = 1\n    _: KW_ONLY\n    d: int = 2"
        self.assertEqual(list(self.record(text)["properties"]), ["a", "d"])

    def test_only_what_the_object_has_is_given_back(self):
        text = "@dataclass\nclass R:\n    a: InitVar[int]\n    b: int = field(init=False)\n    c: ClassVar[int] = 1\n    d: int = 2"
        schema = self.returned(text)
        self.assertEqual(list(schema["properties"]), ["b", "d"])
        self.assertEqual(schema["required"], ["b", "d"])
        self.assertNotIn("additionalProperties", schema)

    def test_fields_of_bases_come_first(self):
        text = "@dataclass\nclass A:\n    a: int\n@dataclass(frozen=True, slots=True)\nclass R(A):\n    b: int\n"
        self.assertEqual(list(self.record(text)["properties"]), ["a", "b"])

    def test_a_hand_written_constructor_has_the_last_word(self):
        text = "@dataclass\nclass R:\n    a: int\n    def __init__(self, a: str, z=1, **more: int): ...\n"
        record = self.record(text)
        self.assertEqual(record["properties"]["a"], {"type": "string"})
        self.assertEqual(list(record["properties"]), ["a", "z"])
        self.assertEqual(record["additionalProperties"], {"type": "integer"})

    def test_metadata_and_docstrings_describe_fields(self):
        text = (
            "@dataclass\nclass R:\n    '''A thing.\n\n    Attributes:\n        a: The first.\n    '''\n    a: int\n    b: int = field(metadata={'description': 'The second.'}, default=1)\n"
            "    c: int = 0\n    'The third.'\n"
        )
        properties = self.record(text)["properties"]
        self.assertEqual([properties[name]["description"] for name in "abc"], ["The first.", "The second.", "The third."])

    def test_a_recursive_dataclass_refers_to_itself(self):
        record = self.record("@dataclass\nclass R:\n    children: list[R]\n    parent: R | None = None")
        self.assertEqual(record["properties"]["children"], {"type": "array", "items": {"$ref": "#/$defs/R"}})

    def test_a_generic_dataclass_takes_arguments(self):
        record = self.record(
            "T = TypeVar('T')\n@dataclass\nclass R(Generic[T]):\n    item: T\n    next: R[T] | None = None", "R[int]"
        )
        self.assertEqual(record["properties"]["item"], {"type": "integer"})
        self.assertEqual(record["properties"]["next"]["anyOf"][0], {"$ref": "#/$defs/R_int"})

    def test_a_generic_without_arguments_takes_the_bound(self):
        record = self.record("T = TypeVar('T', bound=int)\n@dataclass\nclass R(Generic[T]):\n    item: T")
        self.assertEqual(record["properties"]["item"], {"type": "integer"})

    @unittest.skipIf(sys.version_info < (3, 12), "the syntax of Python 3.12")
    def test_a_generic_class_of_the_new_syntax_takes_arguments(self):
        record = self.record("@dataclass\nclass R[T: str]:\n    item: T", "R[int]")
        self.assertEqual(record["properties"]["item"], {"type": "integer"})
        record = self.record("@dataclass\nclass R[T: str]:\n    item: T")
        self.assertEqual(record["properties"]["item"], {"type": "string"})

    def test_a_typed_dict_says_which_keys_it_needs(self):
        record = self.record(
            "class R(TypedDict, total=False):\n    a: Required[int]\n    b: str\n    c: 'NotRequired[str]'\n    d: Annotated[Required[int], 'x']"
        )
        self.assertEqual(record["required"], ["a", "d"])
        self.assertEqual(record["properties"]["b"], {"type": "string"})

    def test_a_typed_dict_extends_another(self):
        record = self.record("class A(TypedDict):\n    a: int\nclass R(A, total=False):\n    b: int")
        self.assertEqual(record["required"], ["a"])
        self.assertEqual(list(record["properties"]), ["a", "b"])

    def test_a_typed_dict_made_by_a_call_may_have_odd_keys(self):
        record = self.record("R = TypedDict('R', {'from': int, 'max-count': NotRequired[int], 'class': str})")
        self.assertEqual(list(record["properties"]), ["from", "max-count", "class"])
        self.assertEqual(record["required"], ["from", "class"])

    def test_a_typed_dict_given_back_needs_only_its_required_keys(self):
        schema = self.returned("class R(TypedDict):\n    a: int\n    b: NotRequired[int]")
        self.assertEqual(schema["required"], ["a"])

    def test_a_named_tuple_is_an_object_in_each_way_of_writing(self):
        for text in (
            "class R(NamedTuple):\n    x: int\n    y: int = 0",
            "R = collections.namedtuple('R', 'x y', defaults=[0])",
            "class R(collections.namedtuple('R', ['x', 'y'], defaults=(0,))): ...",
        ):
            with self.subTest(text):
                record = self.record(text)
                self.assertEqual(record["required"], ["x"])
                self.assertEqual(list(record["properties"]), ["x", "y"])
        record = self.record("R = NamedTuple('R', [('x', int), ('y', str)])")
        self.assertEqual(record["properties"], {"x": {"type": "integer"}, "y": {"type": "string"}})

    def test_two_classes_of_one_name_are_kept_apart(self):
        self.write("other.py", "from dataclasses import dataclass\n@dataclass\nclass R:\n    z: int\n")
        schema = self.inputs(f"{IMPORTS}\nimport other\n@dataclass\nclass R:\n    a: int\ndef f(x: R, y: other.R): ...")
        self.assertEqual(list(schema["$defs"]), ["R", "R2"])

    def test_a_field_named_like_its_type_is_read(self):
        record = self.record(
            "import datetime\nfrom datetime import date\n@dataclass\nclass R:\n    date: date\n    int: int = 0"
        )
        self.assertEqual(record["properties"]["date"], {"type": "string", "format": "date"})

    def test_a_nested_class_is_found(self):
        record = self.record("@dataclass\nclass Outer:\n    @dataclass\n    class Inner:\n        a: int\n", "Outer.Inner")
        self.assertEqual(list(record["properties"]), ["a"])

    def test_a_plain_class_or_an_attrs_class_takes_anything_and_says_so(self):
        tool = self.tool("class A:\n    def __init__(self, x: int): ...\ndef f(a: A): 'Doc.'")
        self.assertEqual(tool["inputSchema"]["properties"]["a"], {})
        self.assertIn("a dataclass can be filled", tool["degraded"][0])
        tool = self.tool("import attrs\n@attrs.define\nclass A:\n    x: int\ndef f(a: A): 'Doc.'")
        self.assertIn("attrs", tool["degraded"][0])

    def test_a_class_that_extends_itself_is_no_endless_search(self):
        self.describe("class A(A): ...\nclass B(C): ...\nclass C(B): ...\ndef f(a: A, b: B): ...")

"""Annotations of single values."""

from .scripts import ScriptCase

IMPORTS = """
import datetime as dt
import os, pathlib, re, typing as t, uuid
from decimal import Decimal
from pathlib import Path
"""


class TheSchemaOfAScalar(ScriptCase):
    def test_each_builtin_type_has_its_json_type(self):
        for name, schema in {
            "int": {"type": "integer"},
            "float": {"type": "number"},
            "bool": {"type": "boolean"},
            "str": {"type": "string"},
            "None": {"type": "null"},
            "bytes": {"type": "string", "contentEncoding": "base64"},
            "bytearray": {"type": "string", "contentEncoding": "base64"},
            "complex": {"type": ["string", "number"], "format": "complex"},
            "object": {},
        }.items():
            with self.subTest(name):
                self.assertEqual(self.taken(name), schema)

    def test_types_of_the_standard_library_are_known_under_every_name(self):
        for name, schema in {
            "Decimal": {"type": ["string", "number"], "format": "decimal"},
            "dt.date": {"type": "string", "format": "date"},
            "dt.time": {"type": "string", "format": "time"},
            "dt.datetime": {"type": "string", "format": "date-time"},
            "dt.timedelta": {"type": ["string", "number"], "format": "duration"},
            "uuid.UUID": {"type": "string", "format": "uuid"},
            "Path": {"type": "string", "format": "path"},
            "pathlib.PurePath": {"type": "string", "format": "path"},
            "os.PathLike": {"type": "string", "format": "path"},
            "os.PathLike[str]": {"type": "string", "format": "path"},
            "re.Pattern": {"type": "string", "format": "regex"},
            "re.Pattern[str]": {"type": "string", "format": "regex"},
            "t.Any": {},
        }.items():
            with self.subTest(name):
                self.assertEqual(self.taken(name, IMPORTS), schema)

    def test_a_quoted_annotation_is_read(self):
        self.assertEqual(self.taken("'int'"), {"type": "integer"})
        self.assertEqual(self.taken("'list[\"int\"]'"), {"type": "array", "items": {"type": "integer"}})

    def test_a_quoted_annotation_over_several_lines_is_read(self):
        self.assertEqual(self.taken("'''\n  int |\n  str'''"), {"anyOf": [{"type": "integer"}, {"type": "string"}]})

    def test_a_subclass_of_text_is_text(self):
        self.assertEqual(self.taken("Name", "class Name(str): ..."), {"type": "string"})

    def test_a_subclass_of_a_list_or_a_dict_is_an_array_or_an_object(self):
        self.assertEqual(self.taken("Names", "class Names(list): ..."), {"type": "array"})
        self.assertEqual(self.taken("Names", "class Names(dict): ..."), {"type": "object"})

    def test_a_shadowed_builtin_is_what_the_script_makes_of_it(self):
        self.assertEqual(
            self.taken("int", "from decimal import Decimal as int"), {"type": ["string", "number"], "format": "decimal"}
        )

    def test_what_is_given_back_may_be_text_where_numbers_lose_digits(self):
        self.assertEqual(
            self.given("int")["properties"]["result"], {"type": ["integer", "string"], "pattern": "^-?[0-9]{16,}$"}
        )
        self.assertEqual(
            self.given("float")["properties"]["result"], {"type": ["number", "string"], "pattern": "^(NaN|-?Infinity|-?[0-9]{16,})$"}
        )
        self.assertEqual(self.given("Decimal", IMPORTS)["properties"]["result"], {"type": "string", "format": "decimal"})

    def test_an_unknown_type_takes_any_value_and_says_why(self):
        tool = self.tool("import numpy as np\ndef f(x: np.ndarray): 'Doc.'")
        self.assertEqual(tool["inputSchema"]["properties"]["x"], {})
        self.assertEqual(tool["degraded"], ["Parameter x takes any value: of np.ndarray, its type is not known."])

    def test_a_name_that_is_not_there_takes_any_value(self):
        self.assertEqual(self.taken("Missing"), {})

    def test_an_annotation_that_is_no_type_takes_any_value(self):
        for odd in (
            "3",
            "'not an expression ('",
            "lambda: 0",
            "f'{1}'",
            "[int]",
            "(int, str)",
            "{}",
            "...",
            "1 + 2",
            "''",
            "'\\n'",
        ):
            with self.subTest(odd):
                self.assertEqual(self.taken(odd), {})

import unittest

from .finding import argparse_tool, argument, found_in, only_tool, properties, written


class Argument(unittest.TestCase):
    def test_a_positional_is_required(self):
        tool = argparse_tool("parser.add_argument('source', help='what to read')")
        self.assertEqual(properties(tool), {"source": {"type": "string", "description": "what to read"}})
        self.assertEqual(tool["inputSchema"]["required"], ["source"])
        self.assertEqual(written(tool), {"source": {"name": "source", "kind": "positional"}})

    def test_the_long_flag_is_written_and_names_the_parameter(self):
        name, _, line = argument("parser.add_argument('-d', '--dry-mode')")
        self.assertEqual((name, line), ("dry_mode", {"name": "dry_mode", "kind": "option", "flag": "--dry-mode"}))

    def test_dest_names_the_parameter(self):
        self.assertEqual(argument("parser.add_argument('--out', dest='target')")[0], "target")

    def test_a_short_flag_alone_is_written(self):
        self.assertEqual(argument("parser.add_argument('-n', type=int)"), ("n", {"type": "integer"}, {"name": "n", "kind": "option", "flag": "-n"}))

    def test_another_prefix_makes_a_flag(self):
        tool = only_tool(
            found_in(
                "import argparse\np = argparse.ArgumentParser(prefix_chars='+')\np.add_argument('++level')\np.add_argument('-odd')\np.parse_args()"
            )
        )
        self.assertEqual(written(tool)["level"]["flag"], "++level")
        self.assertEqual(written(tool)["odd"]["kind"], "positional")

    def test_types_are_schemas(self):
        for written_type, schema in {
            "int": {"type": "integer"},
            "float": {"type": "number"},
            "str": {"type": "string"},
            "Path": {"type": "string", "format": "path"},
            "pathlib.Path": {"type": "string", "format": "path"},
            "argparse.FileType('w')": {"type": "string", "format": "path"},
            "open": {"type": "string", "format": "path"},
            "date.fromisoformat": {"type": "string", "format": "date"},
            "Decimal": {"type": ["string", "number"], "format": "decimal"},
            "str.lower": {"type": "string"},
        }.items():
            with self.subTest(written_type):
                imports = "import pathlib\nfrom pathlib import Path\nfrom datetime import date\nfrom decimal import Decimal"
                self.assertEqual(argument(imports, f"parser.add_argument('--x', type={written_type})")[1], schema)

    def test_a_converter_of_the_script_takes_any_text_and_says_so(self):
        tool = argparse_tool("def size(text):\n    return text", "parser.add_argument('--size', type=size)")
        self.assertEqual(properties(tool)["size"], {"type": "string"})
        self.assertIn("size()", tool["degraded"][0])

    def test_a_converter_that_says_what_it_returns_takes_that_too(self):
        tool = argparse_tool("def positive(text) -> int:\n    return int(text)", "parser.add_argument('--n', type=positive)")
        self.assertEqual(properties(tool)["n"], {"type": ["integer", "string"]})
        self.assertNotIn("degraded", tool)

    def test_bool_as_a_type_is_true_for_any_text_but_none(self):
        _, schema, line = argument("parser.add_argument('--on', type=bool)")
        self.assertEqual((schema, line["flag"], line["off"]), ({"type": "boolean"}, "--on=True", "--on="))

    def test_choices_become_an_enum(self):
        for choices in (
            "['a', 'b']",
            "('a', 'b')",
            "{'a': 1, 'b': 2}",
            "KINDS",
            "list(KINDS)",
            "TABLE.keys()",
            "sorted(TABLE)",
            "[k for k in KINDS]",
        ):
            with self.subTest(choices):
                constants = (
                    "KINDS = ('a', 'b')\nTABLE = {'b': 1, 'a': 2}" if choices == "sorted(TABLE)" else "KINDS = ('a', 'b')\nTABLE = {'a': 1, 'b': 2}"
                )
                self.assertEqual(argument(constants, f"parser.add_argument('--x', choices={choices})")[1], {"type": "string", "enum": ["a", "b"]})

    def test_members_of_an_enum_are_choices(self):
        colour = "from enum import Enum\nclass Colour(Enum):\n    RED = 'red'\n    BLUE = 'blue'"
        for said in ("type=Colour, choices=list(Colour)", "type=Colour", "choices=[c.value for c in Colour]"):
            with self.subTest(said):
                self.assertEqual(argument(colour, f"parser.add_argument('--x', {said})")[1], {"type": "string", "enum": ["red", "blue"]})
        self.assertEqual(argument(colour, "parser.add_argument('--x', choices=[c.name for c in Colour])")[1], {"type": "string", "enum": ["RED", "BLUE"]})

    def test_a_range_of_choices_is_a_range(self):
        self.assertEqual(argument("parser.add_argument('--x', type=int, choices=range(1, 10))")[1], {"type": "integer", "minimum": 1, "maximum": 9})
        self.assertEqual(argument("parser.add_argument('--x', type=int, choices=range(0, 6, 2))")[1], {"type": "integer", "enum": [0, 2, 4]})

    def test_choices_that_are_not_known_take_any_value_and_say_so(self):
        tool = argparse_tool("parser.add_argument('--x', choices=load())")
        self.assertEqual(properties(tool)["x"], {"type": "string"})
        self.assertIn("choices", tool["degraded"][0])

    def test_defaults_that_json_can_say_are_shown(self):
        for default, shown in {"5": 5, "LIMIT": 7, "-1": -1, "2 ** 10": 1024, "60 * 60": 3600}.items():
            with self.subTest(default):
                self.assertEqual(argument("LIMIT = 7", f"parser.add_argument('--x', type=int, default={default})")[1]["default"], shown)
        self.assertNotIn("default", argument("parser.add_argument('--x', default=os.getcwd())")[1])
        self.assertNotIn("default", argument("parser.add_argument('--x', default=None)")[1])

    def test_set_defaults_gives_a_default(self):
        self.assertEqual(argument("parser.add_argument('--x', default='a')\nparser.set_defaults(x='b')")[1]["default"], "b")

    def test_nargs_are_arrays(self):
        for nargs, length in {"3": {"minItems": 3, "maxItems": 3}, "'*'": {}, "'+'": {"minItems": 1}}.items():
            with self.subTest(nargs):
                self.assertEqual(
                    argument(f"parser.add_argument('x', nargs={nargs}, type=int)")[1], {"type": "array", "items": {"type": "integer"}, **length}
                )

    def test_an_optional_value_may_be_left_to_the_flag(self):
        _, schema, line = argument("parser.add_argument('--log', nargs='?', const='-', default='x')")
        self.assertEqual((schema["type"], schema["default"], line["bare"]), (["string", "boolean"], "x", True))

    def test_remainder_is_words_as_they_are(self):
        for nargs in ("argparse.REMAINDER", "'...'"):
            self.assertEqual(argument(f"parser.add_argument('rest', nargs={nargs})")[2], {"name": "rest", "kind": "args"})

    def test_flags_are_booleans(self):
        self.assertEqual(
            argument("parser.add_argument('--fast', action='store_true')")[1:],
            ({"type": "boolean", "default": False}, {"name": "fast", "kind": "flag", "flag": "--fast"}),
        )
        self.assertEqual(
            argument("parser.add_argument('--no-cache', action='store_false', dest='cache')"),
            ("cache", {"type": "boolean", "default": True}, {"name": "cache", "kind": "flag", "off": "--no-cache"}),
        )
        self.assertEqual(argument("parser.add_argument('--no-cache', action='store_false')")[2]["flag"], "--no-cache")
        self.assertEqual(
            argument("parser.add_argument('--quiet', action='store_const', const=0, dest='level')")[2],
            {"name": "quiet", "kind": "flag", "flag": "--quiet"},
        )

    def test_a_boolean_with_two_flags(self):
        expected = {"name": "cache", "kind": "flag", "flag": "--cache", "off": "--no-cache"}
        self.assertEqual(argument("parser.add_argument('--cache', action=argparse.BooleanOptionalAction, default=True)")[2], expected)
        pair = (
            "parser.add_argument('--cache', action='store_true', default=True)\nparser.add_argument('--no-cache', dest='cache', action='store_false')"
        )
        self.assertEqual(argument(pair), ("cache", {"type": "boolean", "default": True}, expected))

    def test_count_append_and_extend(self):
        self.assertEqual(argument("parser.add_argument('-v', action='count', default=0)")[2], {"name": "v", "kind": "count", "flag": "-v"})
        self.assertEqual(
            argument("parser.add_argument('--tag', action='append')")[1:],
            ({"type": "array", "items": {"type": "string"}}, {"name": "tag", "kind": "append", "flag": "--tag"}),
        )
        self.assertEqual(argument("parser.add_argument('--tag', action='extend', nargs='+')")[2]["kind"], "option")
        _, schema, line = argument("parser.add_argument('--pair', action='append', nargs=2, type=int)")
        self.assertEqual(schema["items"], {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2})
        self.assertTrue(line["grouped"])

    def test_help_is_said_as_argparse_would_print_it(self):
        for text, said in {
            "at most %(default)s lines": "at most 9 lines",
            "100%% of %(prog)s": "100% of",
            "where to go (default: %(nothing)s)": "where to go",
            "a %(type)s": "a int",
        }.items():
            with self.subTest(text):
                self.assertEqual(argument(f"parser.add_argument('--x', type=int, default=9, help={text!r})")[1]["description"], said)
        unknown = "parser.add_argument('--x', default=os.getcwd(), help='the folder (default: %(default)s)')"
        self.assertEqual(argument(unknown)[1]["description"], "the folder")

    def test_suppressed_help_and_version_are_left_out(self):
        tool = argparse_tool("parser.add_argument('--x', help=argparse.SUPPRESS)", "parser.add_argument('--version', action='version', version='1')")
        self.assertEqual(properties(tool), {})

    def test_an_action_of_the_script_is_a_guess_and_says_so(self):
        tool = argparse_tool("class Mine(argparse.Action):\n    pass", "parser.add_argument('--x', action=Mine)")
        self.assertEqual(written(tool)["x"]["kind"], "option")
        self.assertIn("Argument x", tool["degraded"][0])

    def test_a_required_option_is_required(self):
        self.assertEqual(argparse_tool("parser.add_argument('--x', required=True)")["inputSchema"]["required"], ["x"])


class Positionals(unittest.TestCase):
    def test_a_later_optional_one_needs_the_earlier(self):
        tool = argparse_tool("parser.add_argument('a', nargs='?')", "parser.add_argument('b', nargs='?')")
        self.assertEqual(tool["inputSchema"]["dependentRequired"], {"b": ["a"]})

    def test_one_that_no_word_can_reach_is_left_out_and_told(self):
        tool = argparse_tool("parser.add_argument('a', nargs='*')", "parser.add_argument('b', nargs='?')")
        self.assertEqual(list(properties(tool)), ["a"])
        self.assertIn("b cannot be given", tool["degraded"][0])

    def test_a_last_one_after_many_is_fine(self):
        tool = argparse_tool("parser.add_argument('sources', nargs='+')", "parser.add_argument('target')")
        self.assertEqual([parameter["name"] for parameter in tool["run"]["command"]["parameters"]], ["sources", "target"])
        self.assertNotIn("degraded", tool)


class ExclusiveGroups(unittest.TestCase):
    def test_members_exclude_each_other(self):
        tool = argparse_tool("g = parser.add_mutually_exclusive_group()", "g.add_argument('--a')", "g.add_argument('--b')")
        self.assertEqual(tool["inputSchema"]["not"], {"description": "More than one of a and b.", "anyOf": [{"required": ["a", "b"]}]})
        self.assertEqual(properties(tool)["a"]["description"], "Not together with b.")

    def test_a_required_group_wants_one(self):
        tool = argparse_tool(
            "g = parser.add_mutually_exclusive_group(required=True)", "g.add_argument('--a')", "g.add_argument('--b', action='store_true')"
        )
        refused = tool["inputSchema"]["not"]["anyOf"]
        flag = {"required": ["b"], "properties": {"b": {"const": True}}}
        self.assertEqual(refused, [{"required": ["a", "b"], "properties": {"b": {"const": True}}}, {"not": {"anyOf": [{"required": ["a"]}, flag]}}])
        self.assertIn("One of them must be given.", properties(tool)["b"]["description"])

    def test_nothing_that_model_providers_refuse_stands_at_the_root(self):
        tool = argparse_tool("g = parser.add_mutually_exclusive_group(required=True)", "g.add_argument('--a')", "g.add_argument('--b')")
        self.assertFalse({"anyOf", "allOf", "oneOf"} & set(tool["inputSchema"]))

    def test_defaults_of_standard_types_are_their_text(self):
        _, schema, _ = argument("import datetime as dt", "parser.add_argument('--day', type=dt.date.fromisoformat, default=dt.date(2024, 1, 31))")
        self.assertEqual(schema["default"], "2024-01-31")
        _, schema, _ = argument("from pathlib import Path", "parser.add_argument('--out', type=Path, default=Path('a', 'b.csv'))")
        self.assertEqual(schema["default"], "a/b.csv")

    def test_a_default_is_worked_out(self):
        _, schema, _ = argument("SIZE = 1 << 10", "parser.add_argument('--size', type=int, default=-SIZE * 4 + 2**3)")
        self.assertEqual(schema["default"], -4088)


if __name__ == "__main__":
    unittest.main()

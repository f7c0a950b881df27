"""`@tool`: at run time and as discovery reads it."""

import unittest

from mcp_execution import tool

from .scripts import ScriptCase


class TheDecorator(unittest.TestCase):
    def test_leaves_the_function_as_it_is(self):
        def function(): ...

        self.assertIs(tool(function), function)
        self.assertIs(
            tool(name="x", title="X", read_only=True, hidden=["a"], annotations={"openWorldHint": False})(function), function
        )
        self.assertIs(tool()(function), function)

    def test_refuses_what_it_does_not_know_with_a_clear_error(self):
        for word, value, said in (
            ("name", 3, "tool(name=…) takes a text, not 3"),
            ("title", " ", "tool(title=…) takes a text"),
            ("hidden", "abc", "takes a list of names of parameters"),
            ("hidden", 3, "takes a list of names of parameters"),
            ("read_only", 1, "takes True or False, not 1"),
            ("enabled", None, "takes True or False"),
            ("annotations", ["x"], "takes a dict"),
            ("input_schema", {}, "takes the schema of an object"),
        ):
            with self.subTest(word, value=value), self.assertRaises(TypeError) as caught:
                tool(**{word: value})
            self.assertIn(said, str(caught.exception))
        with self.assertRaisesRegex(TypeError, "readOnlyHint"):
            tool(annotations={"readonly": True})
        with self.assertRaisesRegex(TypeError, "marks a function"):
            tool("name")


class WhatTheDecoratorSays(ScriptCase):
    def tool_of(self, words, parameters="a: int, b: int = 1", name="f", before=""):
        return self.tool(f"from mcp_execution import tool\n{before}\n@tool({words})\ndef {name}({parameters}):\n    'Doc.'\n")

    def test_names_and_describes_the_tool(self):
        found = self.tool_of("name='count', title='Count it', description='Counts.'")
        self.assertEqual((found["name"], found["title"], found["description"]), ("count", "Count it", "Counts."))
        self.assertEqual(found["run"]["function"], "f")
        self.assertEqual(found["why"], "It is marked with @tool.")

    def test_gives_annotations(self):
        found = self.tool_of("read_only=True, destructive=False, annotations={'openWorldHint': True}")
        self.assertEqual(found["annotations"], {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": True})

    def test_hides_parameters(self):
        found = self.tool_of("hidden=['b']")
        self.assertEqual(list(found["inputSchema"]["properties"]), ["a"])
        self.assertTrue(found["enabled"])

    def test_cannot_hide_a_parameter_that_needs_a_value(self):
        found = self.tool_of("hidden=['a']")
        self.assertFalse(found["enabled"])
        self.assertEqual(found["why"], "@tool hides a, which has no default; give it one.")
        self.assertFalse(self.tool_of("hidden=['zz']")["enabled"])

    def test_gives_a_verbatim_input_schema(self):
        found = self.tool_of("input_schema={'type': 'object', 'properties': {'a': {'const': 1}}, 'x': None}")
        self.assertEqual(found["inputSchema"], {"type": "object", "properties": {"a": {"const": 1}}, "x": None})
        self.assertNotIn("degraded", found)

    def test_gives_an_output_schema(self):
        self.assertEqual(self.tool_of("output_schema={'type': 'object'}")["outputSchema"], {"type": "object"})
        self.assertEqual(self.tool_of("output_schema={'type': 'string'}")["resultKey"], "result")

    def test_turns_a_tool_off(self):
        found = self.tool_of("enabled=False")
        self.assertEqual((found["enabled"], found["why"]), (False, "@tool(enabled=False) turns it off."))

    def test_follows_constants(self):
        self.assertEqual(self.tool_of("name=NAME", before="NAME = 'other'")["name"], "other")

    def test_says_what_only_running_would_tell(self):
        self.assertEqual(
            self.tool_of("title=make()")["degraded"], ["@tool(title=…) is only known when it runs; write it as a literal."]
        )

    def test_offers_functions_that_are_otherwise_left_out(self):
        self.assertEqual(self.tool_of("", name="_private")["name"], "_private")
        found = self.tools("import mcp_execution as m\n__all__ = []\n@m.tool\ndef f(): 'Doc.'\n")
        self.assertEqual(list(found), ["f"])

    def test_is_known_under_another_name_and_not_mistaken(self):
        found = self.tools(
            "from mcp_execution import tool as t\nfrom other import tool\n@t(name='x')\ndef a(): 'Doc.'\n@tool(name='y')\ndef b(): 'Doc.'\n"
        )
        self.assertEqual([found["a"]["name"], found["b"]["name"]], ["x", "b"])

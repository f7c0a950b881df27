"""What discovery says of the fixtures, as a reader of them would expect."""

import os
import unittest

from mcp_execution._discovery.module import describe

FIXTURES = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "fixtures", "discovery"))


def tools_of(name):
    return {tool["name"]: tool for tool in describe(os.path.join(FIXTURES, name))["tools"]}


class TheFixtures(unittest.TestCase):
    maxDiff = None

    def test_a_typed_library_needs_no_change(self):
        tools = tools_of("typed_library.py")
        self.assertEqual(list(tools), ["total", "find", "export"])
        self.assertFalse(any("degraded" in tool for tool in tools.values()))
        self.assertEqual(list(tools["find"]["inputSchema"]["$defs"]), ["Customer", "Filter"])
        self.assertEqual(tools["find"]["inputSchema"]["properties"]["words"]["description"], "Words that they contain.")
        self.assertEqual(tools["total"]["outputSchema"]["properties"]["result"]["description"], "The sum, after the discount.")

    def test_an_authors_words_are_kept(self):
        tools = tools_of("says_more_with_tool.py")
        self.assertEqual(
            [(name, tool["enabled"]) for name, tool in tools.items()],
            [("weather_at", True), ("_forecast", True), ("retired", False), ("plain", True)],
        )
        self.assertEqual(tools["weather_at"]["annotations"], {"readOnlyHint": True, "openWorldHint": True})
        self.assertEqual(tools["weather_at"]["inputSchema"]["required"], ["lat", "lon"])

    def test_defaults_docstrings_and_comments_stand_in_for_types(self):
        tools = tools_of("knows_no_types.py")
        kinds = {name: schema.get("type") for name, schema in tools["resize"]["inputSchema"]["properties"].items()}
        self.assertEqual(kinds, {"path": "string", "width": "integer", "ratio": "number", "keep": "boolean", "tags": "array"})
        self.assertEqual(tools["add"]["description"], "Adds two numbers.")
        self.assertEqual(tools["nothing_said"]["description"], "Nothing said. Takes first_thing and second_thing.")

    def test_odd_names_are_kept_as_python_spells_them(self):
        tools = {tool["run"]["function"]: tool for tool in tools_of("has_odd_names.py").values()}
        self.assertEqual(list(tools), ["match", "größe", "within"])
        self.assertEqual(list(tools["größe"]["inputSchema"]["properties"]), ["länge", "final"])
        self.assertEqual(
            list(tools["within"]["inputSchema"]["$defs"]["Range"]["properties"]), ["from", "to", "max-count", "class"]
        )

    def test_only_functions_that_change_the_module_are_warned_of(self):
        warned = [name for name, tool in tools_of("changes_module_state.py").items() if "warnings" in tool]
        self.assertEqual(warned, ["count", "remember", "set_level"])

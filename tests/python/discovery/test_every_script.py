"""Scripts that nobody prepared: all fixtures, and the standard library."""

import glob
import os
import re
import sysconfig
import unittest

from mcp_execution._discovery.module import describe

FIXTURES = os.path.join(os.path.dirname(__file__), "..", "..", "fixtures")
LIBRARY = sysconfig.get_paths()["stdlib"]
TYPES = {"string", "number", "integer", "boolean", "null", "array", "object"}


class EveryScript(unittest.TestCase):
    def test_of_the_fixtures_is_described(self):
        paths = glob.glob(os.path.join(FIXTURES, "**", "*.py"), recursive=True)
        self.assertGreater(len(paths), 100)
        self.look_at(paths)

    def test_at_the_top_of_the_standard_library_is_described(self):
        self.look_at(glob.glob(os.path.join(LIBRARY, "*.py")))

    def test_of_some_packages_of_the_standard_library_is_described(self):
        for package in (
            "asyncio",
            "collections",
            "concurrent",
            "email",
            "importlib",
            "json",
            "lib2to3",
            "multiprocessing",
            "unittest",
        ):
            self.look_at(glob.glob(os.path.join(LIBRARY, package, "**", "*.py"), recursive=True))

    def look_at(self, paths):
        for path in paths:
            with self.subTest(path):
                described = describe(os.path.abspath(path))
                self.assertNotIn("could not be read for its tools", described.get("problem", {}).get("message", ""))
                self.check_tools(described.get("tools", []))

    def check_tools(self, tools):
        names = [tool["name"] for tool in tools]
        self.assertEqual(len(names), len(set(names)))
        for tool in tools:
            self.assertRegex(tool["name"], r"^[A-Za-z0-9_-]{1,64}$")
            self.assertTrue(tool["why"] and tool["description"], tool)
            for schema in filter(None, (tool["inputSchema"], tool.get("outputSchema"))):
                self.assertEqual(schema["type"], "object")
                self.check(schema, schema)

    def check(self, schema, root):
        if isinstance(schema, bool):
            return
        self.assertIsInstance(schema, dict)
        kinds = schema.get("type", [])
        self.assertLessEqual({kinds} if isinstance(kinds, str) else set(kinds), TYPES)
        if "$ref" in schema:
            self.assertIn(schema["$ref"].rpartition("/")[2], root["$defs"])
        if "pattern" in schema:
            re.compile(schema["pattern"])
        for word in ("items", "additionalProperties", "propertyNames"):
            if word in schema:
                self.check(schema[word], root)
        for word in ("anyOf", "prefixItems"):
            for inner in schema.get(word, ()):
                self.check(inner, root)
        for word in ("properties", "$defs"):
            for inner in schema.get(word, {}).values():
                self.check(inner, root)
        self.assertLessEqual(set(schema.get("required", ())), set(schema.get("properties", ())))

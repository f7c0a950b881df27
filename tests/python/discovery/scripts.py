"""Scripts made of text for one test each, and what discovery says of them."""

import os
import tempfile
import textwrap
import unittest

from mcp_execution._discovery.module import describe


class ScriptCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def write(self, name, text):
        path = os.path.join(self.folder, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else textwrap.dedent(text).lstrip("\n").encode("utf-8"))
        return path

    def describe(self, text, name="script.py"):
        return describe(self.write(name, text))

    def tools(self, text):
        """The function tools by the name of their function."""
        described = self.describe(text)
        self.assertNotIn("problem", described)
        return {tool["run"]["function"]: tool for tool in described["tools"] if tool["run"]["kind"] == "function"}

    def tool(self, text):
        """The one function tool of a script, or its last."""
        return list(self.tools(text).values())[-1]

    def inputs(self, text):
        return self.tool(text)["inputSchema"]

    def parameter(self, text):
        """The schema of the first parameter of the last function."""
        return next(iter(self.inputs(text)["properties"].values()))

    def taken(self, annotation, before=""):
        """The schema of what an annotation takes."""
        return self.parameter(f"{textwrap.dedent(before)}\ndef f(x: {annotation}): ...\n")

    def given(self, annotation, before=""):
        """The output schema of a function with this return annotation, or None."""
        return self.tool(f"{textwrap.dedent(before)}\ndef f() -> {annotation}: ...\n").get("outputSchema")

    def left_out(self, text):
        return {entry["name"]: entry for entry in self.describe(text)["leftOut"]}

"""The packages and the Python that a script asks for."""

import sys
from unittest import mock

from .scripts import ScriptCase

BLOCK = """
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "requests<3",  # for the web
#   'rich[all] ; python_version > "3.8"',
# ]
# [tool.uv]
# exclude-newer = "2024-01-01T00:00:00Z"
# ///
import requests
"""


class InlineMetadata(ScriptCase):
    def script(self, text):
        return self.describe(text)["script"]

    def message(self, text):
        return self.describe(text)["problem"]["message"]

    def test_is_read(self):
        script = self.script(BLOCK)
        self.assertEqual(script["requiresPython"], ">=3.11")
        self.assertEqual(
            script["dependencies"], {"source": "inline", "packages": ["requests<3", 'rich[all] ; python_version > "3.8"']}
        )

    def test_is_read_the_same_way_without_a_toml_library(self):
        with mock.patch.dict(sys.modules, {"tomllib": None}):
            self.test_is_read()
            self.test_without_packages_needs_none()
            self.test_that_is_malformed_is_a_problem_in_words()

    def test_goes_before_requirements_beside_the_script(self):
        self.write("requirements.txt", "flask")
        self.assertEqual(self.script(BLOCK)["dependencies"]["source"], "inline")

    def test_without_packages_needs_none(self):
        script = self.script('# /// script\n# requires-python = ">=3.10"\n# ///\n')
        self.assertEqual(script["requiresPython"], ">=3.10")
        self.assertNotIn("dependencies", script)
        self.assertEqual(self.script("# /// script\n# dependencies = []\n# ///\n")["dependencies"]["packages"], [])

    def test_that_is_malformed_is_a_problem_in_words(self):
        for block, words in (
            ("# /// script\n# dependencies = [\n# ///\n", "is not TOML"),
            ("# /// script\n# dependencies = 'x'\n# ///\n", "no list of texts"),
            ("# /// script\n# requires-python = ['x']\n# ///\n", "requires-python"),
            ("# /// script\n# this is nothing\n# ///\n", "is not TOML"),
            ("# /// script\n# dependencies = []\nx = 1\n", "no `# ///` that ends it"),
            ("# /// script\n# dependencies = []\n# ///\nx = 1\n# /// script\n# ///\n", "more than once"),
        ):
            with self.subTest(block):
                self.assertIn(words, self.message(block))

    def test_in_a_file_with_windows_line_ends_is_read(self):
        self.assertEqual(self.script(BLOCK.replace("\n", "\r\n").encode())["requiresPython"], ">=3.11")


class RequirementsBesideTheScript(ScriptCase):
    def packages(self, text, requirements="# web\nrequests>=2  # http\n\n-r more.txt\nrich \\\n  >=1\n"):
        self.write("requirements.txt", requirements)
        return self.describe(text)["script"].get("dependencies", {}).get("packages")

    def test_are_used_where_the_script_imports_what_is_not_there(self):
        self.assertEqual(self.packages("import requests"), ["requests>=2", "-r more.txt", "rich    >=1"])
        self.assertIsNotNone(self.packages("from yaml import load"))
        self.assertIsNotNone(self.packages("def f():\n    if True:\n        import yaml"))
        self.assertIsNotNone(self.packages("try:\n    import yaml\nexcept ImportError:\n    yaml = None"))

    def test_are_not_used_where_the_script_needs_nothing(self):
        self.write("models.py", "x = 1")
        self.write("shop/x.py", "x = 1")
        self.assertIsNone(
            self.packages(
                "import os, json\nfrom pathlib import Path\nimport models, shop.x\nfrom . import other\nfrom mcp_execution import tool"
            )
        )

    def test_that_are_empty_are_none(self):
        self.assertIsNone(self.packages("import requests", "# nothing\n"))

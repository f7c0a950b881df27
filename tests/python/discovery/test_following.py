"""Types that are declared in files beside the script."""

import hashlib
import os

from mcp_execution._discovery.module import describe

from .scripts import ScriptCase

ITEM = "from dataclasses import dataclass\n@dataclass\nclass Item:\n    name: str\n"


class AFileBesideTheScript(ScriptCase):
    def item_of(self, text):
        described = self.describe(text)
        schema = described["tools"][-1]["inputSchema"]
        self.assertEqual(schema["properties"]["x"], {"$ref": "#/$defs/Item"})
        self.assertEqual(list(schema["$defs"]["Item"]["properties"]), ["name"])
        return sorted(os.path.relpath(file["path"], self.folder).replace(os.sep, "/") for file in described["script"]["files"])

    def test_is_followed_however_it_is_imported(self):
        self.write("models.py", ITEM)
        for text in (
            "from models import Item\ndef f(x: Item): ...",
            "from models import Item as Thing\ndef f(x: Thing): ...",
            "import models\ndef f(x: models.Item): ...",
            "import models as m\ndef f(x: 'm.Item'): ...",
            "from models import *\ndef f(x: Item): ...",
            "from .models import Item\ndef f(x: Item): ...",
            "from . import models\ndef f(x: models.Item): ...",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from models import Item\ndef f(x: 'Item'): ...",
            "try:\n    from models import Item\nexcept ImportError:\n    Item = None\ndef f(x: Item): ...",
        ):
            with self.subTest(text):
                self.assertEqual(self.item_of(text), ["models.py"])

    def test_of_a_package_is_followed(self):
        self.write("shop/__init__.py", "from .models import Item\nfrom . import models\n")
        self.write("shop/models.py", ITEM)
        both = ["shop/__init__.py", "shop/models.py"]
        self.assertEqual(self.item_of("from shop import Item\ndef f(x: Item): ..."), both)
        self.assertEqual(self.item_of("import shop.models\ndef f(x: shop.models.Item): ..."), both)
        self.assertEqual(self.item_of("from shop.models import Item\ndef f(x: Item): ..."), ["shop/models.py"])

    def test_of_a_folder_without_init_is_followed(self):
        self.write("shop/models.py", ITEM)
        self.assertEqual(self.item_of("from shop.models import Item\ndef f(x: Item): ..."), ["shop/models.py"])
        self.assertEqual(self.item_of("from shop import models\ndef f(x: models.Item): ..."), ["shop/models.py"])
        self.assertEqual(self.item_of("import shop.models\ndef f(x: shop.models.Item): ..."), ["shop/models.py"])

    def test_is_followed_over_several_files(self):
        self.write("a.py", "from b import Item")
        self.write("b.py", "from c import *")
        self.write("c.py", ITEM)
        self.assertEqual(self.item_of("from a import Item\ndef f(x: Item): ..."), ["a.py", "b.py", "c.py"])

    def test_that_imports_in_a_circle_is_no_endless_search(self):
        self.write("a.py", "from b import Item, Other")
        self.write("b.py", "from a import Item, Other")
        self.assertEqual(self.parameter("from a import Item\ndef f(x: Item): ..."), {})

    def test_that_has_a_syntax_error_takes_any_value(self):
        self.write("models.py", "class Item(:")
        self.assertEqual(self.parameter("from models import Item\ndef f(x: Item): ..."), {})

    def test_is_named_with_its_hash(self):
        path = self.write("models.py", ITEM)
        (file,) = self.describe("from models import Item\ndef f(x: Item): ...")["script"]["files"]
        with open(path, "rb") as content:
            self.assertEqual(file, {"path": path, "sha256": hashlib.sha256(content.read()).hexdigest()})

    def test_that_no_type_needs_is_not_read(self):
        self.write("models.py", ITEM)
        self.assertEqual(
            self.describe("from models import Item\nfrom models import helper\nhelper()\ndef f(x: int): ...")["script"][
                "files"
            ],
            [],
        )

    def test_above_the_scripts_folder_is_not_read(self):
        self.write("models.py", ITEM)
        path = self.write("inner/script.py", "from ..models import Item\ndef f(x: Item): ...")
        self.assertEqual(describe(path)["script"]["files"], [])

    def test_holds_constants_and_enums_for_defaults(self):
        self.write("settings.py", "from enum import Enum\nLIMIT = 7\nclass Mode(Enum):\n    FAST = 'fast'\n")
        text = "import settings\nfrom settings import LIMIT, Mode\ndef f(a: int = LIMIT, b: Mode = Mode.FAST, c: int = settings.LIMIT): ..."
        defaults = [schema["default"] for schema in self.inputs(text)["properties"].values()]
        self.assertEqual(defaults, [7, "fast", 7])

    def test_has_its_own_names(self):
        self.write(
            "models.py",
            "from datetime import date as when\nfrom dataclasses import dataclass\n@dataclass\nclass Item:\n    name: 'when'\n",
        )
        schema = self.inputs("from models import Item\nwhen = int\ndef f(x: Item): ...")
        self.assertEqual(schema["$defs"]["Item"]["properties"]["name"], {"type": "string", "format": "date"})

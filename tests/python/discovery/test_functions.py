"""Which functions are tools, what their parameters are, and what is said of the others."""

from .scripts import ScriptCase


class TheParametersOfAFunction(ScriptCase):
    def test_each_kind_of_parameter_is_a_property(self):
        schema = self.inputs("def f(a: int, /, b: str, *args: float, c: bool, d: int = 1, **more: str): ...")
        self.assertEqual(
            schema,
            {
                "type": "object",
                "properties": {
                    "a": {"type": "integer"},
                    "b": {"type": "string"},
                    "args": {"type": "array", "items": {"type": "number"}},
                    "c": {"type": "boolean"},
                    "d": {"type": "integer", "default": 1},
                },
                "required": ["a", "b", "c"],
                "additionalProperties": {"type": "string"},
            },
        )

    def test_a_function_without_parameters_takes_none(self):
        self.assertEqual(self.inputs("def f(): ..."), {"type": "object", "properties": {}, "additionalProperties": False})

    def test_keywords_without_annotation_take_anything(self):
        self.assertIs(self.inputs("def f(**more): ...")["additionalProperties"], True)

    def test_unpacked_keywords_are_properties(self):
        schema = self.inputs(
            "from typing import NotRequired, TypedDict, Unpack\nclass K(TypedDict):\n    a: int\n    b: NotRequired[str]\ndef f(**k: Unpack[K]): ..."
        )
        self.assertEqual(schema["properties"], {"a": {"type": "integer"}, "b": {"type": "string"}})
        self.assertEqual(schema["required"], ["a"])
        self.assertIs(schema["additionalProperties"], False)

    def test_defaults_are_shown_where_json_can_say_them(self):
        text = """
        from enum import Enum
        import math
        LIMIT = 10
        class E(Enum):
            A = "a"
        def f(a=-1, b=[1, 2], c={"x": None}, d=(1,), e=E.A, f=LIMIT, g=LIMIT * 2, h=object(), i=b"x", j=math.inf, k=1e5, l=E, m="é"): ...
        """
        defaults = {name: schema.get("default", "none") for name, schema in self.inputs(text)["properties"].items()}
        self.assertEqual(
            defaults,
            {
                "a": -1,
                "b": [1, 2],
                "c": {"x": None},
                "d": [1],
                "e": "a",
                "f": 10,
                "g": 20,
                "h": "none",
                "i": "eA==",
                "j": "Infinity",
                "k": 1e5,
                "l": "none",
                "m": "é",
            },
        )

    def test_a_default_that_python_itself_cannot_write_is_not_shown(self):
        properties = self.inputs(f"def f(a={hex(10**6000)}, b={{{hex(10**6000)}: 1}}): ...")["properties"]
        self.assertEqual(properties, {"a": {"type": "integer"}, "b": {"type": "object"}})

    def test_defaults_of_standard_types_are_their_text(self):
        text = """
        import datetime as dt, re
        from datetime import date, timedelta
        from decimal import Decimal
        from pathlib import Path
        from uuid import UUID
        def f(
            a: date = date(2024, 1, 31),
            b: dt.datetime = dt.datetime(2024, 1, 31, 12, minute=30),
            c: timedelta = timedelta(days=1, hours=2),
            d: Decimal = Decimal("1.50"),
            e: Path = Path("./data", "x.csv"),
            f: UUID = UUID("12345678123456781234567812345678"),
            g: re.Pattern = re.compile("a+"),
            h: date = date.fromisoformat("2024-02-29"),
            i: date = date(2024, 13, 1),
            j: date = date.today(),
            k: re.Pattern = re.compile("a", re.I),
            l: Decimal = Decimal("2") * 3,
            m: str = "%s-%03d" % ("a", 7),
            n: str = "%9999999d" % 1,
        ): ...
        """
        defaults = {name: schema.get("default") for name, schema in self.inputs(text)["properties"].items()}
        self.assertEqual(
            defaults,
            {
                "a": "2024-01-31",
                "b": "2024-01-31T12:30:00",
                "c": "P1DT2H",
                "d": "1.50",
                "e": "data/x.csv",
                "f": "12345678-1234-5678-1234-567812345678",
                "g": "a+",
                "h": "2024-02-29",
                "i": None,
                "j": None,
                "k": None,
                "l": None,
                "m": "a-007",
                "n": None,
            },
        )

    def test_a_default_of_a_standard_type_says_the_type(self):
        tool = self.tool("from datetime import date\ndef f(day=date(2024, 1, 31)): ...")
        self.assertEqual(
            tool["inputSchema"]["properties"]["day"], {"type": "string", "format": "date", "default": "2024-01-31"}
        )
        self.assertIn("`day: date`", tool["degraded"][0])

    def test_an_enum_of_the_standard_library_takes_any_value(self):
        schema = self.parameter("from http import HTTPStatus\ndef f(a: HTTPStatus = HTTPStatus.OK): ...")
        self.assertEqual(schema, {})

    def test_functions_within_functions_are_told_in_the_order_of_the_file(self):
        text = """
        def f(a):
            if a:
                def first(): ...
            else:
                def second(): ...
            def third(): ...
        """
        self.assertEqual(list(self.left_out(text)), ["f.first", "f.second", "f.third"])

    def test_names_of_functions_and_files_follow_one_rule(self):
        described = self.describe("import sys\ndef größe_é(): ...\nprint(sys.argv[1])", "größe_é.py")
        self.assertEqual([tool["name"] for tool in described["tools"]], ["grosse_e_script", "grosse_e"])

    def test_a_default_of_none_adds_null(self):
        self.assertEqual(
            self.parameter("def f(a: int = None): ..."), {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}
        )

    def test_a_field_as_a_default_is_no_default_that_json_can_say(self):
        schema = self.inputs("from pydantic import Field\ndef f(a: int = Field(default=3, ge=1)): ...")
        self.assertEqual(schema["properties"]["a"], {"type": "integer"})
        self.assertNotIn("required", schema)

    def test_without_an_annotation_the_default_tells_the_type(self):
        properties = self.inputs("def f(a=1, b=1.5, c='x', d=True, e=[], f={}, g=None, h=()): ...")["properties"]
        self.assertEqual(
            [properties[name].get("type") for name in "abcdefgh"],
            ["integer", "number", "string", "boolean", "array", "object", None, "array"],
        )

    def test_without_a_default_the_docstring_tells_the_type(self):
        text = '''
        def f(a, b, c, d, e, g, h):
            """Do it.

            Args:
                a (int): one
                b (list of str): two
                c (str, optional): three
                d ({'x', 'y'}): four
                e (float or None): five
                g (np.ndarray): six
                h: seven
            """
        '''
        properties = self.inputs(text)["properties"]
        self.assertEqual(properties["a"]["type"], "integer")
        self.assertEqual(properties["b"]["items"], {"type": "string"})
        self.assertEqual(properties["c"]["type"], "string")
        self.assertEqual(properties["d"]["enum"], ["x", "y"])
        self.assertEqual(properties["e"]["anyOf"], [{"type": "number"}, {"type": "null"}])
        self.assertEqual(properties["g"], {"description": "six"})
        self.assertEqual(properties["h"], {"description": "seven"})

    def test_a_whole_number_as_a_default_may_be_any_number_by_the_docstring(self):
        self.assertEqual(self.parameter("def f(x=2):\n    ':param float x: How far.'")["type"], "number")

    def test_a_parameters_words_win_over_those_of_its_enum(self):
        text = "from enum import Enum\nclass E(Enum):\n    'A colour.'\n    A = 'a'\n    B = 'b'\ndef f(x: E):\n    ':param x: Of the sky.'"
        self.assertEqual(self.parameter(text)["description"], "Of the sky.")

    def test_what_could_not_be_known_says_what_to_write(self):
        self.assertEqual(
            self.tool("def f(a, n=1):\n    'Doc.'")["degraded"],
            [
                "Parameter a has no annotation, so it takes any value; write its type, as in `a: str`.",
                "Parameter n has no annotation; its default says its type; write it, as in `n: int`.",
            ],
        )

    def test_odd_names_work(self):
        tools = self.tools("def match(self, cls, type, _x=1): ...\ndef größe(länge: int): ...\ndef case(): ...")
        self.assertEqual(list(tools["match"]["inputSchema"]["properties"]), ["self", "cls", "type", "_x"])
        self.assertEqual(tools["größe"]["name"], "grosse")
        self.assertEqual(list(tools["größe"]["inputSchema"]["properties"]), ["länge"])

    def test_names_that_clients_would_not_take_are_replaced_and_kept_apart(self):
        names = [tool["name"] for tool in self.tools("def é(): ...\ndef e(): ...\ndef 计算(): ...\ndef 计数(): ...").values()]
        self.assertEqual(names[:2], ["e", "e_2"])
        self.assertRegex(" ".join(names[2:]), r"^tool_[0-9a-f]{6} tool_[0-9a-f]{6}$")

    def test_a_very_long_name_is_cut_and_stays_unique(self):
        tools = self.tools(f"def {'a' * 80}(): ...\ndef {'a' * 81}(): ...")
        names = {tool["name"] for tool in tools.values()}
        self.assertEqual(len(names), 2)
        self.assertTrue(all(len(name) <= 64 for name in names))


class TheChoiceOfFunctions(ScriptCase):
    def names(self, text):
        return list(self.tools(text))

    def test_public_functions_of_every_kind_are_tools(self):
        self.assertEqual(
            self.names(
                "def a(): ...\nasync def b(): ...\ndef c(): yield 1\nasync def d(): yield 1\ndef _e(): ...\ndef __f__(): ..."
            ),
            ["a", "b", "c", "d"],
        )

    def test_all_decides_where_it_is_there(self):
        self.assertEqual(self.names("__all__ = ['a', '_b']\ndef a(): ...\ndef _b(): ...\ndef c(): ..."), ["a", "_b"])
        self.assertEqual(
            self.names(
                "__all__ = ('a',)\n__all__ += ['b']\n__all__.extend(['c'])\n__all__.append('d')\ndef a(): ...\ndef b(): ...\ndef c(): ...\ndef d(): ...\ndef e(): ..."
            ),
            ["a", "b", "c", "d"],
        )

    def test_an_all_that_only_running_tells_is_not_used(self):
        self.assertEqual(self.names("__all__ = [name for name in dir()]\ndef a(): ..."), ["a"])

    def test_the_last_definition_of_a_name_wins(self):
        tools = self.tools("def a(x: int): ...\ndef a(y: str): ...")
        self.assertEqual(list(tools["a"]["inputSchema"]["properties"]), ["y"])

    def test_overloads_are_not_looked_at(self):
        tools = self.tools(
            "from typing import overload\n@overload\ndef a(x: int): ...\n@overload\ndef a(x: str): ...\ndef a(x): ..."
        )
        self.assertEqual(tools["a"]["inputSchema"]["properties"], {"x": {}})

    def test_a_name_that_is_bound_again_or_deleted_is_no_tool(self):
        self.assertEqual(
            self.names("def a(): ...\na = 3\ndef b(): ...\ndel b\ndef c(): ...\nclass c: ...\ndef d(): ...\nd += 1"), []
        )

    def test_a_function_that_is_wrapped_afterwards_stays_a_tool(self):
        tool = self.tool("from functools import cache\ndef a(x: int): 'Doc.'\na = cache(a)")
        self.assertEqual(tool["degraded"], ["It is wrapped after its definition; its signature is given as it is written."])

    def test_a_fallback_for_a_missing_import_is_a_tool(self):
        self.assertEqual(self.names("try:\n    from fast import a\nexcept ImportError:\n    def a(x: int): ..."), ["a"])

    def test_the_branch_for_this_python_is_taken(self):
        tools = self.tools("import sys\nif sys.version_info >= (3, 10):\n    def a(new): ...\nelse:\n    def a(old): ...\n")
        self.assertEqual(list(tools["a"]["inputSchema"]["properties"]), ["new"])

    def test_functions_for_type_checkers_or_of_the_main_block_are_no_tools(self):
        text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    def a(): ...\ndef c(): ...\nif __name__ == '__main__':\n    def b(): ...\n"
        self.assertEqual(self.names(text), ["c"])
        self.assertIn("main block", self.left_out(text)["b"]["why"])

    def test_what_is_left_out_has_a_reason_and_a_change(self):
        text = """
        from contextlib import contextmanager
        def _hidden(): ...
        class Shape:
            def area(self): ...
        square = lambda x: x * x
        @contextmanager
        def opened(): yield
        def outer():
            def inner(): ...
        """
        left_out = self.left_out(text)
        self.assertEqual(list(left_out), ["_hidden", "Shape", "square", "opened", "outer.inner"])
        self.assertTrue(all(entry["why"] and entry["change"] for entry in left_out.values()))
        self.assertEqual([entry["line"] for entry in left_out.values()], [2, 3, 5, 7, 9])

    def test_imported_functions_are_no_tools(self):
        self.write("other.py", "def helper(): ...")
        self.assertEqual(self.names("from other import helper\nfrom os.path import join\nimport json\ndef a(): ..."), ["a"])

    def test_known_decorators_are_harmless_and_others_are_said(self):
        tools = self.tools(
            "import functools\nfrom x import retry\n@functools.lru_cache(maxsize=None)\ndef a(): 'Doc.'\n@retry(3)\ndef b(): 'Doc.'"
        )
        self.assertNotIn("degraded", tools["a"])
        self.assertEqual(
            tools["b"]["degraded"], ["@retry may change how it is called; its signature is given as it is written."]
        )

    def test_a_function_that_changes_the_modules_state_has_a_warning(self):
        text = """
        COUNT = 0
        SEEN = []
        TABLE = {}
        class State: ...
        STATE = State()
        def a():
            global COUNT
            COUNT += 1
        def b(x): SEEN.append(x)
        def c(x): TABLE[x] = 1
        def d(): STATE.x = 1
        def e(SEEN): SEEN.append(1)
        def f():
            SEEN = []
            SEEN.append(1)
        def g(): return TABLE.get(1), len(SEEN)
        def h(): del TABLE[1]
        """
        warned = {name: "warnings" in tool for name, tool in self.tools(text).items()}
        self.assertEqual(warned, {"a": True, "b": True, "c": True, "d": True, "e": False, "f": False, "g": False, "h": True})
        self.assertEqual(
            self.tools(text)["a"]["warnings"],
            [
                "changes the module's `COUNT`; each call runs in a process of its own, so this is forgotten after it; "
                "serve with --isolation session to keep it"
            ],
        )

    def test_a_tool_says_where_it_is_and_how_it_runs(self):
        tool = self.tool("\n\ndef word_count(): ...")
        self.assertEqual(tool["line"], 1)
        self.assertEqual(tool["title"], "Word count")
        self.assertEqual(tool["run"]["function"], "word_count")
        self.assertTrue(tool["run"]["script"].endswith("script.py"))
        self.assertIs(tool["enabled"], True)


class TheResultOfAFunction(ScriptCase):
    def test_an_object_is_the_root_itself(self):
        tool = self.tool("def f() -> dict[str, int]: ...")
        self.assertEqual(tool["outputSchema"]["type"], "object")
        self.assertNotIn("resultKey", tool)

    def test_any_other_value_is_wrapped(self):
        tool = self.tool("def f() -> list[str]: ...")
        self.assertEqual(
            tool["outputSchema"],
            {
                "type": "object",
                "properties": {"result": {"type": "array", "items": {"type": "string"}}},
                "required": ["result"],
            },
        )
        self.assertEqual(tool["resultKey"], "result")

    def test_an_object_or_nothing_is_wrapped(self):
        self.assertEqual(self.tool("def f() -> dict | None: ...")["resultKey"], "result")

    def test_generators_give_an_array_of_what_they_yield(self):
        before = "from typing import *\n"
        for text in (
            "def f() -> Iterator[str]: yield ''",
            "def f() -> Generator[str, None, int]: yield ''",
            "async def f() -> AsyncIterator[str]: yield ''",
            "def f() -> Iterable[str]: yield ''",
        ):
            with self.subTest(text):
                self.assertEqual(
                    self.tool(before + text)["outputSchema"]["properties"]["result"],
                    {"type": "array", "items": {"type": "string"}},
                )

    def test_a_function_that_returns_an_iterator_promises_nothing(self):
        self.assertNotIn("outputSchema", self.tool("from typing import Iterator\ndef f() -> Iterator[int]: return iter([1])"))

    def test_a_nested_yield_makes_no_generator(self):
        tool = self.tool("def f() -> list[int]:\n    def g(): yield 1\n    return list(g())")
        self.assertEqual(tool["outputSchema"]["properties"]["result"]["type"], "array")

    def test_an_awaitable_is_what_it_gives(self):
        self.assertEqual(
            self.tool("from typing import Awaitable\ndef f() -> Awaitable[str]: ...")["outputSchema"]["properties"]["result"],
            {"type": "string"},
        )

    def test_nothing_known_is_nothing_promised(self):
        for annotation in ("None", "object", "bytes", "Image", "'bytes | None'", "list[bytes]", "Figure"):
            with self.subTest(annotation):
                self.assertNotIn(
                    "outputSchema",
                    self.tool(
                        f"from PIL.Image import Image\nfrom matplotlib.figure import Figure\ndef f() -> {annotation}: ..."
                    ),
                )

    def test_the_docstring_describes_the_result(self):
        tool = self.tool('def f() -> int:\n    """Do.\n\n    Returns:\n        int: How many.\n    """')
        self.assertEqual(tool["outputSchema"]["properties"]["result"]["description"], "How many.")

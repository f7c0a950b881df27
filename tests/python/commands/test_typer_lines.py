import unittest

from .finding import found_in, found_in_fixture, only_tool, properties, tools_by_name, written


def typer_tool(parameters, before=""):
    source = "\n".join(
        [
            "import typer",
            "from typing import *",
            before,
            f"def main({parameters}):",
            "    'Runs.'",
            "if __name__ == '__main__':",
            "    typer.run(main)",
        ]
    )
    return only_tool(found_in(source))


class Parameter(unittest.TestCase):
    def test_without_a_default_it_is_an_argument_and_with_one_an_option(self):
        tool = typer_tool("name: str, times: int = 1")
        self.assertEqual(written(tool)["name"]["kind"], "positional")
        self.assertEqual(written(tool)["times"], {"name": "times", "kind": "option", "flag": "--times"})
        self.assertEqual(tool["inputSchema"]["required"], ["name"])

    def test_a_boolean_has_two_flags(self):
        self.assertEqual(
            written(typer_tool("dry_run: bool = False"))["dry_run"], {"name": "dry_run", "kind": "flag", "flag": "--dry-run", "off": "--no-dry-run"}
        )
        self.assertEqual(written(typer_tool("x: bool = typer.Option(False, '--force')"))["x"], {"name": "x", "kind": "flag", "flag": "--force"})
        self.assertEqual(
            written(typer_tool("x: Annotated[bool, typer.Option('--on/--off')] = True"))["x"],
            {"name": "x", "kind": "flag", "flag": "--on", "off": "--off"},
        )

    def test_annotations_are_schemas(self):
        imports = "from pathlib import Path\nfrom enum import Enum\nfrom datetime import datetime\nfrom uuid import UUID\nclass E(str, Enum):\n    a = 'a'\n    b = 'b'"
        for annotation, schema in {
            "int": {"type": "integer"},
            "Optional[int]": {"type": "integer"},
            "'float | None'": {"type": "number"},
            "Path": {"type": "string", "format": "path"},
            "UUID": {"type": "string", "format": "uuid"},
            "E": {"type": "string", "enum": ["a", "b"]},
            "Literal['x', 'y']": {"type": "string", "enum": ["x", "y"]},
            "list[int]": {"type": "array", "items": {"type": "integer"}},
            "Annotated[int, typer.Option(min=1, max=3)]": {"type": "integer", "minimum": 1, "maximum": 3},
        }.items():
            with self.subTest(annotation):
                self.assertEqual(properties(typer_tool(f"x: {annotation} = None", imports))["x"], schema)

    def test_option_and_argument_say_more(self):
        tool = typer_tool(
            "a: str = typer.Argument('x', help='A.'), b: int = typer.Option(..., '--bee', '-b', help='B.'), c: str = typer.Option('y', hidden=True)"
        )
        self.assertEqual(
            properties(tool), {"a": {"type": "string", "default": "x", "description": "A."}, "b": {"type": "integer", "description": "B."}}
        )
        self.assertEqual(written(tool)["b"]["flag"], "--bee")
        self.assertEqual(tool["inputSchema"]["required"], ["b"])

    def test_a_prompt_is_required_and_a_context_is_none(self):
        tool = typer_tool("ctx: typer.Context, name: str = typer.Option('x', prompt=True)")
        self.assertEqual(tool["inputSchema"]["required"], ["name"])
        self.assertEqual(list(properties(tool)), ["name"])

    def test_an_unknown_annotation_takes_any_text_and_says_so(self):
        tool = typer_tool("x: Thing = None")
        self.assertEqual(properties(tool)["x"], {"type": "string"})
        self.assertIn("Argument x", tool["degraded"][0])


class App(unittest.TestCase):
    def test_commands_of_an_app_and_of_those_in_it(self):
        commands = found_in_fixture("weather")
        tools = tools_by_name(commands)
        self.assertEqual(list(tools), ["weather_now", "weather_places_add"])
        self.assertEqual([parameter["name"] for parameter in tools["weather_now"]["run"]["command"]["before"]], ["verbose", "config"])
        self.assertEqual(set(commands.claimed), {"root", "now", "add_place"})

    def test_a_single_command_has_no_word(self):
        tool = only_tool(found_in("import typer\napp = typer.Typer()\n@app.command()\ndef go(x: str): 'Goes.'\napp()"))
        self.assertEqual((tool["name"], tool["run"]["command"]["words"]), ("script", []))

    def test_a_single_command_beside_a_callback_has_one(self):
        tool = only_tool(
            found_in("import typer\napp = typer.Typer()\n@app.callback()\ndef root(): pass\n@app.command()\ndef go_there(): pass\napp()")
        )
        self.assertEqual(tool["run"]["command"]["words"], ["go-there"])

    def test_run_takes_a_function(self):
        commands = found_in_fixture("greet")
        self.assertEqual(list(properties(only_tool(commands))), ["name", "times", "formal"])
        self.assertEqual(list(commands.claimed), ["main"])

    def test_an_app_of_another_file_is_words(self):
        commands = found_in(
            "import typer\nfrom other import sub\napp = typer.Typer()\napp.add_typer(sub, name='sub')\n@app.command()\ndef own(): pass\napp()"
        )
        self.assertEqual([tool["name"] for tool in commands.tools], ["script", "script_own"])


if __name__ == "__main__":
    unittest.main()

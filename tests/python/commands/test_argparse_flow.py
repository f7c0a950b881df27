import json
import unittest

from .finding import found_in, found_in_fixture, only_tool, properties, tools_by_name, written


class ParserIsFound(unittest.TestCase):
    def assert_takes(self, source, *names):
        self.assertEqual(list(properties(only_tool(found_in(source)))), list(names))

    def test_at_the_top_level(self):
        self.assert_takes("import argparse\np = argparse.ArgumentParser()\np.add_argument('--x')\np.parse_args()", "x")

    def test_in_main(self):
        self.assert_takes(
            """
            def main():
                import argparse
                p = argparse.ArgumentParser()
                p.add_argument('--x')
                q = p
                q.add_argument('--y')
                p.parse_args()
            if __name__ == '__main__':
                main()
            """,
            "x",
            "y",
        )

    def test_where_one_function_builds_it_and_another_fills_it(self):
        self.assert_takes(
            """
            from argparse import ArgumentParser as Parser
            def fill(parser, prefix):
                parser.add_argument(prefix + 'x')
            def build():
                parser = Parser()
                fill(parser, '--')
                group = parser.add_argument_group('g')
                fill(group, '--a')
                return parser
            def main(argv=None):
                return build().parse_args(argv)
            if __name__ == '__main__':
                raise SystemExit(main())
            """,
            "x",
            "ax",
        )

    def test_in_a_class(self):
        self.assert_takes(
            """
            import argparse
            class Tool:
                def __init__(self):
                    self.parser = argparse.ArgumentParser()
                    self.add()
                def add(self):
                    self.parser.add_argument('--x')
                def run(self):
                    self.args = self.parser.parse_args()
            if __name__ == '__main__':
                Tool().run()
            """,
            "x",
        )

    def test_in_a_parser_class_of_the_script(self):
        source = """
            import argparse
            class Mine(argparse.ArgumentParser):
                def __init__(self):
                    super().__init__(description='Mine.')
                    self.add_argument('--x')
                def error(self, message):
                    raise SystemExit(message)
            Mine().parse_args()
            """
        self.assert_takes(source, "x")
        self.assertEqual(only_tool(found_in(source))["description"], "Mine.")

    def test_in_loops_over_known_things(self):
        self.assert_takes(
            """
            import argparse
            p = argparse.ArgumentParser()
            for name, kind in [('a', int), ('b', str)]:
                p.add_argument(f'--{name}', type=kind)
            p.parse_args()
            """,
            "a",
            "b",
        )

    def test_behind_asyncio_run(self):
        self.assert_takes(
            """
            import argparse, asyncio
            async def main():
                p = argparse.ArgumentParser()
                p.add_argument('x')
                args = p.parse_args()
            if __name__ == '__main__':
                asyncio.run(main())
            """,
            "x",
        )

    def test_in_both_branches_the_first_stays(self):
        source = """
            import argparse, sys
            p = argparse.ArgumentParser()
            if sys.platform == 'win32':
                p.add_argument('--x', type=int)
            else:
                p.add_argument('--x', type=float)
            p.parse_args()
            """
        self.assertIn(properties(only_tool(found_in(source)))["x"]["type"], ("integer", "number"))

    def test_arguments_of_a_first_parser_are_kept(self):
        self.assert_takes(
            """
            import argparse
            first = argparse.ArgumentParser(add_help=False)
            first.add_argument('--config')
            known, rest = first.parse_known_args()
            p = argparse.ArgumentParser()
            p.add_argument('--x')
            p.parse_args(rest)
            """,
            "x",
            "config",
        )

    def test_unknown_words_are_taken_where_the_script_takes_them(self):
        tool = only_tool(found_in("import argparse\np = argparse.ArgumentParser()\np.add_argument('--x')\nargs, rest = p.parse_known_args()"))
        self.assertEqual(written(tool)["args"], {"name": "args", "kind": "args"})
        self.assertNotIn("degraded", tool)


class WhatIsNotKnown(unittest.TestCase):
    def test_options_from_elsewhere_are_words_and_told(self):
        tool = only_tool(found_in_fixture("loads_options_elsewhere"))
        self.assertEqual(written(tool)["args"]["kind"], "args")
        self.assertIn("plugins.add_options may add arguments", tool["degraded"][0])
        self.assertEqual(properties(tool)["name"], {"type": "string"})

    def test_a_name_that_is_computed_is_told(self):
        tool = only_tool(found_in("import argparse\np = argparse.ArgumentParser()\np.add_argument(name())\np.parse_args()"))
        self.assertEqual(list(properties(tool)), ["args"])
        self.assertIn("line 3", tool["degraded"][0])

    def test_a_subcommand_that_is_computed_leaves_the_others(self):
        tools = tools_by_name(
            found_in(
                """
                import argparse
                p = argparse.ArgumentParser()
                s = p.add_subparsers()
                s.add_parser('known')
                for plugin in load():
                    s.add_parser(plugin.name)
                p.parse_args()
                """
            )
        )
        self.assertEqual(list(tools), ["script", "script_known"])
        self.assertNotIn("degraded", tools["script_known"])
        self.assertEqual(list(properties(tools["script"])), ["args"])

    def test_calls_that_argparse_would_refuse_do_no_harm(self):
        for call in (
            "add_argument()",
            "add_argument(5, type='int')",
            "add_argument('--a', nargs=-3, choices=5, default=object(), help=None, action=None)",
            "add_argument('--b', nargs='A...', type=[1], help='%(bad) 50% %d')",
            "add_argument('', '--c', **{'type': int, 'default': '7'})",
            "add_argument('x', nargs=[])",
            "add_argument('--f', choices=[], type=float, default=float('nan'))",
            "add_argument(*names, **more)",
            "add_argument('x', action='store_true')",
            "add_subparsers().add_parser('')",
            "add_subparsers().add_parser(None, parents=5)",
        ):
            with self.subTest(call):
                tool = only_tool(found_in(f"import argparse\np = argparse.ArgumentParser()\np.{call}\np.parse_args()"))
                self.assertNotIn("could not be followed", str(tool))
                json.dumps(tool, allow_nan=False)
                for schema in properties(tool).values():
                    self.assertGreaterEqual(schema.get("minItems", 0), 0)

    def test_functions_that_call_themselves_end(self):
        source = """
            import argparse
            def build(p):
                build(p)
                p.add_argument('--x')
                return build(p)
            p = argparse.ArgumentParser()
            build(p)
            p.parse_args()
            """
        self.assertEqual(list(properties(only_tool(found_in(source)))), ["x"])

    def test_a_deeply_nested_expression_does_no_harm(self):
        deep = " + ".join(["'a'"] * 900)
        tool = only_tool(
            found_in(f"import argparse\nTEXT = {deep}\np = argparse.ArgumentParser(description=TEXT)\np.add_argument('--x')\np.parse_args()")
        )
        self.assertEqual(tool["name"], "script")


class Subcommands(unittest.TestCase):
    def setUp(self):
        self.commands = found_in_fixture("notes")
        self.tools = tools_by_name(self.commands)

    def test_each_last_one_is_a_tool(self):
        self.assertEqual(list(self.tools), ["notes_add", "notes_list", "notes_remote_push"])

    def test_their_help_describes_them(self):
        self.assertEqual(self.tools["notes_add"]["description"], "adds a note")
        self.assertEqual(self.tools["notes_list"]["description"], "Lists the notes, newest first.")

    def test_outer_options_stand_before_the_name_that_follows_them(self):
        command = self.tools["notes_remote_push"]["run"]["command"]
        self.assertEqual(command["words"], ["remote", "push"])
        self.assertEqual(
            command["before"],
            [{"name": "file", "kind": "option", "flag": "--file"}, {"name": "timeout", "kind": "option", "flag": "--timeout", "wordsBefore": 1}],
        )

    def test_parents_give_their_arguments(self):
        self.assertEqual(properties(self.tools["notes_add"])["dry_run"], {"type": "boolean", "default": False, "description": "change nothing"})

    def test_their_functions_are_claimed_and_others_not(self):
        self.assertEqual(set(self.commands.claimed), {"cmd_add", "cmd_list", "cmd_push", "main"})


class Claims(unittest.TestCase):
    def test_functions_that_take_ordinary_arguments_are_free(self):
        claimed = found_in_fixture("resize_images").claimed
        self.assertEqual(set(claimed), {"build_parser", "add_output_options", "main"})

    def test_functions_that_take_the_namespace_are_not(self):
        claimed = found_in(
            """
            import argparse
            def work(options): return deeper(options, 1)
            def deeper(options, n): return n
            def free(text, n): return text * n
            def by_table(args): return 1
            TABLE = {'a': by_table}
            def main():
                p = argparse.ArgumentParser()
                p.add_argument('x')
                args = p.parse_args()
                work(args)
                free(args.x, 2)
                TABLE[args.x](args)
            if __name__ == '__main__':
                main()
            """
        ).claimed
        self.assertEqual(set(claimed), {"main", "work", "deeper", "by_table"})

    def test_what_nothing_starts_is_claimed_with_what_to_write(self):
        commands = found_in("import argparse\ndef main():\n    p = argparse.ArgumentParser()\n    p.parse_args()\ndef add(a, b): return a + b")
        self.assertEqual(commands.tools, [])
        self.assertIn('if __name__ == "__main__": main()', commands.claimed["main"])
        self.assertNotIn("add", commands.claimed)


class Tool(unittest.TestCase):
    def test_a_whole_script(self):
        tool = only_tool(found_in_fixture("resize_images"))
        self.assertEqual(tool["description"].split("\n")[0], "Resizes images.")
        self.assertEqual(tool["inputSchema"]["required"], ["images"])
        self.assertFalse(tool["inputSchema"]["additionalProperties"])
        self.assertNotIn("epilog", str(tool))
        self.assertNotIn("outputSchema", tool)
        self.assertTrue(tool["enabled"])
        self.assertEqual(
            properties(tool)["q"], {"type": "integer", "minimum": 1, "maximum": 100, "description": "quality in %, now 85", "default": 85}
        )
        self.assertEqual(properties(tool)["filter"], {"type": "string", "enum": ["nearest", "cubic"], "default": "cubic"})
        self.assertNotIn("secret", properties(tool))

    def test_a_file_argument_that_can_be_read_from_standard_input_brings_stdin(self):
        tool = only_tool(found_in("import argparse\np = argparse.ArgumentParser()\np.add_argument('f', type=argparse.FileType('r'))\np.parse_args()"))
        self.assertEqual(written(tool)["stdin"]["kind"], "stdin")

    def test_names_that_clash_are_kept_apart(self):
        source = """
            import argparse, sys
            p = argparse.ArgumentParser()
            p.add_argument('--stdin')
            p.add_argument('a-b')
            p.add_argument('--a_b', dest='a.b')
            p.parse_args()
            sys.stdin.read()
            """
        self.assertEqual(list(properties(only_tool(found_in(source)))), ["stdin", "a_b", "a_b_2", "stdin_2"])

    def test_a_name_that_is_no_tool_name_is_made_one(self):
        source = "import argparse\nargparse.ArgumentParser().parse_args()"
        self.assertEqual(only_tool(found_in(source, "my tool é"))["name"], "my_tool_e")
        self.assertEqual(len(only_tool(found_in(source, "x" * 90))["name"]), 64)


if __name__ == "__main__":
    unittest.main()

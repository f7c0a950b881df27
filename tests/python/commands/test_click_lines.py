import unittest

from .finding import found_in, found_in_fixture, only_tool, properties, tools_by_name, written


def click_tool(*decorators):
    """The tool of a script with one command under these decorators."""
    return only_tool(found_in("\n".join(["import click", "@click.command()", *decorators, "def run(**given):", "    'Runs.'", "run()"])))


def option(text):
    tool = click_tool(f"@click.option({text})")
    ((name, schema),) = properties(tool).items()
    return name, schema, written(tool)[name]


class Option(unittest.TestCase):
    def test_types_are_schemas(self):
        for said, schema in {
            "type=int": {"type": "integer"},
            "type=click.INT": {"type": "integer"},
            "type=click.BOOL": {"type": "boolean"},
            "type=click.Choice(['a', 'b'])": {"type": "string", "enum": ["a", "b"]},
            "type=click.Path(exists=True)": {"type": "string", "format": "path"},
            "type=click.IntRange(1, 5)": {"type": "integer", "minimum": 1, "maximum": 5},
            "type=click.FloatRange(min=0, min_open=True)": {"type": "number", "exclusiveMinimum": 0},
            "type=click.IntRange(0, 9, clamp=True)": {"type": "integer"},
            "type=click.FloatRange(0, 1e999)": {"type": "number", "minimum": 0},
            "type=click.UUID": {"type": "string", "format": "uuid"},
            "default=3": {"type": "integer", "default": 3},
            "default=0.5": {"type": "number", "default": 0.5},
        }.items():
            with self.subTest(said):
                self.assertEqual(option(f"'--x', {said}")[1], schema)

    def test_a_date_says_its_forms(self):
        self.assertEqual(option("'--day', type=click.DateTime(formats=['%Y-%m-%d'])")[1]["description"], "A date in the form %Y-%m-%d.")

    def test_flags(self):
        self.assertEqual(option("'--x', is_flag=True")[1:], ({"type": "boolean", "default": False}, {"name": "x", "kind": "flag", "flag": "--x"}))
        self.assertEqual(
            option("'--shout/--no-shout', ' /-S', default=True")[2], {"name": "shout", "kind": "flag", "flag": "--shout", "off": "--no-shout"}
        )
        self.assertEqual(option("'--upper', 'case', flag_value='upper'")[2], {"name": "upper", "kind": "flag", "flag": "--upper"})

    def test_names(self):
        self.assertEqual(option("'-o', '--out-file'")[2], {"name": "out_file", "kind": "option", "flag": "--out-file"})
        self.assertEqual(option("'--out', 'target'")[0], "target")
        self.assertEqual(option("'-n'")[2], {"name": "n", "kind": "option", "flag": "-n"})

    def test_several_values(self):
        self.assertEqual(
            option("'--x', multiple=True, type=int")[1:],
            ({"type": "array", "items": {"type": "integer"}}, {"name": "x", "kind": "append", "flag": "--x"}),
        )
        self.assertEqual(option("'--x', nargs=2")[1], {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2})
        self.assertTrue(option("'--x', nargs=2, multiple=True")[2]["grouped"])
        self.assertEqual(option("'--x', type=(str, int)")[1]["prefixItems"], [{"type": "string"}, {"type": "integer"}])
        self.assertEqual(option("'-v', count=True")[2]["kind"], "count")

    def test_what_would_be_asked_for_is_required(self):
        self.assertEqual(click_tool("@click.option('--x', prompt=True)")["inputSchema"]["required"], ["x"])
        self.assertEqual(click_tool("@click.password_option()")["inputSchema"]["required"], ["password"])
        self.assertEqual(click_tool("@click.confirmation_option()")["inputSchema"]["required"], ["yes"])

    def test_hidden_and_version_options_are_left_out(self):
        self.assertEqual(properties(click_tool("@click.option('--x', hidden=True)", "@click.version_option()")), {})

    def test_a_type_of_the_script_takes_any_text_and_says_so(self):
        tool = only_tool(
            found_in("import click\nclass T(click.ParamType): pass\n@click.command()\n@click.option('--x', type=T())\ndef run(x): pass\nrun()")
        )
        self.assertEqual(properties(tool)["x"], {"type": "string"})
        self.assertIn("Argument x", tool["degraded"][0])


class Arguments(unittest.TestCase):
    def test_are_required_unless_they_say_otherwise(self):
        tool = click_tool("@click.argument('a')", "@click.argument('b', required=False)", "@click.argument('c', default='x')")
        self.assertEqual(tool["inputSchema"]["required"], ["a"])
        self.assertEqual(tool["inputSchema"]["dependentRequired"], {"c": ["b"]})

    def test_any_number_of_words(self):
        self.assertEqual(properties(click_tool("@click.argument('f', nargs=-1)"))["f"], {"type": "array", "items": {"type": "string"}})
        self.assertEqual(properties(click_tool("@click.argument('f', nargs=-1, required=True)"))["f"]["minItems"], 1)

    def test_an_optional_one_after_many_is_needed_by_them(self):
        tool = click_tool("@click.argument('f', nargs=-1, required=True)", "@click.argument('t', required=False)")
        self.assertEqual(tool["inputSchema"]["required"], ["f", "t"])


class Group(unittest.TestCase):
    def setUp(self):
        self.commands = found_in_fixture("todo")
        self.tools = tools_by_name(self.commands)

    def test_each_command_is_a_tool(self):
        self.assertEqual(list(self.tools), ["todo_add", "todo_list", "todo_remote_push-all", "todo_purge", "todo_clean"])

    def test_options_of_groups_stand_before_the_name_that_follows_them(self):
        command = self.tools["todo_remote_push-all"]["run"]["command"]
        self.assertEqual([(parameter["name"], parameter.get("wordsBefore")) for parameter in command["before"]], [("db", None), ("timeout", 1)])
        self.assertEqual(command["words"], ["remote", "push-all"])

    def test_decorators_of_the_script_add_their_options(self):
        self.assertEqual(properties(self.tools["todo_add"])["dry_run"]["description"], "Change nothing.")

    def test_an_environment_variable_is_told(self):
        self.assertIn("TODO_DB", properties(self.tools["todo_add"])["db"]["description"])

    def test_all_functions_of_it_are_claimed(self):
        self.assertEqual(set(self.commands.claimed), {"cli", "add", "list_entries", "remote", "push_all", "purge", "sweep", "dry_run_option"})

    def test_a_group_that_runs_alone_is_a_tool_too(self):
        commands = found_in(
            """
            from click import group, option
            @group(invoke_without_command=True)
            def cli():
                '''Does it.

                \\b
                Line
                \\f
                Hidden
                '''
            @cli.command()
            @option('--x')
            def sub(x): pass
            if __name__ == '__main__':
                cli(obj={})
            """
        )
        self.assertEqual([tool["name"] for tool in commands.tools], ["script", "script_sub"])
        self.assertEqual(commands.tools[0]["description"], "Does it.\n\nLine")

    def test_commands_of_other_files_are_words_of_the_group(self):
        commands = found_in(
            "import click\nfrom other import sub\n@click.group()\ndef cli(): pass\n@cli.command()\ndef own(): pass\ncli.add_command(sub)\ncli()"
        )
        tools = tools_by_name(commands)
        self.assertEqual(list(tools), ["script", "script_own"])
        self.assertIn("other.sub", tools["script"]["degraded"][0])
        self.assertNotIn("degraded", tools["script_own"])

    def test_what_nothing_starts_is_claimed_with_what_to_write(self):
        commands = found_in("import click\n@click.command()\ndef run(): pass")
        self.assertEqual(commands.tools, [])
        self.assertIn("run()", commands.claimed["run"])

    def test_two_functions_of_one_name_are_two_commands(self):
        commands = found_in("import click\n@click.group()\ndef a(): pass\n@a.command('x')\ndef _(): pass\n@a.command('y')\ndef _(): pass\na()")
        self.assertEqual([tool["name"] for tool in commands.tools], ["script_x", "script_y"])

    def test_a_name_that_versions_of_click_disagree_on_is_told(self):
        commands = found_in("import click\n@click.group()\ndef cli(): pass\n@cli.command()\ndef init_command(): pass\ncli()")
        self.assertEqual(only_tool(commands)["run"]["command"]["words"], ["init"])
        self.assertIn("init-command", only_tool(commands)["degraded"][0])


if __name__ == "__main__":
    unittest.main()

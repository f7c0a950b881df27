import unittest

from .finding import found_in, found_in_fixture, only_tool, properties, written


class WholeScript(unittest.TestCase):
    def test_one_that_reads_sys_argv_takes_words(self):
        commands = found_in_fixture("sums_its_words")
        tool = only_tool(commands)
        self.assertEqual(written(tool), {"args": {"name": "args", "kind": "args"}})
        self.assertEqual(tool["description"], "Adds up the numbers on its command line.")
        self.assertTrue(tool["enabled"])
        self.assertEqual(list(commands.claimed), ["main"])

    def test_argv_by_its_own_name_is_the_same(self):
        self.assertEqual(list(properties(only_tool(found_in("from sys import argv\nprint(argv[1])")))), ["args"])

    def test_the_name_of_the_script_in_argv_is_not_a_word(self):
        self.assertEqual(properties(only_tool(found_in("import sys\nprint(sys.argv[0])"))), {})

    def test_one_that_reads_standard_input_takes_text(self):
        self.assertEqual(list(properties(only_tool(found_in_fixture("upper_filter")))), ["stdin"])
        for source in ("print(input())", "import fileinput\nfor line in fileinput.input(): print(line)", "print(open(0).read())"):
            with self.subTest(source):
                self.assertIn("stdin", properties(only_tool(found_in(source))))

    def test_a_plain_one_takes_nothing(self):
        tool = only_tool(found_in_fixture("nightly_report"))
        self.assertEqual(properties(tool), {})
        self.assertEqual(tool["description"], "Runs the script nightly_report.py.")

    def test_a_main_block_beside_functions_is_there_but_not_enabled(self):
        commands = found_in_fixture("demo_beside_functions")
        tool = only_tool(commands)
        self.assertFalse(tool["enabled"])
        self.assertIn('"enabled": true', tool["why"])
        self.assertEqual(commands.claimed, {})

    def test_work_without_a_guard_is_enabled(self):
        commands = found_in_fixture("works_unguarded")
        self.assertTrue(only_tool(commands)["enabled"])
        self.assertEqual(commands.work_lines, [12])

    def test_what_is_read_is_found_wherever_it_stands(self):
        deep = """
            import sys

            def quiet():
                return 1

            class Reader:
                @staticmethod
                @cached(
                    sys.argv[1]
                )
                def read():
                    def inner():
                        return [line for line in (
                            open(
                                0
                            )
                        )]
                    return inner

            if __name__ == "__main__":
                Reader.read()
            """
        tool = only_tool(found_in(deep))
        self.assertEqual(list(properties(tool)), ["args", "stdin"])
        self.assertIn("(line 10)", tool["why"])

    def test_words_that_only_look_like_it_are_nothing(self):
        source = """
            'Tells of sys.argv and sys.stdin, and of input().'
            import sys

            if __name__ == "__main__":
                print(sys.argv[0], "argv", "open(0)")  # sys.stdin
            """
        self.assertEqual(properties(only_tool(found_in(source))), {})

    def test_libraries_that_read_sys_argv_take_words(self):
        for source in (
            "import fire\ndef add(a, b): return a + b\nfire.Fire(add)",
            "'''Usage: x'''\nfrom docopt import docopt\nargs = docopt(__doc__)",
        ):
            with self.subTest(source):
                self.assertEqual(list(properties(only_tool(found_in(source)))), ["args"])

    def test_a_library_is_no_command_line(self):
        for source in (
            "import re\nWORD = re.compile('x')\ndef find(text): return WORD.match(text)",
            "import logging\nlog = logging.getLogger()\nlog.addHandler(None)\nclass A: pass",
            "def ask(): return input()",
            "import sys\nsys.path.insert(0, '.')\nimport x\ndef f(): return sys.argv",
            "",
            "'''Only words.'''",
        ):
            with self.subTest(source):
                self.assertEqual(found_in(source).tools, [])

    def test_main_with_parameters_of_its_own_stays_a_function(self):
        self.assertEqual(found_in("def main(name='you', times=1): print(name)\nif __name__ == '__main__': main()").claimed, {})

    def test_main_without_parameters_is_claimed(self):
        self.assertEqual(list(found_in("def add(a): return a\ndef main(): print(add(1))\nif __name__ == '__main__': main()").claimed), ["main"])


class Speed(unittest.TestCase):
    def test_a_script_of_20000_lines_is_read_once(self):
        import time

        body = "\n".join(f"def f{n}(a, b={n}):\n    x = [a, b, {n}]\n    y = g(x, key={n})\n    return y" for n in range(5000))
        source = f"import argparse\n{body}\ndef main():\n    p = argparse.ArgumentParser()\n    p.add_argument('--x')\n    p.parse_args()\nif __name__ == '__main__':\n    main()\n"
        started = time.process_time()
        tool = only_tool(found_in(source))
        # Parsing takes most of it; following every call again and again would take minutes.
        self.assertLess(time.process_time() - started, 10)
        self.assertEqual(list(properties(tool)), ["x"])


if __name__ == "__main__":
    unittest.main()

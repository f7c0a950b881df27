"""Assertions of validation scripts say what they saw."""

import traceback
import unittest

from mcp_execution import _assertions


class Odd:
    def __repr__(self):
        raise RuntimeError("no words")

    def holds(self):
        return False


def run(source, **names):
    namespace = {**names, **_assertions.GIVEN}
    plain = compile(source, "check.py", "exec", optimize=0)
    exec(_assertions.told_of(plain, source, "check.py"), namespace)
    return namespace


class Assertions(unittest.TestCase):
    def said(self, source, **names):
        with self.assertRaises(AssertionError) as caught:
            run(source, data=lambda: {"n": 12}, text=lambda: "hello", **names)
        return str(caught.exception)

    def test_a_comparison_says_its_sides(self):
        for source, seen in (
            ('data()["n"] == 4', "12 == 4"),
            ('data()["n"] != 12', "12 != 12"),
            ('"x" in text()', "'x' in 'hello'"),
            ('text() not in ["hello"]', "'hello' not in ['hello']"),
            ('data()["n"] is None', "12 is None"),
            ('0 < data()["n"] < 10', "0 < 12 < 10"),
            ('50 < data()["n"] < 1 / 0', "50 < 12 < …"),
            ("(n := len(text())) > 30", "5 > 30"),
        ):
            self.assertEqual(self.said(f"assert {source}"), f"assert {source}: {seen}")

    def test_calls_and_truths_say_what_they_looked_at(self):
        for source, seen in (
            ("not data()", "not {'n': 12}"),
            ('text().startswith("x")', "'hello'.startswith('x')"),
            ("isinstance(data(), list)", "isinstance({'n': 12}, list)"),
            ('data().get("found")', "{'n': 12}.get('found')"),
            ("any(*[[]])", "False"),
            ('print(*[], **{"end": ""}, sep=text())', "print(*[], **{'end': ''}, sep='hello')"),
            ("[each for each in ()]", "[]"),
            ('text() == "hello" and len(text()) == 4', "5 == 4"),
            ('text() == "a" or (data() and not text())', "'hello' == 'a' or ({'n': 12} and not 'hello')"),
            ("not (data() or 1 / 0)", "not ({'n': 12} or …)"),
        ):
            self.assertEqual(self.said(f"assert {source}"), f"assert {source}: {seen}")

    def test_modules_and_classes_are_said_by_their_names(self):
        self.assertEqual(self.said("import re\nassert re.search('x', text())")[-23:], "re.search('x', 'hello')")

    def test_one_over_several_lines_is_said_in_one(self):
        self.assertEqual(self.said("assert (text() ==\n  'hi')"), "assert text() == 'hi': 'hello' == 'hi'")

    def test_a_message_and_what_holds_no_value_stay_as_they_are(self):
        self.assertEqual(self.said('assert data() == 4, "why"'), "why")
        self.assertEqual(self.said("assert False"), "")
        self.assertEqual(self.said("assert 3 == 4"), "")

    def test_what_cannot_be_shown_or_is_long_is_cut(self):
        self.assertEqual(self.said("assert odd == 3", odd=Odd()), "assert odd == 3: <Odd> == 3")
        self.assertEqual(self.said("assert odd.holds()", odd=Odd()), "assert odd.holds(): <Odd>.holds()")
        self.assertLess(len(self.said("assert long == 3", long="a" * 10_000)), 300)

    def test_each_side_is_evaluated_once_and_in_order(self):
        seen = []

        def note(value):
            seen.append(value)
            return value

        run("assert note(1) < note(2) < note(3) and note(4) == 4", note=note)
        self.said("assert note(5) > note(6) > note(7)", note=note)
        self.assertEqual(seen, [1, 2, 3, 4, 5, 6])

    def test_nothing_is_left_in_the_script_or_its_classes(self):
        namespace = run("class A:\n  assert max(1, 2) == 2\ndef f(x):\n  assert x == 1\n  return locals()\nlocal = f(1)")
        self.assertEqual(namespace["local"], {"x": 1})
        names = [*namespace, *vars(namespace["A"])]
        self.assertEqual([name for name in names if name.startswith("@seen")], [])

    def test_the_place_stays_the_same(self):
        try:
            run("def look():\n    x = 1\n\n    assert x == 2\nlook()")
        except AssertionError as failed:
            places = traceback.extract_tb(failed.__traceback__)
        self.assertEqual([(each.name, each.lineno) for each in places[2:]], [("<module>", 5), ("look", 4)])

    def test_one_that_is_nested_too_deeply_is_left_as_it_is(self):
        source = f"assert x{' + x' * 1500} == 1"
        self.assertEqual(self.said(source, x=1), "")


if __name__ == "__main__":
    unittest.main()

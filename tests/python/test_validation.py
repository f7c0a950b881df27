"""What validation scripts say, and how it is judged."""

import signal
import threading
import unittest
from unittest import mock

from mcp_execution import _run, validation


def judged(work, response=None):
    _run.context.clear()
    _run.context.update({"response": response or {}})
    try:
        return validation.judge(work, "check.py")
    finally:
        _run.context.clear()


class Verdicts(unittest.TestCase):
    def messages(self, work):
        return [failure["message"] for failure in judged(work)["failures"]]

    def test_nothing_said_is_a_pass(self):
        self.assertEqual(judged(lambda: None), {"failures": [], "values": {}, "message": None})

    def test_false_is_a_failure_and_other_falsy_values_are_not(self):
        self.assertEqual(self.messages(lambda: False), ["The validator returned False."])
        for returned in (0, "", [], {}, None):
            self.assertEqual(self.messages(lambda returned=returned: returned), [])

    def test_an_object_says_whether_it_is_valid_under_any_of_four_names(self):
        for name in ("valid", "passed", "success", "ok"):
            self.assertEqual(self.messages(lambda name=name: {name: True}), [])
            self.assertEqual(self.messages(lambda name=name: {name: False, "reason": "why"}), ["why"])

    def test_only_what_is_true_says_that_the_answer_is_valid(self):
        for given in (None, 0, "", "no", [], {}):
            self.assertEqual(len(self.messages(lambda given=given: {"valid": given})), 1, given)
        self.assertEqual(self.messages(lambda: {"valid": 1}), [])

    def test_a_list_holds_verdicts_or_one_with_its_reason(self):
        self.assertEqual(self.messages(lambda: (False, "why")), ["why"])
        self.assertEqual(judged(lambda: [True, "fine"])["message"], "fine")
        self.assertEqual(len(self.messages(lambda: [True, False, {"valid": False}])), 2)
        self.assertEqual(self.messages(lambda: ["text", 0, None]), [])

    def test_a_list_of_pairs_holds_as_many_verdicts(self):
        self.assertEqual(self.messages(lambda: [(True, "fine"), (False, "one"), [False, "two"]]), ["one", "two"])
        self.assertEqual(self.messages(lambda: [[(False, "deep")], ["text", 0]]), ["deep"])

    def test_an_error_beside_other_entries_is_no_verdict(self):
        self.assertEqual(self.messages(lambda: {"error": "bad"}), ["bad"])
        self.assertEqual(self.messages(lambda: {"error": "bad", "total": 3}), [])

    def test_equal_tells_true_from_one_as_json_does(self):
        self.assertTrue(validation.equal({"a": [1, 2.0]}, {"a": [1.0, 2]}))
        found = judged(lambda: validation.equal({"a": [True]}, {"a": [1]}))
        self.assertEqual(found["failures"][0]["expected"], {"a": [1]})

    def test_equal_takes_for_the_same_what_json_cannot_tell_apart(self):
        self.assertTrue(validation.equal([1, {"a": [2]}], (1, {"a": (2,)})))
        self.assertTrue(validation.equal({"b": 1}.keys(), ["b"]))
        self.assertFalse(judged(lambda: validation.equal(object(), object()))["failures"] == [])
        self.assertFalse(validation.equal([1], [1, 2]))

    def test_equal_says_what_differs_unless_it_is_long(self):
        self.assertEqual(self.messages(lambda: validation.equal("é", 2)), ['The value is "é"; expected 2.'])
        self.assertEqual(self.messages(lambda: validation.equal("a" * 500, 2)), ["Two values differ."])

    def test_check_refuses_what_always_holds(self):
        async def work():
            pass

        coroutine = work()
        lazy = (map(bool, ()), filter(None, ()), (each for each in ()))
        for condition in (*lazy, coroutine, work, "".isdigit, self.messages, lambda: False):
            with self.assertRaisesRegex(TypeError, "which always holds"):
                judged(lambda condition=condition: validation.check(condition))
        coroutine.close()

    def test_check_without_words_shows_its_line(self):
        self.assertEqual(
            self.messages(lambda: validation.check(1 == 2)),
            ["This does not hold: self.messages(lambda: validation.check(1 == 2)),"],
        )

    def test_threads_are_waited_for_and_their_failures_count(self):
        def work():
            threading.Thread(target=lambda: validation.fail("apart")).start()
            threading.Thread(target=lambda: validation.check(False, "noted")).start()

        before = threading.excepthook
        self.assertEqual(sorted(self.messages(work)), ["apart", "noted"])
        self.assertIs(threading.excepthook, before)

    def test_errors_that_an_object_lists_are_failures_even_where_it_says_nothing_else(self):
        self.assertEqual(self.messages(lambda: {"errors": ["one", {"at": 2}, ""]}), ["one", '{"at": 2}'])

    def test_other_entries_of_an_object_are_values(self):
        self.assertEqual(judged(lambda: {"valid": True, "total": 3})["values"], {"total": 3})

    def test_what_was_said_before_an_exit_counts(self):
        def work():
            validation.check(False, "noted")
            raise SystemExit(0)

        self.assertEqual(self.messages(work), ["noted"])

    def test_an_exception_that_is_no_assertion_is_not_judged(self):
        with self.assertRaises(KeyError):
            judged(lambda: {}["a"])

    def test_one_judgement_knows_nothing_of_the_one_before(self):
        judged(lambda: validation.check(False, "first"))
        self.assertEqual(judged(lambda: None)["failures"], [])

    def test_failures_are_bounded(self):
        def work():
            for number in range(1000):
                validation.check(False, number)

        failures = judged(work)["failures"]
        self.assertEqual(len(failures), 101)
        self.assertEqual(failures[-1], {"message": "900 more failures were noted."})


class Values(unittest.TestCase):
    def test_a_value_has_a_name_that_a_suite_can_use(self):
        for name in ("", "a b", "1a", 3):
            with self.assertRaises(ValueError):
                validation.value(name, 1)

    def test_a_value_that_json_cannot_say_is_told_by_its_name(self):
        for given, where in ((object(), "odd"), ({"a": [1, object()]}, r"odd\.a\[1\]")):
            with self.assertRaisesRegex(ValueError, f"^value: {where}: an object cannot be turned into JSON"):
                validation.value("odd", given)

    def test_what_json_cannot_say_is_shown_as_it_prints(self):
        class Odd:
            def __repr__(self):
                return "<odd>"

        found = judged(lambda: validation.fail("no", expected=Odd(), actual={1, 2}))
        self.assertEqual(found["failures"][0]["expected"], "<odd>")

    def test_a_comparison_that_raises_is_the_scripts_own_failure(self):
        class Raises:
            def __eq__(self, other):
                raise RuntimeError("no comparison")

        with self.assertRaises(RuntimeError):
            judged(lambda: validation.equal(Raises(), 1))


class Array:
    """Looks like a numpy array, of which nobody can say in a word whether it equals another."""

    __module__ = "numpy"

    def __init__(self, content):
        self.content = content

    def __eq__(self, other):
        return Array([each == other for each in self.content])

    def __bool__(self):
        raise ValueError("The truth value of an array is ambiguous")

    def tolist(self):
        return self.content


class Arrays(unittest.TestCase):
    def test_an_array_equals_the_list_it_gives(self):
        self.assertTrue(validation.equal(Array([1, 2]), [1, 2]))
        self.assertTrue(validation.equal({"a": Array([1])}, {"a": Array([1])}))
        self.assertFalse(validation.equal(Array([1, 2]), [1, 3]))


class Answers(unittest.TestCase):
    def test_text_of_odd_answers_is_empty(self):
        for response in ({}, {"content": None}, {"content": 5}, {"content": "x"}, {"content": {"text": "x"}}, {"content": ["x", 3, None, {}]}, {"messages": [{"content": 3}]}):
            self.assertEqual(judged(lambda: validation.value("t", validation.text()), response)["values"], {"t": ""})

    def test_data_says_why_there_is_none(self):
        texts = {"content": [{"type": "text", "text": "hi"}]}
        for response, why in ((texts, "its text is no JSON"), ({}, "it has no text"), ({"error": {}, "x": 1}, "no text")):
            with self.assertRaisesRegex(ValueError, why):
                judged(validation.data, response)
        with self.assertRaisesRegex(ValueError, "it is an error"):
            judged(validation.data, {"error": {"code": 1}})

    def test_embedded_resources_have_text(self):
        response = {"content": [{"type": "resource", "resource": {"uri": "x:1", "text": "inside"}}]}
        self.assertEqual(judged(lambda: validation.value("t", validation.text()), response)["values"], {"t": "inside"})


class Overdue(unittest.TestCase):
    @unittest.skipUnless(hasattr(signal, "setitimer"), "no timer of this kind here")
    def test_a_script_without_stderr_does_not_fail_for_being_late(self):
        with mock.patch("mcp_execution._overdue.os.write", side_effect=OSError) as write:

            def work():
                while not write.called:
                    pass

            self.assertEqual(validation.judge(work, "check.py", 0.01)["failures"], [])


class Scripts(unittest.TestCase):
    def messages(self, source):
        def work():
            namespace = {}
            exec(compile(source, "check.py", "exec"), namespace)
            return validation.take_verdict(namespace, source)

        return [failure["message"] for failure in judged(work)["failures"]]

    def test_one_that_only_defines_functions_is_told_to_name_one(self):
        only = '"""About."""\nimport re\nLIMIT = 3\ndef part(x): return x\nasync def validate(context): return False\n'
        self.assertEqual(
            self.messages(only),
            [
                "The validator only defines the functions part, validate, and looks at nothing; "
                "say which one is to be called, as in function: validate."
            ],
        )
        for more in ("part(1)\n", "x = part(1)\n", "class A: x = part(1)\n", "@id\ndef f(): pass\n", "1 + LIMIT\n"):
            self.assertEqual(self.messages(only + more), [], more)

    def test_tables_classes_and_functions_without_a_name_look_at_nothing_either(self):
        only = "def validate(): raise AssertionError\n"
        for more in ("PRICES = {'tea': [-3, (1, None)]}\n", "class Odd(Exception): pass\n", "validate\n", "x: int\n"):
            self.assertRegex("".join(self.messages(only + more)), "only defines the function validate,")
        self.assertRegex("".join(self.messages("look = lambda: 1 / 0\n")), "only defines the function look,")


if __name__ == "__main__":
    unittest.main()

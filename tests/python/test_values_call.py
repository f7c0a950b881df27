from __future__ import annotations

import functools
import sys
import typing
import unittest
from dataclasses import dataclass
from datetime import date

from mcp_execution._values import BadResult, InvalidArguments, bind

if typing.TYPE_CHECKING:
    from nowhere import Absent


@dataclass
class Item:
    name: str
    price: float = 1.0


def echo(*args, **kwargs):
    return args, kwargs


def called(function, given):
    args, kwargs = bind(function).arguments(given)
    return function(*args, **kwargs)


class Binding(unittest.TestCase):
    def refusal(self, function, given):
        with self.assertRaises(InvalidArguments) as caught:
            bind(function).arguments(given)
        return caught.exception


class Parameters(Binding):
    def test_postponed_annotations_are_followed(self):
        def buy(items: list[Item], day: date | None = None):
            return items, day

        self.assertEqual(called(buy, {"items": [{"name": "a"}], "day": "2024-05-17"}), ([Item("a")], date(2024, 5, 17)))

    def test_every_kind_of_parameter_is_filled(self):
        def every(a: int, /, b: int, c: int = 3, *rest: int, d: int, e: int = 5, **more: int):
            return a, b, c, rest, d, e, more

        self.assertEqual(called(every, {"a": "1", "b": "2", "d": "4"}), (1, 2, 3, (), 4, 5, {}))
        self.assertEqual(
            called(every, {"a": 1, "b": 2, "rest": ["7", 8], "d": 4, "x": "9"}), (1, 2, 3, (7, 8), 4, 5, {"x": 9})
        )

    def test_a_gap_among_positional_parameters_is_filled_with_the_default(self):
        def gap(a=1, b=2, c=3, /):
            return a, b, c

        self.assertEqual(called(gap, {"c": 9}), (1, 2, 9))
        self.assertEqual(bind(gap).arguments({"a": 9}), ([9], {}))

    def test_a_key_named_like_the_extra_keywords_is_one_of_them(self):
        self.assertEqual(called(echo, {"kwargs": {"a": 1}, "args": [1]}), ((1,), {"kwargs": {"a": 1}}))

    def test_names_that_python_could_not_write_reach_the_extra_keywords(self):
        given = {"max-count": 1, "from": 2, "self": 3, "__proto__": 4}
        self.assertEqual(called(echo, given), ((), given))

    def test_a_parameter_called_self_is_an_ordinary_one(self):
        def odd(self: int, cls: int):
            return self, cls

        self.assertEqual(called(odd, {"self": "1", "cls": "2"}), (1, 2))

    def test_a_parameter_without_annotation_is_passed_unchanged(self):
        def loose(a, b=1, c=None):
            return a, b, c

        self.assertEqual(called(loose, {"a": "5", "b": "6", "c": "7"}), ("5", "6", "7"))

    def test_null_is_fine_where_the_default_is_none(self):
        def limited(limit: int = None):
            return limit

        self.assertIsNone(called(limited, {"limit": None}))
        self.assertEqual(called(limited, {"limit": "5"}), 5)

    def test_an_annotation_that_cannot_be_resolved_takes_anything_and_spares_the_others(self):
        def partly(a: Absent, b: int, c: list[Absent]):
            return a, b, c

        self.assertEqual(called(partly, {"a": "x", "b": "5", "c": "[1]"})[:2], ("x", 5))

    @unittest.skipUnless(sys.version_info >= (3, 12), "type parameters and Unpack for keywords are of Python 3.12")
    def test_type_parameters_and_unpacked_keywords_are_followed(self):
        names = {"__name__": __name__, "typing": typing}
        exec(
            "class Options(typing.TypedDict, total=False):\n"
            "    depth: typing.Required[int]\n"
            "    name: str\n"
            "def unpacked(**options: typing.Unpack[Options]): return options\n"
            "def generic[N: int](numbers: 'list[N]'): return numbers\n",
            names,
        )
        self.assertEqual(called(names["unpacked"], {"depth": "5"}), {"depth": 5})
        self.assertIn("unknown 'dpth' (did you mean 'depth'?)", self.refusal(names["unpacked"], {"dpth": 1}).message)
        self.assertEqual(called(names["generic"], {"numbers": ["5"]}), [5])


class Callables(Binding):
    def test_a_decorated_function_keeps_its_signature(self):
        def decorate(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                return function(*args, **kwargs)

            return wrapper

        @decorate
        def double(n: int):
            return n * 2

        self.assertEqual(called(double, {"n": "5"}), 10)

    def test_classes_methods_partials_and_callable_objects_can_be_bound(self):
        class Shop:
            def __init__(self, size: int = 1):
                self.size = size

            def method(self, n: int):
                return n

            @staticmethod
            def static(n: int):
                return n

            @classmethod
            def made(cls, n: int):
                return n

            def __call__(self, n: int):
                return n

        self.assertEqual(called(Shop, {"size": "5"}).size, 5)
        self.assertEqual(called(Item, {"name": "a", "price": "2"}), Item("a", 2.0))
        partial = functools.partial(lambda a, n: (a, n), 1)
        self.assertEqual(called(partial, {"n": 5}), (1, 5))
        for function in (Shop().method, Shop.static, Shop.__dict__["static"], Shop.made, Shop()):
            self.assertEqual(called(function, {"n": "5"}), 5)

    def test_a_builtin_without_signature_takes_any_keywords(self):
        self.assertEqual(called(dict, {"a": 1}), {"a": 1})


class Refusals(Binding):
    def pay(self, amount: int, currency: str, note: str = ""):
        return amount, currency, note

    def test_all_missing_arguments_are_named(self):
        error = self.refusal(self.pay, {})
        known = "pay takes 'amount', 'currency', 'note'"
        self.assertEqual(error.message, f"Arguments: missing 'amount', 'currency'; {known}")
        self.assertEqual(error.argument, "amount")

    def test_an_unknown_argument_is_answered_with_a_suggestion_and_the_known_ones(self):
        error = self.refusal(self.pay, {"amount": 1, "currency": "EUR", "notes": "x"})
        self.assertEqual(error.argument, "notes")
        self.assertIn("unknown 'notes' (did you mean 'note'?); pay takes 'amount', 'currency', 'note'", error.message)

    def test_a_function_without_parameters_says_that_it_takes_nothing(self):
        self.assertIn("takes nothing", self.refusal(lambda: None, {"a": 1}).message)

    def test_a_wrong_argument_is_named_with_what_came(self):
        error = self.refusal(self.pay, {"amount": "ten", "currency": "EUR"})
        self.assertEqual(error.message, "Argument amount: expected an integer, got the string 'ten'")
        self.assertEqual(error.argument, "amount")

    def test_a_wrong_member_of_the_variadic_parameter_is_named(self):
        def add(*numbers: int):
            return sum(numbers)

        self.assertEqual(self.refusal(add, {"numbers": [1, "x"]}).argument, "numbers[1]")
        self.assertEqual(called(add, {"numbers": "[1, 2]"}), 3)

    def test_arguments_that_are_no_object_are_refused(self):
        for given in (None, [], "x", 5):
            self.assertIn("expected an object", self.refusal(self.pay, given).message)


class Results(Binding):
    def test_a_result_is_converted_back_and_a_bad_one_is_named(self):
        call = bind(echo)
        self.assertEqual(call.result([Item("a"), date(2024, 5, 17)]), [{"name": "a", "price": 1.0}, "2024-05-17"])
        with self.assertRaises(BadResult) as caught:
            call.result({"a": [0, 1, 2, echo]})
        self.assertEqual(caught.exception.path, "$.a[3]")


if __name__ == "__main__":
    unittest.main()

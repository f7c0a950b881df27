import abc
import os
import sys
import typing
import unittest
from datetime import date

from mcp_execution._values import from_json

UserId = typing.NewType("UserId", int)
Bound = typing.TypeVar("Bound", bound=int)
Either = typing.TypeVar("Either", int, list[int])
Json = typing.Union[dict[str, "Json"], list["Json"], int, str, None]


class Annotations(unittest.TestCase):
    def read(self, annotation, value):
        return from_json(annotation, value, globalns=globals())

    def test_quoted_annotations_are_looked_up(self):
        self.assertEqual(self.read("int", "5"), 5)
        self.assertEqual(self.read("list['date'] | None", ["2024-05-17"]), [date(2024, 5, 17)])
        self.assertEqual(self.read(list["UserId"], ["5"]), [5])
        self.assertEqual(self.read(typing.List["UserId"], ["5"]), [5])
        self.assertEqual(self.read(typing.Optional["'int'"], "5"), 5)

    def test_wrappers_are_seen_through(self):
        self.assertEqual(self.read(typing.Annotated[int, "how many", []], "5"), 5)
        self.assertEqual(self.read(list[typing.Annotated[int, {}]], ["5"]), [5])
        self.assertEqual(self.read(UserId, "5"), 5)
        self.assertEqual(self.read(typing.Final[int], "5"), 5)

    def test_a_type_variable_is_its_bound_or_its_choices(self):
        self.assertEqual(self.read(Bound, "5"), 5)
        self.assertEqual(self.read(Either, "[5]"), [5])
        self.assertEqual(self.read(typing.TypeVar("Free"), "5"), "5")

    def test_a_recursive_alias_goes_as_deep_as_the_value(self):
        value = {"a": [1, "5", {"b": None}]}
        self.assertEqual(self.read(Json, value), value)

    def test_any_and_object_take_everything_unchanged(self):
        for annotation in (typing.Any, object):
            for value in (2**60, "5", None, [True], {"a": 1.5}):
                self.assertIs(self.read(annotation, value), value)

    def test_what_cannot_be_resolved_takes_any_value_and_spares_the_rest(self):
        beyond_json = (typing.Callable[[int], str], type[int])
        for annotation in ("Missing", "not python", "1 / 0", "os.nothing", 5, ..., *beyond_json):
            with self.subTest(annotation=annotation):
                self.assertEqual(self.read(annotation, "5"), "5")
        self.assertEqual(self.read("dict[int, Missing]", {"1": "5"}), {"1": "5"})
        self.assertEqual(self.read(dict[int, "Missing"], {"1": "5"}), {1: "5"})

    def test_an_unknown_class_takes_any_value(self):
        class Odd(metaclass=abc.ABCMeta):
            pass

        self.assertEqual(self.read(Odd, {"a": 1}), {"a": 1})
        self.assertEqual(self.read(typing.Hashable, 1), 1)

    def test_a_path_protocol_gives_a_path(self):
        self.assertEqual(os.fspath(self.read(os.PathLike, "x")), "x")
        self.assertEqual(os.fspath(self.read("os.PathLike[str]", "x")), "x")

    @unittest.skipUnless(sys.version_info >= (3, 12), "the type statement is of Python 3.12")
    def test_the_type_statement_is_followed(self):
        names = {}
        exec(
            "type Number = int\n"
            "type Pair[A] = tuple[A, A]\n"
            "type Nest = int | list[Nest]\n"
            "type Broken = Missing\n"
            "type Loop = Loop\n",
            names,
        )
        self.assertEqual(from_json(names["Number"], "5"), 5)
        self.assertEqual(from_json(names["Pair"][int], ["5", 6]), (5, 6))
        self.assertEqual(from_json(names["Nest"], ["5", [6, ["7"]]]), [5, [6, [7]]])
        self.assertEqual(from_json(names["Broken"], "5"), "5")
        self.assertEqual(from_json(names["Loop"], "5"), "5")


if __name__ == "__main__":
    unittest.main()

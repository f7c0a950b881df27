import typing
import unittest
from collections import Counter, OrderedDict, abc, defaultdict, deque
from datetime import date
from enum import Enum
from uuid import UUID

from mcp_execution._values import InvalidArguments, from_json


class Colour(Enum):
    RED = 1
    BLUE = 2


class Containers(unittest.TestCase):
    def assert_reads(self, annotation, value, expected):
        converted = from_json(annotation, value)
        self.assertEqual(converted, expected)
        self.assertIs(type(converted), type(expected))

    def refusal(self, annotation, value):
        with self.assertRaises(InvalidArguments) as caught:
            from_json(annotation, value)
        return caught.exception


class Arrays(Containers):
    def test_an_array_becomes_the_container_that_is_asked(self):
        for annotation, expected in (
            (list[int], [1, 2]),
            (typing.List[int], [1, 2]),
            (list, ["1", 2]),
            (typing.Sequence[int], [1, 2]),
            (abc.Iterable[int], [1, 2]),
            (abc.Collection, ["1", 2]),
            (tuple[int, ...], (1, 2)),
            (typing.Tuple[int, int], (1, 2)),
            (tuple, ("1", 2)),
            (typing.Tuple, ("1", 2)),
            (set[int], {1, 2}),
            (typing.AbstractSet[int], {1, 2}),
            (frozenset[int], frozenset({1, 2})),
            (deque[int], deque([1, 2])),
        ):
            with self.subTest(annotation=annotation):
                self.assert_reads(annotation, ["1", 2], expected)

    def test_an_iterator_is_made_from_an_array(self):
        self.assertEqual(list(from_json(abc.Iterator[int], [1, 2])), [1, 2])

    def test_a_fixed_tuple_has_its_length_and_types(self):
        self.assert_reads(tuple[int, str], ["1", "a"], (1, "a"))
        self.assert_reads(tuple[()], [], ())
        self.assertIn("an array of 2 items, got an array of 1 item", self.refusal(tuple[int, str], [1]).message)
        self.assertEqual(self.refusal(tuple[int, str], [1, 2]).argument, "value[1]")

    def test_the_path_names_the_place_of_the_mistake(self):
        error = self.refusal(list[dict[str, list[int]]], [{}, {"a b": [1, "x"]}])
        self.assertEqual(error.argument, 'value[1]["a b"][1]')
        self.assertEqual(
            error.message, "Argument value[1][\"a b\"][1]: expected an integer, got the string 'x'"
        )

    def test_members_that_cannot_be_in_a_set_are_refused(self):
        self.assertIn("unhashable", self.refusal(set, [[1]]).message)

    def test_an_object_is_not_an_array_and_the_other_way_round(self):
        self.assertIn("expected an array, got an object with the key 'a'", self.refusal(list[int], {"a": 1}).message)
        self.assertIn("expected an object, got an array of 0 items", self.refusal(dict, []).message)


class Objects(Containers):
    def test_an_object_becomes_the_mapping_that_is_asked(self):
        for annotation, expected in (
            (dict[str, int], {"a": 1}),
            (dict, {"a": "1"}),
            (typing.Mapping[str, int], {"a": 1}),
            (abc.MutableMapping[str, int], {"a": 1}),
            (OrderedDict[str, int], OrderedDict(a=1)),
            (Counter[str], Counter(a=1)),
        ):
            with self.subTest(annotation=annotation):
                self.assert_reads(annotation, {"a": "1"}, expected)

    def test_a_defaultdict_makes_its_missing_values(self):
        groups = from_json(defaultdict[str, list[int]], {"a": ["1"]})
        self.assertEqual((groups["a"], groups["b"]), ([1], []))

    def test_keys_are_converted_from_their_text(self):
        uuid = UUID(int=1)
        for annotation, key, expected in (
            (int, "5", 5),
            (float, "1.5", 1.5),
            (bool, "true", True),
            (None, "null", None),
            (typing.Optional[int], "null", None),
            (date, "2024-05-17", date(2024, 5, 17)),
            (Colour, "1", Colour.RED),
            (UUID, str(uuid), uuid),
        ):
            with self.subTest(annotation=annotation):
                self.assertEqual(from_json(typing.Dict[annotation, str], {key: "x"}), {expected: "x"})

    def test_a_key_of_the_wrong_kind_is_named(self):
        error = self.refusal(dict[int, str], {"1": "a", "x": "b"})
        self.assertEqual(error.argument, "value.x")
        self.assertIn("as a key: expected an integer, got the string 'x'", error.message)

    def test_two_keys_with_one_meaning_are_refused(self):
        self.assertIn("same key", self.refusal(dict[int, str], {"1": "a", "01": "b"}).message)

    def test_proto_is_an_ordinary_key(self):
        self.assertEqual(from_json(dict[str, int], {"__proto__": 1}), {"__proto__": 1})


class JsonText(Containers):
    def test_text_is_read_as_json_where_an_array_or_object_is_asked(self):
        self.assert_reads(list[int], "[1, 2]", [1, 2])
        self.assert_reads(dict[str, list[int]], {"a": " [1]"}, {"a": [1]})
        self.assert_reads(typing.Optional[dict], '{"a": null}', {"a": None})
        self.assert_reads(tuple[int, ...], "[1]", (1,))

    def test_text_stays_text_where_a_string_is_acceptable(self):
        for annotation in (str, list[int] | str, str | dict, typing.Any, list[str] | str | None):
            with self.subTest(annotation=annotation):
                self.assert_reads(annotation, "[1, 2]", "[1, 2]")

    def test_text_that_holds_something_else_is_refused_as_the_text_it_is(self):
        for value in ("abc", "5", '{"a": 1}', "[1,", "[NaN]", "[1e400]", "[" * 100_000):
            with self.subTest(value=value[:10]):
                self.assertIn("expected an array, got the string", self.refusal(list[int], value).message)


if __name__ == "__main__":
    unittest.main()

import math
import unittest
from datetime import timedelta

from mcp_execution._values import BadResult, to_json

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None


class Array:
    """Looks like a numpy array to one that goes by the module's name."""

    __module__ = "numpy"

    def __init__(self, content):
        self.content = content

    def tolist(self):
        return self.content


class LikeNumpy(unittest.TestCase):
    def test_an_array_is_the_list_it_gives(self):
        self.assertEqual(to_json({"a": Array([1, math.nan, 2**60])}), {"a": [1, "NaN", str(2**60)]})

    def test_a_scalar_that_gives_itself_is_refused(self):
        wide = Array(None)
        wide.content = wide
        with self.assertRaises(BadResult):
            to_json(wide)

    def test_a_thing_of_the_package_without_values_is_refused(self):
        generator = type("Generator", (), {"__module__": "numpy.random"})()
        with self.assertRaises(BadResult) as caught:
            to_json([generator])
        self.assertIn("numpy.random.Generator", caught.exception.message)


@unittest.skipUnless(numpy, "numpy is not installed for this Python")
class Numpy(unittest.TestCase):
    def test_scalars_and_arrays_become_numbers_and_lists(self):
        for value, expected in (
            (numpy.int64(5), 5),
            (numpy.float64("nan"), "NaN"),
            (numpy.float32(0.5), 0.5),
            (numpy.bool_(True), True),
            (numpy.str_("a"), "a"),
            (numpy.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
            (numpy.array([1.5, numpy.inf]), [1.5, "Infinity"]),
            (numpy.array(7), 7),
            (numpy.datetime64("2024-05-17T00:00:00", "ns"), "2024-05-17T00:00:00.000000000"),
            (numpy.array(["2024-05-17"], "datetime64[D]"), ["2024-05-17"]),
            (numpy.timedelta64(90, "s"), "PT1M30S"),
            (numpy.array([1 + 2j]), ["1+2j"]),
            ({numpy.int64(1): numpy.uint8(2)}, {"1": 2}),
        ):
            with self.subTest(value=value):
                self.assertEqual(to_json(value), expected)


@unittest.skipUnless(pandas, "pandas is not installed for this Python")
class Pandas(unittest.TestCase):
    def test_a_frame_is_its_records_and_a_series_its_object(self):
        frame = pandas.DataFrame({"a": [1, 2], "b": ["x", None], "c": pandas.to_datetime(["2024-05-17", None])})
        self.assertEqual(
            to_json(frame),
            [{"a": 1, "b": "x", "c": "2024-05-17T00:00:00"}, {"a": 2, "b": to_json(frame["b"][1]), "c": None}],
        )
        self.assertEqual(to_json(pandas.Series([1.5, math.nan], index=["x", "y"])), {"x": 1.5, "y": "NaN"})
        self.assertEqual(to_json(pandas.Index([1, 2])), [1, 2])

    def test_its_scalars_have_their_form(self):
        self.assertEqual(to_json([pandas.NA, pandas.NaT, pandas.Timedelta(seconds=90)]), [None, None, "PT1M30S"])
        self.assertEqual(to_json(timedelta(seconds=90)), "PT1M30S")

    def test_names_that_repeat_are_refused(self):
        for value in (pandas.DataFrame([[1, 2]], columns=["a", "a"]), pandas.Series([1, 2], index=["x", "x"])):
            with self.assertRaises(BadResult):
                to_json(value)


if __name__ == "__main__":
    unittest.main()

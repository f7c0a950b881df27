import unittest
from datetime import date, datetime, time, timedelta, timezone

from mcp_execution._values import InvalidArguments, from_json, to_json

INDIA = timezone(timedelta(hours=5, minutes=30))


class Dates(unittest.TestCase):
    def assert_refuses(self, annotation, *values):
        for value in values:
            with self.subTest(value=value), self.assertRaises(InvalidArguments):
                from_json(annotation, value)

    def test_dates_and_times_are_iso_8601_both_ways(self):
        for value, text in (
            (date(2024, 5, 17), "2024-05-17"),
            (time(14, 30), "14:30:00"),
            (time(14, 30, 1, 500), "14:30:01.000500"),
            (datetime(2024, 5, 17, 14, 30), "2024-05-17T14:30:00"),
            (datetime(2024, 5, 17, 14, 30, tzinfo=timezone.utc), "2024-05-17T14:30:00+00:00"),
            (datetime(2024, 5, 17, 14, 30, 1, 5, INDIA), "2024-05-17T14:30:01.000005+05:30"),
        ):
            self.assertEqual(to_json(value), text)
            self.assertEqual(from_json(type(value), text), value)

    def test_every_python_version_takes_the_same_spellings(self):
        expected = datetime(2024, 5, 17, 14, 30, 0, 500_000, timezone.utc)
        for text in (
            "2024-05-17T14:30:00.5Z",
            "2024-05-17t14:30:00.500z",
            "2024-05-17 14:30:00,5+00:00",
            "2024-05-17T14:30:00.500000000+0000",
            "2024-05-17T20:00:00.5+05:30",
        ):
            self.assertEqual(from_json(datetime, text), expected)
        self.assertEqual(from_json(datetime, "2024-05-17T14:30"), datetime(2024, 5, 17, 14, 30))

    def test_a_date_alone_is_midnight_where_a_datetime_is_asked(self):
        self.assertEqual(from_json(datetime, "2024-05-17"), datetime(2024, 5, 17))

    def test_in_a_union_the_text_decides_between_date_and_datetime(self):
        for union in (date | datetime, datetime | date):
            self.assertEqual(type(from_json(union, "2024-05-17")), date)
            self.assertEqual(type(from_json(union, "2024-05-17T00:00:00")), datetime)

    def test_what_is_no_such_moment_is_refused(self):
        self.assert_refuses(date, "2024-02-30", "17.5.2024", "20240517", "2024-05-17T00:00:00", 0, None, "")
        self.assert_refuses(datetime, "2024-05-17T25:00:00", "now", 1715900000, "2024-05-17T", None)
        self.assert_refuses(time, "24:00", "2pm", "14", 14)


class Durations(unittest.TestCase):
    def test_a_duration_is_written_in_iso_8601(self):
        for value, text in (
            (timedelta(), "PT0S"),
            (timedelta(days=1, hours=2, seconds=3.5), "P1DT2H3.5S"),
            (timedelta(days=-1), "-P1D"),
            (timedelta(microseconds=-1), "-PT0.000001S"),
            (timedelta(minutes=90), "PT1H30M"),
            (timedelta(days=400, microseconds=10), "P400DT0.00001S"),
            (timedelta.max, "P999999999DT23H59M59.999999S"),
            (timedelta.min, "-P999999999D"),
        ):
            self.assertEqual(to_json(value), text)
            self.assertEqual(from_json(timedelta, text), value)

    def test_a_duration_is_read_from_weeks_fractions_and_seconds(self):
        for value, expected in (
            ("P2W", timedelta(weeks=2)),
            ("PT1.5H", timedelta(minutes=90)),
            ("P0,5D", timedelta(hours=12)),
            ("+PT5M", timedelta(minutes=5)),
            (90, timedelta(seconds=90)),
            (-0.25, timedelta(milliseconds=-250)),
        ):
            self.assertEqual(from_json(timedelta, value), expected)

    def test_what_has_no_fixed_length_or_is_out_of_range_is_refused(self):
        for value in ("P1Y", "P1M", "P", "PT", "P1DT", "5m", "", True, None, "P99999999999D", 1e300, float("nan")):
            with self.subTest(value=value), self.assertRaises(InvalidArguments):
                from_json(timedelta, value)


if __name__ == "__main__":
    unittest.main()

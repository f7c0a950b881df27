"""The lines that tracebacks quote."""

import linecache
import sys
import traceback
import unittest

from mcp_execution import _lines


class Lines(unittest.TestCase):
    @unittest.skipIf(sys.version_info < (3, 11), "marks in tracebacks came with 3.11")
    def test_marks_stand_beneath_what_failed_in_a_last_line_without_an_end(self):
        _lines.pin_source("check.py", "x = 1 / 0")
        try:
            exec(compile("x = 1 / 0", "check.py", "exec"))
        except ZeroDivisionError:
            told = traceback.format_exc()
        finally:
            linecache.cache.pop("check.py", None)
        self.assertIn("    x = 1 / 0\n        ~~^~~\n", told)


if __name__ == "__main__":
    unittest.main()

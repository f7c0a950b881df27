"""Docstrings of each style."""

import textwrap
import unittest

from mcp_execution._discovery.docstrings.written import clean
from mcp_execution._discovery.docstrings.docstrings import parse_docstring


def parsed(text):
    return parse_docstring(clean(textwrap.dedent(text)))


class ADocstring(unittest.TestCase):
    def test_of_google_style_is_taken_apart(self):
        doc = parsed(
            """Fetch rows.

            More words
            on two lines.

            Args:
                table (str): The table,
                    over two lines.
                limit (int, optional): How many. Defaults to 10.
                *names: Some names.
                **more (dict[str, int]): Options: a, b.

            Returns:
                list[str]: The rows.

            Raises:
                ValueError: If it is empty.

            Example:
                >>> fetch("x")
                []
            """
        )
        self.assertEqual(
            doc.description, "Fetch rows.\n\nMore words\non two lines.\n\nRaises:\n    ValueError: If it is empty."
        )
        self.assertEqual(
            doc.parameters,
            {
                "table": "The table, over two lines.",
                "limit": "How many. Defaults to 10.",
                "names": "Some names.",
                "more": "Options: a, b.",
            },
        )
        self.assertEqual(doc.types, {"table": "str", "limit": "int, optional", "more": "dict[str, int]"})
        self.assertEqual((doc.returns, doc.returns_type), ("The rows.", "list[str]"))

    def test_of_numpy_style_is_taken_apart(self):
        doc = parsed(
            """Fetch rows.

            Parameters
            ----------
            table : str
                The table.
            x, y : int, optional
                Where.
            flag
                No type.

            Returns
            -------
            list of str
                The rows.

            See Also
            --------
            other : another one

            Examples
            --------
            >>> 1
            1
            """
        )
        self.assertEqual(doc.description, "Fetch rows.")
        self.assertEqual(doc.parameters, {"table": "The table.", "x": "Where.", "y": "Where.", "flag": "No type."})
        self.assertEqual(doc.types, {"table": "str", "x": "int, optional", "y": "int, optional"})
        self.assertEqual(doc.returns, "The rows.")

    def test_of_sphinx_style_is_taken_apart(self):
        doc = parsed(
            """Fetch rows.

            :param table: The table,
                over two lines.
            :type table: str
            :param int limit: How many.
            :keyword flag: A flag.
            :raises ValueError: If it is empty.
            :returns: The rows.
            :rtype: list
            """
        )
        self.assertEqual(doc.description, "Fetch rows.\n\nRaises:\n    ValueError: If it is empty.")
        self.assertEqual(doc.parameters, {"table": "The table, over two lines.", "limit": "How many.", "flag": "A flag."})
        self.assertEqual(doc.types, {"table": "str", "limit": "int"})
        self.assertEqual((doc.returns, doc.returns_type), ("The rows.", "list"))

    def test_of_epydoc_style_is_taken_apart(self):
        doc = parsed("Fetch.\n\n@param table: The table.\n@type table: str\n@return: The rows.")
        self.assertEqual((doc.description, doc.parameters, doc.returns), ("Fetch.", {"table": "The table."}, "The rows."))

    def test_without_any_style_is_kept_as_it_is(self):
        self.assertEqual(
            parsed("Fetch rows.\n\nNote that: this stays.\n\n  * a list\n  * of two").description,
            "Fetch rows.\n\nNote that: this stays.\n\n  * a list\n  * of two",
        )

    def test_loses_its_examples_and_code(self):
        self.assertEqual(
            parsed("Fetch.\n\n>>> fetch()\n1\n\nThe end.\n\n.. code-block:: python\n\n    fetch()\n\nAfter.").description,
            "Fetch.\n\nThe end.\n\nAfter.",
        )

    def test_keeps_warnings_and_drops_notes(self):
        doc = parsed("Fetch.\n\nWarning:\n    Slow.\n\nNotes\n-----\nHistory.")
        self.assertEqual(doc.description, "Fetch.\n\nWarning:\n    Slow.")

    def test_loses_the_marks_of_its_markup(self):
        self.assertEqual(parsed("See :func:`~os.path.join` and ``x``.").description, "See os.path.join and `x`.")

    def test_whose_sections_are_not_indented_is_read(self):
        doc = parsed("Fetch.\n\nArgs:\na: one\nb: two\n\nAfter.")
        self.assertEqual((doc.parameters, doc.description), ({"a": "one", "b": "two"}, "Fetch.\n\nAfter."))

    def test_with_parameters_as_a_list_is_read(self):
        self.assertEqual(parsed("Fetch.\n\nParameters:\n    - a: one\n    - b (int): two").parameters, {"a": "one", "b": "two"})

    def test_of_odd_text_never_fails(self):
        for text in (
            "",
            " ",
            "\n",
            "Args:",
            "Args:\n",
            ":param:",
            ":param x",
            "Parameters\n---",
            "----",
            ":",
            "@",
            "Args:\n    :",
            "Returns:\n\n",
            "::",
            ".. x::",
            "Returns\n-------\n",
            "Args:\n  (",
            "a" * 100000,
        ):
            with self.subTest(text[:20]):
                parsed(text)

    def test_with_a_very_long_line_is_quick(self):
        for filler in ("a ", "(", "a, ", ": ", "- ", "`", " "):
            parsed("Args:\n    " + filler * 20000 + "\n" + filler * 20000)

"""A prepared conversion from JSON, in two degrees of strictness."""


class Converter:
    """`strict` takes only the JSON form proper to the type, `convert` also what can be read as it.

    A union asks the strict form of every member before the lenient form of any.
    """

    __slots__ = ("convert", "strict", "expected", "is_tag")

    def __init__(self, convert, strict=None, expected="a value", is_tag=False):
        self.convert = convert
        self.strict = strict or convert
        self.expected = expected
        self.is_tag = is_tag


def unchanged(value):
    return value


ANY = Converter(unchanged, expected="any value")


class Recursion(Converter):
    """Stands for a converter still being built, where a type mentions itself."""

    __slots__ = ("target",)

    def __init__(self):
        self.target = None
        super().__init__(
            lambda value: self.target.convert(value),
            lambda value: self.target.strict(value),
        )

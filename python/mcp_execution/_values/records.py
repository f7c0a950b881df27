"""Objects with named fields from JSON: dataclass, TypedDict, NamedTuple."""

from .containers import decoded
from .converter import Converter, unchanged
from .errors import Mismatch, listed, unexpected


class Field:
    __slots__ = ("name", "converter", "is_required")

    def __init__(self, name, converter, is_required):
        self.name = name
        self.converter = converter
        self.is_required = is_required


def record_converter(title, fields, make, rest=None):
    """`rest` converts keys beyond the fields; without it they are refused."""
    expected = f"an object ({title})"
    # tags first: in a union the wrong member is then left at once
    ordered = sorted(fields, key=lambda field: not field.converter.is_tag)
    tags = {field.name for field in fields if field.converter.is_tag}
    known = frozenset(field.name for field in fields)
    required = frozenset(field.name for field in fields if field.is_required)

    def build(steps, convert_rest):
        def convert(given):
            made = {}
            name = ""
            keys = given.keys()
            try:
                for name, convert_field in steps:
                    if name in given:
                        made[name] = convert_field(given[name])
                if convert_rest:
                    for name in given:
                        if name not in known:
                            made[name] = convert_rest(given[name])
            except Mismatch as mismatch:
                is_tag = not mismatch.steps and name in tags
                mismatch.at(name).is_tag = is_tag
                raise
            if not (required <= keys and (convert_rest or keys <= known)):
                raise Mismatch(names_problem(title, fields, given, convert_rest is not None))
            return _made(title, make, made)

        return convert

    lenient = build([(field.name, field.converter.convert) for field in ordered], rest and rest.convert)
    strict = build([(field.name, field.converter.strict) for field in ordered], rest and rest.strict)

    def convert_strictly(value):
        if type(value) is not dict:
            raise unexpected(expected, value)
        return strict(value)

    return Converter(lambda value: lenient(decoded(value, dict, expected)), convert_strictly, expected)


def names_problem(title, fields, given, takes_more=False):
    """Every missing and unknown name in one sentence each, so that one retry can mend all."""
    names = [field.name for field in fields]
    missing = [field.name for field in fields if field.is_required and field.name not in given]
    unknown = [] if takes_more else [name for name in given if name not in names]
    sentences = []
    if missing:
        sentences.append(f"missing {listed(missing)}")
    if unknown:
        sentences.append("unknown " + ", ".join(_with_suggestion(name, names) for name in unknown))
    known = listed(names) if names else "nothing"
    return f"{'; '.join(sentences)}; {title} takes {known}"


def _with_suggestion(name, names):
    from difflib import get_close_matches

    close = get_close_matches(name, names, 1)
    return f"{listed([name])} (did you mean {close[0]!r}?)" if close else listed([name])


def _made(title, make, content):
    if make is unchanged:
        return content
    try:
        return make(**content)
    except Exception as error:
        raise Mismatch(f"{title} refused it: {type(error).__name__}: {error}") from error

"""Arrays and objects from JSON: lists, tuples, sets and mappings."""

from collections import Counter, OrderedDict, abc, defaultdict, deque
from json import loads
from math import isfinite

from .converter import ANY, Converter, unchanged
from .errors import Mismatch, unexpected
from .scalars import to_str

_OPENING = {list: "[", dict: "{"}


def decoded(value, kind, expected):
    """The value as a `list` or `dict`; text holding one is read, since models send that."""
    if type(value) is kind:
        return value
    if type(value) is str and value.lstrip().startswith(_OPENING[kind]):
        try:
            content = loads(value, parse_float=_finite, parse_constant=_finite)
        except (ValueError, RecursionError):
            content = None
        if type(content) is kind:
            return content
    raise unexpected(expected, value)


def _finite(text):
    """JSON has no NaN, and 1e400 would become an infinity that nobody wrote."""
    number = float(text)
    if not isfinite(number):
        raise ValueError(text)
    return number


def array_converter(item, make=unchanged):
    def build(convert_item):
        if convert_item is unchanged:
            return lambda value: _made(make, value)

        def convert(value):
            items = []
            append = items.append
            try:
                for element in value:
                    append(convert_item(element))
            except Mismatch as mismatch:
                raise mismatch.at(len(items))
            return _made(make, items)

        return convert

    return _shaped(list, "an array", build(item.convert), build(item.strict))


def tuple_converter(items):
    expected = f"an array of {len(items)} item{'' if len(items) == 1 else 's'}"

    def build(convert_items):
        def convert(value):
            if len(value) != len(convert_items):
                raise unexpected(expected, value)
            made = []
            try:
                for convert_item, element in zip(convert_items, value):
                    made.append(convert_item(element))
            except Mismatch as mismatch:
                raise mismatch.at(len(made))
            return tuple(made)

        return convert

    lenient = build(tuple(item.convert for item in items))
    return _shaped(list, expected, lenient, build(tuple(item.strict for item in items)))


def object_converter(key, value, make=unchanged):
    def build(convert_key, convert_value):
        if convert_key is unchanged and convert_value is unchanged:
            return lambda given: _made(make, given)

        def convert(given):
            made = {}
            name = ""
            try:
                for name, content in given.items():
                    made[convert_key(name)] = convert_value(content)
            except Mismatch as mismatch:
                raise mismatch.at(name)
            except TypeError as error:
                raise Mismatch(f"the key {name!r} cannot be a key of a dict: {error}") from None
            if len(made) != len(given):
                raise Mismatch("two keys of the object mean the same key")
            return _made(make, made)

        return convert

    read_key = _key_reader(key)
    return _shaped(dict, "an object", build(read_key, value.convert), build(read_key, value.strict))


def mapping_maker(origin, value_annotation):
    if origin is defaultdict:
        factory = _DEFAULT_FACTORIES.get(value_annotation)
        return lambda content: defaultdict(factory, content)
    return MAPPINGS[origin]


def _made(make, content):
    if make is unchanged:
        return content
    try:
        return make(content)
    except Exception as error:
        raise Mismatch(f"expected what a {getattr(make, '__name__', 'value')} can hold: {error}") from error


def _shaped(kind, expected, lenient, strict):
    def convert(value):
        return lenient(value if type(value) is kind else decoded(value, kind, expected))

    def convert_strictly(value):
        if type(value) is not kind:
            raise unexpected(expected, value)
        return strict(value)

    return Converter(convert, convert_strictly, expected)


def _key_reader(key):
    if key is ANY or key.convert is to_str:
        return unchanged
    convert = key.convert

    def read(name):
        try:
            return convert(name)
        except Mismatch as mismatch:
            if name == "null":
                try:
                    return convert(None)
                except Mismatch:
                    pass
            raise Mismatch(f"as a key: {mismatch.reason}") from None

    return read


_DEFAULT_FACTORIES = {kind: kind for kind in (list, dict, set, int, float, str, bool)}

ARRAYS = {
    list: unchanged,
    abc.Sequence: unchanged,
    abc.MutableSequence: unchanged,
    abc.Collection: unchanged,
    abc.Iterable: unchanged,
    abc.Reversible: unchanged,
    abc.Iterator: iter,
    set: set,
    abc.Set: set,
    abc.MutableSet: set,
    frozenset: frozenset,
    deque: deque,
}

MAPPINGS = {
    dict: unchanged,
    abc.Mapping: unchanged,
    abc.MutableMapping: unchanged,
    OrderedDict: OrderedDict,
    defaultdict: defaultdict,
    Counter: Counter,
}

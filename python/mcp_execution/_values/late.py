"""Types of modules that many scripts never import: their conversion is loaded when the first such type is met."""

from importlib import import_module

_CONVERSION_OF = {"datetime": "dates", "decimal": "decimals", "uuid": "uuids", "pathlib": "paths", "os": "paths"}


def late_converter(annotation):
    """The converter of a type that stands in a table of its own."""
    conversion = _conversion_of(annotation)
    return conversion and conversion.CONVERTERS.get(annotation)


def late_form(kind):
    """What writes a value of this kind, or of what it extends, as text."""
    for base in kind.__mro__:
        conversion = _conversion_of(base)
        if conversion and base in conversion.FORMS:
            return conversion.FORMS[base]
    return None


def _conversion_of(kind):
    module = getattr(kind, "__module__", None)
    name = _CONVERSION_OF.get(module.partition(".")[0]) if isinstance(module, str) else None
    return import_module(f"{__package__}.{name}") if name else None

"""UUIDs, as text both ways."""

from uuid import UUID

from .converter import Converter
from .errors import unexpected


def to_uuid(value):
    if type(value) is str:
        try:
            return UUID(value)
        except ValueError:
            pass
    raise unexpected("a UUID", value)


CONVERTERS = {UUID: Converter(to_uuid, to_uuid, "a UUID")}
FORMS = {UUID: str}

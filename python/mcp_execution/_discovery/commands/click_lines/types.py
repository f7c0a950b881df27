"""What a click type makes of a word, as a schema of what may be given."""

from ...schema.choices import one_of
from ..reader.enums import members_of
from ..reader.literals import as_items
from ..reader.values import UNKNOWN, Call, Class, Imported, Member, is_json
from ..types import converter_schema

_NAMED = {
    "click.INT": {"type": "integer"},
    "click.FLOAT": {"type": "number"},
    "click.BOOL": {"type": "boolean"},
    "click.STRING": {"type": "string"},
    "click.UNPROCESSED": {"type": "string"},
    "click.UUID": {"type": "string", "format": "uuid"},
    "click.Path": {"type": "string", "format": "path"},
    "click.File": {"type": "string", "format": "path"},
    "click.DateTime": {"type": "string"},
    "click.types.StringParamType": {"type": "string"},
}
_DATE_FORMATS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"]


class Taken:
    """What one word or, with `width`, several words become."""

    def __init__(self, schema, *, width=None, note=None, sentence=None):
        self.schema = schema
        self.width = width
        self.note = note
        self.sentence = sentence


def type_of(given, default, reader):
    if given is None:
        return _from_default(default)
    if isinstance(given, (tuple, list)):
        return _tuple(given, reader)
    if isinstance(given, Imported) and given.path in _NAMED:
        return Taken(dict(_NAMED[given.path]))
    if isinstance(given, Call) and given.path.startswith("click."):
        return _made(given, reader)
    schema, note = converter_schema(None if given is UNKNOWN else given, reader)
    return Taken(schema, note="its type= is not known, so any text is taken" if given is UNKNOWN else note)


def _made(call, reader):
    name = call.path.split(".")[-1]
    first = call.args[0] if call.args else None
    if name == "Choice":
        return _choice(call.keywords.get("choices", first), reader)
    if name in ("IntRange", "FloatRange"):
        return Taken(_range(call, "integer" if name == "IntRange" else "number"))
    if name == "Tuple":
        return _tuple(call.keywords.get("types", first), reader)
    if name == "DateTime":
        formats = as_items(call.keywords.get("formats", first))
        known = formats if formats is not UNKNOWN and formats and all(isinstance(item, str) for item in formats) else _DATE_FORMATS
        return Taken({"type": "string"}, sentence=f"A date in the form {' or '.join(known)}.")
    if call.path in _NAMED:
        return Taken(dict(_NAMED[call.path]))
    return Taken({"type": "string"}, note=f"what {call.path} accepts is known only when it runs, so any text is taken")


def _choice(choices, reader):
    if isinstance(choices, Class):
        names = [member.name for member in members_of(reader, choices) or ()]
        return Taken(one_of(names)) if names else Taken({"type": "string"}, note="its choices are not known, so any text is taken")
    items = as_items(choices)
    values = [item.value if isinstance(item, Member) else item for item in (() if items is UNKNOWN else items)]
    if values and all(isinstance(value, (str, int)) for value in values):
        return Taken(one_of(list(dict.fromkeys(str(value) for value in values))))
    return Taken({"type": "string"}, note="its choices are not known, so any text is taken")


def _range(call, kind):
    schema = {"type": kind}
    given = {**dict(zip(("min", "max", "min_open", "max_open", "clamp"), call.args)), **call.keywords}
    if given.get("clamp") is True:
        return schema
    for end, word in (("min", "inimum"), ("max", "aximum")):
        if type(given.get(end)) in (int, float) and is_json(given[end]):
            is_open = given.get(f"{end}_open") is True
            schema[f"exclusiveM{word}" if is_open else f"m{word}"] = given[end]
    return schema


def _tuple(types, reader):
    items = as_items(types)
    if items is UNKNOWN:
        return Taken({"type": "string"}, note="its type= is not known, so any text is taken")
    parts = [type_of(item, None, reader).schema for item in items]
    schema = {"type": "array", "prefixItems": parts, "items": False, "minItems": len(parts), "maxItems": len(parts)}
    return Taken(schema, width=len(parts))


def _from_default(default):
    kinds = {bool: "boolean", int: "integer", float: "number"}
    if isinstance(default, (list, tuple)) and default:
        return Taken({"type": kinds.get(type(default[0]), "string")})
    return Taken({"type": kinds.get(type(default), "string")})

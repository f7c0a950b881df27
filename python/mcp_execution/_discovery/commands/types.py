"""What a type or a converter makes of a word, as a schema of what may be given."""

from ..schema.choices import one_of
from .reader.enums import values_of
from .reader.values import Call, Class, Function, Imported

_PATH = {"type": "string", "format": "path"}
_TEXT = {"type": "string"}
_KNOWN = {
    "builtins.int": {"type": "integer"},
    "builtins.float": {"type": "number"},
    "builtins.str": _TEXT,
    "builtins.bool": {"type": "boolean"},
    "builtins.complex": {"type": ["string", "number"], "format": "complex"},
    "builtins.open": _PATH,
    "builtins.ascii": _TEXT,
    "builtins.ord": {"type": "string", "minLength": 1, "maxLength": 1},
    "builtins.str.lower": _TEXT,
    "builtins.str.upper": _TEXT,
    "builtins.str.strip": _TEXT,
    "builtins.str.title": _TEXT,
    "builtins.bytes.fromhex": {"type": "string", "pattern": "^([0-9A-Fa-f]{2}\\s*)*$"},
    "pathlib.Path": _PATH,
    "pathlib.PurePath": _PATH,
    "pathlib.PosixPath": _PATH,
    "argparse.FileType": _PATH,
    "os.path.abspath": _PATH,
    "os.path.realpath": _PATH,
    "os.path.expanduser": _PATH,
    "os.path.normpath": _PATH,
    "os.fspath": _PATH,
    "decimal.Decimal": {"type": ["string", "number"], "format": "decimal"},
    "fractions.Fraction": {"type": ["string", "number"]},
    "uuid.UUID": {"type": "string", "format": "uuid"},
    "re.compile": {"type": "string", "format": "regex"},
    "datetime.date.fromisoformat": {"type": "string", "format": "date"},
    "datetime.time.fromisoformat": {"type": "string", "format": "time"},
    "datetime.datetime.fromisoformat": {"type": "string", "format": "date-time"},
    "ipaddress.ip_address": _TEXT,
    "ipaddress.ip_network": _TEXT,
    "ipaddress.IPv4Address": {"type": "string", "format": "ipv4"},
    "ipaddress.IPv6Address": {"type": "string", "format": "ipv6"},
    "json.loads": {"type": "string", "contentMediaType": "application/json"},
    "shlex.split": _TEXT,
    "urllib.parse.urlparse": _TEXT,
}
_RETURNS = {"int": ["integer", "string"], "float": ["number", "string"], "Path": "string", "str": "string"}


def converter_schema(converter, reader):
    """The schema of what a converter takes, and a remark on what could not be known of it."""
    if converter is None:
        return dict(_TEXT), None
    if isinstance(converter, Imported) and converter.path in _KNOWN:
        return dict(_KNOWN[converter.path]), None
    if isinstance(converter, Call) and converter.path in ("argparse.FileType", "functools.partial"):
        inner = converter.args[0] if converter.path == "functools.partial" and converter.args else None
        return (dict(_PATH), None) if inner is None else converter_schema(inner, reader)
    if isinstance(converter, Class):
        values = values_of(reader, converter)
        if values and all(isinstance(value, str) for value in values):
            return one_of(values), None
    if isinstance(converter, Function) and hasattr(converter.node, "returns"):
        returned = getattr(converter.node.returns, "id", None)
        if returned in _RETURNS:
            return {"type": _RETURNS[returned], **({"format": "path"} if returned == "Path" else {})}, None
    return dict(_TEXT), f"what {_said(converter)} accepts is known only when it runs, so any text is taken"


def reads_standard_input(converter):
    """Whether the word "-" stands for standard input."""
    if not isinstance(converter, Call) or converter.path not in ("argparse.FileType", "click.File"):
        return False
    mode = converter.keywords.get("mode", converter.args[0] if converter.args else "r")
    return isinstance(mode, str) and mode.startswith("r")


def _said(converter):
    if isinstance(converter, Function):
        name = getattr(converter.node, "name", None)
        return f"{name}()" if name else "its lambda"
    if isinstance(converter, Class):
        return converter.node.name
    if isinstance(converter, (Imported, Call)):
        return f"{converter.path.removeprefix('builtins.')}()"
    return "its type="

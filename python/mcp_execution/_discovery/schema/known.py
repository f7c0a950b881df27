"""What the names of the standard library and of pydantic mean as JSON: taken, and given back."""

_TEXT = {"type": "string"}
_BASE64 = {"type": "string", "contentEncoding": "base64"}
_PATH = {"type": "string", "format": "path"}
_REGEX = {"type": "string", "format": "regex"}
_INT = {"type": "integer"}
_FLOAT = {"type": "number"}
_INT_OUT = {"type": ["integer", "string"], "pattern": "^-?[0-9]{16,}$"}
_FLOAT_OUT = {"type": ["number", "string"], "pattern": "^(NaN|-?Infinity|-?[0-9]{16,})$"}
_DATE = {"type": "string", "format": "date"}
_TIME = {"type": "string", "format": "time"}
_DATETIME = {"type": "string", "format": "date-time"}
_DURATION = {"type": ["string", "number"], "format": "duration"}
_DURATION_OUT = {"type": "string", "format": "duration"}
_UUID = {"type": "string", "format": "uuid"}
_DECIMAL = {"type": ["string", "number"], "format": "decimal"}
_URI = {"type": "string", "format": "uri"}

#: name -> (JSON taken, JSON given back)
SCALARS = {
    "builtins.int": (_INT, _INT_OUT),
    "builtins.float": (_FLOAT, _FLOAT_OUT),
    "builtins.bool": ({"type": "boolean"}, {"type": "boolean"}),
    "builtins.str": (_TEXT, _TEXT),
    "typing.Text": (_TEXT, _TEXT),
    "typing.AnyStr": (_TEXT, _TEXT),
    "typing.LiteralString": (_TEXT, _TEXT),
    "types.NoneType": ({"type": "null"}, {"type": "null"}),
    "builtins.bytes": (_BASE64, _BASE64),
    "builtins.bytearray": (_BASE64, _BASE64),
    "builtins.memoryview": (_BASE64, _BASE64),
    "builtins.complex": ({"type": ["string", "number"], "format": "complex"}, {"type": "string", "format": "complex"}),
    "decimal.Decimal": (_DECIMAL, {"type": "string", "format": "decimal"}),
    "datetime.date": (_DATE, _DATE),
    "datetime.time": (_TIME, _TIME),
    "datetime.datetime": (_DATETIME, _DATETIME),
    "datetime.timedelta": (_DURATION, _DURATION_OUT),
    "uuid.UUID": (_UUID, _UUID),
    "os.PathLike": (_PATH, _PATH),
    "re.Pattern": (_REGEX, _REGEX),
    "typing.Pattern": (_REGEX, _REGEX),
    **{
        f"pathlib.{name}": (_PATH, _PATH)
        for name in ("Path", "PurePath", "PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath")
    },
}


def _bounded(schema, output, **bounds):
    return {**schema, **bounds}, output


def _same(schema, **more):
    return {**schema, **more}, {**schema, **more}


#: Pydantic's own types; outside its models the conversion takes them as any value, which these only narrow.
PYDANTIC = {
    "PositiveInt": _bounded(_INT, _INT_OUT, exclusiveMinimum=0),
    "NegativeInt": _bounded(_INT, _INT_OUT, exclusiveMaximum=0),
    "NonNegativeInt": _bounded(_INT, _INT_OUT, minimum=0),
    "NonPositiveInt": _bounded(_INT, _INT_OUT, maximum=0),
    "PositiveFloat": _bounded(_FLOAT, _FLOAT_OUT, exclusiveMinimum=0),
    "NegativeFloat": _bounded(_FLOAT, _FLOAT_OUT, exclusiveMaximum=0),
    "NonNegativeFloat": _bounded(_FLOAT, _FLOAT_OUT, minimum=0),
    "NonPositiveFloat": _bounded(_FLOAT, _FLOAT_OUT, maximum=0),
    "FiniteFloat": (_FLOAT, _FLOAT),
    "StrictInt": (_INT, _INT_OUT),
    "StrictFloat": (_FLOAT, _FLOAT_OUT),
    "StrictStr": (_TEXT, _TEXT),
    "StrictBool": _same({"type": "boolean"}),
    "StrictBytes": (_TEXT, _TEXT),
    "EmailStr": _same(_TEXT, format="email"),
    "NameEmail": _same(_TEXT, format="email"),
    "SecretStr": _same(_TEXT, format="password"),
    "SecretBytes": _same(_TEXT, format="password"),
    "Base64Str": _same(_TEXT, contentEncoding="base64"),
    "Base64Bytes": _same(_TEXT, contentEncoding="base64"),
    "FilePath": (_PATH, _PATH),
    "DirectoryPath": (_PATH, _PATH),
    "NewPath": (_PATH, _PATH),
    "ByteSize": _bounded({"type": ["integer", "string"]}, _INT_OUT),
    "IPvAnyAddress": _same(_TEXT),
    "IPvAnyNetwork": _same(_TEXT),
    "IPvAnyInterface": _same(_TEXT),
    "Json": ({"type": "string", "contentMediaType": "application/json"}, {}),
    "ImportString": (_TEXT, {}),
    "PastDate": (_DATE, _DATE),
    "FutureDate": (_DATE, _DATE),
    "PastDatetime": (_DATETIME, _DATETIME),
    "FutureDatetime": (_DATETIME, _DATETIME),
    "AwareDatetime": (_DATETIME, _DATETIME),
    "NaiveDatetime": (_DATETIME, _DATETIME),
    **{f"UUID{version}": (_UUID, _UUID) for version in (1, 3, 4, 5, 6, 7, 8)},
    **{
        name: (_URI, _URI)
        for name in "AnyUrl AnyHttpUrl HttpUrl FileUrl FtpUrl WebsocketUrl AnyWebsocketUrl PostgresDsn RedisDsn MongoDsn MySQLDsn AmqpDsn KafkaDsn CockroachDsn".split()
    },
}

#: Pydantic's functions that make a type: name -> the type they narrow.
PYDANTIC_MAKERS = {
    "conint": "builtins.int",
    "confloat": "builtins.float",
    "constr": "builtins.str",
    "conbytes": "builtins.str",
    "condecimal": "decimal.Decimal",
    "condate": "datetime.date",
    "conlist": "builtins.list",
    "conset": "builtins.set",
    "confrozenset": "builtins.frozenset",
}


def _names(*groups):
    return frozenset(f"{module}.{name}" for module, names in groups for name in names.split())


_ABSTRACT_ARRAYS = "Sequence MutableSequence Collection Iterable Reversible Iterator MutableSet"
ARRAYS = _names(
    ("builtins", "list set frozenset"),
    ("typing", "List FrozenSet Deque AbstractSet Set " + _ABSTRACT_ARRAYS),
    ("collections.abc", "Set " + _ABSTRACT_ARRAYS),
    ("collections", "deque"),
)
ITERATORS = _names(
    ("typing", "Iterator Generator AsyncIterator AsyncGenerator AsyncIterable"),
    ("collections.abc", "Iterator Generator AsyncIterator AsyncGenerator AsyncIterable"),
)
ITERABLES = ITERATORS | _names(("typing", "Iterable"), ("collections.abc", "Iterable"))
AWAITABLES = _names(("typing", "Awaitable Coroutine"), ("collections.abc", "Awaitable Coroutine"))
MAPPINGS = _names(
    ("builtins", "dict"),
    ("typing", "Dict Mapping MutableMapping OrderedDict DefaultDict Counter"),
    ("collections.abc", "Mapping MutableMapping"),
    ("collections", "OrderedDict defaultdict Counter"),
)
COUNTERS = _names(("typing", "Counter"), ("collections", "Counter"))
TUPLES = _names(("builtins", "tuple"), ("typing", "Tuple"))
ANYTHING = _names(("typing", "Any"), ("builtins", "object"))
TRANSPARENT = _names(
    ("typing", "Required NotRequired ReadOnly Final ClassVar Unpack"), ("dataclasses", "InitVar"), ("builtins", "InitVar")
)
MODEL_BASES = _names(
    ("pydantic", "BaseModel RootModel BaseSettings GenericModel"),
    ("pydantic_settings", "BaseSettings"),
    ("sqlmodel", "SQLModel"),
)
DATACLASS_DECORATORS = frozenset({"dataclasses.dataclass", "pydantic.dataclasses.dataclass"})
ENUM_BASES = _names(("enum", "Enum IntEnum StrEnum Flag IntFlag ReprEnum"))
FLAG_BASES = _names(("enum", "Flag IntFlag"))

#: The JSON forms that the keys of an object may have, for the types of keys that are not any text.
KEYS = {
    "builtins.int": {"pattern": "^[+-]?[0-9]+$"},
    "builtins.float": {"pattern": r"^(NaN|-?Infinity|[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?)$"},
    "builtins.bool": {"enum": ["true", "false"]},
    "uuid.UUID": {"format": "uuid"},
    "datetime.date": {"format": "date"},
    "datetime.datetime": {"format": "date-time"},
}

"""One parameter of a command line: what it looks like in the schema, and the words it becomes."""

from .reader.values import as_json, is_json


class Parameter:
    def __init__(self, name, kind, schema, *, flag=None, off=None, bare=False, grouped=False, required=False, line=None):
        self.name = name
        self.kind = kind
        self.schema = schema
        self.flag = flag
        self.off = off
        self.bare = bare
        self.grouped = grouped
        self.required = required
        self.line = line
        self.notes = []
        #: Names of the parameters without which this one cannot be given.
        self.needs = []
        #: Given by position, with as many words as there are.
        self.is_spread = False

    def describe(self, text):
        if text:
            self.schema["description"] = " ".join(text.split())

    def add_sentence(self, sentence):
        before = self.schema.get("description", "")
        if before and before[-1] not in ".!?":
            before += "."
        self.schema["description"] = f"{before} {sentence}".strip()

    def set_default(self, value):
        if value is not None and is_json(value) and default_fits(self.schema, as_json(value)):
            self.schema["default"] = as_json(value)

    def written(self):
        """As the manifest has it."""
        written = {"name": self.name, "kind": self.kind}
        if self.flag:
            written["flag"] = self.flag
        if self.off:
            written["off"] = self.off
        if self.bare:
            written["bare"] = True
        if self.grouped:
            written["grouped"] = True
        return written

    @property
    def order(self):
        """Options with several words stand first, so that what follows them is not taken for one of theirs."""
        if self.kind == "option" and (self.bare or self.schema.get("type") == "array"):
            return 0
        return {"positional": 2, "args": 3, "stdin": 4}.get(self.kind, 1)


def words_parameter(name, description):
    schema = {"type": "array", "items": {"type": "string"}, "description": description}
    return Parameter(name, "args", schema)


def stdin_parameter(description="Text for standard input."):
    return Parameter("stdin", "stdin", {"type": "string", "description": description})


def default_fits(schema, value):
    """Whether a default is a value that the schema takes; others are left out, since they cannot be given."""
    if "enum" in schema:
        return value in schema["enum"]
    if "anyOf" in schema:
        return any(default_fits(choice, value) for choice in schema["anyOf"])
    kinds = schema.get("type")
    if kinds is None:
        return True
    return any(_is_of(kind, value, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _is_of(kind, value, schema):
    if kind == "array":
        return isinstance(value, list) and _fits_length(schema, value) and all(map(default_fits, _item_schemas(schema, value), value))
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "string":
        return isinstance(value, str)
    if isinstance(value, bool):
        return False
    fits = isinstance(value, int) and abs(value) < 2**53 if kind == "integer" else isinstance(value, (int, float))
    return fits and schema.get("minimum", value) <= value <= schema.get("maximum", value)


def _item_schemas(schema, value):
    return schema["prefixItems"] if "prefixItems" in schema else [schema.get("items", {})] * len(value)


def _fits_length(schema, value):
    return schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))

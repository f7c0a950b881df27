"""Pydantic models: what they validate, and what `model_dump(mode="json", by_alias=True)` gives."""

from _ast import AnnAssign, Assign, AsyncFunctionDef, Attribute, Call, Constant, Dict, FunctionDef, Name, Subscript, Tuple

from ..docstrings.docstrings import attribute_docs
from ..source.syntax import last_name
from ..values.static import NotStatic, static_json, static_value
from .constraints import narrow_by_field, with_description
from .quoted import parse_quoted
from .records import class_entries, outer_name, record


def model_schema(builder, lineage):
    if "pydantic.RootModel" in lineage.external:
        return _root_schema(builder, lineage)
    if builder.output and _decorated(lineage, "model_serializer"):
        return {}
    config = _config(lineage)
    properties, required = {}, []
    docs = {}
    for meaning, _ in reversed(lineage.classes):
        docs.update(attribute_docs(meaning.node))
    for field in _fields(lineage):
        _add(builder, field, properties, required, docs, config)
    if builder.output:
        _add_computed(builder, lineage, properties, required)
    schema = record(lineage, properties, required, closed=False)
    if config.get("title"):
        schema["title"] = config["title"]
    if config.get("extra") == "forbid" and not builder.output:
        schema["additionalProperties"] = False
    return schema


class ModelField:
    __slots__ = ("name", "annotation", "scope", "value", "call", "words")

    def __init__(self, name, annotation, scope, value):
        self.name = name
        self.annotation = annotation
        self.scope = scope
        self.value = value
        self.call = _field_call(value, scope) or _field_in_annotation(annotation, scope)
        self.words = {keyword.arg: keyword.value for keyword in self.call.keywords} if self.call else {}

    @property
    def default(self):
        """The default's expression, or None where it has none."""
        if self.value is not None and _field_call(self.value, self.scope) is None:
            return self.value
        default = self.words.get("default")
        if default is None and self.call is not None and self.call.args:
            default = self.call.args[0]
        return None if isinstance(default, Constant) and default.value is ... else default

    @property
    def is_required(self):
        return self.default is None and "default_factory" not in self.words


def _fields(lineage):
    fields = {}
    for meaning, scope in reversed(lineage.classes):
        if meaning.kind != "class":
            continue
        for name, annotation, value in class_entries(meaning):
            if name.startswith("_") or name == "model_config" or outer_name(annotation, scope) == "typing.ClassVar":
                continue
            fields[name] = ModelField(name, annotation, scope, value)
    return fields.values()


def _add(builder, field, properties, required, docs, config):
    output = builder.output
    if output and _constant(field.words.get("exclude")) is True:
        return
    name = _alias(field, config, output)
    schema = builder.schema(field.annotation, field.scope)
    if "contentEncoding" in schema:
        schema = {"type": "string"}  # pydantic reads and writes bytes as text
    if field.call is not None and field.value is not None:
        schema = narrow_by_field(schema, field.call, field.scope, output)
    schema = with_description(schema, docs.get(field.name))
    if output and field.name in config["serialized"]:
        schema = {}
    if not output:
        schema = _with_default(schema, field)
    properties[name] = schema
    if output or field.is_required:
        required.append(name)


def _with_default(schema, field):
    default = field.default
    factory = field.words.get("default_factory")
    if default is None and isinstance(factory, Name) and factory.id in ("list", "dict", "set", "tuple", "str", "int", "float"):
        default = Call(factory, [], [])
    if default is None or (isinstance(default, Constant) and isinstance(default.value, bytes)):
        return schema
    try:
        return {**schema, "default": static_json(default, field.scope.module)}
    except NotStatic:
        return schema


def _alias(field, config, output):
    names = ("serialization_alias", "alias") if output else ("validation_alias", "alias")
    for word in names:
        alias = _first_choice(field.words.get(word))
        if isinstance(alias, str):
            by_name = not output and (config.get("populate_by_name") or config.get("validate_by_name"))
            return field.name if by_name else alias
    maker = _ALIASES.get(config.get("alias_generator"))
    return maker(field.name) if maker and (output or not config.get("populate_by_name")) else field.name


def _first_choice(node):
    """The alias, or the first of `AliasChoices(…)`."""
    if isinstance(node, Call) and node.args and last_name(node.func) == "AliasChoices":
        node = node.args[0]
    return _constant(node)


def _add_computed(builder, lineage, properties, required):
    for meaning, scope in reversed(lineage.classes):
        for statement in getattr(meaning.node, "body", ()):
            if isinstance(statement, (FunctionDef, AsyncFunctionDef)) and _has_decorator(statement, "computed_field"):
                schema = builder.schema(statement.returns, scope) if statement.returns is not None else {}
                properties[statement.name] = schema
                required.append(statement.name)


def _root_schema(builder, lineage):
    for meaning, scope in lineage.classes:
        for name, annotation, _ in class_entries(meaning) if meaning.kind == "class" else ():
            if name == "root":
                return {"title": lineage.title, **builder.schema(annotation, scope)}
    args = getattr(lineage, "root_args", ())
    return {"title": lineage.title, **builder.schema(args[0], lineage.root_scope)} if args else {}


def _config(lineage):
    """`model_config`, the nested `class Config` of the first version, and keywords of the class."""
    config = {"serialized": set()}
    for meaning, scope in reversed(lineage.classes):
        if meaning.kind != "class":
            continue
        for statement in meaning.node.body:
            if isinstance(statement, (Assign, AnnAssign)) and _target(statement) == "model_config":
                config.update(_words_of(statement.value, scope))
            elif type(statement).__name__ == "ClassDef" and statement.name == "Config":
                config.update(
                    (_target(inner), _word(inner.value, scope)) for inner in statement.body if isinstance(inner, Assign)
                )
            elif isinstance(statement, FunctionDef):
                config["serialized"].update(_serialized_by(statement))
        config.update((keyword.arg, _word(keyword.value, scope)) for keyword in meaning.node.keywords if keyword.arg)
    return config


def _words_of(node, scope):
    if isinstance(node, Call):
        return {keyword.arg: _word(keyword.value, scope) for keyword in node.keywords if keyword.arg}
    if isinstance(node, Dict):
        return {_constant(key): _word(value, scope) for key, value in zip(node.keys, node.values) if key is not None}
    return {}


def _word(node, scope):
    if isinstance(node, (Name, Attribute)):
        name = last_name(node).lower()
        if name in ("forbid", "allow", "ignore") or name in _ALIASES:
            return name
    try:
        return static_value(node, scope.module)
    except NotStatic:
        return None


def _serialized_by(statement):
    for decorator in statement.decorator_list:
        if isinstance(decorator, Call) and last_name(decorator.func) == "field_serializer":
            yield from (arg.value for arg in decorator.args if isinstance(arg, Constant))


def _decorated(lineage, name):
    return any(
        isinstance(statement, FunctionDef) and _has_decorator(statement, name)
        for meaning, scope in lineage.classes
        for statement in getattr(meaning.node, "body", ())
    )


def _has_decorator(statement, name):
    return any(last_name(getattr(decorator, "func", decorator)) == name for decorator in statement.decorator_list)


def _field_call(node, scope):
    if isinstance(node, Call):
        meaning = scope.meaning(node.func)
        if meaning.name.rpartition(".")[2] in ("Field", "PrivateAttr") and meaning.kind == "external":
            return node
    return None


def _field_in_annotation(annotation, scope):
    """The `Field(...)` within `Annotated[…]`, which may hold an alias or a default."""
    if isinstance(annotation, Constant) and isinstance(annotation.value, str):
        annotation = parse_quoted(annotation.value)
    if (
        isinstance(annotation, Subscript)
        and isinstance(annotation.slice, Tuple)
        and outer_name(annotation, scope) == "typing.Annotated"
    ):
        return next((found for item in annotation.slice.elts[1:] if (found := _field_call(item, scope))), None)
    return None


def _constant(node):
    return node.value if isinstance(node, Constant) else None


def _target(statement):
    target = statement.targets[0] if isinstance(statement, Assign) else statement.target
    return getattr(target, "id", None)


def _pascal(name):
    return "".join(word.capitalize() for word in name.split("_"))


def _camel(name):
    made = _pascal(name)
    return made[:1].lower() + made[1:]


_ALIASES = {"to_camel": _camel, "to_pascal": _pascal, "to_snake": lambda name: name}

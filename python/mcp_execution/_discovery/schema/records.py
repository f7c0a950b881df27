"""Objects with named fields: dataclass, TypedDict and NamedTuple."""

from _ast import AnnAssign, AsyncFunctionDef, Attribute, Call, Constant, Dict, FunctionDef, List, Name, Subscript, Tuple

from ..docstrings.docstrings import attribute_docs
from ..docstrings.written import first_paragraph_of
from ..values.static import NotStatic, static_json, static_value
from .constraints import narrow_by_field, with_description
from .quoted import parse_quoted


class Field:
    """`taken`: the constructor asks for it; `given`: it is part of what comes back."""

    __slots__ = ("name", "annotation", "scope", "default", "is_required", "taken", "given", "description", "call")

    def __init__(self, name, annotation, scope, default=None, is_required=True):
        self.name = name
        self.annotation = annotation
        self.scope = scope
        self.default = default
        self.is_required = is_required
        self.taken = True
        self.given = True
        self.description = None
        self.call = None


def dataclass_schema(builder, lineage):
    fields = {}
    for meaning, scope in reversed(lineage.classes):
        decorator = lineage.dataclass_decorator(meaning)
        if decorator is not None:
            _add_dataclass_fields(fields, meaning, scope, decorator[1])
    constructor = _own_constructor(lineage) if not builder.output else None
    if constructor is not None:
        return _constructor_schema(builder, lineage, constructor, fields)
    schema = _object(builder, lineage, fields.values())
    if lineage.is_pydantic_dataclass and not _forbids_more(lineage):
        schema.pop("additionalProperties", None)
    return schema


def typeddict_schema(builder, lineage):
    return _object(builder, lineage, typeddict_fields(lineage))


def typeddict_fields(lineage):
    fields = {}
    for meaning, scope in reversed(lineage.classes):
        for name, annotation, is_required in _typeddict_entries(meaning):
            presence = _said_presence(annotation, scope)
            fields[name] = Field(name, annotation, scope, None, is_required if presence is None else presence)
    return list(fields.values())


def namedtuple_schema(builder, lineage):
    fields = []
    for meaning, scope in reversed(lineage.classes):
        if meaning.kind == "class":
            if "typing.NamedTuple" in lineage.external:
                fields += _annotated_fields(meaning, scope)
        else:
            fields += _functional_fields(meaning, scope)
    return _object(builder, lineage, {field.name: field for field in fields}.values())


def _object(builder, lineage, fields):
    docs = {}
    for meaning, _ in reversed(lineage.classes):
        docs.update(attribute_docs(meaning.node))
    properties, required = {}, []
    for field in fields:
        if not (field.given if builder.output else field.taken):
            continue
        schema = builder.schema(field.annotation, field.scope) if field.annotation is not None else {}
        if field.call is not None:
            schema = narrow_by_field(schema, field.call, field.scope, builder.output)
        properties[field.name] = described(schema, field, docs.get(field.name), builder.output)
        if field.is_required or (builder.output and not lineage.is_typeddict):
            required.append(field.name)
    return record(lineage, properties, required, closed=not builder.output)


def record(lineage, properties, required, closed):
    schema = {"type": "object", "title": lineage.title}
    doc = first_paragraph_of(lineage.meaning.node)
    if doc:
        schema["description"] = doc
    schema["properties"] = properties
    if required:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return schema


def described(schema, field, doc, output):
    schema = dict(with_description(schema, field.description or doc))
    if isinstance(field.default, Constant) and field.default.value is None and schema:
        schema = with_null(schema)
    if field.default is not None and not output:
        try:
            schema["default"] = static_json(field.default, field.scope.module)
        except NotStatic:
            pass
    return schema


def with_null(schema):
    from .schema import joined

    null = {"type": "null"}
    inner = {key: value for key, value in schema.items() if key not in ("description", "title")}
    words = {key: value for key, value in schema.items() if key in ("description", "title")}
    return schema if null in inner.get("anyOf", ()) else {**joined([inner, null]), **words}


def class_entries(meaning):
    """The annotated names of a class body in order, each with its value."""
    for statement in meaning.node.body:
        if isinstance(statement, AnnAssign) and isinstance(statement.target, Name):
            yield statement.target.id, statement.annotation, statement.value


def outer_name(annotation, scope):
    """The dotted name that an annotation begins with: `dataclasses.InitVar` of `InitVar[int]`."""
    if isinstance(annotation, Constant) and isinstance(annotation.value, str):
        annotation = parse_quoted(annotation.value)
    if isinstance(annotation, Subscript):
        annotation = annotation.value
    return scope.meaning(annotation).name if isinstance(annotation, (Name, Attribute)) else ""


def _add_dataclass_fields(fields, meaning, scope, keywords):
    for name, annotation, value in class_entries(meaning):
        outer = outer_name(annotation, scope)
        if outer in ("typing.ClassVar", "dataclasses.KW_ONLY"):
            continue
        field = Field(name, annotation, scope, value, value is None)
        if outer == "dataclasses.InitVar":
            field.given = False
        maker = scope.meaning(value.func).name if isinstance(value, Call) else ""
        if maker in ("dataclasses.field", "pydantic.Field"):
            _read_field_call(field, value)
            field.call = value if maker == "pydantic.Field" else None
        if not _flag(keywords, "init", True):
            field.taken = False
        fields[name] = field


def _read_field_call(field, call):
    words = {keyword.arg: keyword.value for keyword in call.keywords}
    default = words.get("default") or (call.args[0] if call.args else None)
    if isinstance(default, Constant) and default.value is ...:
        default = None
    field.default = default
    field.is_required = default is None and "default_factory" not in words
    factory = words.get("default_factory")
    if isinstance(factory, Name) and factory.id in ("list", "dict", "tuple", "str", "int", "float", "bool", "set"):
        field.default = Call(factory, [], [])
    if "init" in words and getattr(words["init"], "value", True) is False:
        field.taken = False
    try:
        metadata = static_value(words["metadata"], field.scope.module) if "metadata" in words else {}
        description = metadata.get("description") or metadata.get("help") or metadata.get("doc")
        if "description" in words:
            description = static_value(words["description"], field.scope.module)
        if "doc" in words:
            description = static_value(words["doc"], field.scope.module)
        field.description = description if isinstance(description, str) else None
    except (NotStatic, AttributeError):
        pass


def _own_constructor(lineage):
    """A hand-written `__init__` of the class, which the dataclass then keeps."""
    for meaning, scope in lineage.classes:
        for statement in getattr(meaning.node, "body", ()):
            if isinstance(statement, (FunctionDef, AsyncFunctionDef)) and statement.name == "__init__":
                return statement, scope
        if lineage.dataclass_decorator(meaning) is not None:
            return None
    return None


def _constructor_schema(builder, lineage, constructor, fields):
    node, scope = constructor
    args = node.args
    parameters = [*args.posonlyargs, *args.args][1:]
    defaults = [None] * (len(parameters) - len(args.defaults)) + args.defaults[-len(parameters) :] if parameters else []
    named = list(zip(parameters, defaults)) + list(zip(args.kwonlyargs, args.kw_defaults))
    made = []
    for parameter, default in named:
        field = fields.get(parameter.arg)
        annotation = parameter.annotation or (field.annotation if field else None)
        made.append(Field(parameter.arg, annotation, scope, default, default is None))
    schema = _object(builder, lineage, made)
    if args.kwarg is not None:
        rest = builder.schema(args.kwarg.annotation, scope) if args.kwarg.annotation is not None else {}
        schema.pop("additionalProperties")
        if rest:
            schema["additionalProperties"] = rest
    return schema


def _forbids_more(lineage):
    for meaning, _ in lineage.classes:
        for keyword in (lineage.dataclass_decorator(meaning) or ("", []))[1]:
            if keyword.arg == "config" and "forbid" in _constants_in(keyword.value):
                return True
    return False


def _constants_in(node):
    values = [keyword.value for keyword in getattr(node, "keywords", ())] + list(getattr(node, "values", ()))
    return [getattr(value, "value", None) for value in values]


def _typeddict_entries(meaning):
    node = meaning.node
    if meaning.kind == "class":
        total = _flag(node.keywords, "total", True)
        for name, annotation, _ in class_entries(meaning):
            yield name, annotation, total
    elif isinstance(node, Call) and len(node.args) > 1 and isinstance(node.args[1], Dict):
        total = _flag(node.keywords, "total", True)
        for key, value in zip(node.args[1].keys, node.args[1].values):
            if isinstance(key, Constant) and isinstance(key.value, str):
                yield key.value, value, total


def _said_presence(annotation, scope):
    """What `Required[…]` or `NotRequired[…]` says, within `ReadOnly` and `Annotated` too."""
    for _ in range(10):
        if isinstance(annotation, Constant) and isinstance(annotation.value, str):
            annotation = parse_quoted(annotation.value)
        if not isinstance(annotation, Subscript):
            return None
        name = outer_name(annotation, scope)
        if name in ("typing.Required", "typing.NotRequired"):
            return name == "typing.Required"
        if name not in ("typing.ReadOnly", "typing.Annotated"):
            return None
        annotation = (
            annotation.slice.elts[0] if isinstance(annotation.slice, Tuple) and annotation.slice.elts else annotation.slice
        )
    return None


def _annotated_fields(meaning, scope):
    return [Field(name, annotation, scope, value, value is None) for name, annotation, value in class_entries(meaning)]


def _functional_fields(meaning, scope):
    """`NamedTuple("P", [("x", int)])` and `namedtuple("P", "x y", defaults=[0])`."""
    node = meaning.node
    said = node.args[1] if len(node.args) > 1 else None
    if said is None:
        return [
            Field(keyword.arg, keyword.value, scope)
            for keyword in node.keywords
            if keyword.arg not in (None, "defaults", "module", "rename")
        ]
    if (
        isinstance(said, (List, Tuple))
        and all(isinstance(item, Tuple) and len(item.elts) == 2 for item in said.elts)
        and said.elts
    ):
        return [Field(item.elts[0].value, item.elts[1], scope) for item in said.elts if isinstance(item.elts[0], Constant)]
    try:
        names = static_value(said, meaning.module)
    except NotStatic:
        return []
    names = names.replace(",", " ").split() if isinstance(names, str) else [name for name in names if isinstance(name, str)]
    defaults = next((keyword.value for keyword in node.keywords if keyword.arg == "defaults"), None)
    values = list(defaults.elts) if isinstance(defaults, (List, Tuple)) else []
    given = [None] * max(0, len(names) - len(values)) + values
    return [Field(name, None, scope, value, value is None) for name, value in zip(names, given)]


def _flag(keywords, name, default):
    for keyword in keywords:
        if keyword.arg == name and isinstance(keyword.value, Constant):
            return bool(keyword.value.value)
    return default

"""Pydantic models, which are read and never imported."""

from .scripts import ScriptCase

IMPORTS = """
from typing import Annotated, Generic, Optional, TypeVar
import pydantic
from pydantic import BaseModel, ConfigDict, EmailStr, Field, HttpUrl, PositiveInt, RootModel, computed_field, conint, conlist, constr, field_serializer
"""


class TheSchemaOfAModel(ScriptCase):
    def model(self, text, annotation="M"):
        schema = self.inputs(f"{IMPORTS}\n{text}\ndef f(x: {annotation}): ...\n")
        return schema["$defs"][schema["properties"]["x"]["$ref"].rpartition("/")[2]]

    def returned(self, text):
        return self.tool(f"{IMPORTS}\n{text}\ndef f() -> M: ...\n")["outputSchema"]

    def test_a_model_is_an_object_that_ignores_more(self):
        self.assertEqual(
            self.model("class M(BaseModel):\n    'A model.'\n    a: int\n    b: Optional[str] = None"),
            {
                "type": "object",
                "title": "M",
                "description": "A model.",
                "properties": {
                    "a": {"type": "integer"},
                    "b": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
                },
                "required": ["a"],
            },
        )

    def test_a_model_that_forbids_more_says_so(self):
        for config in (
            "model_config = ConfigDict(extra='forbid')",
            "model_config = {'extra': 'forbid'}",
            "class Config:\n        extra = 'forbid'",
        ):
            with self.subTest(config):
                self.assertIs(self.model(f"class M(BaseModel):\n    {config}\n    a: int")["additionalProperties"], False)

    def test_field_constraints_are_in_the_schema(self):
        text = "class M(BaseModel):\n    a: int = Field(..., ge=1, lt=10, description='How many.')\n    b: str = Field('x', min_length=1, max_length=5, pattern='^[a-z]+$')\n    c: list[int] = Field(default_factory=list, max_length=3)\n    d: float = Field(gt=0, multiple_of=0.5)"
        properties = self.model(text)["properties"]
        self.assertEqual(properties["a"], {"type": "integer", "minimum": 1, "exclusiveMaximum": 10, "description": "How many."})
        self.assertEqual(
            properties["b"], {"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[a-z]+$", "default": "x"}
        )
        self.assertEqual(properties["c"], {"type": "array", "items": {"type": "integer"}, "maxItems": 3, "default": []})
        self.assertEqual(properties["d"], {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5})
        self.assertEqual(self.model(text)["required"], ["a", "d"])

    def test_aliases_name_the_properties(self):
        text = "class M(BaseModel):\n    a: int = Field(alias='A')\n    b: int = Field(serialization_alias='B')\n    c: Annotated[int, Field(validation_alias='C')]"
        self.assertEqual(list(self.model(text)["properties"]), ["A", "b", "C"])
        self.assertEqual(list(self.returned(text)["properties"]), ["A", "B", "c"])

    def test_camel_case_aliases_are_made(self):
        text = "from pydantic.alias_generators import to_camel\nclass M(BaseModel):\n    model_config = ConfigDict(alias_generator=to_camel)\n    first_name: str"
        self.assertEqual(list(self.model(text)["properties"]), ["firstName"])

    def test_fields_of_base_models_hold(self):
        self.assertEqual(list(self.model("class A(BaseModel):\n    a: int\nclass M(A):\n    b: int")["properties"]), ["a", "b"])

    def test_private_names_and_class_variables_are_no_fields(self):
        self.assertEqual(
            list(
                self.model(
                    "from typing import ClassVar\nclass M(BaseModel):\n    _a: int = 1\n    b: ClassVar[int] = 2\n    c: int\n    def d(self): ..."
                )["properties"]
            ),
            ["c"],
        )

    def test_computed_fields_are_given_back(self):
        text = "class M(BaseModel):\n    a: int\n    @computed_field\n    @property\n    def b(self) -> str: ..."
        self.assertEqual(list(self.model(text)["properties"]), ["a"])
        self.assertEqual(self.returned(text)["required"], ["a", "b"])

    def test_excluded_and_freely_serialized_fields_are_not_promised(self):
        text = "class M(BaseModel):\n    a: int = Field(exclude=True)\n    b: int\n    @field_serializer('b')\n    def show(self, b): ..."
        self.assertEqual(self.returned(text)["properties"], {"b": {}})

    def test_a_root_model_is_its_root(self):
        self.assertEqual(
            self.model("class M(RootModel[list[int]]): ..."), {"title": "M", "type": "array", "items": {"type": "integer"}}
        )
        self.assertEqual(
            self.model("class M(RootModel):\n    root: dict[str, int]"),
            {"title": "M", "type": "object", "additionalProperties": {"type": "integer"}},
        )

    def test_pydantics_own_types_are_known(self):
        text = "class M(BaseModel):\n    a: EmailStr\n    b: HttpUrl\n    c: PositiveInt\n    d: conint(ge=2)\n    e: constr(min_length=1)\n    f: conlist(int, min_length=1)"
        properties = self.model(text)["properties"]
        self.assertEqual(properties["a"], {"type": "string", "format": "email"})
        self.assertEqual(properties["b"], {"type": "string", "format": "uri"})
        self.assertEqual(properties["c"], {"type": "integer", "exclusiveMinimum": 0})
        self.assertEqual(properties["d"], {"type": "integer", "minimum": 2})
        self.assertEqual(properties["e"], {"type": "string", "minLength": 1})
        self.assertEqual(properties["f"], {"type": "array", "items": {"type": "integer"}, "minItems": 1})

    def test_a_generic_model_takes_arguments(self):
        model = self.model("T = TypeVar('T')\nclass M(BaseModel, Generic[T]):\n    item: T", "M[int]")
        self.assertEqual(model["properties"]["item"], {"type": "integer"})

    def test_a_recursive_model_refers_to_itself(self):
        model = self.model("class M(BaseModel):\n    children: 'list[M]' = []")
        self.assertEqual(model["properties"]["children"], {"type": "array", "items": {"$ref": "#/$defs/M"}, "default": []})

    def test_models_under_other_names_are_known(self):
        self.assertIn("a", self.model("class M(pydantic.BaseModel):\n    a: int")["properties"])
        self.assertIn("a", self.model("from pydantic import BaseModel as B\nclass M(B):\n    a: int")["properties"])

    def test_bytes_of_a_model_are_plain_text(self):
        self.assertEqual(self.model("class M(BaseModel):\n    a: bytes")["properties"]["a"], {"type": "string"})


class TheSchemaOfAnnotatedMetadata(ScriptCase):
    def taken(self, annotation, before=""):
        return super().taken(
            annotation,
            f"from typing import Annotated\nfrom typing_extensions import Doc\nfrom pydantic import Field, StringConstraints\nimport annotated_types\nfrom annotated_types import *\nfrom annotated_types import Ge, Gt, Le, Len, Lt, MaxLen, MinLen, MultipleOf, Interval, Predicate\n{before}",
        )

    def test_bounds_are_in_the_schema(self):
        for metadata, bounds in {
            "Ge(1)": {"minimum": 1},
            "Gt(1), Lt(3)": {"exclusiveMinimum": 1, "exclusiveMaximum": 3},
            "annotated_types.Le(-1)": {"maximum": -1},
            "Interval(ge=0, lt=1)": {"minimum": 0, "exclusiveMaximum": 1},
            "MultipleOf(2)": {"multipleOf": 2},
            "Field(ge=1, le=2)": {"minimum": 1, "maximum": 2},
            "Predicate(str.islower)": {},
        }.items():
            with self.subTest(metadata):
                self.assertEqual(self.taken(f"Annotated[int, {metadata}]"), {"type": "integer", **bounds})

    def test_lengths_depend_on_the_type(self):
        self.assertEqual(self.taken("Annotated[str, Len(1, 2)]"), {"type": "string", "minLength": 1, "maxLength": 2})
        self.assertEqual(
            self.taken("Annotated[list[int], MinLen(1)]"), {"type": "array", "items": {"type": "integer"}, "minItems": 1}
        )
        self.assertEqual(self.taken("Annotated[dict, MaxLen(1)]"), {"type": "object", "maxProperties": 1})

    def test_text_and_doc_describe(self):
        for metadata in ("'How many.'", "Doc('How many.')", "Field(description='How many.')"):
            with self.subTest(metadata):
                self.assertEqual(self.taken(f"Annotated[int, {metadata}]"), {"type": "integer", "description": "How many."})

    def test_bounds_may_be_constants_and_aliases(self):
        self.assertEqual(
            self.taken("Small", "LIMIT = 5\nSmall = Annotated[int, Field(le=LIMIT)]"), {"type": "integer", "maximum": 5}
        )

    def test_a_pattern_that_javascript_has_no_words_for_is_described(self):
        self.assertEqual(self.taken(r"Annotated[str, Field(pattern=r'(?P<a>x)\Z')]"), {"type": "string", "pattern": "(?<a>x)$"})
        self.assertEqual(
            self.taken(r"Annotated[str, Field(pattern=r'(?i)x')]"),
            {"type": "string", "description": "Matches the Python pattern (?i)x"},
        )
        self.assertEqual(self.taken(r"Annotated[str, Field(pattern=r'a\-b\_c\@')]"), {"type": "string", "pattern": "a-b_c@"})

    def test_metadata_that_only_running_tells_is_left(self):
        self.assertEqual(self.taken("Annotated[int, Field(ge=limit()), object(), x.y]"), {"type": "integer"})

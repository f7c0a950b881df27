import datetime
import typing
import unittest

from mcp_execution._values import BadResult, InvalidArguments, bind, from_json, to_json

try:
    import pydantic
except ImportError:
    pydantic = None

IS_CURRENT = pydantic is not None and hasattr(pydantic, "TypeAdapter")

if IS_CURRENT:
    import pydantic.dataclasses
    from pydantic import v1

    class Item(pydantic.BaseModel):
        name: str
        price: float = 1.0
        parts: "list[Item]" = []

    class Strict(pydantic.BaseModel):
        model_config = {"strict": True}
        day: datetime.date

    class Renamed(pydantic.BaseModel):
        kind: str = pydantic.Field(alias="type")

    class Numbers(pydantic.RootModel):
        root: typing.List[int]

    class Raw(pydantic.BaseModel):
        data: bytes

    class Cat(pydantic.BaseModel):
        name: str = ""
        lives: int = 9

    class Dog(pydantic.BaseModel):
        name: str = ""
        tricks: typing.List[str] = []

    @pydantic.dataclasses.dataclass
    class Pair:
        left: int
        day: datetime.date

    class Old(v1.BaseModel):
        name: str
        day: datetime.date


@unittest.skipUnless(IS_CURRENT, "pydantic 2 is not installed for this Python")
class Models(unittest.TestCase):
    def refusal(self, annotation, value):
        with self.assertRaises(InvalidArguments) as caught:
            from_json(annotation, value)
        return caught.exception

    def test_a_model_is_validated_by_itself(self):
        item = from_json(Item, {"name": "a", "price": "2", "parts": [{"name": "b"}]})
        self.assertEqual(item, Item(name="a", price=2.0, parts=[Item(name="b")]))
        self.assertEqual(from_json(typing.Optional[Item], '{"name": "a"}'), Item(name="a"))

    def test_its_mistakes_are_named_with_their_path(self):
        error = self.refusal(typing.List[Item], [{"name": "a", "parts": [{"name": 5, "price": "x"}]}])
        self.assertEqual(error.argument, "value[0].parts[0].name")
        self.assertIn("got the number 5 (also parts.0.price", error.message)
        self.assertIn("expected an object (Item), got the string 'x'", self.refusal(Item, "x").message)

    def test_a_strict_model_takes_what_json_can_say(self):
        self.assertEqual(from_json(Strict, {"day": "2024-05-17"}).day, datetime.date(2024, 5, 17))

    def test_a_model_returns_as_json_under_the_names_it_is_given_by(self):
        self.assertEqual(to_json([Item(name="a", price=float("nan"))]), [{"name": "a", "price": "NaN", "parts": []}])
        self.assertEqual(to_json(Strict(day=datetime.date(2024, 5, 17))), {"day": "2024-05-17"})
        renamed = Renamed(type="x")
        self.assertEqual(from_json(Renamed, to_json(renamed)), renamed)

    def test_a_root_model_is_its_content(self):
        self.assertEqual(from_json(Numbers, ["1", 2]).root, [1, 2])
        self.assertEqual(to_json(Numbers([1, 2**60])), [1, str(2**60)])

    def test_what_the_model_cannot_write_is_a_bad_result(self):
        with self.assertRaises(BadResult) as caught:
            to_json({"a": Raw(data=b"\xff")})
        self.assertEqual(caught.exception.path, "$.a")

    def test_among_models_the_one_that_fits_best_is_chosen(self):
        self.assertIsInstance(from_json(typing.Union[Cat, Dog], {"name": "a", "tricks": ["sit"]}), Dog)
        self.assertIsInstance(from_json(typing.Union[Cat, Dog, str], {"lives": 7}), Cat)
        self.assertEqual(from_json(typing.Union[Cat, Dog, str], "x"), "x")

    def test_a_pydantic_dataclass_goes_both_ways(self):
        pair = from_json(Pair, {"left": "1", "day": "2024-05-17"})
        self.assertEqual(pair, Pair(1, datetime.date(2024, 5, 17)))
        self.assertEqual(to_json(pair), {"left": 1, "day": "2024-05-17"})
        self.assertEqual(self.refusal(Pair, {"left": "x", "day": "2024-05-17"}).argument, "value.left")

    def test_a_model_of_the_first_version_goes_both_ways(self):
        old = from_json(Old, {"name": "a", "day": "2024-05-17"})
        self.assertEqual(to_json(old), {"name": "a", "day": "2024-05-17"})
        self.assertEqual(self.refusal(Old, {"name": "a"}).argument, "value.day")

    def test_a_function_with_a_model_is_bound(self):
        def price(item: Item):
            return item

        args, kwargs = bind(price).arguments({"item": {"name": "a"}})
        self.assertEqual(price(*args, **kwargs), Item(name="a"))


if __name__ == "__main__":
    unittest.main()

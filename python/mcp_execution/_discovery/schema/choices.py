"""A few values as a schema."""


def choice_schema(values):
    return one_of(values) if len(values) != 1 else {**_type_of_all(values), "const": values[0]}


def one_of(values):
    """With the type of the values where they have one in common, because many clients look for it alone."""
    return {**_type_of_all(values), "enum": values}


def json_type(value):
    if isinstance(value, bool):
        return "boolean"
    return {str: "string", int: "integer", float: "number", list: "array", dict: "object"}.get(type(value), "null")


def _type_of_all(values):
    kinds = {json_type(value) for value in values}
    return {"type": kinds.pop()} if len(kinds) == 1 else {}

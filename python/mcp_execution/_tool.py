"""`@tool`: what an author wants to say of a function beyond what its source says by itself."""

_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "title")


def tool(
    function=None,
    *,
    name=None,
    title=None,
    description=None,
    annotations=None,
    read_only=None,
    destructive=None,
    idempotent=None,
    open_world=None,
    hidden=(),
    input_schema=None,
    output_schema=None,
    enabled=True,
):
    """Offer a function as a tool: `@tool` alone, or `@tool(title="Word count", read_only=True, hidden=["cache"])`.

    The function itself stays as it is. The keywords are read from the source, so write them as literals.
    """
    _check_texts(name=name, title=title, description=description)
    _check_flags(read_only=read_only, destructive=destructive, idempotent=idempotent, open_world=open_world)
    _check_objects(annotations=annotations, input_schema=input_schema, output_schema=output_schema)
    if type(enabled) is not bool:
        raise TypeError(f"tool(enabled=…) takes True or False, not {enabled!r}")
    if isinstance(hidden, str) or not all(isinstance(parameter, str) for parameter in _iterated(hidden)):
        raise TypeError(f'tool(hidden=…) takes a list of names of parameters such as ["cache"], not {hidden!r}')
    for hint in annotations or ():
        if hint not in _HINTS:
            raise TypeError(f"tool(annotations=…) takes {', '.join(_HINTS)}, not {hint!r}")
    if input_schema is not None and input_schema.get("type") != "object":
        raise TypeError('tool(input_schema=…) takes the schema of an object: {"type": "object", "properties": {…}}')
    if function is None:
        return _unchanged
    return _unchanged(function)


def _unchanged(function):
    if not callable(function):
        raise TypeError(f"@tool marks a function, not {function!r}; its words are given by keywords, as in @tool(name=…)")
    return function


def _iterated(hidden):
    try:
        return list(hidden)
    except TypeError:
        return [None]


def _check_texts(**words):
    for word, value in words.items():
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise TypeError(f"tool({word}=…) takes a text, not {value!r}")


def _check_flags(**words):
    for word, value in words.items():
        if value is not None and type(value) is not bool:
            raise TypeError(f"tool({word}=…) takes True or False, not {value!r}")


def _check_objects(**words):
    for word, value in words.items():
        if value is not None and not isinstance(value, dict):
            raise TypeError(f"tool({word}=…) takes a dict, not {value!r}")

"""A call of add_argument as a parameter."""

import re

from ...naming import parameter_name
from ...schema.choices import one_of
from ..parameters import Parameter
from ..reader.enums import members_of
from ..reader.literals import as_items
from ..reader.values import UNKNOWN, Call, Class, Imported, Member, is_json
from ..types import converter_schema

_SUPPRESSED = "==SUPPRESS=="
_REMAINDER = "..."
_MOST_TIMES = 100
_MOST_CHOICES = 200


def parameter_of(argument, reader):
    """None for what a caller cannot or should not give."""
    help_text = _constant(argument.known("help"))
    if help_text == _SUPPRESSED:
        return None
    action = _action(argument)
    parameter = _MAKERS.get(action, _stored)(argument, reader, action)
    if parameter is None:
        return None
    parameter.line = argument.line
    parameter.describe(expand_help(help_text, argument))
    if action not in _MAKERS and not isinstance(action, str):
        parameter.notes.append(f"Argument {parameter.name}: its action is one of the script's own, so what it takes is a guess.")
    if action in ("store", "append", "extend") or action not in _MAKERS:
        parameter.set_default(_default(argument))
    return parameter


def _action(argument):
    action = argument.known("action", "store")
    if isinstance(action, Imported):
        return {"argparse.BooleanOptionalAction": "boolean", "builtins.BooleanOptionalAction": "boolean"}.get(action.path, action)
    return action


def _stored(argument, reader, action):
    schema, note = _value_schema(argument, reader)
    nargs = _nargs(argument)
    required = argument.known("required") is True
    if not argument.flags:
        parameter = _positional(argument, schema, nargs)
    elif nargs == "?":
        name = parameter_name(argument.dest)
        parameter = Parameter(name, "option", _or_boolean(schema), flag=argument.flag, bare=True, required=required)
    elif nargs == _REMAINDER:
        # It would swallow whatever stands after it.
        return None
    elif schema == {"type": "boolean"} and nargs is None:
        # bool() is false for empty text alone.
        parameter = Parameter(parameter_name(argument.dest), "flag", schema, flag=f"{argument.flag}=True", off=f"{argument.flag}=")
        parameter.required = required
        if len(argument.flag) == 2:
            parameter.flag, parameter.off = f"{argument.flag}True", None
    else:
        kind = "append" if action == "append" else "option"
        one = schema if nargs is None else _array(schema, nargs)
        if action == "append":
            one = {"type": "array", "items": one}
        elif action == "extend" and nargs is None:
            kind, one = "append", {"type": "array", "items": schema}
        parameter = Parameter(parameter_name(argument.dest), kind, one, flag=argument.flag, required=required)
        parameter.grouped = action == "append" and nargs is not None
    if note:
        parameter.notes.append(f"Argument {parameter.name}: {note}.")
    return parameter


def _positional(argument, schema, nargs):
    name = parameter_name(argument.dest)
    if schema == {"type": "boolean"}:
        schema = {"type": "string"}
    if nargs == _REMAINDER:
        return Parameter(name, "args", {"type": "array", "items": schema})
    if nargs is None:
        # argparse takes a default of a positional argument only where nargs lets it be left out.
        return Parameter(name, "positional", schema, required=True)
    if nargs == "?":
        return Parameter(name, "positional", schema)
    parameter = Parameter(name, "positional", _array(schema, nargs), required=nargs != "*")
    parameter.is_spread = nargs in ("*", "+")
    return parameter


def _flag(argument, reader, action):
    """store_true, and what else stores something when the flag is there."""
    stores_nothing_of_its_own = action in ("store_const", "append_const") or (action == "store_false" and not _has_own_dest(argument))
    name = parameter_name(argument.flag or argument.dest) if stores_nothing_of_its_own else parameter_name(argument.dest)
    if not argument.flags:
        return None
    if action == "store_false" and _has_own_dest(argument):
        parameter = Parameter(name, "flag", {"type": "boolean"}, off=argument.flag)
        parameter.schema["default"] = argument.known("default", True) is not False
    else:
        parameter = Parameter(name, "flag", {"type": "boolean"}, flag=argument.flag)
        if not (action == "store_true" and argument.known("default") is True):
            parameter.schema["default"] = False
    parameter.required = argument.known("required") is True
    return parameter


def _has_own_dest(argument):
    return isinstance(argument.known("dest"), str) and argument.dest != parameter_name(argument.flag or "")


def _boolean(argument, reader, action):
    flag = next((flag for flag in argument.flags if flag.startswith("--")), argument.flag)
    off = f"--no-{flag[2:]}" if flag and flag.startswith("--") else None
    parameter = Parameter(parameter_name(argument.dest), "flag", {"type": "boolean"}, flag=flag, off=off, required=argument.known("required") is True)
    parameter.set_default(_default(argument))
    return parameter


def _count(argument, reader, action):
    if not argument.flags:
        return None
    schema = {"type": "integer", "minimum": 0, "maximum": _MOST_TIMES}
    parameter = Parameter(parameter_name(argument.dest), "count", schema, flag=argument.flag, required=argument.known("required") is True)
    if parameter.required:
        schema["minimum"] = 1
    return parameter


def _left_out(argument, reader, action):
    return None


_MAKERS = {
    "store": _stored,
    "append": _stored,
    "extend": _stored,
    "store_true": _flag,
    "store_false": _flag,
    "store_const": _flag,
    "append_const": _flag,
    "boolean": _boolean,
    "count": _count,
    "help": _left_out,
    "version": _left_out,
}


def _nargs(argument):
    nargs = _constant(argument.known("nargs"))
    if nargs == "A...":
        return _REMAINDER
    is_number = type(nargs) is int and nargs > 0
    return nargs if is_number or nargs in ("?", "*", "+", _REMAINDER) else None


def _constant(value):
    if isinstance(value, Imported):
        return {
            "argparse.SUPPRESS": _SUPPRESSED,
            "argparse.REMAINDER": _REMAINDER,
            "argparse.OPTIONAL": "?",
            "argparse.ZERO_OR_MORE": "*",
            "argparse.ONE_OR_MORE": "+",
        }.get(value.path)
    return value


def _array(schema, nargs):
    array = {"type": "array", "items": schema}
    if nargs == "+":
        array["minItems"] = 1
    elif type(nargs) is int:
        array["minItems"] = array["maxItems"] = nargs
    return array


def _or_boolean(schema):
    if "enum" in schema:
        return {"anyOf": [schema, {"type": "boolean"}]}
    kinds = schema.get("type", "string")
    if kinds == "boolean":
        return schema
    return {**schema, "type": [*([kinds] if isinstance(kinds, str) else kinds), "boolean"]}


def _value_schema(argument, reader):
    converter = argument.known("type")
    schema, note = converter_schema(converter, reader)
    if argument.is_unknown("type"):
        note = "its type= is not known, so any text is taken"
    choices = argument.keywords.get("choices")
    if choices is None:
        return schema, note
    return _chosen(choices, schema, note, reader)


def _chosen(choices, schema, note, reader):
    if isinstance(choices, range) and schema.get("type") == "integer" and choices.step == 1 and len(choices):
        return {"type": "integer", "minimum": choices[0], "maximum": choices[-1]}, None
    items = members_of(reader, choices) if isinstance(choices, Class) else as_items(choices)
    if items is UNKNOWN or items is None or not items or len(items) > _MOST_CHOICES:
        return schema, note or "its choices are not known, so any value is taken"
    values = [item.value if isinstance(item, Member) else item for item in items]
    kinds = {"integer": (int,), "number": (int, float)}.get(schema.get("type"), (str,))
    if not all(isinstance(value, kinds) and is_json(value) for value in values):
        return schema, note or "its choices are not known, so any value is taken"
    return one_of(list(dict.fromkeys(values))), None


def _default(argument):
    default = argument.keywords.get("default", argument.parser.argument_default)
    if argument.dest in argument.parser.defaults:
        default = argument.parser.defaults[argument.dest]
    if isinstance(default, Member):
        return default.value
    if default == _SUPPRESSED or isinstance(default, (Imported, Call)) or default is UNKNOWN:
        return None
    nargs = _nargs(argument)
    if isinstance(default, str) and _is_integer(argument) and re.fullmatch(r"[+-]?\d{1,15}", default):
        return int(default)
    if type(default) is int and nargs is None and _type_name(argument) == "builtins.str":
        return str(default)
    return default


def _is_integer(argument):
    return _type_name(argument) == "builtins.int"


def _type_name(argument):
    return getattr(argument.known("type"), "path", None)


def expand_help(text, argument):
    """What argparse would print, with what cannot be known left out."""
    if not isinstance(text, str):
        return None
    default = _default(argument)
    known = {
        "default": default,
        "dest": argument.dest,
        "prog": argument.parser.prog,
        "metavar": argument.known("metavar"),
        "const": argument.known("const"),
    }
    choices = as_items(argument.known("choices"))
    if choices is not UNKNOWN and all(isinstance(choice, (str, int, float)) for choice in choices):
        known["choices"] = ", ".join(str(choice) for choice in choices)
    known["type"] = (_type_name(argument) or "").split(".")[-1] or None

    def said(match):
        value = known.get(match.group(1))
        return str(value) if isinstance(value, (str, int, float, list, tuple)) and is_json(value) else "\0"

    expanded = re.sub(r"%\((\w+)\)[-#0 +]*\d*(?:\.\d+)?[a-zA-Z]", said, text).replace("%%", "%")
    # A bracket with something unknown in it goes as a whole.
    expanded = re.sub(r"\s*[(\[][^()\[\]\0]*\0[^()\[\]]*[)\]]", "", expanded)
    expanded = re.sub(r"[\s,;]*\b[Dd]efaults?\b[^.,;\0]*\0", "", expanded)
    return expanded.replace("\0", "").strip()

"""click's options and arguments as parameters."""

from ...naming import parameter_name
from ..parameters import Parameter
from ..reader.values import UNKNOWN, Call, Imported, Member, is_json
from ..types import reads_standard_input
from .types import type_of

_MOST_TIMES = 100


def parameter_of(call, reader):
    """None for what a caller cannot or should not give."""
    kind = call.path.split(".")[-1]
    keywords = call.keywords
    names = [name for name in call.args if isinstance(name, str)]
    if kind == "argument":
        return _argument(names, keywords, reader) if names else None
    if kind in ("version_option", "help_option") or keywords.get("hidden") is True:
        return None
    if kind == "confirmation_option":
        names, keywords = names or ["--yes"], {"is_flag": True, "required": True, "help": "Confirms the action without asking.", **keywords}
    if kind == "password_option":
        names, keywords = names or ["--password"], {"prompt": True, **keywords}
    return _option(names, keywords, reader) if names else None


def _option(names, keywords, reader):
    on, off, own = _flags(names)
    if not on and not off:
        return None
    flag = _preferred(on)
    name = own or _from_flag(on or off)
    default = _default(keywords)
    is_required = keywords.get("required") is True or _asks(keywords)
    if keywords.get("count") is True:
        parameter = Parameter(name, "count", {"type": "integer", "minimum": 0, "maximum": _MOST_TIMES}, flag=flag)
    elif off or keywords.get("is_flag") is True or "flag_value" in keywords:
        parameter = _flag(name, flag, _preferred(off), keywords, default, is_required)
    else:
        parameter = _valued(name, flag, keywords, default, reader)
        parameter.set_default(default)
    parameter.required = is_required and parameter.kind != "count"
    parameter.describe(_help(keywords))
    _finish(parameter, keywords)
    return parameter


def _flag(name, flag, off, keywords, default, is_required):
    value = keywords.get("flag_value")
    if value is not None and not isinstance(value, bool):
        # Several flags may store into one name, so each goes by its own.
        return Parameter(_from_flag([flag]), "flag", {"type": "boolean"}, flag=flag)
    parameter = Parameter(name, "flag", {"type": "boolean"}, flag=flag, off=off)
    if not is_required and not ("default" in keywords and default is None):
        parameter.set_default(bool(default) if default is None or isinstance(default, bool) else None)
    return parameter


def _valued(name, flag, keywords, default, reader):
    taken = type_of(keywords.get("type"), default, reader)
    nargs = keywords.get("nargs", taken.width or 1)
    several = taken.width is not None or (type(nargs) is int and nargs > 1)
    schema = taken.schema
    if several and taken.width is None:
        schema = {"type": "array", "items": schema, "minItems": nargs, "maxItems": nargs}
    is_multiple = keywords.get("multiple") is True
    if is_multiple:
        schema = {"type": "array", "items": schema}
    parameter = Parameter(name, "append" if is_multiple else "option", schema, flag=flag)
    parameter.grouped = is_multiple and several
    _remark(parameter, taken)
    return parameter


def _argument(names, keywords, reader):
    name = parameter_name(names[0]).lower()
    default = _default(keywords)
    taken = type_of(keywords.get("type"), default, reader)
    nargs = keywords.get("nargs", taken.width or 1)
    is_spread = type(nargs) is int and nargs < 0
    required = keywords.get("required")
    is_required = required is True or (required is None and "default" not in keywords and not is_spread)
    schema = taken.schema
    if is_spread:
        schema = {"type": "array", "items": schema, **({"minItems": 1} if is_required else {})}
    elif type(nargs) is int and nargs > 1 and taken.width is None:
        schema = {"type": "array", "items": schema, "minItems": nargs, "maxItems": nargs}
    parameter = Parameter(name, "positional", schema, required=is_required)
    parameter.is_spread = is_spread
    parameter.set_default(default)
    parameter.describe(_help(keywords))
    _remark(parameter, taken)
    _finish(parameter, keywords)
    return parameter


def order_positionals(parameters):
    """click gives words to those before the spread one from the left, to those after it from the right, and the rest to it."""
    positionals = [parameter for parameter in parameters if parameter.kind == "positional"]
    spread = next((index for index, parameter in enumerate(positionals) if parameter.is_spread), len(positionals))
    filled = [*positionals[:spread], *reversed(positionals[spread + 1 :]), *positionals[spread : spread + 1]]
    optional = []
    for parameter in filled:
        parameter.needs = list(optional)
        if not parameter.required and not parameter.is_spread:
            optional.append(parameter.name)
    return parameters


def _remark(parameter, taken):
    parameter.sentence = taken.sentence
    if taken.note:
        parameter.notes.append(f"Argument {parameter.name}: {taken.note}.")


def _finish(parameter, keywords):
    if getattr(parameter, "sentence", None):
        parameter.add_sentence(parameter.sentence)
    variable = keywords.get("envvar")
    if isinstance(variable, str) and not parameter.required:
        parameter.add_sentence(f"Where it is not given, the environment variable {variable} is read.")
    parameter.reads_stdin = reads_standard_input(keywords.get("type"))


def _flags(names):
    """The flags that say yes, those that say no, and the name that is said for the parameter."""
    on, off, own = [], [], None
    for name in names:
        if name.isidentifier():
            own = name
            continue
        split = ";" if name[:1] == "/" else "/"
        first, separator, second = name.partition(split)
        if first.strip():
            on.append(first.strip())
        if separator and second.strip():
            off.append(second.strip())
    return on, off, own


def _preferred(flags):
    return next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else None)


def _from_flag(flags):
    return parameter_name(_preferred(flags)).lower()


def _default(keywords):
    default = keywords.get("default")
    if isinstance(default, Member):
        return default.value
    return default if default is not UNKNOWN and not isinstance(default, (Call, Imported)) and is_json(default) else None


def _asks(keywords):
    prompt = keywords.get("prompt")
    return bool(prompt is True or isinstance(prompt, str)) and keywords.get("prompt_required") is not False


def _help(keywords):
    text = keywords.get("help")
    return text if isinstance(text, str) else None

"""The parameters of a typer function, said in click's words."""

from ..click_lines.parameters import order_positionals, parameter_of
from ..reader.literals import as_items
from ..reader.values import UNKNOWN, Call, Function, Imported, Member
from ..types import converter_schema
from .annotations import read_annotation


def parameters_of(node, reader):
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    pairs = [*zip(positional, defaults), *zip(arguments.kwonlyargs, arguments.kw_defaults)]
    found = [_parameter(argument, default, reader) for argument, default in pairs]
    return order_positionals([parameter for parameter in found if parameter is not None])


def _parameter(argument, default_node, reader):
    annotated = read_annotation(argument.annotation, reader)
    if annotated.is_context:
        return None
    info, names, default, has_default = annotated.info, [], None, default_node is not None
    if has_default:
        default = reader.value(default_node, reader.module)
    if info is not None:
        names = list(info.args)
    elif isinstance(default, Call) and default.path in ("typer.Option", "typer.Argument"):
        info, names = default, list(default.args[1:])
        has_default = bool(default.args) or "default" in default.keywords
        default = default.args[0] if default.args else default.keywords.get("default")
    keywords = dict(info.keywords) if info is not None else {}
    if default is ... or isinstance(default, Imported) and default.path == "builtins.Ellipsis":
        has_default, default = False, None
    has_default = has_default or "default_factory" in keywords
    is_option = info.path == "typer.Option" if info is not None else has_default
    names = [name for name in names if isinstance(name, str)]
    call = (
        _as_option(argument.arg, names, keywords, annotated, default, has_default)
        if is_option
        else _as_argument(argument.arg, keywords, annotated, default, has_default)
    )
    call.line = argument.lineno
    return parameter_of(call, reader)


def _as_option(name, names, keywords, annotated, default, has_default):
    flag = f"--{name.replace('_', '-')}"
    words = {"default": _plain(default), "required": not has_default, **_kept(keywords)}
    if default is None:
        del words["default"]
    if keywords.get("count") is True:
        words["count"] = True
    elif annotated.is_boolean and not annotated.is_list:
        words["is_flag"] = True
        names = names or [f"{flag}/--no-{flag[2:]}"]
        if default is None and has_default:
            words["default"] = None
    else:
        words["type"] = _type(annotated, keywords)
        if annotated.is_list:
            words["multiple"] = True
    return Call("click.option", [*(names or [flag]), name], words, 0)


def _as_argument(name, keywords, annotated, default, has_default):
    words = {"default": _plain(default), "type": _type(annotated, keywords), "required": not has_default, **_kept(keywords)}
    if annotated.is_list:
        words["nargs"] = -1
    return Call("click.argument", [name], words, 0)


def _kept(keywords):
    return {key: value for key, value in keywords.items() if key in ("help", "hidden", "envvar", "prompt", "prompt_required")}


def _plain(default):
    if isinstance(default, (list, tuple, set)):
        items = as_items(default)
        return [_plain(item) for item in items] if items is not UNKNOWN else None
    return default.value if isinstance(default, Member) else default


def _type(annotated, keywords):
    if "click_type" in keywords:
        return keywords["click_type"]
    if "parser" in keywords:
        return keywords["parser"]
    given = annotated.type
    bounds = {key: keywords[key] for key in ("min", "max", "clamp") if key in keywords}
    if bounds and isinstance(given, Imported) and given.path in ("builtins.int", "builtins.float"):
        return Call("click.IntRange" if given.path == "builtins.int" else "click.FloatRange", [], bounds, 0)
    formats = keywords.get("formats")
    if formats is not None and isinstance(given, Call) and given.path == "click.DateTime":
        return Call(given.path, [formats], {}, 0)
    if given is None or given is UNKNOWN or isinstance(given, (tuple, Call, Function)):
        return given
    schema, note = converter_schema(given, None) if isinstance(given, Imported) else ({}, None)
    return given if note is None else UNKNOWN

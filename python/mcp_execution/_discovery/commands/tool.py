"""A command line as a tool of the manifest."""

from ..docstrings.written import clean
from ..naming import keep_apart
from .parameters import stdin_parameter, words_parameter

_MOST_EXCLUDING = 6


class Level:
    """The parameters of one parser or command; a subcommand's stand on a level of their own."""

    def __init__(self, parameters, exclusions=(), problems=()):
        self.parameters = parameters
        self.exclusions = exclusions
        self.problems = problems
        self.extra = None


class Line:
    """Levels are outermost first; between each and the next stands one word, the name of the subcommand."""

    def __init__(self, *, name, description, why, levels, stem, words=(), takes_stdin=False, line=None, inner_wins=True):
        self.name = name
        self.description = description
        self.why = why
        self.levels = levels
        self.stem = stem
        self.words = list(words)
        self.takes_stdin = takes_stdin
        self.line = line
        #: An outer parameter whose name an inner one has too has no effect.
        self.inner_wins = inner_wins


def why_with(library, words):
    """Why the line is a tool, for those that a library reads."""
    way = f"The script reads its command line with {library}"
    return f"{way}; this is its subcommand {' '.join(words)}." if words else f"{way}."


def build_tool(line, taken, enabled=True):
    levels = line.levels
    degraded = list(dict.fromkeys(problem for level in levels for problem in level.problems))
    inner = levels[-1].parameters
    if line.inner_wins:
        names = {parameter.name for parameter in inner}
        for level in levels[:-1]:
            level.parameters = [parameter for parameter in level.parameters if parameter.name not in names]
    if degraded or levels[-1].extra:
        extra = levels[-1].extra or "Further words of the command line, as they are."
        if not any(parameter.kind == "args" for parameter in inner):
            inner.append(words_parameter("args", extra))
    if line.takes_stdin:
        inner.append(stdin_parameter())
    _name_apart(levels)
    tool = {
        "name": keep_apart(line.name, taken),
        "description": describe(line.description, line.stem),
        "inputSchema": _input_schema(levels),
        "run": {"kind": "command", "command": _command(levels, line.words)},
        "enabled": enabled,
        "why": line.why,
    }
    remarks = [_as_sentence(problem) for problem in degraded] + [
        note for level in levels for parameter in level.parameters for note in parameter.notes
    ]
    if remarks:
        tool["degraded"] = remarks
    if line.line:
        tool["line"] = line.line
    return tool


def describe(text, stem):
    if isinstance(text, str) and text.strip():
        return clean(text).replace("%(prog)s", stem).replace("%%", "%")
    return f"Runs the script {stem}.py."


def _as_sentence(problem):
    return f"{problem}; give what it takes in args, as the words of the command line."


def _name_apart(levels):
    taken = set()
    for level in reversed(levels):
        renamed = {}
        for parameter in level.parameters:
            before = parameter.name
            parameter.name = keep_apart(before, taken)
            renamed[before] = parameter.name
        for parameter in level.parameters:
            parameter.needs = [renamed.get(name, name) for name in parameter.needs]


def _command(levels, words):
    before = []
    for depth, level in enumerate(levels[:-1]):
        for parameter in sorted(level.parameters, key=lambda parameter: parameter.order):
            written = parameter.written()
            if depth:
                written["wordsBefore"] = depth
            before.append(written)
    parameters = sorted(levels[-1].parameters, key=lambda parameter: parameter.order)
    return {"words": words, "before": before, "parameters": [parameter.written() for parameter in parameters]}


def _input_schema(levels):
    parameters = [parameter for level in reversed(levels) for parameter in level.parameters]
    required = {parameter.name for parameter in parameters if parameter.required}
    dependent = {}
    for parameter in parameters:
        if parameter.needs and parameter.name in required:
            required.update(parameter.needs)
        elif parameter.needs:
            dependent[parameter.name] = parameter.needs
    for parameter in parameters:
        if parameter.name in dependent:
            parameter.add_sentence(f"Only together with {_listed(parameter.needs, 'and')}, because the command line tells them apart by position.")
        if parameter.bare:
            parameter.add_sentence(f"true gives {parameter.flag} without a value.")
    refused = [rule for level in levels for rule in _refused(level)]
    schema = {"type": "object", "properties": {parameter.name: parameter.schema for parameter in parameters}}
    if required:
        schema["required"] = [parameter.name for parameter in parameters if parameter.name in required]
    schema["additionalProperties"] = False
    if dependent:
        schema["dependentRequired"] = dependent
    if refused:
        # Not anyOf or allOf, which some model providers refuse at the root of a schema.
        said = " or ".join(text for text, _ in refused)
        schema["not"] = {"description": f"{said[0].upper()}{said[1:]}.", "anyOf": [rule for _, rules in refused for rule in rules]}
    return schema


def _refused(level):
    """What exclusive groups do not allow: in words, and as schemas."""
    for members, is_required in level.exclusions:
        group = [parameter for parameter in level.parameters if getattr(parameter, "argument", None) in members]
        if len(group) < 2:
            if group and is_required:
                group[0].add_sentence("It must be given.")
                yield f"without {group[0].name}", [{"not": _given(group)}]
            continue
        names = [parameter.name for parameter in group]
        for parameter in group:
            others = [name for name in names if name != parameter.name]
            parameter.add_sentence(f"Not together with {_listed(others, 'or')}." + (" One of them must be given." if is_required else ""))
        rules = []
        if len(group) <= _MOST_EXCLUDING:
            rules += [_given([one, other]) for index, one in enumerate(group) for other in group[index + 1 :]]
        if is_required:
            rules.append({"not": {"anyOf": [_given([parameter]) for parameter in group]}})
        if rules:
            yield f"more than one of {_listed(names, 'and')}" + (", or none of them" if is_required else ""), rules


def _given(parameters):
    """The schema of arguments in which all of these are given; a flag that is not written is not given."""
    given = {"required": [parameter.name for parameter in parameters]}
    flags = {
        parameter.name: {"const": parameter.off is None}
        for parameter in parameters
        if parameter.kind == "flag" and not (parameter.flag and parameter.off)
    }
    if flags:
        given["properties"] = flags
    return given


def _listed(names, word):
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"

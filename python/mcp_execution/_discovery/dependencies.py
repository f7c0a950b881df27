"""The packages that a script asks for: PEP 723 metadata in it, or requirements.txt beside it."""

import os
import re
import sys
from _ast import Import, ImportFrom

from .source.source import Problem

_BLOCK = re.compile(r"(?m)^# /// script[ \t]*\r?\n((?:^#(?: .*)?\r?\n)*?)^# ///[ \t]*\r?$")
_OPENING = re.compile(r"(?m)^# /// script[ \t]*\r?$")
_TOP_KEYS = ("requires-python", "dependencies")


def read_dependencies(source):
    """`requiresPython` and `dependencies` of the script, those that it has."""
    inline = _inline(source) if b"# /// script" in source.data else None
    if inline is not None:
        return inline
    packages = _requirements(source)
    return {"dependencies": {"source": "requirements", "packages": packages}} if packages else {}


def _inline(source):
    text = "\n".join(source.lines)
    blocks = _BLOCK.findall(text + "\n")
    if not blocks:
        if _OPENING.search(text):
            raise _problem(source, "begins with `# /// script` but has no `# ///` that ends it")
        return None
    if len(blocks) > 1:
        raise _problem(source, "stands in it more than once")
    toml = "\n".join(line[2:] if line.startswith("# ") else line[1:] for line in blocks[0].splitlines())
    return _checked(source, _parsed(source, toml))


def _parsed(source, toml):
    try:
        import tomllib
    except ImportError:
        return _parsed_by_hand(source, toml)
    try:
        return tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        raise _problem(source, f"is not TOML: {error}") from None


def _checked(source, metadata):
    said = {}
    requires = metadata.get("requires-python")
    packages = metadata.get("dependencies")
    if requires is not None:
        if not isinstance(requires, str) or not requires.strip():
            raise _problem(source, 'has a `requires-python` that is no text such as ">=3.11"')
        said["requiresPython"] = requires.strip()
    if packages is not None:
        if not isinstance(packages, list) or not all(isinstance(package, str) and package.strip() for package in packages):
            raise _problem(source, 'has `dependencies` that are no list of texts such as ["requests>=2"]')
        said["dependencies"] = {"source": "inline", "packages": [package.strip() for package in packages]}
    return said


def _problem(source, what):
    name = os.path.basename(source.path)
    line = source.data[: source.data.find(b"# /// script")].count(b"\n") + 1
    return Problem("INVALID_SCRIPT", f"The metadata block of {name} in line {line} (PEP 723) {what}", line=line)


def _parsed_by_hand(source, toml):
    """The two keys that matter, for Python 3.10, which has no TOML of its own."""
    found = {}
    top = re.split(r"(?m)^\s*\[", toml)[0]
    for key in _TOP_KEYS:
        match = re.search(rf"(?m)^\s*{key}\s*=\s*", top)
        if match:
            found[key] = _value_at(source, top[match.end() :], key)
    for line in top.splitlines():
        bare = line.strip()
        if bare and not bare.startswith("#") and not re.match(r"""^[\w"'\-.]+\s*=|^[\]\["',]""", bare):
            raise _problem(source, f"is not TOML: {bare}")
    return found


def _value_at(source, text, key):
    text_value = re.match(r"""("(?:[^"\\\n]|\\.)*"|'[^'\n]*')""", text)
    if text_value:
        return _unquoted(text_value[1])
    if text.startswith("["):
        items = re.match(r"""\[((?:\s|,|#[^\n]*|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')*)\]""", text)
        if items:
            without_comments = re.sub(r"""("(?:[^"\\\n]|\\.)*"|'[^'\n]*')|#[^\n]*""", lambda match: match[1] or "", items[1])
            return [_unquoted(item) for item in re.findall(r""""(?:[^"\\\n]|\\.)*"|'[^'\n]*'""", without_comments)]
    raise _problem(source, f"is not TOML at `{key}`")


def _unquoted(text):
    inner = text[1:-1]
    return re.sub(r"\\(.)", r"\1", inner) if text[0] == '"' else inner


def _requirements(source):
    folder = os.path.dirname(source.path)
    path = os.path.join(folder, "requirements.txt")
    if not os.path.isfile(path) or not any(_is_foreign(name, folder) for name in _imported(source.tree)):
        return []
    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8-sig", "replace")
    except OSError:
        return []
    packages = []
    for line in text.replace("\\\r\n", " ").replace("\\\n", " ").splitlines():
        line = re.sub(r"(^|\s)#.*$", "", line).strip()
        if line:
            packages.append(line)
    return packages


def _imported(tree):
    """The top names of all imports, those within functions too."""
    names, pending = set(), list(tree.body)
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is Import:
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif kind is ImportFrom:
            if not node.level:
                names.add(node.module.partition(".")[0])
        else:
            for field in ("body", "orelse", "handlers", "finalbody", "cases"):
                inner = getattr(node, field, None)
                pending += inner if isinstance(inner, list) else ()
    return names


def _is_foreign(name, folder):
    if name in sys.stdlib_module_names or name == "mcp_execution":
        return False
    base = os.path.join(folder, name)
    return not (os.path.isfile(base + ".py") or os.path.isdir(base))

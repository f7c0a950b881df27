"""The docstring of a definition or a module, as it is written and without its indentation."""

from _ast import Constant, Expr


def docstring_of(node):
    text = raw_docstring_of(node)
    return None if text is None else clean(text)


def first_paragraph_of(node):
    """What the docstring says first, on one line."""
    text = docstring_of(node)
    return text.strip().split("\n\n")[0].replace("\n", " ").strip() if text else None


def raw_docstring_of(node):
    first = node.body[0] if getattr(node, "body", None) else None
    if isinstance(first, Expr) and isinstance(first.value, Constant) and isinstance(first.value.value, str):
        return first.value.value
    return None


def clean(text):
    """As `inspect.cleandoc`, which would take a heavy import."""
    lines = text.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    return "\n".join([lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])]).strip("\n")

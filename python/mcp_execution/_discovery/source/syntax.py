"""Questions to a syntax tree that several parts ask: what is below a node, what is called, what is imported, what it is called last."""

from _ast import AST, Call, Import


def children_of(node):
    children = []
    for field in node._fields:
        value = getattr(node, field, None)
        if value.__class__ is list:
            children += [item for item in value if isinstance(item, AST)]
        elif isinstance(value, AST):
            children.append(value)
    return children


def calls_of(nodes):
    """Every call in the statements or expressions, in no particular order."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if node.__class__ is Call:
            yield node
        pending += children_of(node)


def calls_in_order(nodes):
    return sorted(calls_of(nodes), key=lambda call: (call.lineno, call.col_offset))


def imports_of(node):
    """The names that an import binds, and what each is in full."""
    if isinstance(node, Import):
        return {
            alias.asname or alias.name.partition(".")[0]: alias.name if alias.asname else alias.name.partition(".")[0]
            for alias in node.names
        }
    module = "." * node.level + (node.module or "")
    return {alias.asname or alias.name: f"{module}.{alias.name}" for alias in node.names}


def last_name(node):
    """`c` of `a.b.c`, or None where it is more than names."""
    return getattr(node, "attr", None) or getattr(node, "id", None)

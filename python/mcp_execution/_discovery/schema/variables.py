"""Type variables: what they stand for, and which ones a generic class or alias has."""

from _ast import Attribute, Call, Constant, Name, Subscript, Tuple

from ..source.syntax import children_of, last_name


def variable_schema(builder, node, scope):
    """`node` is what a variable stands for: a type argument, `TypeVar(...)`, or a type parameter's declaration."""
    if isinstance(node, Call) and _is_type_variable(node):
        constraints = node.args[1:]
        bound = next((keyword.value for keyword in node.keywords if keyword.arg == "bound"), None)
        return builder.union(constraints, scope) if constraints else builder.schema(bound, scope) if bound is not None else {}
    if type(node).__name__ in _DECLARATIONS:
        bound = getattr(node, "bound", None)
        if isinstance(bound, Tuple):
            return builder.union(bound.elts, scope)
        return builder.schema(bound, scope) if bound is not None else {}
    return builder.schema(node, scope)


def parameters_of(meaning, scope):
    """The names of the type variables of a generic class or alias, in the order in which arguments fill them."""
    declaration = meaning.binding.node if meaning.kind == "alias" else meaning.node
    declared = getattr(declaration, "type_params", None)
    if declared:
        return [parameter.name for parameter in declared]
    if meaning.kind == "class":
        return _of_bases(meaning.node.bases, scope)
    return _used_in(meaning.node, scope)


def declared_variables(node, scope):
    """Type parameters of `def f[T: int](…)` as a scope's variables."""
    return {parameter.name: (parameter, scope) for parameter in getattr(node, "type_params", None) or ()}


def _of_bases(bases, scope):
    for base in bases:
        if isinstance(base, Subscript):
            meaning = scope.meaning(base.value)
            if meaning.name in ("typing.Generic", "typing.Protocol"):
                return _used_in(base.slice, scope)
    return list(dict.fromkeys(name for base in bases if isinstance(base, Subscript) for name in _used_in(base.slice, scope)))


def _used_in(node, scope):
    names = {}
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, Name):
            meaning = scope.meaning(node)
            if meaning.kind == "value" and isinstance(meaning.node, Call) and _is_type_variable(meaning.node):
                names[node.id] = True
        elif not isinstance(node, (Constant, Attribute)):
            pending += reversed(children_of(node))
    return list(names)


def _is_type_variable(node):
    return last_name(node.func) in _DECLARATIONS


_DECLARATIONS = ("TypeVar", "ParamSpec", "TypeVarTuple")

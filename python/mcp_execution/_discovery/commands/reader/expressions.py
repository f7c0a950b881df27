"""What an expression is known to be."""

from _ast import (
    AnnAssign,
    Assign,
    Attribute,
    Await,
    BinOp,
    BoolOp,
    Constant,
    Dict,
    DictComp,
    FormattedValue,
    GeneratorExp,
    IfExp,
    JoinedStr,
    Lambda,
    List,
    ListComp,
    Name,
    NamedExpr,
    Set,
    SetComp,
    Slice,
    Starred,
    Subscript,
    Tuple,
    UnaryOp,
    Yield,
    YieldFrom,
)
from _ast import (
    Call as CallNode,
)

from ...docstrings.written import docstring_of
from . import literals
from .enums import member_of, members_of
from .values import ARGUMENT_VECTOR, UNKNOWN, Call, Class, Function, Imported, Instance, Lazy, Marker, Member, Scope, is_special

_MOST_TURNS = 60


class Expressions:
    def value(self, node, scope):
        handler = _EXPRESSIONS.get(type(node))
        return UNKNOWN if handler is None else handler(self, node, scope)

    def _constant(self, node, scope):
        return node.value

    def _name(self, node, scope):
        home, found = scope.find(node.id)
        if home is None:
            return Imported(f"builtins.{node.id}")
        if isinstance(found, Lazy):
            home.names[node.id] = UNKNOWN
            found = home.names[node.id] = self.value(found.node, found.scope)
        return found

    def _attribute(self, node, scope):
        return self.attribute(self.value(node.value, scope), node.attr)

    def attribute(self, owner, name):
        if isinstance(owner, Imported):
            path = f"{owner.path}.{name}"
            return self._imported(path)
        if isinstance(owner, Instance):
            if name in owner.attributes:
                return self._settled(owner.attributes, name)
            if name in owner.of.methods:
                return Function(owner.of.methods[name], owner.of.scope, owner)
            return self._class_attribute(owner.of, name)
        if isinstance(owner, Class):
            if name == "__doc__":
                return docstring_of(owner.node)
            if name in owner.methods:
                return Function(owner.methods[name], owner.scope, owner)
            return self._class_attribute(owner, name)
        if isinstance(owner, Function):
            return docstring_of(owner.node) if name == "__doc__" and hasattr(owner.node, "name") else UNKNOWN
        if name in ("value", "name") and isinstance(owner, Member):
            return getattr(owner, name)
        return self.attribute_of(owner, name)

    def _settled(self, names, name):
        value = names[name]
        if isinstance(value, Lazy):
            value = names[name] = self.value(value.node, value.scope)
        return value

    def _class_attribute(self, of, name):
        member = member_of(self, of, name)
        if member is not None:
            return member
        for item in of.node.body:
            if isinstance(item, (Assign, AnnAssign)) and item.value is not None:
                targets = item.targets if isinstance(item, Assign) else [item.target]
                if any(isinstance(target, Name) and target.id == name for target in targets):
                    return self.value(item.value, of.scope)
        return UNKNOWN

    def _items(self, node, scope):
        items = []
        for element in node.elts:
            if isinstance(element, Starred):
                spread = literals.as_items(self.value(element.value, scope))
                if spread is UNKNOWN:
                    return UNKNOWN
                items.extend(spread)
            else:
                items.append(self.value(element, scope))
        return tuple(items) if isinstance(node, Tuple) else items

    def _dict(self, node, scope):
        made = {}
        for key, item in zip(node.keys, node.values):
            if key is None:
                spread = self.value(item, scope)
                if not isinstance(spread, dict):
                    return UNKNOWN
                made.update(spread)
                continue
            known = self.value(key, scope)
            if not isinstance(known, (str, int, float, bytes, tuple)) and known is not None:
                return UNKNOWN
            try:
                made[known] = self.value(item, scope)
            except TypeError:
                return UNKNOWN
        return made

    def _binary(self, node, scope):
        return literals.operate(node.op, self.value(node.left, scope), self.value(node.right, scope))

    def _unary(self, node, scope):
        return literals.operate_alone(node.op, self.value(node.operand, scope))

    def _either(self, node, scope):
        values = [self.value(item, scope) for item in (node.values if isinstance(node, BoolOp) else (node.body, node.orelse))]
        known = [value for value in values if value is not UNKNOWN and not isinstance(value, (Call, Marker, Imported))]
        if isinstance(node, BoolOp):
            return next((value for value in values if isinstance(value, Marker)), UNKNOWN) if len(known) != len(values) else values[-1]
        special = [value for value in known if is_special(value) and not isinstance(value, (list, dict, tuple))]
        return special[0] if special else UNKNOWN

    def _text(self, node, scope):
        parts = []
        for part in node.values:
            value = self.value(part.value, scope) if isinstance(part, FormattedValue) else part.value
            if not isinstance(value, (str, int, float)) or (isinstance(part, FormattedValue) and part.format_spec is not None):
                return UNKNOWN
            parts.append(str(value))
        return "".join(parts)

    def _subscript(self, node, scope):
        owner = self.value(node.value, scope)
        if isinstance(owner, Marker):
            return owner if owner is ARGUMENT_VECTOR else UNKNOWN
        if isinstance(owner, Imported):
            return owner
        index = node.slice
        if isinstance(index, Slice):
            ends = [None if end is None else self.value(end, scope) for end in (index.lower, index.upper, index.step)]
            return UNKNOWN if UNKNOWN in ends else literals.subscript(owner, slice(*ends))
        return literals.subscript(owner, self.value(index, scope))

    def _comprehension(self, node, scope):
        source = node.generators[0]
        inner = Scope(scope, scope.owner)
        iterated = self.value(source.iter, scope)
        items = members_of(self, iterated) if isinstance(iterated, Class) else literals.as_items(iterated)
        plain = len(node.generators) == 1 and not source.ifs
        if items is None or items is UNKNOWN or len(items) > _MOST_TURNS:
            items, plain = [UNKNOWN], False
        made = []
        for item in items:
            self.bind(source.target, item, inner)
            if isinstance(node, DictComp):
                made.append((self.value(node.key, inner), self.value(node.value, inner)))
            else:
                made.append(self.value(node.elt, inner))
        if not plain:
            return UNKNOWN
        try:
            return dict(made) if isinstance(node, DictComp) else made
        except TypeError:
            return UNKNOWN

    def _await(self, node, scope):
        return self.value(node.value, scope) if node.value is not None else UNKNOWN

    def _named(self, node, scope):
        value = self.value(node.value, scope)
        self.bind(node.target, value, scope)
        return value

    def _lambda(self, node, scope):
        return Function(node, scope)


_EXPRESSIONS = {
    Constant: Expressions._constant,
    Name: Expressions._name,
    Attribute: Expressions._attribute,
    List: Expressions._items,
    Tuple: Expressions._items,
    Set: Expressions._items,
    Dict: Expressions._dict,
    BinOp: Expressions._binary,
    UnaryOp: Expressions._unary,
    BoolOp: Expressions._either,
    IfExp: Expressions._either,
    JoinedStr: Expressions._text,
    Subscript: Expressions._subscript,
    ListComp: Expressions._comprehension,
    SetComp: Expressions._comprehension,
    GeneratorExp: Expressions._comprehension,
    DictComp: Expressions._comprehension,
    Await: Expressions._await,
    Yield: Expressions._await,
    YieldFrom: Expressions._await,
    NamedExpr: Expressions._named,
    Lambda: Expressions._lambda,
    CallNode: lambda reader, node, scope: reader._call(node, scope),
}

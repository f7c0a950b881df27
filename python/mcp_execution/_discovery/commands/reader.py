"""Follows a script's statements in the order in which they would run, knowing what can be known, running nothing."""

from _ast import (
    AnnAssign,
    Assign,
    AsyncFor,
    AsyncFunctionDef,
    AsyncWith,
    Attribute,
    AugAssign,
    Await,
    BinOp,
    BoolOp,
    ClassDef,
    Constant,
    Dict,
    DictComp,
    Expr,
    For,
    FormattedValue,
    FunctionDef,
    GeneratorExp,
    If,
    IfExp,
    Import,
    ImportFrom,
    JoinedStr,
    Lambda,
    List,
    ListComp,
    Match,
    Name,
    NamedExpr,
    Return,
    Set,
    SetComp,
    Slice,
    Starred,
    Subscript,
    Try,
    Tuple,
    UnaryOp,
    While,
    With,
    Yield,
    YieldFrom,
)
from _ast import Call as CallNode

from ..conditions import truth_of
from . import literals
from .enums import member_of, members_of
from .survey import docstring_of, read_imports
from .values import ARGUMENT_VECTOR, UNKNOWN, Call, Class, Either, Function, Imported, Instance, Lazy, Marker, Scope, is_special

try:
    from _ast import TryStar
except ImportError:
    TryStar = Try

_DEEPEST_CALL = 15
_MOST_STATEMENTS = 30_000
_MOST_TURNS = 60
_LITERALS = (Constant, List, Tuple, Dict, Set, BinOp, JoinedStr, UnaryOp, ListComp, SetComp, DictComp)


class Reader:
    """`follows` says which functions are worth reading although nothing special is passed to them."""

    def __init__(self, survey, follows=frozenset()):
        self.survey = survey
        self.follows = follows
        self.module = Scope()
        self.stack = []
        self.statements = 0
        self.outcomes = {}
        names = self.module.names
        names["__doc__"], names["__name__"] = survey.docstring, "__main__"
        for name, path in survey.imports.items():
            names[name] = self._imported(path)
        for name, node in survey.functions.items():
            names[name] = Function(node, self.module)
        for name, node in survey.classes.items():
            names[name] = Class(node, self.module)

    def know_constants(self):
        """Takes every name that is assigned once at the top level for what it is assigned."""
        for name, nodes in self.survey.assignments.items():
            if name not in self.module.names:
                self.module.names[name] = Lazy(nodes[0], self.module) if len(nodes) == 1 else UNKNOWN

    # What subclasses know more about.

    def call_imported(self, path, args, keywords, node):
        return Call(path, args, keywords, node.lineno)

    def call_object(self, value, name, args, keywords, node):
        return UNKNOWN

    def attribute_of(self, value, name):
        return UNKNOWN

    def made(self, of, args, keywords, node):
        instance = Instance(of)
        if "__init__" in of.methods:
            self.call(Function(of.methods["__init__"], of.scope, instance), args, keywords, node)
        return instance

    def passed(self, function, args, keywords):
        """A function of the script gets these."""

    # Statements.

    def run(self, statements, scope):
        for node in statements:
            self.statements += 1
            if self.statements > _MOST_STATEMENTS:
                return
            handler = _STATEMENTS.get(type(node))
            if handler is not None:
                try:
                    handler(self, node, scope)
                except RecursionError:
                    # An expression nested this deep is a table, not a command line.
                    continue

    def _expression(self, node, scope):
        if not isinstance(node.value, Constant):
            self.value(node.value, scope)

    def _assign(self, node, scope):
        if node.value is None:
            return
        targets = node.targets if isinstance(node, Assign) else [node.target]
        lazy = isinstance(node.value, _LITERALS) and all(isinstance(target, Name) for target in targets)
        value = Lazy(node.value, scope) if lazy else self.value(node.value, scope)
        for target in targets:
            self.bind(target, value, scope)

    def _augment(self, node, scope):
        added = self.value(node.value, scope)
        if isinstance(node.target, Name):
            before = self.value(node.target, scope)
            scope.names[node.target.id] = literals.operate(node.op, before, added)

    def bind(self, target, value, scope):
        if isinstance(target, Name):
            scope.names[target.id] = value
        elif isinstance(target, (Tuple, List)):
            items = literals.as_items(value) if not isinstance(value, str) else UNKNOWN
            if isinstance(value, Marker):
                items = [value] * len(target.elts)
            if items is UNKNOWN or len(items) != len(target.elts):
                items = [UNKNOWN] * len(target.elts)
            for item, one in zip(target.elts, items):
                self.bind(item, one, scope)
        elif isinstance(target, Attribute):
            owner = self.value(target.value, scope)
            if hasattr(owner, "attributes"):
                owner.attributes[target.attr] = value
        elif isinstance(target, Subscript):
            owner, index = self.value(target.value, scope), self.value(target.slice, scope)
            if isinstance(owner, dict) and isinstance(index, (str, int)):
                owner[index] = value
        elif isinstance(target, Starred):
            self.bind(target.value, UNKNOWN, scope)

    def _if(self, node, scope):
        outcome = truth_of(node.test)
        if outcome is None:
            self.value(node.test, scope)
        if outcome is not False and outcome != "types":
            self.run(node.body, scope)
        if outcome is not True and outcome != "main":
            self.run(node.orelse, scope)

    def _for(self, node, scope):
        items = literals.as_items(self.value(node.iter, scope))
        if items is UNKNOWN or len(items) > _MOST_TURNS or not items:
            items = [UNKNOWN]
        for item in items:
            self.bind(node.target, item, scope)
            self.run(node.body, scope)
        self.run(node.orelse, scope)

    def _while(self, node, scope):
        self.value(node.test, scope)
        self.run(node.body, scope)
        self.run(node.orelse, scope)

    def _with(self, node, scope):
        for item in node.items:
            value = self.value(item.context_expr, scope)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value, scope)
        self.run(node.body, scope)

    def _try(self, node, scope):
        self.run(node.body, scope)
        for handler in node.handlers:
            self.run(handler.body, scope)
        self.run(node.orelse, scope)
        self.run(node.finalbody, scope)

    def _match(self, node, scope):
        self.value(node.subject, scope)
        for case in node.cases:
            self.run(case.body, scope)

    def _return(self, node, scope):
        if node.value is None:
            return
        value = self.value(node.value, scope)
        frame = scope.names
        if frame.get("return", UNKNOWN) is UNKNOWN:
            frame["return"] = value

    def _define(self, node, scope):
        if scope is not self.module:
            scope.names[node.name] = Class(node, scope) if isinstance(node, ClassDef) else Function(node, scope)

    def _import(self, node, scope):
        found = {}
        read_imports(node, found)
        scope.names.update((name, self._imported(path)) for name, path in found.items())

    @staticmethod
    def _imported(path):
        return ARGUMENT_VECTOR if path == "sys.argv" else Imported(path)

    # Expressions.

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
        if name in ("value", "name") and type(owner).__name__ == "Member":
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
        return literals.negate(node.op, self.value(node.operand, scope))

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

    # Calls.

    def _call(self, node, scope):
        args, keywords = self.arguments(node, scope)
        function = node.func
        if isinstance(function, Attribute):
            owner = self.value(function.value, scope)
            value = self.attribute(owner, function.attr)
            if value is UNKNOWN:
                return self._method(owner, function.attr, args, keywords, node)
        else:
            value = self.value(function, scope)
        return self.call(value, args, keywords, node)

    def _method(self, owner, name, args, keywords, node):
        if isinstance(owner, (str, dict, list)):
            return literals.call_method(owner, name, args)
        return self.call_object(owner, name, args, keywords, node)

    def arguments(self, node, scope):
        args, keywords = [], {}
        for arg in node.args:
            if isinstance(arg, Starred):
                spread = literals.as_items(self.value(arg.value, scope))
                args.extend([UNKNOWN] if spread is UNKNOWN else spread)
            else:
                args.append(self.value(arg, scope))
        for keyword in node.keywords:
            value = self.value(keyword.value, scope)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict):
                keywords.update((key, item) for key, item in value.items() if isinstance(key, str))
            else:
                keywords["**"] = UNKNOWN
        return args, keywords

    def call(self, value, args, keywords, node):
        if isinstance(value, Function):
            return self._call_function(value, args, keywords)
        if isinstance(value, Class):
            return self.made(value, args, keywords, node)
        if isinstance(value, Either):
            for option in value.options:
                self.call(option, args, keywords, node)
            return UNKNOWN
        if isinstance(value, Imported):
            return self._call_imported(value.path, args, keywords, node)
        return self.call_object(value, "__call__", args, keywords, node)

    def _call_imported(self, path, args, keywords, node):
        if path.startswith("builtins."):
            name = path[9:]
            if name in ("list", "sorted", "tuple", "set") and args and isinstance(args[0], Class):
                return members_of(self, args[0]) or UNKNOWN
            if name == "dict" and keywords and not args:
                return dict(keywords)
            known = literals.call_builtin(name, args)
        else:
            known = literals.call_library(path, args)
        return self.call_imported(path, args, keywords, node) if known is UNKNOWN else known

    def _call_function(self, function, args, keywords):
        node = function.node
        self.passed(function, args, keywords)
        if isinstance(node, Lambda):
            return UNKNOWN
        special = [value for value in (*args, *keywords.values()) if is_special(value)]
        wanted = special or node in self.follows or function.bound is not None or function.scope is not self.module
        if not wanted or node in self.stack or len(self.stack) >= _DEEPEST_CALL:
            return UNKNOWN
        key = _key(function, args, keywords)
        if key in self.outcomes:
            return self.outcomes[key][0]
        scope = Scope(function.scope, function)
        self._bind_parameters(node.args, ([function.bound] if function.bound is not None else []) + args, keywords, scope)
        self.stack.append(node)
        try:
            self.run(node.body, scope)
        finally:
            self.stack.pop()
        outcome = scope.names.get("return", UNKNOWN)
        # The arguments are kept with the outcome, because their ids are in the key.
        self.outcomes[key] = (outcome, args, keywords, function)
        return outcome

    def _bind_parameters(self, parameters, args, keywords, scope):
        names = [arg.arg for arg in (*parameters.posonlyargs, *parameters.args)]
        for name, default in zip(names[len(names) - len(parameters.defaults) :], parameters.defaults):
            scope.names[name] = self.value(default, scope.parent)
        for arg, default in zip(parameters.kwonlyargs, parameters.kw_defaults):
            scope.names[arg.arg] = UNKNOWN if default is None else self.value(default, scope.parent)
        for name in names:
            scope.names.setdefault(name, UNKNOWN)
        scope.names.update(zip(names, args))
        if parameters.vararg:
            scope.names[parameters.vararg.arg] = args[len(names) :]
        known = {*names, *(arg.arg for arg in parameters.kwonlyargs)}
        scope.names.update((name, value) for name, value in keywords.items() if name in known)
        if parameters.kwarg:
            scope.names[parameters.kwarg.arg] = {name: value for name, value in keywords.items() if name not in known}


def _key(function, args, keywords):
    return (
        id(function.node),
        id(function.bound),
        id(function.scope),
        tuple(_identity(arg) for arg in args),
        tuple((name, _identity(value)) for name, value in keywords.items()),
    )


def _identity(value):
    return (type(value), value) if isinstance(value, (str, int, float, bool, type(None))) else id(value)


_STATEMENTS = {
    Expr: Reader._expression,
    Assign: Reader._assign,
    AnnAssign: Reader._assign,
    AugAssign: Reader._augment,
    If: Reader._if,
    For: Reader._for,
    AsyncFor: Reader._for,
    While: Reader._while,
    With: Reader._with,
    AsyncWith: Reader._with,
    Try: Reader._try,
    TryStar: Reader._try,
    Match: Reader._match,
    Return: Reader._return,
    FunctionDef: Reader._define,
    AsyncFunctionDef: Reader._define,
    ClassDef: Reader._define,
    Import: Reader._import,
    ImportFrom: Reader._import,
}
_EXPRESSIONS = {
    Constant: Reader._constant,
    Name: Reader._name,
    Attribute: Reader._attribute,
    List: Reader._items,
    Tuple: Reader._items,
    Set: Reader._items,
    Dict: Reader._dict,
    BinOp: Reader._binary,
    UnaryOp: Reader._unary,
    BoolOp: Reader._either,
    IfExp: Reader._either,
    JoinedStr: Reader._text,
    Subscript: Reader._subscript,
    ListComp: Reader._comprehension,
    SetComp: Reader._comprehension,
    GeneratorExp: Reader._comprehension,
    DictComp: Reader._comprehension,
    Await: Reader._await,
    Yield: Reader._await,
    YieldFrom: Reader._await,
    NamedExpr: Reader._named,
    Lambda: Reader._lambda,
    CallNode: Reader._call,
}

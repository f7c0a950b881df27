"""What a call gives, and the functions of the script that it leads into."""

from _ast import Attribute, Lambda, Starred

from . import literals
from .enums import members_of
from .values import UNKNOWN, Class, Either, Function, Imported, Scope, is_special

_DEEPEST_CALL = 15


class Calls:
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
            known = literals.call_library(path, args, keywords)
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
            self.walk(node.body, scope)
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

"""What an expression can be known to be without running it."""

from ...values.static import MAX_SAFE_INTEGER


class Unknown:
    """Whatever cannot be known; there is one of it."""

    def __repr__(self):
        return "UNKNOWN"


UNKNOWN = Unknown()


class Imported:
    """Something of another module, by its full name."""

    def __init__(self, path):
        self.path = path


class Function:
    def __init__(self, node, scope, bound=None):
        self.node = node
        self.scope = scope
        self.bound = bound


class Class:
    def __init__(self, node, scope):
        self.node = node
        self.scope = scope
        self.methods = {item.name: item for item in node.body if hasattr(item, "args")}


class Instance:
    def __init__(self, of):
        self.of = of
        self.attributes = {}


class Member:
    """One member of an Enum class of the script."""

    def __init__(self, name, value):
        self.name = name
        self.value = value


class Either:
    """One of several things; which one is known only at run time."""

    def __init__(self, options):
        self.options = options


class Marker:
    """A thing that only its kind is known of."""

    def __init__(self, kind):
        self.kind = kind


class Call:
    """A call of something imported, with what is known of its arguments."""

    def __init__(self, path, args, keywords, line):
        self.path = path
        self.args = args
        self.keywords = keywords
        self.line = line


class Scope:
    def __init__(self, parent=None, owner=None):
        self.names = {}
        self.parent = parent
        self.owner = owner

    def find(self, name):
        scope = self
        while scope is not None:
            if name in scope.names:
                return scope, scope.names[name]
            scope = scope.parent
        return None, None


class Lazy:
    """A value that is worked out when somebody asks for it."""

    def __init__(self, node, scope):
        self.node = node
        self.scope = scope


NAMESPACE = Marker("namespace")
ARGUMENT_VECTOR = Marker("argument vector")


def is_json(value):
    """Whether JSON says it without loss, whoever reads it."""
    if isinstance(value, float):
        return value == value and abs(value) != float("inf")
    if isinstance(value, int):
        return abs(value) <= MAX_SAFE_INTEGER
    if isinstance(value, (list, tuple)):
        return all(is_json(item) for item in value)
    return value is None or isinstance(value, str)


def as_json(value):
    return [as_json(item) for item in value] if isinstance(value, (list, tuple)) else value


def is_special(value):
    """Whether it is worth while to follow a call that gets this."""
    if isinstance(value, (list, tuple)):
        return any(is_special(item) for item in value[:20])
    return isinstance(value, (Function, Either, Marker)) or hasattr(value, "attributes")

"""Load a script the way plain Python would: from its file as a module, or as `__main__`."""

import builtins
import io
import os
import stat
import sys
import tokenize
from _ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from importlib.machinery import SourceFileLoader, all_suffixes
from importlib.util import decode_source, module_from_spec, spec_from_file_location
from types import CodeType, FunctionType, ModuleType

from ._files_read import FilesRead
from ._lines import pin_lines, pin_source

__all__ = [
    "FilesRead",
    "InvalidScript",
    "add_packages",
    "check_source",
    "compile_source",
    "load_module",
    "offer_packages",
    "pin_lines",
    "pin_source",
    "prepare",
    "read_source",
    "remember_startup_modules",
    "run_main",
]

SOURCE_ONLY = "<script>"
#: Of code with an `await` outside of functions, as `inspect` names it.
CO_COROUTINE = 0x80
_OWN_PACKAGE = __name__.partition(".")[0]
_MODULE_SUFFIXES = tuple(sorted(all_suffixes(), key=len, reverse=True))

_ALWAYS_LOADED = (
    "__main__ _collections_abc _sitebuiltins abc builtins codecs encodings genericpath io ntpath os posixpath "
    "site stat sys zipimport"
)

_startup_modules = frozenset(_ALWAYS_LOADED.split()).union(sys.builtin_module_names)
_own_path_entry = None
_modules_beside = {}


class InvalidScript(Exception):
    def __init__(self, message):
        super().__init__(message)
        self.message = message


def read_source(path):
    """The bytes of a script that Python could compile as far as its encoding goes."""
    name = os.path.basename(path) or path
    try:
        kind = os.stat(path).st_mode
        if stat.S_ISDIR(kind):
            raise InvalidScript(f"{path} is a folder, not a script")
        if not stat.S_ISREG(kind):
            raise InvalidScript(f"{path} is not a regular file")
        with io.open(path, "rb") as file:
            source = file.read()
    except FileNotFoundError:
        raise InvalidScript(f"{path} does not exist") from None
    except (OSError, ValueError) as error:
        raise InvalidScript(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if source.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise InvalidScript(f"{name} is encoded in UTF-16; save it as UTF-8")
    _check(source, name, b"\0")
    _check_encoding(source, name)
    return source


def check_source(source, name="The script"):
    """Refuse source text that no file could hold."""
    _check(source, name, "\0")
    try:
        source.encode("utf-8")
    except UnicodeEncodeError as error:
        line = source.count("\n", 0, error.start) + 1
        raise InvalidScript(f"{name} is not Unicode text: a lone surrogate in line {line}") from None
    return source


def remember_startup_modules(names, own_path_entry=None):
    """Note what a bare interpreter has loaded, and the entry of `sys.path` that stands where a script's folder goes.

    Both are to be read before anything is imported: `frozenset(sys.modules)`, and `sys.path[0]` where Python put it.
    """
    global _startup_modules, _own_path_entry
    _startup_modules |= frozenset(name.partition(".")[0] for name in names)
    _own_path_entry = own_path_entry


def add_packages(folder):
    """Make the packages of a folder importable, before those of the interpreter itself; what they run at a start runs now."""
    import site

    known = len(sys.path)
    site.addsitedir(folder)
    added = sys.path[known:]
    del sys.path[known:]
    own = [at for at, entry in enumerate(sys.path) if os.path.basename(entry) in ("site-packages", "dist-packages")]
    place = own[0] if own else len(sys.path)
    sys.path[place:place] = added


def prepare(path, argv=()):
    """Set the scene that `python path argv...` would give; without a path, that of `python -c`."""
    global _own_path_entry
    folder = "" if path is None else _folder_of(path)
    if sys.path and sys.path[0] == _own_path_entry:
        sys.path[0] = folder
    else:
        sys.path.insert(0, folder)
    _own_path_entry = folder
    sys.argv = ["-c" if path is None else path, *argv]
    sys.path_importer_cache.pop(folder, None)
    _drop_shadowed(folder or os.curdir)


def _folder_of(path):
    try:
        return os.path.dirname(os.path.realpath(path))
    except ValueError as error:
        raise InvalidScript(f"{path!r} is no path: {error}") from None


def compile_source(source, filename, flags=0, optimize=-1):
    try:
        return compile(source, filename, "exec", flags, dont_inherit=True, optimize=optimize)
    except (MemoryError, RecursionError) as error:
        raise SyntaxError("nested too deeply for Python to compile", (filename, None, None, None)) from error


def load_module(path, code=None):
    """Import a script under its own name, so that its main block does not run."""
    path = os.path.abspath(path)
    source = read_source(path)
    pin_source(path, source)
    name = _module_name(path)
    loader = SourceFileLoader(name, path)
    module = module_from_spec(spec_from_file_location(name, path, loader=loader))
    return _execute_as(name, module, code or compile_source(source, path))


def offer_packages(folders):
    """Make packages importable, each from its own folder, before all others of their names."""
    sys.meta_path.insert(0, _OfferedPackages(folders))


class _OfferedPackages:
    def __init__(self, folders):
        self._folders = folders

    def find_spec(self, name, _path=None, _target=None):
        folder = self._folders.get(name)
        if folder is None:
            return None
        entry = os.path.join(folder, "__init__.py")
        if not os.path.isfile(entry):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return spec_from_file_location(name, entry, submodule_search_locations=[folder])


def run_main(source, path=None, globals_extra=None, code=None, may_await=False):
    """Run as `python path` would, with extra names that are simply there. Returns the namespace it leaves."""
    if isinstance(source, CodeType):
        source, code = None, source
    filename = path or SOURCE_ONLY
    if source is not None:
        pin_source(filename, source)
    main = ModuleType("__main__")
    main.__builtins__ = builtins
    main.__annotations__ = {}
    if path is not None and not _is_pseudo(path):
        main.__file__ = os.path.abspath(path)
        main.__loader__ = SourceFileLoader("__main__", path)
        main.__cached__ = None
    namespace = vars(main)
    namespace.update(globals_extra or {})
    code = code or compile_source(source, filename, PyCF_ALLOW_TOP_LEVEL_AWAIT if may_await else 0)
    sys.modules["__main__"] = main
    if code.co_flags & CO_COROUTINE:
        _await_main(code, namespace)
    else:
        exec(code, namespace)
    return namespace


def _await_main(code, namespace):
    import asyncio

    async def main():
        await FunctionType(code, namespace)()

    asyncio.run(main())


def _execute_as(name, module, code):
    sys.modules[name] = module
    try:
        exec(code, vars(module))
    except BaseException:
        if sys.modules.get(name) is module:
            del sys.modules[name]
        raise
    return sys.modules.get(name, module)


def _module_name(path):
    stem = os.path.splitext(os.path.basename(path))[0].replace(".", "_")
    taken = stem in _startup_modules or stem in ("__main__", _OWN_PACKAGE)
    return f"{stem.strip('_')}_script" if taken else stem


def _drop_shadowed(folder):
    """Forget preloaded modules that a file beside the script stands in front of."""
    shadowed = {name for name in _modules_in(folder) if name in sys.modules and _is_dispensable(name)}
    if shadowed:
        for name in list(sys.modules):
            if name.partition(".")[0] in shadowed:
                del sys.modules[name]


def _is_dispensable(name):
    return name not in _startup_modules and name != _OWN_PACKAGE and not _found_before_the_path(name)


def _found_before_the_path(name):
    origin = getattr(getattr(sys.modules.get(name), "__spec__", None), "origin", None)
    return origin in ("built-in", "frozen")


def _modules_in(folder):
    """The names of modules beside a script; a folder that did not change since is not listed again."""
    try:
        changed = os.stat(folder).st_mtime_ns
        key = os.path.abspath(folder)
        if _modules_beside.get(key, (None,))[0] != changed:
            with os.scandir(folder) as entries:
                _modules_beside[key] = changed, frozenset(filter(None, map(_module_of, entries)))
        return _modules_beside[key][1]
    except OSError:
        return frozenset()


def _module_of(entry):
    suffix = next((suffix for suffix in _MODULE_SUFFIXES if entry.name.endswith(suffix)), None)
    if suffix is not None:
        return entry.name[: -len(suffix)]
    is_package = entry.name.isidentifier() and os.path.isfile(os.path.join(entry.path, "__init__.py"))
    return entry.name if is_package else None


def _check(source, name, nul):
    if not source.strip():
        raise InvalidScript(f"{name} is empty")
    at = source.find(nul)
    if at >= 0:
        newline = b"\n" if isinstance(source, bytes) else "\n"
        raise InvalidScript(f"{name} is not a text file: a NUL byte in line {source.count(newline, 0, at) + 1}")


def _check_encoding(source, name):
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(source).readline)[0]
        if encoding in ("utf-8", "utf-8-sig"):
            source.decode(encoding)
        else:
            decode_source(source)
    except UnicodeDecodeError as error:
        _refuse_byte(source, name, error.start)
    except (SyntaxError, LookupError) as error:
        _refuse_declaration(source, name, error)


def _refuse_byte(source, name, at):
    line = source.count(b"\n", 0, at) + 1
    raise InvalidScript(
        f"{name} is not UTF-8: byte 0x{source[at]:02x} in line {line}; save it as UTF-8 or declare its encoding in line 1"
    ) from None


def _refuse_declaration(source, name, error):
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as undecodable:
        if "unknown encoding" not in str(error):
            _refuse_byte(source, name, undecodable.start)
    raise InvalidScript(f"{name} cannot be decoded: {error}") from None


def _is_pseudo(filename):
    return filename.startswith("<") and filename.endswith(">")

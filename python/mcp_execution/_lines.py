"""Keep the source text that was loaded, so that a traceback after an edit still quotes the lines that ran."""

import io
import linecache
import os
import site
import sys
from importlib.util import decode_source
from types import ModuleType

_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))
_NEVER_STALE = None


def pin_source(filename, source):
    """Quote this text whenever a traceback names this file."""
    try:
        text = decode_source(source) if isinstance(source, (bytes, bytearray)) else source
    except (SyntaxError, UnicodeError, LookupError):
        return
    lines = io.StringIO(text, newline=None).readlines()
    if lines and not lines[-1].endswith("\n"):
        # As linecache itself does; else the marks beneath the line are shifted by one.
        lines[-1] += "\n"
    linecache.cache[filename] = (len(text), _NEVER_STALE, lines, filename)


def pin_lines(*modules):
    """Pin these modules and every loaded one that lies outside the interpreter's own libraries."""
    folders = library_folders()
    for module in [*modules, *sys.modules.values()]:
        path = _source_path(module)
        if path and path not in linecache.cache and not path.startswith(folders):
            try:
                with io.open(path, "rb") as file:
                    pin_source(path, file.read())
            except (OSError, ValueError):
                pass


def library_folders():
    """Where the interpreter keeps code that nobody edits: its standard library and installed packages."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    found = {os.path.dirname(os.__file__), _OWN_FOLDER}
    found.update(os.path.join(prefix, "lib", version) for prefix in (sys.prefix, sys.base_prefix))
    for name in ("getsitepackages", "getusersitepackages"):
        try:
            folders = getattr(site, name)()
        except Exception:  # noqa: BLE001 - a home folder that cannot be told is not ours to report
            continue
        found.update([folders] if isinstance(folders, str) else folders)
    found.discard(sys.prefix)
    found |= {os.path.realpath(folder) for folder in found}
    return tuple(folder + os.sep for folder in found)


def _source_path(module):
    if not isinstance(module, ModuleType):
        return None
    path = vars(module).get("__file__")
    return path if isinstance(path, str) and path.endswith(".py") else None

"""Paths, as text both ways; that of a file in the scratch folder takes the file along to the host."""

from os import PathLike
from pathlib import Path, PosixPath, PurePath, PurePosixPath, PureWindowsPath, WindowsPath

from .. import _run
from .converter import Converter
from .scalars import made_by, to_str


def _path(cls):
    return Converter(made_by(cls, to_str, "a path"), expected="a path")


def _text(path):
    return _run.note_returned(path) or str(path)


CONVERTERS = {cls: _path(cls) for cls in (Path, PurePath, PosixPath, WindowsPath, PurePosixPath, PureWindowsPath)}
CONVERTERS[PathLike] = CONVERTERS[Path]
FORMS = {Path: _text, PurePath: str}

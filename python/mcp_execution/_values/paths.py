"""Paths, as text both ways."""

from os import PathLike
from pathlib import Path, PosixPath, PurePath, PurePosixPath, PureWindowsPath, WindowsPath

from .converter import Converter
from .scalars import made_by, to_str


def _path(cls):
    return Converter(made_by(cls, to_str, "a path"), expected="a path")


CONVERTERS = {cls: _path(cls) for cls in (Path, PurePath, PosixPath, WindowsPath, PurePosixPath, PureWindowsPath)}
CONVERTERS[PathLike] = CONVERTERS[Path]
FORMS = {PurePath: str}

"""Conversion between JSON and Python values, guided by a function's annotations."""

from .annotated import from_json
from .call import Call, bind
from .errors import BadResult, InvalidArguments
from .results import to_json

__all__ = ["BadResult", "Call", "InvalidArguments", "bind", "from_json", "to_json"]

"""Looks into pictures, with nothing but what Python has."""

import base64
import struct

from mcp_execution.validation import check, equal, value


def is_png(context):
    [image] = [block for block in context["response"]["content"] if block["type"] == "image"]
    picture = base64.b64decode(image["data"], validate=True)
    equal(picture[:8], b"\x89PNG\r\n\x1a\n", "it does not begin as a PNG does")
    width, height = struct.unpack(">II", picture[16:24])
    check(width == height, "the logo is a square", expected=width, actual=height)
    value("logo_size", [width, height])
    return f"a PNG of {width} x {height}"

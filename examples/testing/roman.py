"""Roman numerals. An ordinary script, which mcp-exec serves as an MCP server."""

from mcp_execution import tool

PAIRS = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC")]
PAIRS += [(50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


@tool(read_only=True)
def to_roman(number: int) -> str:
    """Write a number from 1 to 3999 as a Roman numeral.

    Args:
        number: The number.
    """
    if not 1 <= number <= 3999:
        raise ValueError(f"there is no Roman numeral for {number}")
    numeral = ""
    for value, letters in PAIRS:
        while number >= value:
            numeral += letters
            number -= value
    return numeral


@tool(read_only=True)
def from_roman(numeral: str) -> int:
    """Read a Roman numeral.

    Args:
        numeral: The numeral, in large letters.
    """
    number, rest = 0, numeral
    for value, letters in PAIRS:
        while rest.startswith(letters):
            number += value
            rest = rest[len(letters) :]
    if rest or not numeral or to_roman(number) != numeral:
        raise ValueError(f"{numeral!r} is no Roman numeral")
    return number

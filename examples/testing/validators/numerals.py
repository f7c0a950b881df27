"""What has to hold of every numeral, whatever the number is."""

import re

from mcp_execution.validation import check, data, equal, value

WORTH = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def check_numeral(context):
    number = context["request"]["params"]["arguments"]["number"]
    numeral = data()["result"]
    check(re.fullmatch("[IVXLCDM]+", numeral), f"{numeral} has letters that are none")
    check(not re.search(r"(.)\1{3}", numeral), f"{numeral} has a letter four times in a row")
    equal(worth_of(numeral), number, f"{numeral} is worth something else")
    value("letters", len(numeral))


def worth_of(numeral):
    worths = [WORTH[letter] for letter in numeral]
    return sum(-worth if worth < max(worths[place:]) else worth for place, worth in enumerate(worths))

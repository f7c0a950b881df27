"""Filters of system calls as decisions, and the program of the kernel's filter machine that takes them.

A decision is a tuple: return a verdict, load a field and go on, or go one of two ways. Each way ends in a verdict, so a
program can neither run over its end nor jump back.
"""

import struct

ALLOW = ("return", 0x7FFF0000)
KILL = ("return", 0x80000000)

#: Offsets of the fields that a program can load.
NUMBER, ARCHITECTURE, _ARGUMENTS = 0, 4, 16

_LOAD, _AND, _JUMP, _RETURN = 0x20, 0x54, 0x05, 0x06
_TESTS = {"equal": 0x15, "at least": 0x35, "any bit of": 0x45}
_INSTRUCTION = struct.Struct("<HBBI")
_FARTHEST = 255
_U32 = 0xFFFFFFFF


def fail_with(error):
    return ("return", 0x00050000 | error)


def load(offset, then):
    return ("load", offset, then)


def argument(index, then, half="low"):
    """Load half of an argument: each has 64 bits, of which the kernel drops the high ones where it takes an int."""
    return load(_ARGUMENTS + 8 * index + (4 if half == "high" else 0), then)


def masked(mask, then):
    return ("and", mask, then)


def either(test, value, then, otherwise):
    return ("either", test, value & _U32, then, otherwise)


def one_of(values, then, otherwise):
    for value in values:
        otherwise = either("equal", value, then, otherwise)
    return otherwise


def search(decisions, otherwise):
    """Decide by what was loaded: `decisions` has some of the numbers, `otherwise` is for the rest."""
    starts = [(0, otherwise)]
    for number in sorted(decisions):
        if starts[-1][0] == number:
            starts.pop()
        starts += [(number, decisions[number]), (number + 1, otherwise)]
    return _halve([start for before, start in zip([(0, None), *starts], starts) if before[1] != start[1]])


def _halve(starts):
    if len(starts) == 1:
        return starts[0][1]
    middle = len(starts) // 2
    return either("at least", starts[middle][0], _halve(starts[middle:]), _halve(starts[:middle]))


def assemble(decision):
    """The program as the kernel reads it. It is made from its end on, where equal parts find each other."""
    program = _Program()
    program.start_with(decision)
    return b"".join(reversed(program.code))


class _Program:
    def __init__(self):
        self.code = []
        self._places = {}

    def start_with(self, decision):
        """Let the program, as far as it is made, begin with this decision."""
        if self._distance(decision) == 0:
            return
        kind, *rest = decision
        if kind == "return":
            self._add(_RETURN, *rest)
        elif kind == "either":
            self._branch(*rest)
        else:
            value, then = rest
            self.start_with(then)
            self._add(_LOAD if kind == "load" else _AND, value)
        self._places[decision] = len(self.code)

    def _branch(self, test, value, then, otherwise):
        for way in (then, otherwise):
            if self._distance(way) is None:
                self.start_with(way)
        for way in (then, otherwise):
            # One less, because the bridge of the second way moves the first away.
            if self._distance(way) > _FARTHEST - 1:
                self._bridge(way)
        self._add(_TESTS[test], value, self._distance(then), self._distance(otherwise))

    def _bridge(self, decision):
        self._add(_JUMP, self._distance(decision))
        self._places[decision] = len(self.code)

    def _distance(self, decision):
        place = self._places.get(decision)
        return None if place is None else len(self.code) - place

    def _add(self, code, value, then=0, otherwise=0):
        self.code.append(_INSTRUCTION.pack(code, then, otherwise, value))

"""The kernel's filter machine, as far as seccomp programs use it, in plain Python."""

import struct
from typing import NamedTuple

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MOST_INSTRUCTIONS = 4096
_LOAD, _AND, _JUMP, _RETURN, _EQUAL, _AT_LEAST, _ANY_BIT = 0x20, 0x54, 0x05, 0x06, 0x15, 0x35, 0x45
_TESTS = {
    _EQUAL: lambda held, value: held == value,
    _AT_LEAST: lambda held, value: held >= value,
    _ANY_BIT: lambda held, value: held & value != 0,
}
_FIRST_ARGUMENT = 16
_DATA = struct.Struct("<IIQ6Q")


class Outcome(NamedTuple):
    verdict: int
    steps: int
    read_arguments: bool


class Machine:
    """A program that passed the kernel's checks, ready to judge calls."""

    def __init__(self, program):
        self.instructions = list(struct.iter_unpack("<HBBI", program))
        self._check()

    def judge(self, architecture, number, arguments=()):
        """What the program answers to a call with these arguments, the rest of which are zero."""
        padded = [*(value & 0xFFFFFFFFFFFFFFFF for value in arguments), *[0] * 6][:6]
        data = _DATA.pack(number & 0xFFFFFFFF, architecture, 0, *padded)
        held, at, steps, read_arguments = 0, 0, 0, False
        while True:
            code, then, otherwise, value = self.instructions[at]
            at, steps = at + 1, steps + 1
            if code == _RETURN:
                return Outcome(value, steps, read_arguments)
            if code == _LOAD:
                (held,) = struct.unpack_from("<I", data, value)
                read_arguments |= value >= _FIRST_ARGUMENT
            elif code == _AND:
                held &= value
            else:
                at += value if code == _JUMP else then if _TESTS[code](held, value) else otherwise

    def _check(self):
        count = len(self.instructions)
        assert 0 < count <= MOST_INSTRUCTIONS, f"{count} instructions"
        assert self.instructions[-1][0] == _RETURN, "the last instruction is no return"
        for at, (code, then, otherwise, value) in enumerate(self.instructions):
            if code == _LOAD:
                assert value % 4 == 0 and value < _DATA.size, f"{at}: load from {value}"
            elif code == _JUMP:
                assert at + 1 + value < count, f"{at}: jump over the end"
            elif code in _TESTS:
                assert at + 1 + max(then, otherwise) < count, f"{at}: jump over the end"
            else:
                assert code in (_AND, _RETURN), f"{at}: unknown instruction {code:#x}"

"""The way into a sandbox, and what the host is told of it before any code of the script has run."""

import os

_exit = os._exit
_FAILURES = (OSError, ValueError, LookupError)


def settle(confinement, channel):
    """The surroundings, by a process that is still trusted."""
    try:
        confinement.settle()
    except _FAILURES as error:
        _refuse(channel, error)


def confine(confinement, channel):
    """Give up all rights and say what holds; where that is less than is required, end instead."""
    try:
        slot = confinement.confine()
    except _FAILURES as error:
        _refuse(channel, error)
    report = confinement.report()
    channel.send(b"S", report)
    if report["missing"] and confinement.sandbox["required"]:
        _exit(0)
    return slot


def _refuse(channel, error):
    channel.send(b"S", {"failed": str(error)})
    _exit(0)

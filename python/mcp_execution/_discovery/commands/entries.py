"""Which command a script starts when it is run."""

from ..source.syntax import calls_in_order

_DEEPEST = 4


def started(survey, command_of):
    """The first command that the main block or the top level calls, directly or through functions of the script, and those functions."""
    nodes = [*survey.main_block, *(work.call for work in survey.work)]
    return _started(nodes, survey, command_of, [], 0)


def unstarted(reason, call):
    """Why a function is part of a command line that running the script does not start."""
    return f'{reason}, but running the script does not start it: write at its end if __name__ == "__main__": {call}'


def _started(nodes, survey, command_of, through, depth):
    calls = calls_in_order(nodes)
    for call in calls:
        command = command_of(call)
        if command is not None:
            return command, through
    if depth < _DEEPEST:
        for call in calls:
            function = survey.functions.get(getattr(call.func, "id", None))
            if function is not None and function.name not in through:
                command, path = _started(function.body, survey, command_of, [*through, function.name], depth + 1)
                if command is not None:
                    return command, path
    return None, []

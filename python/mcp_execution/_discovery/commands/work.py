"""What a script does at its top level, as soon as it is run or imported."""

from ..source.syntax import calls_of, last_name

ENTRY_NAMES = {"main", "_main", "amain", "async_main", "main_async", "cli", "entry_point", "entrypoint", "run_main", "cli_main", "run_cli"}
# Calls that start something, whoever makes them.
_STARTING = {
    "Fire", "docopt", "execute", "input", "launch", "loop_forever", "main", "mainloop", "parse_args", "parse_known_args", "run_forever",
    "run_until_complete", "serve_forever", "testmod",
}  # fmt: skip
_PRINTING = {"print", "pprint", "echo", "run", "start", "exit", "show"}
# Calls by which a function reaches out of the program.
_ACTING = {
    "Popen", "call", "check_call", "check_output", "exit", "input", "makedirs", "mkdir", "move", "post", "print", "rename", "run",
    "save", "savefig", "show", "sleep", "system", "to_csv", "to_excel", "to_json", "unlink", "urlopen", "urlretrieve", "write", "write_bytes", "write_text", "writelines",
}  # fmt: skip


def find_work(survey):
    """The calls at the top level that are the script's work, not the preparation of a module."""
    has_public = any(not name.startswith("_") for name in survey.functions)
    has_definitions = bool(survey.functions or survey.classes)
    return [call for call in survey.work if _is_work(call, survey, has_definitions, has_public)]


def _is_work(work, survey, has_definitions, has_public):
    if work.prepares:
        return False
    if any(getattr(call.func, "id", None) in ENTRY_NAMES and call.func.id in survey.functions for call in calls_of([work.call])):
        return True
    if work.name in _STARTING:
        return True
    if not has_definitions:
        return not work.assigned or not _only_assigns(survey)
    if work.assigned:
        return False
    called = survey.functions.get(work.name)
    if called is not None:
        return not work.name.startswith("_") and _acts(called)
    return work.name in _PRINTING and not has_public and (work.surely or work.name != "exit")


def _only_assigns(survey):
    """A file that only gives names to values is one that others import."""
    return all(work.assigned or work.prepares for work in survey.work)


def _acts(function):
    return any(last_name(call.func) in _ACTING for call in calls_of(function.body))

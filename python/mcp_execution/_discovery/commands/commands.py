"""Which command lines a script has, found without running it."""

from ..source.syntax import calls_of
from .entries import unstarted
from .found import Found
from .survey import Survey
from .uses import ARGPARSE, READERS_OF_WORDS, Uses
from .whole import whole_script
from .work import ENTRY_NAMES, find_work

_DECORATING = {"asyncclick", "click", "cloup", "rich_click", "typer"}
_ENTRY_PARAMETERS = {"argv", "args", "arguments", "sys_argv", "raw_args"}


class Commands(Found):
    def __init__(self):
        super().__init__()
        #: Lines of calls at the top level that are the script's work, and which an import would do too.
        self.work_lines = []

    def take(self, found):
        self.tools += found.tools
        self.claimed.update(found.claimed)


def find_commands(source, stem):
    """The tools that run the script with a command line, and the functions that are part of one."""
    survey = Survey(source.tree)
    commands = Commands()
    work = find_work(survey)
    commands.work_lines = [call.line for call in work]
    runs = bool(survey.main_block or work)
    try:
        _find(source, survey, stem, runs, commands)
    except Exception as error:
        # Whatever a script does, it still has a command line; what it takes is then not known.
        commands.tools, commands.claimed = [], {}
        if runs:
            problem = f"Its command line could not be followed ({type(error).__name__}); give the words of the command line in args."
            commands.tools = [
                whole_script(
                    stem, survey.docstring, "The script does something when it is run.", takes_words=True, takes_stdin=True, degraded=[problem]
                )
            ]
    return commands


def _find(source, survey, stem, runs, commands):
    imported = {path.partition(".")[0] for path in survey.imports.values()}
    if imported & _DECORATING:
        _find_decorated(source, survey, stem, imported, runs, commands)
    if not commands.tools and runs:
        _find_rest(survey, stem, Uses(source, survey), commands)
    elif not runs and imported & ARGPARSE:
        _claim_unused(survey, stem, commands)


def _find_decorated(source, survey, stem, imported, runs, commands):
    uses = Uses(source, survey)
    from .click_lines.click_lines import find_click

    if "typer" in imported:
        from .typer_lines.typer_lines import find_typer

        commands.take(find_typer(survey, stem, uses.stdin_line is not None, runs))
        if commands.tools:
            return
    commands.take(find_click(survey, stem, uses.stdin_line is not None, runs))


def _claim_unused(survey, stem, commands):
    from .argparse_lines.argparse_lines import find_argparse

    for name, reason in find_argparse(survey, stem, False, runs=False).claimed.items():
        commands.claimed[name] = unstarted(reason, f"{name}()")


def _find_rest(survey, stem, uses, commands):
    problem = None
    if uses.ways & ARGPARSE:
        from .argparse_lines.argparse_lines import find_argparse

        found = find_argparse(survey, stem, uses.stdin_line is not None)
        commands.take(found)
        if not found.tools and found.claimed:
            problem = "The script uses argparse in a way that could not be followed; give the words of its command line in args."
    _claim_entries(survey, commands)
    if not commands.tools:
        _add_whole_script(survey, stem, uses, commands, problem)


def _claim_entries(survey, commands):
    """The functions that are what the script does when it is run."""
    for call in calls_of(survey.main_block):
        _claim_entry(call, "the main block calls it: it is what the script does when it is run", survey, commands)
    for work in survey.work:
        for call in calls_of([work.call]):
            _claim_entry(call, "the script calls it as soon as it is run", survey, commands)


def _claim_entry(call, reason, survey, commands):
    name = getattr(call.func, "id", None)
    node = survey.functions.get(name)
    if node is None or name not in ENTRY_NAMES:
        return
    parameters = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    if all(parameter in _ENTRY_PARAMETERS for parameter in parameters):
        commands.claimed.setdefault(name, reason)


def _add_whole_script(survey, stem, uses, commands, problem):
    reads_words = uses.argv_line is not None or bool(uses.ways & READERS_OF_WORDS) or problem is not None
    reads_stdin = uses.stdin_line is not None
    works = bool(commands.work_lines)
    public = [name for name in survey.functions if not name.startswith("_") and name not in commands.claimed]
    enabled, why = True, None
    if reads_words:
        why = f"The script reads the words of its command line{_at(uses.argv_line)}."
    elif reads_stdin:
        why = f"The script reads standard input{_at(uses.stdin_line)}."
    elif works:
        why = f"The script does its work whenever it is run{_at(commands.work_lines[0])}."
    elif public:
        enabled = False
        why = 'The script has a main block beside its functions. Set "enabled": true for this tool in the manifest to run the script as a whole.'
    else:
        why = f"The script does its work when it is run{_at(survey.main_line)}."
    commands.tools = [
        whole_script(
            stem,
            survey.docstring,
            why,
            takes_words=reads_words,
            takes_stdin=reads_stdin,
            line=survey.main_line or (commands.work_lines or [None])[0],
            enabled=enabled,
            degraded=[problem] if problem else [],
        )
    ]


def _at(line):
    return f" (line {line})" if line else ""

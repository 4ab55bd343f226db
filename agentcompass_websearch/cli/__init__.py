"""The command ``agentcompass-websearch``: one file a command, imported only when that command runs."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Final

from agentcompass_websearch import __version__
from agentcompass_websearch.errors import UsageError, WebSearchError, nearest_name

_COMMANDS: Final = {
    "demo": "Run the benchmark on the embedded sample, offline, and show what comes out.",
    "doctor": "Check this installation: host, plugins, keys, proxies; say how to mend what is wrong.",
    "vendors": "List the vendor ids that --harness-params '{\"vendor\": ...}' takes, with boards, keys and prices.",
    "dataset": "Check datasets, write their needles for review, make synthetic ones.",
    "judge": "Judge answers against needles and evidence, by both policies, without a run.",
    "board": "Make boards of runs: tables, intervals, tests, charts, and audit pages.",
    "rejudge": "Judge the stored attempts of runs again, offline.",
    "bundle": "Pack runs and their board into one file that others can verify.",
    "verify": "Check a bundle: its board computed anew, every attempt judged again.",
    "host": "Run an agentcompass command with the plugins loaded, where it does not find them by itself.",
}

_GROUPS: Final = frozenset({"dataset"})
"""Commands with commands of their own: apps, which bring their help with them."""

_HELP: Final = """\
Measure web search vendors in a coding-agent workflow, on the AgentCompass evaluation platform.

Runs themselves are started with the platform's own command, which finds this package by itself:

    agentcompass run ob-code-websearch coding_agent MODEL --k 3 \\
        --harness-params '{"vendor": "exa_auto"}' --run-name exa_auto
"""

_EXAMPLES: Final = """\
Examples:

    agentcompass-websearch demo
    agentcompass-websearch doctor
    agentcompass-websearch vendors exa local
    agentcompass-websearch board results --out board --open
    agentcompass-websearch COMMAND --help
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line with `argv` (default: the process' own arguments) and return its exit code.

    0 done, 1 failed, 2 wrong usage, 130 interrupted. A mistake of the user is one line on stderr, never a traceback;
    so is a file that cannot be read or written, and a disk that is full.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    # Where a stream is closed (`>&-`), Python has None for it, and print() would send errors to the output.
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        # What a console cannot show is escaped rather than refused.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(words)
        sys.stdout.flush()
    except WebSearchError as error:
        print(f"Error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough. Python flushes once more at exit: let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        print(f"Error: {what}{error.strerror or error}", file=sys.stderr)
        return UsageError.exit_code if error.filename else WebSearchError.exit_code
    return code


def _run(words: list[str]) -> int:
    command = words[0] if words else "--help"
    if command == "host":
        # The host parses the rest itself, its own options included.
        from agentcompass_websearch.cli.host import host

        return host(*words[1:])
    known = (*_COMMANDS, "--help", "-h", "--version")
    if command not in known:
        near = nearest_name(command, known)
        hint = f"Did you mean {near}?" if near else f"There are {', '.join(_COMMANDS)}."
        raise UsageError(f"unknown command {command!r}. {hint}")

    from cyclopts import App, CycloptsError

    app = App(
        name="agentcompass-websearch",
        help=_HELP,
        help_epilogue=_EXAMPLES,
        help_format="markdown",
        version=__version__,
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_int_as_exit_code_else_zero",
    )
    for name, summary in _COMMANDS.items():
        # The docstring of the one command that runs is its help; the others need not be imported for theirs.
        text = None if name == command else summary
        settings = {} if name == command and name in _GROUPS else {"help": text, "help_epilogue": ""}
        app.command(f"agentcompass_websearch.cli.{name}:{name}", name=name, **settings)
    try:
        return int(app(words))
    except CycloptsError as error:
        raise UsageError(f"{str(error).rstrip('.')}. Try: agentcompass-websearch {command} --help") from error

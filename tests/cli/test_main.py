"""The command line as a whole: help that teaches, exit codes, no traceback for a user's mistake, lazy commands."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest

from agentcompass_websearch import __version__, cli
from agentcompass_websearch.errors import UsageError, WebSearchError
from tests.support.installs import Run

COMMANDS = ("board", "bundle", "dataset", "demo", "doctor", "host", "judge", "rejudge", "vendors", "verify")


def test_help_names_every_command_and_shows_how_to_start(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    out = capsys.readouterr().out
    assert [name for name in COMMANDS if f"│ {name} " not in out] == []
    assert "agentcompass run ob-code-websearch coding_agent MODEL" in out
    assert "agentcompass-websearch vendors exa local" in out


def test_no_arguments_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    assert "Examples:" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"{__version__}\n"


def test_help_imports_neither_the_host_nor_a_command(run: Run) -> None:
    code = """
import sys
from agentcompass_websearch import cli
cli.main(["--help"])
heavy = ("agentcompass", "openai", "httpx", "tantivy", "litellm")
print(sorted(m for m in sys.modules if m in heavy or m.startswith("agentcompass_websearch.cli.")), file=sys.stderr)
"""
    assert run("python", "-c", code).err == "[]\n"


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "host"])
def test_every_command_explains_itself_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([command, "--help"]) == 0
    usage, *rest = capsys.readouterr().out.splitlines()
    assert usage.startswith(f"Usage: agentcompass-websearch {command}")
    assert any(line.strip().startswith(f"agentcompass-websearch {command}") for line in rest)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["vendros"], "Error: unknown command 'vendros'. Did you mean vendors?"),
        (["zzz"], "Error: unknown command 'zzz'. There are demo, doctor"),
        (["--verison"], "Error: unknown command '--verison'. Did you mean --version?"),
        (["vendors", "--jsno"], "Error: Unknown option: --jsno. Did you mean --json?"),
        (["doctor", "extra"], "Error: Unused Tokens: ['extra']"),
        (["vendors", "nobody"], "Error: unknown vendor family 'nobody'. There are brave, "),
        (["vendors", "exa_auto"], "Error: unknown vendor family 'exa_auto'. Did you mean exa? There are "),
        (["demo", "--k", "1.5"], "Error: Invalid value for --k: '1.5' is no whole number"),
        (["demo", "--k", "9" * 5000], "Error: Invalid value for --k: '999"),
        (["dataset", "synthesize", "--out", "x", "--n", "1."], "Error: Invalid value for --n: '1.' is no whole number"),
        (["board", "x", "--port", "65536"], "Error: --port is 65536, but must be 0 to 65535"),
        (["board", "x" * 5000], "Error: xxxxx"),
    ],
)
def test_a_wrong_word_is_one_line_and_exit_code_2(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code", "err"),
    [
        (UsageError("wrong name"), 2, "Error: wrong name\n"),
        (WebSearchError("failed"), 1, "Error: failed\n"),
        (KeyboardInterrupt(), 130, ""),
        (PermissionError(13, "Permission denied", "results"), 2, "Error: results: Permission denied\n"),
        (OSError(28, "No space left on device"), 1, "Error: No space left on device\n"),
    ],
)
def test_errors_become_exit_codes(
    error: BaseException, code: int, err: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from agentcompass_websearch import plugins

    def fail() -> None:
        raise error

    monkeypatch.setattr(plugins, "all_vendors", fail)
    assert cli.main(["vendors"]) == code
    assert capsys.readouterr().err == err


@pytest.mark.parametrize(
    ("closed", "words", "code", "out", "err"),
    [
        (">&-", "--version", 0, "", ""),
        (">&-", "vendors local", 0, "", ""),
        ("2>&-", "vendors nobody", 2, "", ""),
        (">&-", "vendors nobody", 2, "", "Error: unknown vendor family"),
        ("<&-", "judge -", 2, "", "Error: standard input is closed"),
        (">/dev/full", "--version", 1, "", "Error: No space left on device"),
    ],
)
def test_a_closed_stream_or_a_full_disk_is_no_traceback(closed: str, words: str, code: int, out: str, err: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m agentcompass_websearch {words} {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (code, out)
    assert done.stderr.startswith(err)
    assert len(done.stderr.splitlines()) == bool(err)


def test_a_closed_pipe_is_no_traceback() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "agentcompass_websearch", "vendors", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == ""

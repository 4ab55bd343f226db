"""The demo's tables: known and unknown numbers, the order of arms, and what is said below them."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from agentcompass_websearch.cli.demonstration.arms import Arm
from agentcompass_websearch.cli.demonstration.report import Finished, print_meaning, print_tables
from agentcompass_websearch.records import WEB_FETCH, WEB_SEARCH

SEARCH_ONLY, BOTH = (WEB_SEARCH,), (WEB_SEARCH, WEB_FETCH)


def leaderboard(mean: float | None, **more: Any) -> dict[str, Any]:
    return {
        "completion": {"mean": mean, "sd": 0.05, "per_repeat": [0.4, 0.5]},
        "recovered": {"mean": 0.25},
        "median_task_s": 1.234,
        "mean_search_s": 0.0021,
        "median_tokens": 12345.0,
        "list_usd": {"search": 0.005, "fetch": None},
        "median_cost_usd": 0.25,
        **more,
    }


def printed(*finished: tuple[Arm, dict[str, Any]], width: int = 200) -> str:
    text = io.StringIO()
    console = Console(file=text, width=width, markup=False)
    print_tables(console, [Finished(arm, Path("run"), board, 1.0) for arm, board in finished])
    return text.getvalue()


def test_each_board_has_its_table_with_the_best_arm_first() -> None:
    text = printed(
        (Arm("low", BOTH), leaderboard(0.2)),
        (Arm("high", BOTH), leaderboard(0.6)),
        (Arm("other", SEARCH_ONLY), leaderboard(0.1)),
        (Arm("none", ()), leaderboard(0.0)),
    )
    places = [
        text.index(word) for word in ("Search and fetch", "high", "low", "Search-only", "other", "No search", "none")
    ]
    assert places == sorted(places)


def row(text: str, arm: str) -> list[str]:
    (line,) = (line for line in text.splitlines() if line.split()[:1] == [arm])
    return re.split(r"\s{2,}", line.strip())


def test_numbers_are_shown_in_the_units_of_their_headings() -> None:
    cells = ["45.0 ± 5.0", "40.0 50.0", "25.0", "1.23", "2.1", "12,345", "0.0050", "-", "0.2500"]
    assert row(printed((Arm("arm", BOTH), leaderboard(0.45))), "arm") == ["arm", *cells]


def test_what_is_unknown_is_a_dash_and_never_zero() -> None:
    unknown = dict.fromkeys(("median_task_s", "mean_search_s", "median_tokens", "median_cost_usd"))
    none = {"mean": None, "sd": None, "per_repeat": None}
    text = printed((Arm("arm", BOTH), leaderboard(None, **unknown, completion=none, recovered=none)))
    assert row(text, "arm") == ["arm", *["-"] * 6, "0.0050", "-", "-"]


def test_one_repeat_has_no_deviation() -> None:
    one = {"mean": 0.5, "sd": None, "per_repeat": [0.5]}
    assert row(printed((Arm("arm", BOTH), leaderboard(0.5, completion=one))), "arm")[1:3] == ["50.0", "50.0"]


def test_no_number_is_cut_on_a_narrow_terminal() -> None:
    text = printed((Arm("local_title", BOTH), leaderboard(0.45)), width=80)
    assert "…" not in text
    for number in ("45.0", "5.0", "40.0", "50.0", "25.0", "1.23", "2.1", "12,345", "0.0050", "0.2500"):
        assert number in text


def test_it_is_said_that_the_model_is_none() -> None:
    text = io.StringIO()
    print_meaning(Console(file=text, width=80, markup=False), "stand-in-1", Path("out"))
    said = " ".join(text.getvalue().split())
    assert "stand-in-1: a scripted program, not a language model" in said
    assert "agentcompass view out" in said
    assert "agentcompass-websearch board out --open" in said
    assert """--harness-params '{"vendor": "exa_auto"}'""" in said
    assert all(len(line) <= 80 for line in text.getvalue().splitlines()[:6])


@pytest.mark.parametrize("on_path", [True, False])
def test_where_the_commands_are_is_said_only_if_they_are_not_on_the_path(
    on_path: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "activate").touch()
    program = tmp_path / "agentcompass-websearch"
    program.touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path) if on_path else "")
    text = io.StringIO()
    print_meaning(Console(file=text, width=80, markup=False), "stand-in-1", Path("out"))
    assert (f"not on your path yet: . {tmp_path / 'activate'}" in text.getvalue()) != on_path


def test_a_leaderboard_is_read_from_the_metrics_of_its_run(tmp_path: Path) -> None:
    file = tmp_path / "metrics.json"
    file.write_text(json.dumps({"extra": {"leaderboard": leaderboard(0.5)}}))
    finished = Finished.read(Arm("a", BOTH), file, 2.0)
    assert finished.as_json() == {
        "arm": "a-search-fetch",
        "vendor_id": "a",
        "board": "search-fetch",
        "run_dir": str(tmp_path),
        "seconds": 2.0,
        "leaderboard": leaderboard(0.5),
    }


@pytest.mark.parametrize("content", ["", "{}", '{"extra": {}}'])
def test_a_run_without_leaderboard_is_noticed(tmp_path: Path, content: str) -> None:
    file = tmp_path / "metrics.json"
    file.write_text(content)
    with pytest.raises((KeyError, ValueError)):
        Finished.read(Arm("a", BOTH), file, 2.0)

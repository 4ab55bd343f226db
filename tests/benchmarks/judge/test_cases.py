"""Both policies on a set of attempts and answers with known verdicts, through the command line as a person uses it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import extract_official, extract_published
from agentcompass_websearch.cli import main

DATA = Path(__file__).parent / "data"
POLICIES = ("published", "official")


def read(name: str) -> dict[str, dict[str, Any]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


SUBMISSIONS, ANSWERS = read("submissions.jsonl"), read("answers.jsonl")


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """The output of the command for all submissions, by id."""
    folder = tmp_path_factory.mktemp("judge")
    with pytest.MonkeyPatch.context() as patch, (folder / "out.jsonl").open("w", encoding="utf-8") as out:
        patch.setattr("sys.stdout", out)
        assert main(["judge", str(DATA / "submissions.jsonl")]) == 0
    found = [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [one["id"] for one in found] == list(SUBMISSIONS)
    return {one["id"]: one for one in found}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", SUBMISSIONS)
def test_submissions(verdicts: Mapping[str, Any], name: str, policy: str) -> None:
    case = SUBMISSIONS[name]
    assert verdicts[name][policy] == {"submission": case["submission"], **case["expected"][policy]}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(name: str) -> None:
    case = ANSWERS[name]
    assert same(extract_published(case["answer"], case["outfile"]).text, case["expected"]["published"])
    assert same(extract_official(case["answer"]), case["expected"]["official"])


def test_answers_are_taken_alike_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.dumps({**case, "required": ["needle"]}) for case in ANSWERS.values()]
    (tmp_path / "answers.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert main(["judge", str(tmp_path / "answers.jsonl")]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for case, one in zip(ANSWERS.values(), found, strict=True):
        for policy in POLICIES:
            assert same(one[policy]["submission"], case["expected"][policy])


def same(one: str, other: str) -> bool:
    """Whether two submissions are the same, apart from one final newline; what is blank is empty."""
    return one.removesuffix("\n") == other.removesuffix("\n") or not (one.strip() or other.strip())

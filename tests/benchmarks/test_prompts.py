"""The prompts: what every harness sends on, and that following them to the letter passes the judge."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.prompts import (
    NEUTRAL_PROMPT,
    SYSTEM_PROMPTS,
    prompts_for,
    user_prompt,
)
from agentcompass_websearch.benchmarks.ob_code_websearch.scoring import score
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import load, parse
from agentcompass_websearch.records import evidence_from_observations
from tests.benchmarks.support import DOCS_URL, STARTER, row, searched, ticket, tickets_of, write_jsonl


def test_the_user_prompt_is_the_ticket_and_its_file_and_no_more(tmp_path: Path) -> None:
    assert user_prompt(ticket(tmp_path)) == (
        "Crates shall be released in one go, on the lane for bulk work.\n\n"
        f"The current file, client.py:\n\n```python\n{STARTER}```\n"
    )


@pytest.mark.parametrize("ticks", ["", "`", "```", "`````"])
def test_the_fence_is_longer_than_any_in_the_starter(tmp_path: Path, ticks: str) -> None:
    starter = f'DOC = """\n{ticks}\n"""\n'
    prompt = user_prompt(ticket(tmp_path, starter_code=starter))
    fence = "`" * max(3, len(ticks) + 1)
    assert prompt.endswith(f"\n\n{fence}python\n{starter}{fence}\n")


def test_braces_in_ticket_and_starter_are_left_alone(tmp_path: Path) -> None:
    prompt = user_prompt(ticket(tmp_path, ticket="Use {this}.", starter_code='PATH = f"/v1/{x}/{{y}}"\n'))
    assert "Use {this}." in prompt
    assert 'f"/v1/{x}/{{y}}"' in prompt


def test_a_whole_prompt_is_used_as_it_is(tmp_path: Path) -> None:
    task = tmp_path / "lane"
    for name, text in (("starter", STARTER), ("gold", row()["gold_code"])):
        (task / name).mkdir(parents=True)
        (task / name / "client.py").write_text(text)
    whole = f"Release.\n\n~~~\n{STARTER}~~~\n  Thanks. "
    (task / "prompt.txt").write_text(whole)
    (tmp_path / "catalog.json").write_text(json.dumps({"items": [{"id": "lane", "required": row()["required"]}]}))
    assert user_prompt(tickets_of(tmp_path)[0]) == whole


def test_each_harness_sends_the_rules_to_its_model(tmp_path: Path) -> None:
    one = ticket(tmp_path)
    user = user_prompt(one)
    assert prompts_for(one, "coding_agent") == (user, NEUTRAL_PROMPT)
    assert prompts_for(one, "naive_search_agent") == (f"{NEUTRAL_PROMPT}\n{user}", None)
    messages, system = prompts_for(one, "openai_chat")
    assert system is None
    assert json.loads(messages) == [
        {"role": "system", "content": NEUTRAL_PROMPT},
        {"role": "user", "content": user},
    ]


def test_every_variant_states_the_rules_that_apply_to_it() -> None:
    for prompt in (*SYSTEM_PROMPTS.values(), NEUTRAL_PROMPT):
        for rule in ("complete file", "```python", "must compile", "exactly as the documentation does", "one literal"):
            assert rule.replace("one literal", "in that one literal") in prompt, rule
        assert not re.search(r"[^\S\n]{2}|\n{3}| $", prompt, re.MULTILINE), "ragged text"
    for name in ("search-only", "search-fetch"):
        assert "# source: URL" in SYSTEM_PROMPTS[name]
        assert "web_search" in SYSTEM_PROMPTS[name]
    assert "web_fetch" in SYSTEM_PROMPTS["search-fetch"]
    assert "web_fetch" not in SYSTEM_PROMPTS["search-only"]
    assert "# source" not in SYSTEM_PROMPTS["no-search"]
    assert "web_" not in SYSTEM_PROMPTS["no-search"] + NEUTRAL_PROMPT


def test_no_needle_of_a_ticket_stands_in_what_the_model_is_given(tmp_path: Path) -> None:
    tickets = tickets_of(write_jsonl(tmp_path / "r.jsonl", [row()]))
    given = user_prompt(tickets[0]) + "".join(SYSTEM_PROMPTS.values()) + NEUTRAL_PROMPT
    assert not [needle.text for needle in tickets[0].needles if needle.text in given]


def by_the_letter(ticket_code: str, needles: list[str], url: str) -> str:
    """Return the answer of a model that knows the change and follows the system prompt to the letter."""
    lines = [line for line in ticket_code.split("\n") if not line.strip().startswith("# source")]
    statements = [node for node in ast.walk(ast.parse("\n".join(lines))) if isinstance(node, ast.stmt)]
    cited = {
        max(s.lineno for s in statements if s.lineno <= number <= (s.end_lineno or 0))
        for number, line in enumerate(lines, 1)
        if any(needle in line for needle in needles)
    }
    for number in sorted(cited, reverse=True):
        indent = lines[number - 1][: len(lines[number - 1]) - len(lines[number - 1].lstrip())]
        lines.insert(number - 1, f"{indent}# source: {url}")
    return "I followed the documentation.\n\n```python\n" + "\n".join(lines).strip("\n") + "\n```"


def test_following_the_prompt_to_the_letter_passes_both_policies() -> None:
    evidence = evidence_from_observations([searched("https://other.example/", DOCS_URL)])
    for one in load(parse("sample")).tickets:
        text = by_the_letter(one.gold, [needle.text for needle in one.needles], DOCS_URL)
        metrics = score(one, text, evidence, (), "published").metrics()
        assert (metrics["correct_published"], metrics["correct_official"]) == (True, True), text

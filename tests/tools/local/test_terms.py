from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.tools.local.terms import WORDS, analyzers, names, word_text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Send `X-Acme-Key`: it.", ["x-acme-key"]),
        ("POST /api/v2/workers/{id}/batch.", ["api/v2/workers"]),
        ("acme.batch.submit(items), then workerBatch", ["acme.batch.submit", "workerbatch"]),
        ("https://docs.acme.example/a?b=c#d", ["https://docs.acme.example/a"]),
        ("page_size=200", ["page_size"]),
        ("Plain words, UPPER and Title. e2e v2 200", []),
        ("-- __ ... /", []),
        ("x" * 150 + "-" + "y" * 150, []),
    ],
)
def test_names(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_words_of_camel_case_and_of_scripts_without_blanks() -> None:
    analyze = analyzers()[WORDS].analyze
    assert analyze(word_text("workerBatch v2 Running")) == ["worker", "batch", "v2", "run"]
    assert analyze(word_text("東京 API")) == ["東", "京", "api"]


@given(st.text(max_size=300))
def test_any_text_has_terms(text: str) -> None:
    assert all(name == name.lower() and not any(c.isspace() for c in name) for name in names(text))
    word_text(text)

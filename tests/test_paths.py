from __future__ import annotations

from pathlib import Path

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.paths import named_path


def test_a_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/users/ada")
    assert named_path("~/tickets.jsonl", "dataset") == Path("/users/ada/tickets.jsonl")
    assert named_path("a/~b", "dataset") == Path("a/~b")


@pytest.mark.parametrize("text", ["~no-such-user-here/x", "a\0b"])
def test_what_is_no_path_is_refused_with_the_parameter(text: str) -> None:
    with pytest.raises(UsageError, match=r"^dataset: "):
        named_path(text, "dataset")

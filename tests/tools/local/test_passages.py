from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentcompass_websearch.tools.local.passages import PASSAGE_CHARS, headings, passages


def test_a_short_page_is_one_passage() -> None:
    assert passages("One.\n\nTwo.\n") == ["One.\n\nTwo."]
    assert passages("") == passages(" \n\n ") == []


def test_a_heading_begins_a_passage() -> None:
    assert passages("# A\n\nfirst\n\n## B\nsecond\n") == ["# A\n\nfirst", "## B\nsecond"]


def test_long_texts_are_split_between_paragraphs() -> None:
    paragraph = "word " * 120
    found = passages("\n\n".join([paragraph] * 5))
    assert found == [paragraph.strip()] * 5


def test_one_long_line_is_split_between_words() -> None:
    found = passages("word " * 1000)
    assert all(len(passage) <= PASSAGE_CHARS for passage in found)
    assert set(" ".join(found).split()) == {"word"}
    assert [len(passage) for passage in passages("x" * 2500)] == [1000, 1000, 500]


@given(st.text(st.sampled_from("ab #\n\r`"), max_size=4000))
def test_nothing_is_lost(text: str) -> None:
    found = passages(text)
    assert all(0 < len(passage) <= PASSAGE_CHARS for passage in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_headings_outside_of_fences() -> None:
    text = "# One #\n\n```python\n# a comment\n```\n ## Two\n####### seven\n#none\n~~~\n# no\n~~~\n###\t Three  \n#\n"
    assert headings(text) == ["One", "Two", "Three"]

"""Which file each policy takes from an answer, and what it tells about the answer."""

from __future__ import annotations

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import (
    Needle,
    extract_official,
    extract_published,
    judge_published,
)
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.remarks import DIFF, DIFF_BLOCK, ELIDED, EMPTY, TOOL_CALL
from agentcompass_websearch.records import Evidence


def taken(answer: str, outfile: str = "client.py") -> str:
    return extract_published(answer, outfile).text


DRAFT, FINAL = "```python\nx = 'old'\n```\n", "```python\nx = 'new'\n```\n"


@pytest.mark.parametrize(
    ("answer", "file"),
    [
        # the last block tagged as Python, whatever stands around it
        (f"Draft:\n{DRAFT}Final:\n{FINAL}", "x = 'new'"),
        (f"{FINAL}Install:\n```bash\npip install httpx\n```\n", "x = 'new'"),
        (f"{FINAL}```\nplain = 1\n```", "x = 'new'"),
        (f"{FINAL}```python\n\n```", "x = 'new'"),
        (f"{FINAL}```python\n\u00a0\n```", "x = 'new'"),
        ("```Py\nx = 1\n```", "x = 1"),
        ("```PYTHON3\nx = 1\n```", "x = 1"),
        # also one that does not parse
        ("```\nx = 1\n```\n```python\nx =\n```", "x ="),
        # a block named after the file comes first, one named after another never
        (f"```client.py\nx = 1\n```\n{FINAL}", "x = 1"),
        (f"```python title=client.py\nx = 1\n```\n{FINAL}", "x = 1"),
        ("```client.py\nx = 1\n```\n```client.py\nx = 2\n```", "x = 2"),
        ("```python title=client.py\nx = 1\n```\n```client.py\n \n```", "x = 1"),
        (f"{FINAL}```python title=settings.py\nx = 1\n```", "x = 'new'"),
        (f"{FINAL}```settings.py\nx = 1\n```", "x = 'new'"),
        ("```settings.py\nx = 1\n```", ""),
        ("```python settings.py\nx = 1\n```", ""),
        ("```json title=client.py\n1\n```", ""),
        ("```diff client.py\n-x\n```", ""),
        # the last untagged one that parses
        ("```\nx = 1\n```\n```\n$ python client.py\n```", "x = 1"),
        ("```\nx = 1\n```\n```\ny = 2\n```", "y = 2"),
        ("```\nx = 1\n```\n```\n# only a comment\n```", "x = 1"),
        ("```\n$ ls\n```", ""),
        ("```\n{settings.py}\n```\nSee above.", "{settings.py}"),
        # blocks of other languages never
        ("```json\n1\n```", ""),
        ("```python-repl\n>>> 1\n```", ""),
        ("```text\nx = 1\n```", ""),
        # code on the fence
        ("```import httpx\nx = 1\n```", "import httpx\nx = 1"),
        ("```x = 1\n```", "x = 1"),
        ("```from a import b", "from a import b"),
        (f"{FINAL}```import httpx\ny = 1\n```", "x = 'new'"),
        # how fences are written
        ("~~~python\nx = 1\n~~~", "x = 1"),
        ("`````python\n```\nx\n```\n`````", "```\nx\n```"),
        ("```python\nx = '''\n````\n'''\n```", "x = '''"),
        ("   ```python\n   x = 1\n     y\n   ```", "x = 1\n  y"),
        ("- file:\n  ```python\n  if x:\n      y\n  ```\n- done", "if x:\n    y"),
        ("> ```python\n> x = 1\n> ```", "x = 1"),
        ("1. a\n   1. b\n      ```python\n      x = 1\n      ```", "x = 1"),
        ("- a\n  - b\n    - c\n      - d\n        ```python\n        x = 1\n        ```", "x = 1"),
        ("text\n```python\nx = 1\n```", "x = 1"),
        ("<details>\n```python\nx = 1\n```\n</details>", "x = 1"),
        ("```python\nx = 1\n``` trailing\ny = 2\n```", "x = 1\n``` trailing\ny = 2"),
        ("```python\nx = 1", "x = 1"),
        ("```python\nx = 1\n\n", "x = 1\n"),
        # an opening fence on the last line with text opens nothing
        ("x = 1\n```", "x = 1"),
        ("x = 1\n```\n \n", "x = 1"),
        ("x = 1\n~~~~\n", "x = 1"),
        (f"{FINAL}```", "x = 'new'"),
        ("```", ""),
        # line ends, byte order marks, NUL
        ("```python\r\nx = 1\r\ny = 2\r\n```\r\n", "x = 1\ny = 2"),
        ("```python\rx = 1\ry = 2\r```\r", "x = 1\ny = 2"),
        ("x = 1\r\ny = 2\r\n", "x = 1\r\ny = 2"),
        ("x = 1\n\n\n", "x = 1\n\n"),
        ("\ufeffx = 1", "x = 1"),
        ("\ufeff```python\n\ufeffx = 1\n```", "x = 1"),
        ("<think>a</think>\ufeffx = 1", "x = 1"),
        ("\ufeff<think>a</think>x = 1", "x = 1"),
        ("x = '\ufeff'", "x = '\ufeff'"),
        ("```python\nx = '\x00'\n```", "x = '\x00'"),
        # reasoning first
        (f"<think>{DRAFT}</think>{FINAL}", "x = 'new'"),
        (f"thinking\n{DRAFT}</think>\n{FINAL}", "x = 'new'"),
        (f"<think>{FINAL}", ""),
        # no block at all
        ("Done", "Done"),
        ("I cannot help with that.", "I cannot help with that."),
        ("", ""),
        (" \n\t ", ""),
        ("x = 1 ```y```", "x = 1 ```y```"),
        ("    ```python\n    x = 1\n    ```", "    ```python\n    x = 1\n    ```"),
    ],
)
def test_the_published_policy(answer: str, file: str) -> None:
    assert taken(answer) == file


@pytest.mark.parametrize(
    ("answer", "file"),
    [
        (f"Draft:\n{DRAFT}Final:\n{FINAL}", "x = 'new'"),
        (f"{FINAL}Install:\n```bash\npip install httpx\n```\n", "pip install httpx"),
        (f"{FINAL}```python\n \n```", "x = 'new'"),
        ("```c_9+-\nx\n```", "x"),
        ("```a.b\nx\n```", ""),
        ("```\u00e9\nx\n```", ""),
        ("``` python\nx\n```", ""),
        ("```python\r\nx\r\n```", ""),
        ("```python\nx", ""),
        ("  ```python\nx", ""),
        ("text ```python\nx", "text ```python\nx"),
        ("text ```python\nx```", "x"),
        ("x = 1\n", "x = 1"),
        ("  x = 1\n\n", "x = 1"),
        ("~~~\nx\n~~~", "~~~\nx\n~~~"),
        ("```\n\n```", ""),
        ("<think>```\nx\n```", "x"),
        ("\ufeffx", "\ufeffx"),
        ("", ""),
        ("\n ", ""),
    ],
)
def test_the_official_policy(answer: str, file: str) -> None:
    assert extract_official(answer) == file


def test_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    for extract in (taken, extract_official):
        assert extract("x = '\ud835'") == "x = '\ufffd'"
        assert extract("x = '\ud83d\ude00'") == "x = '\U0001f600'"
        assert extract("x = 'a\udc80\ud800b'") == "x = 'a\ufffd\ufffdb'"


@pytest.mark.parametrize(
    "answer",
    [
        '<tool_call>{"name": "web_search", "arguments": {"query": "acme"}}</tool_call>',
        "I will search.\n<function=web_search><parameter=query>acme</parameter></function>",
        '[TOOL_CALLS][{"name": "web_search"}]',
        '<|tool_call|>{"name": "web_search"}',
        '<function_calls>\n<invoke name="web_search">',
    ],
)
def test_a_tool_call_in_the_text_is_noted(answer: str) -> None:
    assert TOOL_CALL in extract_published(answer, "client.py").notes


def test_a_diff_block_is_noted() -> None:
    got = extract_published("```diff\n--- a/client.py\n+++ b/client.py\n@@ -1 +1 @@\n-P = 1\n+P = 2\n```", "client.py")
    assert (got.text, got.notes) == ("", (DIFF_BLOCK,))
    got = extract_published(f"```patch\n-x\n+y\n```\n{FINAL}", "client.py")
    assert (got.text, got.notes) == ("x = 'new'", (DIFF_BLOCK,))


@pytest.mark.parametrize(
    "diff",
    [
        "--- a/client.py\n+++ b/client.py\n@@ -1 +1 @@\n-PATH = 1\n+PATH = 2",
        "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE",
        "--- PATH\n+++ PATH\n-x_acme_old\n+x_acme_tenant",
    ],
)
def test_a_diff_without_a_tag_is_taken_as_it_stands(diff: str) -> None:
    assert taken(diff) == diff
    assert taken(f"```\n{diff}\n```") == diff
    assert taken(f"```\n{diff}\n```\n```\nx = 1\n```\n") in ("x = 1", diff)


def test_a_plain_answer_has_no_notes() -> None:
    assert extract_published(FINAL, "client.py").notes == ()
    assert extract_published("", "client.py").notes == ()


@pytest.mark.parametrize(
    ("answer", "compiled", "note"),
    [
        ("```diff\n--- a/client.py\n+++ b/client.py\n@@ -1 +1 @@\n-PATH = 1\n+PATH = 2\n```", False, DIFF_BLOCK),
        ("--- PATH\n+++ PATH\n-x_acme_old\n+x_acme_tenant\n", True, DIFF),
        ("<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE", False, DIFF),
        ("```python\nimport httpx\n# ... rest of the file unchanged ...\nPATH = '/api'\n```", True, ELIDED),
        ("Done", True, None),
        ("Here is file", True, None),
        ("I cannot help with that.", False, "SyntaxError: "),
        ("", False, EMPTY),
        ("   \n", False, EMPTY),
        ('<tool_call>{"name": "web_search", "arguments": {"query": "acme"}}</tool_call>', False, TOOL_CALL),
    ],
)
def test_an_answer_that_is_no_complete_file_does_not_pass(answer: str, compiled: bool, note: str | None) -> None:
    submission = extract_published(answer, "client.py")
    needles = [Needle("x-acme-tenant", "header"), Needle("/api/v2/workerBatch", "path")]
    verdict = judge_published(submission, needles, Evidence(), outfile="client.py")
    assert (verdict.passed, verdict.compiled) == (False, compiled)
    assert any(told.startswith(note) for told in verdict.notes) if note else not verdict.notes
    assert verdict.missing == (("x-acme-tenant", "/api/v2/workerBatch") if compiled else ())

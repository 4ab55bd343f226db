"""What is left of an answer without the reasoning before it."""

from __future__ import annotations

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.reasoning import without_reasoning

FILE = "```python\nx = 1\n```"


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("no tags", "no tags"),
        ("", ""),
        # an opening tag at the start
        (f"<think>hm</think>{FILE}", FILE),
        (f"\n <think>\nhm\n</think>\n\n{FILE}", f"\n\n{FILE}"),
        (f"<think></think>{FILE}", FILE),
        (f"<think>one</think>\n<think>two</think>{FILE}", FILE),
        (f"<think>{FILE}</think>y = 2", "y = 2"),
        ("<think>```python\nbad = 1\n```</think>\n" + FILE, "\n" + FILE),
        ("<think>```python\nbad = 1\n```  </think>" + FILE, FILE),
        ("<think>\n~~~\nbad = 1\n~~~</think>\ny = 2", "\ny = 2"),
        ("<think>a</think>b</think>c", "b</think>c"),
        # never closed
        ("<think>hm", ""),
        ("<think>", ""),
        ("<think>```python\nbad = 1\n```", ""),
        ("<think>a</think><think>b", ""),
        ("<think>\n```python\ns = '</think>'\n```\n", ""),
        # a tag in a block is text
        (f"<think>\n```python\ns = '</think>'\n```\nok</think>{FILE}", FILE),
        (f"<think>\n```\n</think>\n```\nok\n</think>\n{FILE}", f"\n{FILE}"),
        # a block that the reasoning leaves open
        (f"<think>\n```python\nbad = 1\n</think>\n{FILE}", f"\n{FILE}"),
        # no opening tag
        (f"hm</think>{FILE}", FILE),
        (f"hm</think>hm</think>{FILE}", FILE),
        (f"{FILE}\n</think>\n{FILE}", f"\n{FILE}"),
        ("hm</think>```python\ns = '</think>'\n```", "```python\ns = '</think>'\n```"),
        ("```python\ns = '</think>'\n```", "```python\ns = '</think>'\n```"),
        ("```python\ns = '</think>```'\n```", "```python\ns = '</think>```'\n```"),
        # nothing follows
        (f"{FILE}</think>", FILE),
        (f"{FILE}\n</think>\n", f"{FILE}\n\n"),
        ("x = 1\n</think>  \n", "x = 1\n  \n"),
        ("a</think>b</think>", "a</think>b"),
        # an opening tag elsewhere is text
        ("x = '<think>'", "x = '<think>'"),
        (f"{FILE}\n<think>", f"{FILE}\n<think>"),
        ("a <think>b</think> c", " c"),
        ("<thinking>x", "<thinking>x"),
        ("<THINK>x", "<THINK>x"),
    ],
)
def test_reasoning_is_dropped(answer: str, left: str) -> None:
    assert without_reasoning(answer) == left

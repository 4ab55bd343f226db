"""Takes the submitted file from a final answer, under either policy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.compiling import parses
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.fences import Fence, Fences, lines_of, read_fences
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.infostring import PYTHON, Info, names, read_info
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.reasoning import without_reasoning
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.remarks import (
    DIFF_BLOCK,
    looks_like_diff,
    remarks_on_answer,
)
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.verdicts import Submission
from agentcompass_websearch.text import join_surrogates

_BOM: Final = "\ufeff"
_FINAL_LINE_END: Final = re.compile(r"(?:\r\n?|\n)\Z")
_OFFICIAL_BLOCK: Final = re.compile(r"```[A-Za-z0-9_+-]*+\n(.*?)```", re.DOTALL)
_DIFF_LANGUAGES: Final = frozenset({"diff", "patch", "udiff"})


@dataclass(frozen=True, slots=True)
class _Block:
    info: Info
    text: str


def extract_published(answer: str, outfile: str) -> Submission:
    """Return the file that the published policy takes from `answer`; never raises.

    That is the last block named after `outfile`, else the last one tagged as Python, else the last untagged one that
    parses (or is a diff, to be judged as it stands), else, if there is no block at all, the whole text.
    """
    answer = join_surrogates(answer)
    text = without_reasoning(answer.removeprefix(_BOM)).removeprefix(_BOM)
    fences = read_fences(text)
    blocks = [block for block in map(_block, fences.blocks) if block.text.strip()]
    notes = list(remarks_on_answer(answer))
    if any(block.info.language in _DIFF_LANGUAGES for block in blocks):
        notes.append(DIFF_BLOCK)
    file = _file(blocks, outfile) if fences.blocks else _unfenced(text, fences)
    return Submission(file if file.strip() else "", tuple(notes))


def extract_official(answer: str) -> str:
    """Return the file that the official policy takes from `answer`; never raises.

    That is the last block between three backticks that is not blank. An answer that begins with a fence and has no
    such block is an empty submission, any other one is the file itself.
    """
    text = join_surrogates(answer).strip()
    blocks: list[str] = [match[1].strip() for match in _OFFICIAL_BLOCK.finditer(text)]
    for block in reversed(blocks):
        if block:
            return block
    return "" if text.startswith("```") else text


def _block(fence: Fence) -> _Block:
    info = read_info(fence.info)
    return _Block(info, "\n".join(filter(None, (info.code, fence.content.removeprefix(_BOM)))))


def _file(blocks: list[_Block], outfile: str) -> str:
    """Return the text of the block that is the file; "" if none is."""
    ours = [block for block in blocks if not block.info.file or names(block.info.file, outfile)]
    python = [block for block in ours if block.info.language in PYTHON]
    untagged = [block for block in ours if not block.info.language]
    named = [block for block in ours if block.info.file and block.info.language in {"", *PYTHON}]
    for block in (*named[-1:], *python[-1:]):
        return block.text
    for block in reversed(untagged):
        if parses(block.text):
            return block.text
    return next((block.text for block in reversed(untagged) if looks_like_diff(block.text)), "")


def _unfenced(text: str, fences: Fences) -> str:
    """Return the whole text, without a stray closing fence and what follows it, and without one final line end."""
    if fences.stray_line is not None:
        text = "".join(lines_of(text)[: fences.stray_line])
    return _FINAL_LINE_END.sub("", text)

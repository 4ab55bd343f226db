"""The command judge, as a person types it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch.cli import main

URL = "https://docs.acme.example/batch"
CODE = f"# source: {URL}\nPATH = '/v2/batch'"
SEARCHES = [{"query": "acme", "hits": [{"url": URL, "title": "Batch", "snippet": "..."}], "error": None}]
PASSED = {"passed": True, "compiled": True, "missing": [], "uncited": [], "ungrounded": []}


def attempt(**changes: Any) -> dict[str, Any]:
    return {
        "id": "t1",
        "answer": f"```python\n{CODE}\n```\n",
        "required": ["/v2/batch"],
        "searches": SEARCHES,
    } | changes


class Judged:
    """What the command wrote, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.err = code, err
        self.lines = [json.loads(line) for line in out.splitlines()]

    def passed(self) -> dict[str, tuple[bool, bool]]:
        return {one["id"]: (one["published"]["passed"], one["official"]["passed"]) for one in self.lines}


@pytest.fixture
def judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def judge(*lines: Any, options: tuple[str, ...] = (), tail: bytes = b"\n") -> Judged:
        texts = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        (tmp_path / "attempts.jsonl").write_bytes(b"\n".join(texts) + tail)
        code = main(["judge", str(tmp_path / "attempts.jsonl"), *options])
        return Judged(code, *capsys.readouterr())

    return judge


def test_the_form_of_a_line(judge: Any) -> None:
    done = judge(attempt())
    verdict = {"submission": CODE, **PASSED}
    assert done.lines == [{"id": "t1", "published": verdict, "official": verdict}]
    assert (done.code, done.err) == (0, "")


def test_lines_stay_in_order(judge: Any) -> None:
    ids = [f"t{n}" for n in range(50)]
    done = judge(*(attempt(id=name) for name in ids))
    assert [one["id"] for one in done.lines] == ids


def test_what_may_be_left_out_or_null(judge: Any) -> None:
    least = {"id": 7, "submission": CODE, "query_forbidden": ["/v2/batch"]}
    null = dict.fromkeys(
        ["answer", "outfile", "required", "kinds", "cite_urls", "searches", "fetches", "something else"]
    )
    hit = {"url": URL, "title": None, "snippet": None}
    done = judge(
        least,
        {**least, "id": "null", **null},
        {**least, "id": "hits", "searches": [{"hits": [hit]}, {"hits": None, "query": None}]},
        {**least, "id": "empty error", "searches": [{"hits": [hit], "error": ""}]},
        {**least, "id": "fetch", "fetches": [{"url": URL, "final_url": None, "content": "x", "error": None}]},
        {**least, "id": "failed", "fetches": [{"url": URL, "content": "x", "status": 404}]},
        {"id": "no answer", "answer": None, "required": ["needle"]},
        {"id": "no file", "submission": None, "required": ["needle"]},
        {**attempt(id="both"), "submission": "x = 1"},
    )
    assert done.code == 0
    assert done.passed() == {
        7: (False, False),
        "null": (False, False),
        "hits": (True, True),
        "empty error": (True, True),
        "fetch": (True, True),
        "failed": (False, True),
        "no answer": (False, False),
        "no file": (False, False),
        "both": (False, False),
    }
    assert done.lines[0]["published"]["ungrounded"] == ["/v2/batch"]
    assert done.lines[6]["published"] == {"submission": "", **PASSED, "passed": False, "compiled": False}
    assert done.lines[8]["official"]["submission"] == "x = 1"


def test_needles_are_named_once(judge: Any) -> None:
    done = judge(attempt(required=["a.bc", "/v2/batch", "a.bc"], query_forbidden=["other", "a.bc"]))
    assert done.lines[0]["published"]["missing"] == ["a.bc", "other"]


@pytest.mark.parametrize(
    ("kinds", "passed"),
    [
        (None, False),
        ({}, False),
        ({"X-MODE": "other"}, False),
        ({"X-MODE": "header"}, True),
        ({"X-MODE": None}, False),
        (["header"], True),
        ([None], False),
        ([{"needle": "X-MODE", "kind": "header"}], True),
        ([{"needle": "X-MODE"}], False),
    ],
)
def test_kinds(judge: Any, kinds: Any, passed: bool) -> None:
    code = f"# source: {URL}\nheaders = {{'X-Mode': 1}}"
    done = judge(attempt(answer=code, required=["X-MODE"], kinds=kinds))
    assert done.lines[0]["published"]["passed"] is passed


def test_a_slash_makes_a_path_where_no_kind_is_given(judge: Any) -> None:
    done = judge(attempt(required=["v2/batch/"]), attempt(id="other", required=["v2/batch/"], kinds=["other"]))
    assert [one["published"]["passed"] for one in done.lines] == [True, False]


BAD = {
    "not JSON": (b"{'id': 1}", "not JSON: "),
    "torn": (b'{"id": "a", "ans', "not JSON: "),
    "torn in a character": (b'{"id": "\xe6\x9d', "not UTF-8: "),
    "two in a line": (b"{}{}", "not JSON: "),
    "a list": (b"[1]", "Expected `object`, got `array`"),
    "deep": (b"[" * 100_000, "not JSON that can be read: "),
    "a huge number": (b'{"id": ' + b"9" * 5_000 + b"}", "not JSON that can be read: "),
    "no id": ({"answer": "", "required": ["x"]}, "missing required field `id`"),
    "no answer": ({"id": "a", "required": ["x"]}, "neither 'answer' nor 'submission'"),
    "no needles": ({"id": "a", "answer": "", "required": [], "query_forbidden": None}, "no needles"),
    "blank needle": (attempt(required=["x", " "]), "a needle is blank"),
    "answer": (attempt(answer=1), "Expected `str | null`, got `int` - at `$.answer`"),
    "needles as text": (attempt(required="x"), "Expected `array | null`, got `str` - at `$.required`"),
    "needle": (attempt(required=[1]), "at `$.required[0]`"),
    "cite_urls": (attempt(cite_urls="yes"), "at `$.cite_urls`"),
    "searches": (attempt(searches={}), "at `$.searches`"),
    "hits": (attempt(searches=[{"hits": ["x"]}]), "at `$.searches[0].hits[0]`"),
    "fetches": (attempt(fetches=[{"url": 1}]), "at `$.fetches[0].url`"),
    "kind": (
        attempt(kinds={"/v2/batch": "word"}),
        "kind of '/v2/batch' is 'word', but must be one of header, path, other",
    ),
    "kinds of another needle": (attempt(kinds={"x": "path"}), "kinds names 'x', which is no needle"),
    "too many kinds": (attempt(kinds=["path", "path"]), "kinds has 2 entries for 1 needles"),
    "outfile": (attempt(outfile=1), "at `$.outfile`"),
}


@pytest.mark.parametrize(("line", "reason"), BAD.values(), ids=BAD)
def test_a_bad_line_is_named_and_the_others_are_judged(judge: Any, line: Any, reason: str) -> None:
    done = judge(attempt(id="a"), b"", line, attempt(id="b"))
    assert done.passed() == {"a": (True, True), "b": (True, True)}
    assert done.code == 1
    assert done.err.startswith("line 3: ")
    assert reason in done.err
    assert done.err.count("\n") == 1
    assert len(done.err) < 400


def test_the_last_line_may_end_without_a_newline_or_be_torn(judge: Any) -> None:
    assert judge(attempt(id="a"), attempt(id="b"), tail=b"").passed() == {"a": (True, True), "b": (True, True)}
    torn = judge(attempt(id="a"), json.dumps(attempt(id="b")).encode()[:-40], tail=b"")
    assert (torn.code, torn.passed()) == (1, {"a": (True, True)})
    assert torn.err.startswith("line 2: not JSON")


def test_blank_lines_a_byte_order_mark_and_an_empty_file(judge: Any) -> None:
    marked = b"\xef\xbb\xbf" + json.dumps(attempt()).encode() + b"\r"
    assert judge(marked, b" \t", b"", tail=b"\n\n").passed() == {"t1": (True, True)}
    assert judge(tail=b"").code == 0


def test_a_line_separator_in_a_string_ends_no_line(judge: Any) -> None:
    line = json.dumps(attempt(submission="x = '\u2028\x85'", answer=None), ensure_ascii=False).encode()
    assert judge(line).lines[0]["published"]["submission"] == "x = '\u2028\x85'"


def test_surrogates(judge: Any) -> None:
    done = judge(
        attempt(answer="x = '\ud835'"), attempt(answer="x = '\ud83d\ude00'"), attempt(submission="x = '\ud835'")
    )
    got = [(one["published"]["submission"], one["published"]["compiled"]) for one in done.lines]
    assert got == [("x = '\ufffd'", True), ("x = '\U0001f600'", True), ("x = '\ud835'", False)]


def test_explain(judge: Any) -> None:
    code = "# source: https://x.example\n\nPATH = '/v2/batch'\n# ... rest unchanged ..."
    one, other = judge(attempt(), attempt(submission=code), options=("--explain",)).lines
    needle = {"needle": "/v2/batch", "kind": "path", "present": True}
    assert one["published"]["needles"] == [
        {**needle, "line": 2, "urls": [URL], "grounded_by": {"call_id": "search 1", "rank": 1}}
    ]
    assert (one["published"]["notes"], one["decided_by"]) == ([], None)
    assert other["published"]["needles"] == [{**needle, "line": 3, "urls": ["https://x.example"], "grounded_by": None}]
    assert other["published"]["notes"] == ["elided: parts of the file are left out"]
    assert judge(attempt(submission=f"{CODE}x'", answer=None), options=("--explain",)).lines[0]["decided_by"] is None
    uncited = attempt(submission=f"PATH = '/v2/batch'  # source: {URL}")
    assert judge(uncited, options=("--explain",)).lines[0]["decided_by"] == "cited"


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lines = b"\n".join(json.dumps(attempt(id=name)).encode() for name in "ab")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert main(["judge", "-"]) == 0
    assert Judged(0, *capsys.readouterr()).passed() == {"a": (True, True), "b": (True, True)}


def test_a_file_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, reason in ((tmp_path / "none.jsonl", "No such file or directory"), (tmp_path, "Is a directory")):
        assert main(["judge", str(path)]) == 2
        assert capsys.readouterr() == ("", f"Error: cannot read {path}: {reason}\n")
    assert main(["judge"]) == 2
    assert capsys.readouterr().err.startswith("Error: ")


def test_help_shows_the_form_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "--help"]) == 0
    text = capsys.readouterr().out
    for word in ("FILE", "--explain", '"query_forbidden"', '"final_url"', "judge attempts.jsonl > verdicts.jsonl"):
        assert word in text


def test_the_output_fits_every_locale(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    name = "K\u00f6ln \u6771\u4eac\u2028"
    path.write_bytes(json.dumps(attempt(id=name), ensure_ascii=False).encode() + b"\n{")
    plain = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "agentcompass_websearch", "judge", str(path)]
    done = subprocess.run(command, env=os.environ | plain, capture_output=True, check=False)
    assert done.returncode == 1
    assert [json.loads(line)["id"] for line in done.stdout.decode("ascii").splitlines()] == [name]
    assert done.stderr.startswith(b"line 2: not JSON")


def test_the_outfile_may_have_any_name(judge: Any) -> None:
    (one,) = judge(attempt(answer="key: value\nother: 2\n", outfile="values.yaml")).lines
    assert one["published"]["submission"] == "key: value\nother: 2"


def test_verdicts_come_line_by_line_and_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "agentcompass_websearch", "judge", "-"]
    line = json.dumps(attempt()).encode() + b"\n"
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(line)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == "t1"
        process.stdout.close()
        process.stdin.write(line * 3)
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1

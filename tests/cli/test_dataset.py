"""``agentcompass-websearch dataset``: check, write needles, make tickets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentcompass_websearch import cli, sample
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.sources import load, parse
from tests.benchmarks.support import HEADER, PATH, row, write_jsonl
from tests.support.installs import Run


def call(capsys: pytest.CaptureFixture[str], *argv: str | Path) -> tuple[int, str, str]:
    """Run the command in this process and return exit code, stdout, stderr."""
    code = cli.main(["dataset", *map(str, argv)])
    out, err = capsys.readouterr()
    return code, out, err


class TestValidate:
    def test_a_sound_set_is_listed(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        code, out, err = call(capsys, "validate", write_jsonl(tmp_path / "r.jsonl", [row()]))
        assert (code, err) == (0, "")
        assert "tolvane_01" in out
        assert f"{PATH} (path), {HEADER} (header)" in out
        assert "1 sound ticket of" in out

    def test_every_problem_is_said_with_its_place(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        rows = [row(task_id=f"t{n}", required=[f"X-Missing-{n}"]) for n in range(30)]
        code, out, _ = call(capsys, "validate", write_jsonl(tmp_path / "r.jsonl", [*rows, row()]))
        assert code == 2
        assert [
            n for n in range(30) if f"line {n + 1}: ticket 't{n}': gold code lacks 'X-Missing-{n}'" not in out
        ] == []
        assert "tolvane_01" in out

    def test_json(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        rows = [row(required=None), row(task_id="../x")]
        code, out, _ = call(capsys, "validate", write_jsonl(tmp_path / "r.jsonl", rows), "--json")
        assert code == 2
        found = json.loads(out)
        (one,) = found["tickets"]
        assert (one["id"], one["docs_vendor"], one["needles_origin"]) == ("tolvane_01", "tolvane", "derived")
        assert one["needles"][0]["kind"] == "path"
        (problem,) = found["problems"]
        assert "'../x'" in problem

    @pytest.mark.parametrize("name", ["./none.jsonl", "no-form", "synthetic:n=0", "synthetic:seeds=1"])
    def test_what_cannot_be_read_is_a_problem_too(self, capsys: pytest.CaptureFixture[str], name: str) -> None:
        code, out, _ = call(capsys, "validate", name, "--json")
        assert code == 2
        assert len(json.loads(out)["problems"]) == 1

    @pytest.mark.parametrize("name", ["sample", "synthetic:seed=3,n=2"])
    def test_what_is_built_in(self, capsys: pytest.CaptureFixture[str], name: str) -> None:
        code, out, _ = call(capsys, "validate", name)
        assert (code, "Problem" in out) == (0, False)

    def test_an_empty_set_and_gold_that_does_not_cite(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        assert call(capsys, "validate", write_jsonl(tmp_path / "e.jsonl", []))[0] == 2
        bare = row(gold_code=row()["gold_code"].replace("# source:", "# see"))
        code, out, _ = call(capsys, "validate", write_jsonl(tmp_path / "r.jsonl", [bare]))
        assert code == 0
        assert "Warning: tolvane_01: the gold code cites not all" in out


class TestNeedles:
    def test_they_are_written_for_review_and_read_by_the_benchmark(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        data = write_jsonl(tmp_path / "r.jsonl", [row(task_id="own"), row(task_id="without", required=None)])
        code, out, _ = call(capsys, "needles", data, "--out", tmp_path / "n.json")
        assert code == 0
        assert "of 2 tickets, 1 derived" in out
        tickets = load(parse(f"file:{data}"), needles_file=tmp_path / "n.json").tickets
        assert [t.needles_origin for t in tickets] == ["row", "file"]
        assert [t.needles for t in tickets] == [t.needles for t in load(parse(f"file:{data}")).tickets]

    def test_what_needs_a_persons_hand_is_named_and_written(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        crowded = row()["gold_code"] + "\n".join(f'x("acme-{n}")  # source: https://a.example' for n in range(9)) + "\n"
        rows = [
            row(task_id="none", required=None, gold_code=row()["starter_code"] + "\n# changed\n"),
            row(task_id="many", required=None, gold_code=crowded),
        ]
        code, out, _ = call(capsys, "needles", write_jsonl(tmp_path / "r.jsonl", rows), "--out", tmp_path / "n.json")
        assert code == 2
        assert "ticket 'none': no needle" in out
        assert "ticket 'many': " in out
        written = json.loads((tmp_path / "n.json").read_text("utf-8"))
        assert written["none"] == []
        assert len(written["many"]) > 8

    def test_a_file_that_is_there_is_kept(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        out = tmp_path / "n.json"
        out.write_text("mine")
        code, _, err = call(capsys, "needles", "sample", "--out", out)
        assert code == 2
        assert "exists" in err
        assert out.read_text() == "mine"
        assert call(capsys, "needles", "sample", "--out", out, "--force")[0] == 0
        assert len(json.loads(out.read_text("utf-8"))) == len(list(sample.rows()))


class TestSynthesize:
    def made(self, capsys: pytest.CaptureFixture[str], out: Path, *options: str) -> dict[str, bytes]:
        code, _, err = call(capsys, "synthesize", "--n", "4", "--out", out, *options)
        assert code == 0, err
        return {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}

    def test_the_same_settings_make_the_same_files(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        first = self.made(capsys, tmp_path / "a", "--seed", "5")
        assert {"rows.jsonl", "pages.jsonl", "needles.json", "catalog/catalog.json"} <= set(first)
        assert self.made(capsys, tmp_path / "b", "--seed", "5") == first
        assert self.made(capsys, tmp_path / "c", "--seed", "6") != first
        for option in (("--siblings", "1"), ("--snippet", "1"), ("--depth", "50")):
            assert self.made(capsys, tmp_path / option[0], "--seed", "5", *option) != first
        more = self.made(capsys, tmp_path / "more", "--seed", "5", "--pages-per-ticket", "20")
        assert len(more["pages.jsonl"].splitlines()) >= 80
        assert more["rows.jsonl"] == first["rows.jsonl"]

    def test_rows_have_the_public_columns_and_needles(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        files = self.made(capsys, tmp_path / "a")
        rows: list[dict[str, Any]] = [json.loads(line) for line in files["rows.jsonl"].decode().splitlines()]
        assert len(rows) == 4
        public = {"task_id", "vendor", "ticket", "starter_code", "gold_code"}
        assert set(rows[0]) == public | {"outfile", "required", "kinds", "query_forbidden"}
        for line in files["pages.jsonl"].decode().splitlines():
            assert set(json.loads(line)) == {"url", "title", "text"}

    def test_files_of_an_earlier_run_are_replaced_only_on_demand(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        out = tmp_path / "a"
        first = self.made(capsys, out)
        (out / "mine.txt").write_text("mine")
        code, _, err = call(capsys, "synthesize", "--seed", "9", "--n", "2", "--out", out)
        assert code == 2
        assert "--force" in err
        assert (out / "rows.jsonl").read_bytes() == first["rows.jsonl"]
        assert call(capsys, "synthesize", "--seed", "9", "--n", "2", "--out", out, "--force")[0] == 0
        assert len((out / "rows.jsonl").read_text("utf-8").splitlines()) == 2
        assert len(load(parse(f"file:{out / 'catalog'}")).tickets) == 2
        assert (out / "mine.txt").read_text() == "mine"
        assert [p.name for p in tmp_path.iterdir()] == ["a"]

    def test_what_is_not_its_own_is_never_removed(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        (tmp_path / "a" / "catalog").mkdir(parents=True)
        (tmp_path / "a" / "catalog" / "mine.txt").write_text("mine")
        code, _, err = call(capsys, "synthesize", "--n", "1", "--out", tmp_path / "a", "--force")
        assert code == 2
        assert "not a catalog that this command wrote" in err
        assert call(capsys, "synthesize", "--n", "0", "--out", tmp_path / "b")[0] == 2
        assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("locale", [{"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}, {"LC_ALL": "C"}])
def test_any_console_and_any_default_encoding_do(run: Run, tmp_path: Path, locale: dict[str, str]) -> None:
    data = write_jsonl(tmp_path / "r.jsonl", [row(vendor="Köln 東京 😀", ticket="Köln → 東京 😀")])
    command = ("python", "-m", "agentcompass_websearch", "dataset")
    assert "tolvane_01" in run(*command, "validate", data, env=locale).ok()
    run(*command, "needles", data, "--out", tmp_path / "n.json", env=locale).ok()
    run(*command, "validate", data, "--needles-file", tmp_path / "n.json", "--json", env=locale).ok()
